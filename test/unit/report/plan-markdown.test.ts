import type { Plan } from "../../../src/plan/plan";
import { planMarkdown } from "../../../src/report/plan-markdown";
import { planText } from "../../../src/report/plan-text";
import { createStyle, plainStyle } from "../../../src/report/style";
import { fc } from "../../support/fixed-seed";
import { pageOf } from "../../support/html-plans";
import { absent, address, change, field, plan, secret, shopPlan, value } from "../../support/plan-fixture";

it("opens with the summary, then what blocks, then the table", () => {
  expect(planMarkdown(shopPlan).split("\n").slice(0, 24)).toEqual([
    "### rnv plan",
    "",
    "**Plan: 1 to import, 3 to add, 3 to change, 4 to destroy, 1 to forget.**",
    "",
    "> [!CAUTION]",
    "> Blocked until it is resolved:",
    "> - `service.shop.docs`: service.shop.docs would be destroyed, and that is not confirmed. `--confirm-delete service.shop.docs`",
    "",
    "> [!WARNING]",
    '> - warning `plan.live_changed_too`: configuration.branch of service.shop.api had changed outside rnv too (live is "main")',
    "",
    "| action | resource | what | effect |",
    "| --- | --- | --- | --- |",
    "| **replace**, blocked | `service.shop.docs` | kind | **destructive** |",
    '| **destroy** | `service.shop.worker` | named "Old worker" | **destructive**, changes the bill |',
    "| **destroy** | `variable.shop.worker.TOKEN` | destroyed with its parent |  |",
    "| **destroy** | `variable.shop.worker.URL` | destroyed with its parent |  |",
    "| forget | `service.legacy` |  |  |",
    "| import | `project.shop` | description |  |",
    "| update | `service.shop.api` | branch, plan, port and 2 more | deploys, changes the bill |",
    "| update | `variable.shop.api.WORKER_HOST` | value |  |",
    "| create | `variable.shop.api.LOG_LEVEL` |  |  |",
    "| create | `deployment.shop.api` | because service.shop.api changes | deploys |",
    "",
  ]);
});

it("folds the fields of each resource into a diff", () => {
  const item = change("update", "service.a", {
    attributes: [
      field("branch", value("main"), value("release"), { cause: "drift" }),
      field("page", value("a\nb"), value("a\nc")),
    ],
  });
  expect(planMarkdown(plan([item]))).toContain(
    [
      "<details><summary><code>service.a</code> will be updated in place</summary>",
      "",
      "```diff",
      '- branch: "main"',
      '+ branch: "release"  # drift: changed outside rnv',
      "  page:",
      "    a",
      "-   b",
      "+   c",
      "```",
      "",
      "</details>",
    ].join("\n"),
  );
});

it("says so when nothing changes", () => {
  expect(planMarkdown(plan([]))).toBe(
    "### rnv plan\n\n**No changes. Your infrastructure matches the configuration.**\n",
  );
});

it("names at its shortest what ends or is blocked, with the sign of what becomes of it", () => {
  const guard = { code: "guard.name_changed", summary: "its name changed", hint: "confirm" } as const;
  const text = planMarkdown(
    plan([
      change("delete", "service.a"),
      change("replace", "service.b"),
      change("update", "service.c", { guard }),
      change("update", "service.d"),
    ]),
    60,
  );
  expect(text).toMatch(/```diff\n- service\.a\n-\/\+ service\.b\n~ service\.c {2}# blocked\n```/);
  expect(text).toContain("The list of 1 other resource is left out");
});

it("drops details, then the table, to stay below its limit, and says so", () => {
  const big = plan(
    [...Array(500).keys()].map((i) =>
      change("update", `service.s${i}`, { attributes: [field("a", absent, value(`${i} `.repeat(195)))] }),
    ),
  );
  const text = planMarkdown(big);
  expect(text.length).toBeLessThanOrEqual(60_000);
  expect(text).toMatch(/> The details of \d+ resources are left out/);
  expect(text).toContain("| and 300 more | Services: 300 to change. |");
  const short = planMarkdown(big, 700);
  expect(short).not.toContain("service.s");
  expect(short).toContain("| and 500 more | Services: 500 to change. |");
  expect(planMarkdown(big, 250)).toBe(
    "### rnv plan\n\n**Plan: 0 to add, 0 to change, 0 to destroy.**\n\n> [!NOTE]\n> The list of 500 resources is left out, because this comment would be too long.\n\nServices: 500 to change.\n",
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
  const guard = { code: "guard.delete_unconfirmed", summary: "would be deleted", hint: "confirm" } as const;
  const ended = [
    change("delete", "service.y-confirmed", { effects: ["destructive"] }),
    change("delete", "service.y-asked", { guard }),
    change("replace", "service.z", { attributes: [field("kind", value("web"), value("static"))] }),
  ];
  const given = plan([...updates, ...ended]);

  it.each([60_000, 3000, 1200, 300])("stand first whatever else there is, within %i characters", (limit) => {
    const text = planMarkdown(given, limit);
    expect(text.length).toBeLessThanOrEqual(Math.max(limit, 500));
    for (const { address } of ended) expect(text).toContain(address);
    const [first = -1] = updates.map(({ address }) => text.indexOf(`\`${address}\``)).filter((at) => at >= 0);
    if (first >= 0) for (const { address } of ended) expect(text.indexOf(address)).toBeLessThan(first);
    expect(text).toMatch(/(300|400) (more|other resources)|200 more/);
  });

  it("are all named, however many there are and however few wanted them confirmed", () => {
    for (const many of [
      [...Array(1500).keys()].map((i) => change("delete", `service.shop.s${i}`, { guard })),
      [...Array(3000).keys()].map((i) => change("delete", `service.shop.s${i}`)),
    ]) {
      const text = planMarkdown(plan([...updates, ...many]));
      const named = new Set(text.match(/service\.shop\.s\d+/g));
      expect(named.size).toBe(many.length);
    }
  });

  it("that are not confirmed are counted where they are many", () => {
    const many = [...Array(60).keys()].map((i) => change("delete", `service.s${i}`, { guard }));
    const text = planMarkdown(plan(many));
    expect(text).toContain("> - 60 unconfirmed deletions, marked below; to confirm each:");
    expect(text.match(/\*\*destroy\*\*, blocked/g)).toHaveLength(60);
  });
});

it("shows more than 20 new resources of a type in one row, with the values that they have", () => {
  const many = [...Array(40).keys()].map((i) =>
    change("create", `service.shop.s${i}`, {
      attributes: [
        field("kind", absent, value(i < 30 ? "web" : "cron")),
        field("name", absent, value(`s${i}`)),
        field("plan", absent, value("starter")),
      ],
    }),
  );
  const text = planMarkdown(plan(many));
  expect(text).toContain(
    "| create | `service.shop.s0`, `service.shop.s1`, `service.shop.s2` and 37 more | 40 services |  |",
  );
  expect(text).toContain('+ kind: "web" (30), "cron" (10)\n+ name: 40 values\n+ plan: "starter"\n');
});

it("tells equal changes of many resources in one row and one fold", () => {
  const many = [...Array(14).keys()].map((i) =>
    change("update", `service.shop.s${i + 10}`, {
      attributes: [field("configuration.runtime", value("node"), value("bun"))],
      effects: ["deploys"],
    }),
  );
  const text = planMarkdown(plan(many));
  expect(text).toContain(
    '| update | `service.shop.s10`, `service.shop.s11`, `service.shop.s12` and 11 more | 14 services: `runtime "node" \u2192 "bun"` | deploys |',
  );
  expect(text.match(/<details>/g)).toHaveLength(1);
  expect(text).toContain("<summary>14 services will be updated in place</summary>");
  expect(text).toContain("`service.shop.s23`");
  expect(text).toContain("\n\nServices: 14 to change.\n");
});

describe("whatever names and values are called", () => {
  const nasty = fc
    .array(
      fc.constantFrom(
        ..."::error::|##[group]|\u001b[2J|\u202e|\u200b|\n|\r|`|```|\\|@admin|<script>|</details>|[x](y)|![i](j)|*| |a".split(
          "|",
        ),
        "|",
      ),
      { minLength: 1, maxLength: 5 },
    )
    .map((parts) => parts.join(""));
  const hostilePlan: fc.Arbitrary<Plan> = fc
    .record({ a: nasty, b: nasty, c: nasty, d: nasty })
    .map(({ a, b, c, d }) =>
      plan(
        [
          change("update", `service.${a}`, {
            name: b,
            id: c,
            previousAddress: address(`service.${d}`),
            reason: d,
            attributes: [field(a, value(b), value(c)), field(d, value(`${a}\n${b}`), value([c]))],
            released: [field(b, value(a), value(b), { cause: "released" })],
            guard: { code: "guard.name_changed", summary: c, hint: d },
          }),
          change("delete", `service.${b}x`, { name: a, id: d }),
          change("no-op", `service.${c}y`, { previousAddress: address(`service.${b}`) }),
        ],
        {
          outputs: [{ name: a, before: value(b), after: value(c) }],
          unmanaged: [{ type: d, id: a, name: b }],
          unchecked: [{ address: address(`service.${c}`), reason: d }],
          diagnostics: [
            { severity: "warning", code: "live.failed", summary: a, detail: b, hint: c, requestId: d },
          ],
        },
      ),
    );

  it("the text has no raw control character and no line that a runner obeys", () => {
    fc.assert(
      fc.property(hostilePlan, (given) => {
        const text = planText(given, plainStyle);
        expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e\u200b]/u);
        expect(text).not.toMatch(/^\s*::|##\w*\[/m);
      }),
      { numRuns: 150 },
    );
  });

  it("the Markdown has no HTML, mention, link or table column of theirs", () => {
    fc.assert(
      fc.property(hostilePlan, (given) => {
        const text = planMarkdown(given);
        expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e\u200b]/u);
        expect(text).not.toMatch(/^\s*::|##\w*\[/m);
        const rows = text.split("\n").filter((line) => line.startsWith("| "));
        for (const row of rows) expect(row.replace(/\\[\\|]/g, "").match(/\|/g)).toHaveLength(5);
        const bare = text
          .replace(/^(`{3,})diff\n[\s\S]*?\n\1$/gm, "")
          .replace(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, "")
          .replace(/<code>[^<>]*<\/code>/g, "")
          .replace(/<\/?(details|summary)>/g, "");
        expect(bare).not.toMatch(/<|@admin|\]\(/);
        expect(text.match(/<\/details>/g)?.length ?? 0).toBeGreaterThanOrEqual(1);
      }),
      { numRuns: 150 },
    );
  });
});

it("uses arrows where the terminal can draw them", () => {
  const item = change("update", "service.a", { attributes: [field("p", value(1), value(2))] });
  expect(planText(plan([item]), createStyle({ color: false, unicode: true }))).toContain("~ p  1 → 2");
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

it("says what stays beside the changes in text, in Markdown and on the page", () => {
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
    expect(text).toMatch(/Not running the last deployment[\s\S]*service\.shop\.web(:| {2}) ?build failed/);
    expect(text).toMatch(/Could not be read[\s\S]*service\.shop\.cron(:| {2}) ?access denied/);
  }
});

it("says that a secret changes, without a before and an after that look the same", () => {
  const item = change("update", "variable.a.KEY", { attributes: [field("value", secret, secret)] });
  expect(planMarkdown(plan([item]))).toContain("! value changes (hidden)\n");
  expect(pageOf(plan([item]))).toContain("! value changes (hidden)");
});
