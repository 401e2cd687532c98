import { join } from "node:path";
import type { Change, Plan } from "../../../src/plan/plan";
import { planMarkdown, planText } from "../../../src/report/plan-text";
import { createStyle, plainStyle } from "../../../src/report/style";
import { expectText } from "../../support/expected-text";
import { absent, address, change, field, plan, secret, value } from "../../support/plan-fixture";

const expected = (name: string): string => join(__dirname, "expected", name);

const summary = { add: 0, change: 0, destroy: 0, adopt: 0, forget: 0 };

/** What the plan says about one change, without heading and closing line. */
function about(item: Change, rest: Partial<Plan> = {}): string[] {
  const lines = planText(plan([item], rest), plainStyle).split("\n");
  return lines.slice(2, -3);
}

const atEnd = "differs in the line break at the end, or beyond 400 characters of a line";

describe("the lines of a change", () => {
  it("stand below each other where a pair is too long for the line", () => {
    const before = "npm ci && npm run build";
    const item = change("update", "service.a", {
      attributes: [field("configuration.buildCommand", value(before), value(`${before} -- --production`))],
    });
    expect(about(item).slice(1)).toEqual([
      "      ~ configuration.buildCommand",
      '          - "npm ci && npm run build"',
      '          + "npm ci && npm run build -- --production"',
    ]);
  });

  it("show a text of several lines as a diff with unchanged stretches folded", () => {
    const lines = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const changed = [...lines.slice(0, 6), "G", "h"];
    const item = change("update", "service.a", {
      attributes: [field("page", value(lines.join("\n")), value(changed.join("\n")), { cause: "drift" })],
    });
    expectText(expected("changed-text.txt"), `${about(item).join("\n")}\n`);
  });

  it.each([
    ["a line ending", "a\nb", "a\r\nb", ["- a", "+ a\\r", "  b"]],
    ["a space at the end of a line", "a\nb", "a \nb", ["- a", "+ a\\u0020", "  b"]],
    ["a tab", "a\n  b", "a\n\tb", ["  a", "-   b", "+ \\tb"]],
    ["the last line break", "a\nb", "a\nb\n", ["  ... (2 unchanged)", `! ${atEnd}`]],
  ])("show %s that alone differs, in text and in Markdown", (_what, before, after, lines) => {
    const item = change("update", "service.a", { attributes: [field("page", value(before), value(after))] });
    expect(about(item).slice(2)).toEqual(lines.map((line) => `          ${line}`));
    const inMarkdown = lines.map((line) => `${line.slice(0, 1)}  ${line.slice(1)}`).join("\n");
    expect(planMarkdown(plan([item]))).toContain(`page:\n${inMarkdown}\n`);
  });

  it("say how many lines of a very long text are left out, and cut long ones", () => {
    const item = change("create", "service.a", {
      attributes: [
        field("long", absent, value("x".repeat(1000))),
        field("lines", absent, value("y\n".repeat(100))),
      ],
    });
    const lines = about(item);
    expect(lines[1]).toMatch(/x\.\.\.$/);
    expect(lines.at(-1)).toBe("          ... (61 more lines)");
    expect(lines).toHaveLength(43);
  });
});

it("colours symbols, addresses and what is lost", () => {
  const text = planText(
    plan([change("delete", "service.a", { id: "s", effects: ["destructive"] })], {
      summary: { ...summary, destroy: 1 },
    }),
    createStyle({ color: true }),
  );
  expect(text.split("\n").slice(2)).toEqual([
    "\u001b[31m  -\u001b[39m \u001b[1mservice.a\u001b[22m \u001b[31mwill be destroyed\u001b[39m\u001b[2m [id=s]\u001b[22m",
    "      \u001b[2meffect:\u001b[22m \u001b[1m\u001b[31mdestructive\u001b[39m\u001b[22m",
    "",
    "\u001b[1mPlan: 0 to add, 0 to change, 1 to destroy.\u001b[22m",
    "",
  ]);
});

describe("the order of a plan", () => {
  const blockedBy = { code: "guard.prevent_destroy", summary: "protected", hint: "" } as const;
  const lines = (given: Plan) =>
    planText(given, plainStyle)
      .split("\n")
      .flatMap((line) => /^ {0,2}[-+~<>/]+ (\S+) /.exec(line)?.[1] ?? []);

  it("is what ends or is blocked, then what changes, then what is new", () => {
    const given = plan([
      change("create", "service.a"),
      change("update", "service.b", { attributes: [field("p", value(1), value(2))] }),
      change("delete", "service.x"),
      change("replace", "service.y"),
      change("delete", "service.z", { blockedBy }),
    ]);
    expect(lines(given)).toEqual(["service.x", "service.y", "service.z", "service.b", "service.a"]);
  });
});

describe("the end of a plan on a terminal", () => {
  const lost = plan([
    change("delete", "service.a.old", { effects: ["destructive"] }),
    change("delete", "variable.a.old.X", { effects: ["destructive"], withParent: true }),
    change("delete", "service.a.kept", { onRemove: "archive" }),
    change("replace", "service.a.cron", { effects: ["destructive", "billing"] }),
    ...["Y", "Z"].map((key) => change("replace", `variable.a.cron.${key}`, { withParent: true })),
    ...[...Array(20).keys()].map((i) =>
      change("update", `service.a.s${i}`, {
        effects: ["billing"],
        attributes: [field("p", value(1), value(2))],
      }),
    ),
    ...[...Array(20).keys()].map((i) =>
      change("update", `variable.a.s${i}.KEY`, { attributes: [field("value", secret, secret)] }),
    ),
  ]);
  const lines = planText(lost, createStyle({ width: 100 }), { next: "rnv apply -f a.yaml" })
    .trimEnd()
    .split("\n");

  it("says again what is lost, then counts, and the next command last", () => {
    const from = lines.indexOf("! Destroys 1, and 1 variable of them: service.a.old");
    expect(lines.slice(from, from + 2)).toEqual([
      "! Destroys 1, and 1 variable of them: service.a.old",
      "! Replaces 1, and 2 variables of them: service.a.cron",
    ]);
    expect(lines.findIndex((line) => line.startsWith("Plan: "))).toBeGreaterThan(from);
    expect(lines.at(-1)).toBe("Next: rnv apply -f a.yaml");
  });

  it("fits the terminal, but for the line that programs read", () => {
    const narrow = createStyle({ width: 40 });
    const text = planText(lost, narrow);
    const end = text.slice(text.indexOf("! Destroys")).replace(/^Plan: .*$/m, "");
    expect(end.split("\n").filter((line) => line.length > 40)).toEqual([]);
    expect(end.replaceAll("\n", " ")).toContain(
      "Services: 2 to destroy, 1 to archive, 20 to change, 1 to add.",
    );
  });
});

describe("equal changes of many resources", () => {
  const runtime = (i: number, after = "bun") =>
    change("update", `service.shop.s${i}`, {
      attributes: [field("configuration.runtime", value("node"), value(after))],
      effects: ["deploys"],
    });
  const run = (i: number) =>
    change("update", `deployment.shop.s${i}`, {
      dependsOn: [address(`service.shop.s${i}`)],
      reason: "the service changes",
      effects: ["deploys"],
    });

  it("are one item where runs have reasons of one kind", () => {
    const runs = [...Array(6).keys()].map((i) => {
      const one = run(i);
      return i < 4 ? one : { ...one, reason: "the service and its LEVEL change" };
    });
    const text = planText(plan(runs), plainStyle);
    expect(text).toContain("  ~ 4 deployments will run again\n");
    expect(text).toContain("because the service changes\n");
    expect(text).toContain("because the service and its LEVEL change\n");
  });

  it("are told once, with whose they are", () => {
    const fourteen = [...Array(14).keys()].map((i) => i + 10);
    const changes = [...fourteen.map((i) => runtime(i)), ...fourteen.map(run)];
    expectText(expected("equal-changes.txt"), planText(plan(changes), plainStyle));
  });
});

describe("new resources of one type", () => {
  const made = (count: number) =>
    plan(
      [...Array(count).keys()].map((i) =>
        change("create", `service.shop.svc-${i + 1}`, {
          attributes: [
            field("kind", absent, value(i % 4 === 0 ? "cron" : "web")),
            field("configuration.branch", absent, value(`branch-${i}`)),
            ...(i === 0 ? [field("configuration.port", absent, value(8080))] : []),
            field("configuration.plan", absent, value("starter")),
          ],
          effects: ["billing"],
          cost: { before: null, after: { usd: 7, ngn: 10_500 } },
        }),
      ),
    );

  it("are one block above 20, with what differs counted and the cost of all", () => {
    expectText(expected("new-resources.txt"), planText(made(24), plainStyle));
  });

  it("take at most 80 lines for a first plan of 40 services, and 200 for one of 2,000", () => {
    const first = (count: number) =>
      plan(
        [...Array(count).keys()].flatMap((i) => [
          ...(i % 10 === 0 ? [change("create", `project.p${i / 10}`)] : []),
          ...made(1).changes.map((one) => ({
            ...one,
            address: address(`service.p${Math.floor(i / 10)}.s${i}`),
          })),
          change("create", `variable.p${Math.floor(i / 10)}.s${i}.KEY`, {
            attributes: [field("key", absent, value("KEY")), field("value", absent, secret)],
          }),
          change("create", `deployment.p${Math.floor(i / 10)}.s${i}`, { reason: "the service changes" }),
        ]),
      );
    expect(planText(first(40), plainStyle).split("\n").length).toBeLessThanOrEqual(80);
    expect(planText(first(2000), plainStyle).split("\n").length).toBeLessThanOrEqual(200);
  });
});

it("shortens IDs and digests at a terminal, and nowhere else", () => {
  const id = "3f2a9d10-5c1e-4b7e-9a51-0d6c2f1e8b44";
  const digest = "0123456789abcdef".repeat(4);
  const one = plan([change("delete", "service.a", { id })], {
    digest,
    summary: { ...plan([]).summary, destroy: 1 },
  });
  const terminal = createStyle({ width: 80 });
  expect(planText(one, terminal)).toContain("[id=3f2a9d10]");
  expect(planText(one, terminal)).toContain("Digest: 0123456789ab\n");
  expect(planText(one, plainStyle)).toContain(`[id=${id}]`);
  expect(planText(one, plainStyle)).toContain(`Digest: ${digest}\n`);
});
