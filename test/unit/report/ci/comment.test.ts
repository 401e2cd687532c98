import { markerIn } from "../../../../src/api/code-host/code-host";
import type { Address } from "../../../../src/model/address";
import { sha256 } from "../../../../src/model/sha256";
import type { Change, Plan } from "../../../../src/plan/plan";
import { compareWithRecord, type PlanRecord } from "../../../../src/plan/plan-record";
import {
  applyComment,
  type CommentSubject,
  failedPlanComment,
  markerOf,
  planComment,
  readRecord,
} from "../../../../src/report/ci/comment";
import { fc } from "../../../support/fixed-seed";
import { change, field, plan, shopPlan, value } from "../../../support/plan-fixture";
import { inSoak } from "../../../support/soak";

const key = Buffer.alloc(32, 7);
const seal = { key, repository: "git.example.com/acme/shop", pullRequest: 7 };
const subject = { manifest: "shop/rnv.yaml", stage: "production", ...seal };
const recordIn = (text: string, of: CommentSubject = subject): PlanRecord | undefined => {
  const record = readRecord(text, "plan", of);
  return record === "foreign" ? undefined : record;
};
const origin = { commit: "0123456789abcdef", page: "https://ci.example/jobs/1", pullWord: "pull request" };
const marker = markerOf("plan", subject);
const digest = "d".repeat(64);
const planned = (changes: readonly Change[], rest: Partial<Plan> = {}) => plan(changes, { digest, ...rest });
const comment = (made: Plan, limit = 65_536) => planComment(made, { ...subject, ...origin, limit });

const renamed = (i: number, more: Partial<Change> = {}) =>
  change("update", `service.shop.service-${i}`, {
    attributes: [field("configuration.branch", value("a"), value(`${i}`), { cause: "drift" })],
    ...more,
  });

it("begins with its marker and its record, tells counts, losses, cost and guards, and where the rest is", () => {
  const text = comment({ ...shopPlan, digest });
  expect(text.split("\n")[0]).toBe("<!-- rnv plan manifest=shop%2Frnv.yaml stack= stage=production -->");
  expect(text).toContain(
    "### rnv plan of `production`, `shop/rnv.yaml`\n\n**Plan: 1 to import, 3 to add, 3 to change, 4 to destroy, 1 to forget.**",
  );
  expect(text).toContain("--confirm-delete");
  expect(text).toContain("Estimated monthly cost: USD 7 → 14 (+7)");
  expect(text).toContain(
    "commit `0123456789`; the whole report is kept by [the job](https://ci.example/jobs/1)",
  );
  expect(recordIn(text)?.digest).toBe(digest);
  expect(compareWithRecord(recordIn(text) as never, { ...shopPlan, digest }, { key })).toEqual([]);
});

it("has a record of its pull request, repository, stage and key alone", () => {
  const text = comment(planned([renamed(1)]));
  for (const other of [
    { pullRequest: 8 },
    { repository: "git.example.com/acme/docs" },
    { key: Buffer.alloc(32) },
    { key: undefined },
  ])
    expect([other, readRecord(text, "plan", { ...subject, ...other })]).toEqual([other, "foreign"]);
  const moved = text.replace("stage=production", "stage=staging");
  expect(readRecord(moved, "plan", { ...subject, stage: "staging" })).toBe("foreign");
  // Without a key it is not authenticated, and says so to whoever has a key.
  const open = planComment(planned([renamed(1)]), { ...subject, ...origin, key: undefined, limit: 65_536 });
  expect(readRecord(open, "plan", subject)).toBe("foreign");
  expect(readRecord(open, "plan", { ...subject, key: undefined, pullRequest: 9 })).toMatchObject({ digest });
});

it("is found by the marker of its stage alone, also where a value repeats another marker, or people wrote above it", () => {
  const other = markerOf("plan", { ...subject, stage: "preview/7" });
  const evil = comment(
    planned([renamed(1, { attributes: [field("p", value(1), value(`x\n${other}\ny`))] })]),
  );
  expect(evil).toContain(other);
  expect(markerIn(evil)).toBe(marker);
  const edited = `I looked at this.\r\n\r\n${evil.replaceAll("\n", "\r\n")}`;
  expect(markerIn(edited)).toBe(marker);
  expect(recordIn(edited)?.digest).toBe(digest);
  expect(recordIn(evil, { ...subject, stage: "preview/7" })).toBeUndefined();
});

it("has a record that no other text ends, and none where the plan has errors", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (manifest, stage) => {
      const line = markerOf("plan", { manifest, stage });
      expect(line).toMatch(/^<!-- rnv plan [^<>\n]*-->$/);
    }),
  );
  const broken = planned([renamed(1)], {
    diagnostics: [{ severity: "error", code: "plan.cycle", summary: "no" }],
  });
  expect(recordIn(comment(broken))).toBeUndefined();
  for (const record of ["e30", "!!", Buffer.from("{}").toString("base64url")])
    expect(
      recordIn(`${marker}\n<!-- rnv record ${record}. -->\n`, { ...subject, key: undefined }),
    ).toBeUndefined();
});

describe("a long plan", () => {
  const many = (count: number) => planned(Array.from({ length: count }, (_, i) => renamed(i)));

  it("folds its changes away, but never what ends or is blocked", () => {
    const lost = change("delete", "service.shop.lost", { id: "1", liveName: "lost" });
    const text = comment(planned([...many(40).changes, lost]));
    const fold = text.indexOf("<details>");
    expect(text.slice(0, fold)).toContain("- `service.shop.lost` **will be destroyed**");
    expect(text.slice(0, fold)).not.toContain("service-7`");
    expect(text).toContain("<details><summary><b>Changed</b> (40)</summary>");
    expect(comment(many(20))).toContain("**Changed**\n");
  });

  it.each([65_536, 1_000_000, 20_000])("stays within %d characters, whatever it holds", (limit) => {
    for (const count of inSoak([300, 800, 3000], limit === 65_536 ? [300, 3000] : [800]))
      for (const action of count < 3000 ? (["update", "delete"] as const) : (["delete"] as const)) {
        const changes = many(count).changes.map((one) => ({
          ...{ ...one, action, name: "x".repeat(80) },
          address: `${one.address}-${sha256(one.address).slice(0, 8)}` as Address,
        }));
        const unchecked = changes.map(({ address }) => ({ address, attribute: "value", reason: "unset" }));
        const text = comment(planned(changes, { unchecked }), limit);
        expect(text.length).toBeLessThanOrEqual(limit);
        expect(text.split("\n")[0]).toBe(marker);
        const record = recordIn(text);
        expect(record?.digest).toBe(digest);
        expect(Object.keys(record?.changes ?? {})).toHaveLength(record?.changes === undefined ? 0 : count);
        if (limit === 1_000_000 || (limit === 65_536 && count < 1000)) expect(record?.changes).toBeDefined();
        expect(text).toContain("the whole report is kept by");
        const isWhole = /service\.shop\.service-0(?!\d)/.test(text);
        const isSaid = text.includes("left out") || text.includes("too long for a comment");
        expect(isWhole || isSaid).toBe(true);
        const end = { exitCode: 5, plan: planned(changes), diagnostics: [], differences: [] };
        const refused = applyComment(end, { ...subject, ...origin, limit });
        expect(refused.length).toBeLessThanOrEqual(limit);
      }
    const failed = failedPlanComment(
      Array.from({ length: 3000 }, (_, i) => ({
        severity: "error",
        code: "manifest.unknown_key",
        summary: `no ${i} ${"`".repeat(9)}`,
      })),
      { ...subject, ...origin, limit },
    );
    expect(failed.length).toBeLessThanOrEqual(limit);
  });
});
