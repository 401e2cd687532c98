import { Secret } from "../../../src/model/secret";
import { planText } from "../../../src/report/plan-text";
import { createStyle, plainStyle } from "../../../src/report/style";
import { declare, desiredOf, World } from "../../support/plan-world";

const between = (i: number, from: number, to: number): boolean => i >= from && i < to;

/** 500 services in 50 projects; `isLater`: with a week of edits, which change 214 resources. */
const workspace = (isLater: boolean, removed: boolean) => {
  const services = [...Array(500).keys()].filter((i) => !isLater || (i !== 111 && i !== 222));
  const edited = (i: number, from: number, to: number) => isLater && between(i, from, to);
  const resources = services.flatMap((i) => {
    const name = `p${Math.floor(i / 10)}.s${i}`;
    return [
      declare(`service.${name}`, {
        kind: "web",
        "configuration.repository": `https://git.example.com/team/s${i}`,
        "configuration.branch": edited(i, 0, 30) ? "release-7" : "main",
        "configuration.healthCheckPath": edited(i, 30, 53) ? `/health/${i}` : "/healthz",
        "configuration.port": edited(i, 53, 69) ? 3000 + (i % 5) : 8080,
        "configuration.plan": between(i, 69, 75) && !isLater ? "free" : "starter",
        "configuration.buildCommand": edited(i, 75, 81) ? `make ${i % 3 === 0 ? "all" : "build"}` : "make",
      }),
      declare(`variable.${name}.LOG_LEVEL`, {
        ...{ key: "LOG_LEVEL", value: new Secret(edited(i, 300, 316) ? "debug" : "info") },
      }),
      declare(`variable.${name}.TOKEN`, {
        ...{ key: "TOKEN", value: new Secret(edited(i, 312, 320) ? `token-${i}` : "token") },
      }),
      declare(`deployment.${name}`),
    ];
  });
  const projects = [...Array(50).keys()].map((i) => declare(`project.p${i}`));
  const gone = ["service.p11.s111", "service.p22.s222"].map((address) => ({ address, range: null }));
  return desiredOf([...projects, ...resources], removed ? { removed: gone as never } : {});
};

const terminal = createStyle(false, 80);

describe("214 changes in 500 services", () => {
  const world = new World();
  world.settle(workspace(false, false));
  const edited = world.plan(workspace(true, false));
  const lines = (text: string): number => text.trimEnd().split("\n").length;

  it.each([false, true])("take at most 40 lines (deletions are confirmed: %s)", (isConfirmed) => {
    const planned = world.plan(workspace(true, isConfirmed));
    expect(planned.changes.filter(({ action }) => action !== "no-op")).toHaveLength(214);
    expect(lines(planText(planned, plainStyle))).toBeLessThanOrEqual(40);
    expect(lines(planText(planned, terminal, { next: "rnv apply" }))).toBeLessThanOrEqual(40);
  });

  it("are one item for each type, with the changes of each field and how many have them", () => {
    const text = planText(edited, plainStyle);
    expect(text).toContain("the following actions (-verbose shows each):");
    expect(text).toContain(
      [
        "  ~ 81 services will be updated in place",
        "      service.p0.s0, service.p0.s1 and 79 more",
        '      ~ configuration.branch           "main" -> "release-7" (30)',
        "      ~ configuration.healthCheckPath  23 values (23)",
        "      ~ configuration.port             5 values (16)",
        '      ~ configuration.plan             "free" -> "starter" (6)',
        '      ~ configuration.buildCommand     "make" -> "make build" (4), "make" -> "make all" (2)',
      ].join("\n"),
    );
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
