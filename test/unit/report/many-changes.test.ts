import { join } from "node:path";
import { planText } from "../../../src/report/plan-text";
import { createStyle, plainStyle } from "../../../src/report/style";
import { expectText } from "../../support/expected-text";
import { change, type FixedChange, field, plan, secret, value } from "../../support/plan-fixture";

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
const nameOf = (i: number) => `p${Math.floor(i / 10)}.s${i}`;

/** Updates of services from one number to another. */
const updates = (from: number, to: number, path: string, before: unknown, after: (i: number) => unknown) =>
  numbers(from, to).map((i) =>
    change("update", `service.${nameOf(i)}`, {
      attributes: [field(`configuration.${path}`, value(before as never), value(after(i) as never))],
    }),
  );
const services = [
  ...updates(0, 30, "branch", "main", () => "release-7"),
  ...updates(30, 53, "healthCheckPath", "/healthz", (i) => `/health/${i}`),
  ...updates(53, 69, "port", 8080, (i) => 3000 + (i % 5)),
  ...updates(69, 75, "plan", "free", () => "starter"),
  ...updates(75, 81, "buildCommand", "make", (i) => `make ${i % 3 === 0 ? "all" : "build"}`),
];
const variables = [...numbers(300, 316).map((i) => `${nameOf(i)}.LOG_LEVEL`)].concat(
  numbers(312, 320).map((i) => `${nameOf(i)}.TOKEN`),
);
const deployed = [...numbers(0, 81), ...numbers(300, 320)];

const removal = (i: number, isConfirmed: boolean): readonly FixedChange[] => {
  const code = "guard.delete_unconfirmed" as const;
  return [
    change("delete", `service.${nameOf(i)}`, {
      ...{ id: `id-${i}`, effects: ["destructive"] },
      ...(!isConfirmed && { blockedBy: { code, summary: "it is not confirmed", hint: "confirm it" } }),
    }),
    ...["LOG_LEVEL", "TOKEN"].map((key) =>
      change("delete", `variable.${nameOf(i)}.${key}`, { withParent: true }),
    ),
    change("delete", `deployment.${nameOf(i)}`, { withParent: true }),
  ];
};

/** A week of edits in 500 services. */
const edits = (isConfirmed: boolean) =>
  plan([
    ...services,
    ...variables.map((name) =>
      change("update", `variable.${name}`, { attributes: [field("value", secret, secret)] }),
    ),
    ...deployed.map((i) =>
      change("update", `deployment.${nameOf(i)}`, { reason: `service.${nameOf(i)} changes` }),
    ),
    ...[111, 222].flatMap((i) => removal(i, isConfirmed)),
  ]);

const terminal = createStyle({ width: 80 });

describe("214 changes in 500 services", () => {
  const edited = edits(false);
  const lines = (text: string): number => text.trimEnd().split("\n").length;

  it.each([false, true])("take at most 40 lines (deletions are confirmed: %s)", (isConfirmed) => {
    const planned = edits(isConfirmed);
    expect(planned.changes).toHaveLength(214);
    expect(lines(planText(planned, plainStyle))).toBeLessThanOrEqual(40);
    expect(lines(planText(planned, terminal, { next: "rnv apply" }))).toBeLessThanOrEqual(40);
  });

  it("are one item for each type, with the changes of each field and how many have them", () => {
    expectText(join(__dirname, "expected/many-changes.txt"), planText(edited, plainStyle));
  });

  it("name each deletion, with what goes with it", () => {
    const text = planText(edited, plainStyle);
    for (const address of ["service.p11.s111", "service.p22.s222"])
      expect(text).toContain(`- ${address} will be destroyed with 2 variables, 1 deployment [id=`);
    expect(planText(edited, terminal)).toContain("! Destroys 2, and 4 variables, 2 deployments of them:");
  });

  it("are shown one by one in a verbose plan", () => {
    const text = planText(edited, plainStyle, { verbose: true });
    expect(text.match(/will be updated in place|will run again|will be destroyed/g)).toHaveLength(214);
    expect(text).toContain("following actions:\n");
  });
});
