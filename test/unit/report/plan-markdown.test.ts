import { join } from "node:path";
import type { Plan } from "../../../src/plan/plan";
import { planMarkdown, planText } from "../../../src/report/plan-text";
import { createStyle, plainStyle } from "../../../src/report/style";
import { expectText } from "../../support/expected-text";
import { pageOf } from "../../support/html-plans";
import { absent, address, change, field, plan, secret, shopPlan, value } from "../../support/plan-fixture";

it("opens with the summary, then deletions and blocks, then changes, then creations", () => {
  expectText(join(__dirname, "expected/plan.md"), planMarkdown(shopPlan));
});

it("folds the fields of each resource into a diff", () => {
  const item = change("update", "service.a", {
    attributes: [
      field("branch", value("main"), value("release"), { cause: "drift" }),
      field("page", value("a\nb"), value("a\nc")),
    ],
  });
  expectText(join(__dirname, "expected/folded-fields.md"), planMarkdown(plan([item])));
});

it("names deletions and blocks at its shortest, with the sign of each", () => {
  const blockedBy = { code: "guard.name_changed", summary: "its name changed", hint: "confirm" } as const;
  const text = planMarkdown(
    plan([
      change("delete", "service.a"),
      change("replace", "service.b"),
      change("update", "service.c", { blockedBy }),
      change("update", "service.d"),
    ]),
    60,
  );
  expect(text).toMatch(/```diff\n- service\.a\n-\/\+ service\.b\n~ service\.c {2}# blocked\n```/);
  expect(text).toContain("> 1 item left out, because this text would be too long.");
});

it("leaves out the last items to stay below its limit, and says how many", () => {
  const big = plan(
    [...Array(500).keys()].map((i) =>
      change("update", `service.s${i}`, { attributes: [field("a", absent, value(`${i} `.repeat(195)))] }),
    ),
  );
  const text = planMarkdown(big);
  expect(text.length).toBeLessThanOrEqual(60_000);
  const shown = text.match(/<code>service\.s\d+<\/code>/g)?.length ?? 0;
  expect(shown).toBeGreaterThan(90);
  expect(text).toContain(`<details><summary><b>Changed</b> (${shown})</summary>`);
  expect(text).toContain(`> ${500 - shown} items left out, because this text would be too long.`);
  expect(planMarkdown(big, 250)).toBe(
    "### rnv plan\n\n**Plan: 0 to add, 0 to change, 0 to destroy.**\n\nServices: 500 to change.\n\n> [!NOTE]\n> 500 items left out, because this text would be too long.\n",
  );
});

it.each([60_000, 700, 250])(
  "ends with its digest for the job that applies it, within %i characters",
  (limit) => {
    const digest = "d".repeat(64);
    const many = [...Array(500).keys()].map((i) => change("create", `service.s${i}.x`));
    const text = planMarkdown(plan(many, { digest }), limit);
    expect(text.endsWith(`<!-- rnv digest: ${digest} -->\n`)).toBe(true);
  },
);

describe("deletions and replacements", () => {
  const updates = [...Array(400).keys()].map((i) =>
    change("update", `service.a${i}`, { attributes: [field("a", absent, value(`${i} `.repeat(195)))] }),
  );
  const blockedBy = { code: "guard.delete_unconfirmed", summary: "is deleted", hint: "confirm" } as const;
  const ended = [
    change("delete", "service.y-confirmed", { effects: ["destructive"] }),
    change("delete", "service.y-asked", { blockedBy }),
    change("replace", "service.z", { attributes: [field("kind", value("web"), value("static"))] }),
  ];
  const given = plan([...updates, ...ended]);

  it.each([60_000, 3000, 1200, 300])("come first whatever else there is, within %i characters", (limit) => {
    const text = planMarkdown(given, limit);
    expect(text.length).toBeLessThanOrEqual(Math.max(limit, 500));
    for (const { address } of ended) expect(text).toContain(address);
    const [first = -1] = updates.map(({ address }) => text.indexOf(`>${address}<`)).filter((at) => at >= 0);
    if (first >= 0) for (const { address } of ended) expect(text.indexOf(address)).toBeLessThan(first);
    const shown = updates.filter(({ address }) => text.includes(`>${address}<`)).length;
    expect(text).toContain(`> ${400 - shown} items left out`);
  });

  it("are all named, however many there are, beside the rest of the plan", () => {
    for (const many of [
      [...Array(1500).keys()].map((i) => change("delete", `service.shop.s${i}`, { blockedBy })),
      [...Array(3000).keys()].map((i) => change("delete", `service.shop.s${i}`)),
    ]) {
      const outputs = [{ name: "url", before: absent, after: value("x") }];
      const text = planMarkdown(plan([...updates, ...many], { outputs }));
      expect(text).toMatch(many.length > 2000 ? /^> 1 section left out/m : /^- `\+` `url`: /m);
      const named = new Set(text.match(/service\.shop\.s\d+/g));
      expect(named.size).toBe(many.length);
    }
  });

  it("say how to confirm them where they are not, and are marked where they are shortened", () => {
    const many = [...Array(60).keys()].map((i) => change("delete", `service.s${i}`, { blockedBy }));
    const text = planMarkdown(plan(many));
    expect(text).toContain("> 60 changes are blocked. Nothing is applied until you confirm or remove them.");
    expect(text.match(/\*\*will be destroyed\*\*: blocked: is deleted\. Confirm/g)).toHaveLength(60);
    expect(planMarkdown(plan(many), 2_000).match(/^- service\.s\d+ {2}# blocked$/gm)).toHaveLength(60);
  });
});

it("uses arrows where the terminal can draw them", () => {
  const item = change("update", "service.a", { attributes: [field("p", value(1), value(2))] });
  expect(planText(plan([item]), createStyle({ width: 80 }))).toContain("~ p  1 → 2");
});

it("counts a policy once, a condition for each resource, and calls both checks", () => {
  const check = { policy: "names", level: "mandatory", status: "passed" } as const;
  const conditions = [
    { ...check, policy: "precondition", address: address("service.a") },
    { ...check, policy: "precondition", status: "failed", address: address("service.b") },
  ] as const;
  const line = (checks: Plan["checks"]) =>
    planMarkdown(plan([], { checks })).match(/^\w+: .*(passed|failed).*$/m)?.[0];
  expect(line([check, { ...check, status: "failed" }])).toBe("Policies: 1 failed.");
  expect(line(conditions)).toBe("Conditions: 1 passed, 1 failed.");
  expect(line([check, ...conditions])).toBe("Checks: 2 passed, 1 failed.");
});

it("names the parts that stay beside the changes in text, in Markdown and on the page", () => {
  const quiet = plan(
    [
      change("no-op", "service.shop.api", {
        released: [field("configuration.branch", value("main"), value("main"), { cause: "released" })],
      }),
      change("no-op", "service.shop.web", { previousAddress: address("service.shop.old") }),
    ],
    {
      standing: [
        { address: address("service.shop.web"), code: "failed", class: "pending", summary: "build failed" },
      ],
      unchecked: [{ address: address("service.shop.cron"), reason: "access denied" }],
    },
  );
  const page = pageOf(quiet).replace(/<[^>]*>/g, "");
  for (const text of [planText(quiet, plainStyle), planMarkdown(quiet).replaceAll("`", ""), page]) {
    expect(text).toContain("service.shop.old has moved to service.shop.web");
    expect(text).toMatch(/Left as they are[\s\S]*service\.shop\.api +configuration\.branch/);
    expect(text).toMatch(/Not running what was applied last[\s\S]*service\.shop\.web(:| {2}) ?build failed/);
    expect(text).toMatch(/Could not be read[\s\S]*service\.shop\.cron(:| {2}) ?access denied/);
  }
});

it("says that a secret changes, without a before and an after that look the same", () => {
  const item = change("update", "variable.a.KEY", { attributes: [field("value", secret, secret)] });
  expect(planMarkdown(plan([item]))).toContain("! value changes (hidden)\n");
  expect(pageOf(plan([item]))).toContain("! value changes (hidden)");
});
