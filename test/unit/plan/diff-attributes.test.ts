import type { Secret } from "../../../src/model/secret";
import { GeneratedSecret, type Plain, type Template } from "../../../src/model/value";
import { actionsOf, changeOf, declare, desiredOf, World } from "../../support/plan-world";

const address = "service.docs";
const branch = "configuration.branch";

/** A service for which D, L and V of its branch are these; undefined: not set. C is "main". */
function branchPlan(declared: Plain | undefined, recorded: Plain | undefined, live: Plain) {
  const world = new World();
  const fields = (value: Plain | undefined) => ({
    kind: "static",
    ...(value === undefined ? {} : { [branch]: value }),
  });
  world.settle(desiredOf([declare(address, fields(recorded))]));
  world.touch(address, { [branch]: live });
  const plan = world.plan(desiredOf([declare(address, fields(declared))]));
  return { plan, change: changeOf(plan, address) };
}

const cause = (declared: Plain | undefined, recorded: Plain | undefined, live: Plain) => {
  const { change } = branchPlan(declared, recorded, live);
  return change.attributes.map((field) => [field.path, field.cause, field.before, field.after]);
};

const value = (of: Plain) => ({ kind: "value", value: of });

describe("who owns a field", () => {
  it("a value changed on both sides is an edit with a warning at the value", () => {
    const { plan, change } = branchPlan("dev", "old", "hotfix");
    expect(change.attributes).toMatchObject([{ path: branch, cause: "edit", before: value("hotfix") }]);
    expect(plan.diagnostics).toMatchObject([
      { code: "plan.live_changed_too", severity: "warning", attribute: branch, range: { file: "rnv.yaml" } },
    ]);
  });

  it("a released field is not mentioned again", () => {
    const world = new World();
    world.settle(desiredOf([declare(address, { kind: "static", [branch]: "dev" })]));
    world.touch(address, { [branch]: "hotfix" });
    const desired = desiredOf([declare(address, { kind: "static" })]);
    world.settle(desired);
    expect(changeOf(world.plan(desired), address).released).toEqual([]);
  });

  it("null goes back to the default, whatever is recorded", () => {
    expect(cause(null, undefined, "main")).toEqual([]);
    expect(cause(null, undefined, "dev")).toEqual([[branch, "take-over", value("dev"), value("main")]]);
    expect(cause(null, "dev", "dev")).toEqual([[branch, "edit", value("dev"), value("main")]]);
    expect(cause(null, "main", "dev")).toEqual([[branch, "drift", value("dev"), value("main")]]);
  });
});

describe("a secret", () => {
  const variable = "variable.docs.TOKEN";
  const desired = (secret: Secret | GeneratedSecret | Template) =>
    desiredOf([declare(address, { kind: "static" }), declare(variable, { value: secret })]);
  const settled = (secret: Secret | GeneratedSecret) => {
    const world = new World();
    world.settle(desired(secret));
    return world;
  };

  it("that is made up is made once, and again when its length changes", () => {
    const world = settled(new GeneratedSecret(32));
    expect(actionsOf(world.plan(desired(new GeneratedSecret(32))))).toEqual([]);
    expect(actionsOf(world.plan(desired(new GeneratedSecret(40))))).toEqual([`update ${variable}`]);
  });
});
