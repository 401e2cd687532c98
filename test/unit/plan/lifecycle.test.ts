import { defaultLifecycle, type Lifecycle } from "../../../src/model/desired";
import { withLifecycle } from "../../../src/plan/decision";
import { changeOf, codesOf, declare, desiredOf, range, World } from "../../support/plan-world";
import { decisionOf, recordOf, typeWith } from "./fixtures";

/** What becomes of a decision once these settings are declared over those recorded. */
function settings(
  declared: Partial<Lifecycle>,
  {
    before = {},
    action = "no-op",
    meta = true,
  }: {
    before?: Parameters<typeof recordOf>[1];
    action?: Parameters<typeof decisionOf>[0];
    meta?: boolean;
  } = {},
) {
  const type = typeWith({ manifest: (meta ? { meta: ["lifecycle"] } : {}) as never });
  const lifecycle = { ...defaultLifecycle, ...declared };
  const after = withLifecycle(
    decisionOf(action, { type, declared: {}, lifecycle, recorded: recordOf({}, before) }),
  );
  return [after.action, ...(after.lifecycle ?? []).map(({ path }) => path)];
}

describe("changed settings of a resource", () => {
  it("are an update of the record, each under its name", () => {
    expect(settings({})).toEqual(["no-op"]);
    expect(settings({ preventDestroy: true })).toEqual(["update", "lifecycle.preventDestroy"]);
    expect(settings({ onRemove: "retain" })).toEqual(["update", "lifecycle.onRemove"]);
    expect(settings({ ignoreChanges: ["plan"] })).toEqual(["update", "lifecycle.ignoreChanges"]);
    expect(settings({}, { before: { ignoreChanges: ["plan"] } })).toEqual([
      "update",
      "lifecycle.ignoreChanges",
    ]);
    expect(settings({ ignoreChanges: ["kind"] }, { before: { ignoreChanges: ["plan"] } })).toEqual([
      ...["update", "lifecycle.ignoreChanges"],
    ]);
    expect(settings({ ignoreChanges: ["b", "a"] }, { before: { ignoreChanges: ["a", "b"] } })).toEqual([
      "no-op",
    ]);
  });

  it("say what a removal becomes only where a block of its own can say it", () => {
    expect(settings({ onRemove: "retain" }, { meta: false })).toEqual(["no-op"]);
  });

  it("are shown before and after, and replace nothing", () => {
    const { lifecycle } = withLifecycle(
      decisionOf("update", {
        declared: {},
        lifecycle: { ...defaultLifecycle, preventDestroy: true },
        recorded: recordOf({}),
      }),
    );
    expect(lifecycle).toEqual([
      {
        path: "lifecycle.preventDestroy",
        before: { kind: "value", value: false },
        after: { kind: "value", value: true },
        cause: "edit",
        forcesReplacement: false,
      },
    ]);
  });

  it("wait for what stands against their resource, and not for a warning", () => {
    const lifecycle = { ...defaultLifecycle, preventDestroy: true };
    const of = (more: Parameters<typeof declare>[2], values: Parameters<typeof declare>[1] = {}) =>
      desiredOf([declare("service.api", { kind: "web", ...values }, more)]);
    const world = new World();
    world.settle(of({}));
    const told = (desired: ReturnType<typeof of>) => {
      const plan = world.plan(desired);
      return [codesOf(plan), changeOf(plan, "service.api").lifecycle?.map(({ path }) => path)];
    };
    expect(told(of({ lifecycle }))).toEqual([[], ["lifecycle.preventDestroy"]]);
    const importId = { id: "another", range };
    expect(told(of({ lifecycle, importId }))).toEqual([["manifest.invalid_value"], undefined]);
    world.touch("service.api", { "configuration.branch": "theirs" });
    world.settle(of({}, { "configuration.branch": "main" }), { adopt: true });
    world.touch("service.api", { "configuration.branch": "theirs" });
    expect(told(of({ lifecycle }, { "configuration.branch": "ours" }))).toEqual([
      ...[["plan.live_changed_too"], ["lifecycle.preventDestroy"]],
    ]);
  });

  it("come with what changes anyway, and with nothing that makes or ends it", () => {
    const declared = { preventDestroy: true };
    for (const action of ["update", "replace"] as const)
      expect(settings(declared, { action })).toEqual([action, "lifecycle.preventDestroy"]);
    for (const action of ["create", "delete", "forget", "adopt"] as const)
      expect(settings(declared, { action })).toEqual([action]);
  });
});
