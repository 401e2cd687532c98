import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { inShard, joinReports, makeReport, memberResult, parseReport } from "../../../src/commands/fleet";
import type { DiagnosticsError } from "../../../src/diagnostics/diagnostic";
import { findFleet } from "../../../src/manifest/beside/find-fleet";
import {
  type FleetReport,
  fleetMetrics,
  fleetReportMarkdown,
  fleetReportSchema,
  fleetReportText,
} from "../../../src/report/fleet-report";
import { fleetPage } from "../../../src/report/html/pages";
import { plainStyle } from "../../../src/report/style";
import { resourceTypes } from "../../../src/resources";
import { fc } from "../../support/fixed-seed";
import { casesIn } from "../../support/rows";
import { newFolder } from "../../support/temp-folder";

const fleets = fc
  .uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { maxLength: 60 })
  .map((names) => names.map((name) => ({ name })));

it("shards 1 to N are exactly the whole for every N, of sizes that differ by one, whatever the order they are told in", () => {
  fc.assert(
    fc.property(fleets, fc.integer({ min: 1, max: 70 }), (members, count) => {
      const shards = Array.from({ length: count }, (_, i) => inShard(members, { index: i + 1, count }));
      const names = shards.flat().map(({ name }) => name);
      expect([...names].sort()).toEqual(members.map(({ name }) => name).sort());
      const sizes = shards.map(({ length }) => length);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      const again = inShard([...members].reverse(), { index: 1, count });
      expect(again.map(({ name }) => name).sort()).toEqual((shards[0] ?? []).map(({ name }) => name).sort());
    }),
  );
});

describe("the environment of a member", () => {
  const folder = newFolder("members");
  const shop = { RNV_API_KEY: "SHOP_KEY", AWS_ACCESS_KEY_ID: "SHOP_AWS" };
  const memberOf = async (name: string, members: object, environment: Record<string, string>) => {
    writeFileSync(join(folder, "rnv.fleet.yaml"), JSON.stringify({ members }));
    const from = { root: folder, cwd: folder, types: resourceTypes, timeoutMs: 1000, untrusted: false };
    const found = await findFleet({ ...from, environment, jobVariables: new Set(["GITHUB_SHA"]) });
    return found.find((member) => member.name === name);
  };

  it("has settings, names of the job and allowed names; nothing else", async () => {
    const member = await memberOf(
      "a",
      { a: {}, shop: { env: shop } },
      {
        ...{ PATH: "/bin", RNV_BASE_URL: "u", RNV_API_KEY: "k", GITHUB_SHA: "1", GITHUB_TOKEN: "t" },
        ...{ EXTRA: "e", HIDDEN: "h", RNV_ALLOW_ENV: "EXTRA, SHOP_*", RNV_STAGE: "x", SHOP_KEY: "s" },
        ...{ RNV_WEBHOOK_SECRET: "w", https_proxy: "p" },
      },
    );
    expect(Object.keys(member?.environment ?? {}).sort()).toEqual(
      ["PATH", "RNV_BASE_URL", "RNV_API_KEY", "GITHUB_SHA", "EXTRA", "RNV_ALLOW_ENV", "https_proxy"].sort(),
    );
  });

  it("has its own credentials in place of all that belong together, and names those that are not set", async () => {
    const member = await memberOf(
      "shop",
      { shop: { env: shop } },
      {
        ...{ RNV_API_KEY: "k", RNV_API_KEY_FILE: "f", SHOP_KEY: "s", SHOP_AWS: "" },
        ...{ AWS_SECRET_ACCESS_KEY: "x", AWS_SESSION_TOKEN: "y", AWS_REGION: "r" },
      },
    );
    expect(member?.environment).toEqual({ RNV_API_KEY: "s", AWS_REGION: "r" });
    expect(member?.problems.map(({ summary }) => summary)).toEqual([
      "shop: the variable that env.AWS_ACCESS_KEY_ID names is not set",
    ]);
  });

  it("has paths from the folder where the fleet was started: a pull request may fill the folder of a member", async () => {
    const written = { RNV_POLICY: "policies, /org/policies", RNV_API_KEY_FILE: "../key" };
    const more = { NODE_EXTRA_CA_CERTS: "ca.pem", RNV_SECRET_DIRS: "secrets:/run/secrets" };
    expect((await memberOf("a", { a: {} }, { ...written, ...more }))?.environment).toEqual({
      RNV_POLICY: `${folder}/policies,/org/policies`,
      RNV_API_KEY_FILE: resolve(folder, "../key"),
      NODE_EXTRA_CA_CERTS: `${folder}/ca.pem`,
      RNV_SECRET_DIRS: `${folder}/secrets:/run/secrets`,
    });
  });

  it("has a state of its own where the address holds ${member}: two names never meet in one state", async () => {
    const stateOf = async (name: string, RNV_STATE = "s3://states/${member}/${stage.name}.json") =>
      (await memberOf(name, { [name]: { dir: "x" } }, { RNV_STATE }))?.environment.RNV_STATE;
    expect(await stateOf("teams/a b")).toBe("s3://states/teams/a%20b/${stage.name}.json");
    expect(await stateOf("./shop")).toBe("s3://states/_/shop/${stage.name}.json");
    const states = ["a/b", "a-b", "a b", "a%20b", "."].map((name) => stateOf(name));
    expect(new Set(await Promise.all(states)).size).toBe(5);
    expect(await stateOf("x", "https://h/${member}")).toBe("https://h/x");
  });
});

const added = { added: 2, changed: 0, destroyed: 0, adopted: 0, forgotten: 0, failed: 0, skipped: 0 };

it.each(casesIn<[FleetReport["verb"], number, number | null, string]>(join(__dirname, "fleet-results.json")))(
  "%s that ended with %j, %j made, is reported as %s",
  (verb, exitCode, made, status) => {
    const counts = made === null ? undefined : { ...added, added: made };
    const outcome = { diagnostics: [], exitCode, counts };
    expect(memberResult(verb, { name: "a" }, [{ outcome, seconds: 1 }])).toMatchObject({
      ...{ status, exit_code: exitCode, seconds: 1 },
    });
  },
);

it("adds up the stacks of a member; the most telling exit code counts", () => {
  const outcome = { diagnostics: [], counts: added };
  const stacks = [
    { outcome: { ...outcome, exitCode: 0 }, seconds: 1 },
    { outcome: { ...outcome, exitCode: 3 }, seconds: 0.5 },
  ];
  expect(memberResult("apply", { name: "a" }, stacks)).toMatchObject({
    ...{ status: "partly", seconds: 1.5, changes: { add: 4, change: 0, destroy: 0, adopt: 0, forget: 0 } },
  });
});

const head = { verb: "drift" as const, started_at: "2026-01-01T00:00:00Z", seconds: 1 };
const resultOf = (name: string, status: FleetReport["members"][number]["status"] = "clean", code = 0) => ({
  ...{ name, folder: name, status, exit_code: code, seconds: 1 },
});

it("joins reports of one run only: of a shard that ran twice the later counts, and the worst exit code of all", () => {
  const selected = ["a", "b"];
  const shard = (index: number, at: string, result: FleetReport["members"][number]) => {
    const made = makeReport(
      { ...head, started_at: at, selected, shard: { index, count: 2 } },
      [result],
      true,
    );
    return parseReport(`fleet-${index}.json`, JSON.stringify(made));
  };
  const first = shard(1, "2026-01-01T00:00:00Z", resultOf("a", "failed", 1));
  const again = shard(1, "2026-01-01T00:10:00Z", resultOf("a"));
  const second = shard(2, "2026-01-01T00:00:05Z", resultOf("b", "drift", 2));
  expect(joinReports([again, first, second], true)).toMatchObject({ exit_code: 2, seconds: 601 });
  expect(joinReports([first, second], true)).toMatchObject({ exit_code: 1, counts: { failed: 1, drift: 1 } });
  const untold = joinReports([second], true);
  expect(untold).toMatchObject({ exit_code: 1, counts: { failed: 1 } });
  const report = fleetReportSchema.parse(untold);
  for (const shown of [fleetReportText(report, plainStyle), fleetReportMarkdown(report), fleetPage(report)]) {
    expect(shown).toContain("it is in no report");
    expect(shown).toContain("run shard 1 of 2 again");
    expect(shown).toContain("2 members: 1 drift, 1 failed.");
  }
  const other = makeReport({ ...head, selected: ["c"] }, [], true);
  const refused = (...reports: readonly (FleetReport | string)[]) => {
    try {
      const read = reports.map((one) => (typeof one === "string" ? parseReport("x", one) : one));
      return joinReports(read, true);
    } catch (cause) {
      return (cause as DiagnosticsError).diagnostics;
    }
  };
  expect(refused(first, other)).toHaveLength(1);
  // Left by an earlier run in other parts: it must not stand in for a part that did not end.
  const earlier = { ...first, shard: { index: 1, count: 1 } };
  expect(refused(earlier, second)).toMatchObject([
    { detail: expect.stringMatching(/in 1 parts?, .*in 2 parts/) },
  ]);
  expect(refused(first, "{")).toMatchObject([{ summary: "x is no report of a fleet" }]);
  expect(refused()).toMatchObject([{ summary: "there is no report of a fleet" }]);
});

it("tells first who needs someone, keeps within its size, and shows names and errors inert", () => {
  const hostile = "::error::<img src=x>`\u001b[2J";
  const bad = {
    ...resultOf(hostile, "failed", 1),
    diagnostics: [{ severity: "error" as const, code: "manifest.syntax" as const, summary: hostile }],
  };
  const many = Array.from({ length: 3000 }, (_, i) => resultOf(`team-${i}`, "drift", 2));
  const report = makeReport({ ...head, selected: [] }, [...many, bad, resultOf("well")], true);
  expect(fleetReportSchema.parse(report)).toEqual(report);
  const text = fleetReportText(report, plainStyle);
  expect(text.split("\n")[0]).toContain("failed");
  expect(text).not.toContain("\u001b");
  expect(text).not.toMatch(/^::/m);
  expect(text.trimEnd().split("\n").at(-1)).toBe("Fleet: 3002 members: 1 no drift, 3000 drift, 1 failed.");
  const markdown = fleetReportMarkdown(report);
  expect(markdown.length).toBeLessThan(65_000);
  expect(markdown).toMatch(/> \d+ items left out/);
  const bare = markdown.replace(/^(`{3,})\n[\s\S]*?\n\1$/gm, "").replace(/<code>[^<>]*<\/code>/g, "");
  expect(bare.replace(/`+[^`]*`+/g, "")).not.toContain("<img");
});

it("shows the warnings of a member that is well, among many that are", () => {
  const summary = "rnv.yaml declares nothing";
  const empty = {
    ...resultOf("empty"),
    diagnostics: [{ severity: "warning" as const, code: "manifest.empty" as const, summary }],
  };
  const many = Array.from({ length: 100 }, (_, i) => resultOf(`team-${i}`));
  const report = makeReport({ ...head, selected: [] }, [...many, empty], true);
  const text = fleetReportText(report, plainStyle);
  expect(text).toContain(`    empty no drift (1s)\n      warning[manifest.empty]: ${summary}\n`);
  expect(text).not.toContain("team-");
  for (const shown of [fleetReportMarkdown(report), fleetPage(report)]) expect(shown).toContain(summary);
});

it("writes numbers for Prometheus", () => {
  const report = makeReport(
    { ...head, started_at: "2026-01-02T00:00:00Z", selected: ["a"] },
    [{ ...resultOf("a", "drift"), drift: { drifted: 1, missing: 0, pending: 0, unmanaged: 2 } }],
    true,
  );
  const metrics = fleetMetrics(report);
  expect(metrics).toContain('rnv_fleet_last_run_timestamp_seconds{verb="drift",member="a"} 1767312000\n');
  expect(metrics).toContain('rnv_fleet_members{verb="drift",status="drift"} 1\n');
  expect(metrics).toContain('rnv_fleet_drifted{verb="drift",member="a"} 1\n');
});
