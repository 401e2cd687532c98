import { Secret } from "../../../src/model/secret";
import { GeneratedSecret, type Plain, Template } from "../../../src/model/value";
import {
  actionsOf,
  at,
  changeOf,
  codesOf,
  declare,
  desiredOf,
  range,
  reference,
  World,
} from "../../support/plan-world";

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
  it("a declared value that is live changes nothing, whatever is recorded", () => {
    expect(cause("dev", undefined, "dev")).toEqual([]);
    expect(cause("dev", "dev", "dev")).toEqual([]);
    expect(cause("dev", "old", "dev")).toEqual([]);
  });

  it("a declared value that was never applied is taken over", () => {
    expect(cause("dev", undefined, "hotfix")).toEqual([[branch, "take-over", value("hotfix"), value("dev")]]);
  });

  it("a newly declared field whose live value is the default is an edit: it was never set", () => {
    expect(cause("dev", undefined, "main")).toEqual([[branch, "edit", value("main"), value("dev")]]);
  });

  it("a newly declared reference over the default is an edit, over another value a take-over", () => {
    const causeOver = (live: string) => {
      const world = new World();
      world.settle(desiredOf([declare(address, { kind: "static" })]));
      world.touch(address, { [branch]: live });
      const other = declare("service.api", { kind: "web" });
      const refers = declare(address, { kind: "static", [branch]: reference("service.api", "url") });
      return changeOf(world.plan(desiredOf([other, refers])), address).attributes.map((field) => field.cause);
    };
    expect(causeOver("main")).toEqual(["edit"]);
    expect(causeOver("hotfix")).toEqual(["take-over"]);
  });

  it("an applied value that is no longer live is restored as drift", () => {
    const { change } = branchPlan("dev", "dev", "hotfix");
    expect(change.attributes).toMatchObject([{ path: branch, cause: "drift", after: value("dev") }]);
    expect(change.drift).toMatchObject([{ path: branch, before: value("dev"), after: value("hotfix") }]);
  });

  it("a value changed in the manifest is an edit", () => {
    const { plan, change } = branchPlan("dev", "old", "old");
    expect(change.attributes).toMatchObject([{ path: branch, cause: "edit", before: value("old") }]);
    expect(codesOf(plan)).toEqual([]);
  });

  it("a value changed on both sides is an edit with a warning at the value", () => {
    const { plan, change } = branchPlan("dev", "old", "hotfix");
    expect(change.attributes).toMatchObject([{ path: branch, cause: "edit", before: value("hotfix") }]);
    expect(plan.diagnostics).toMatchObject([
      { code: "plan.live_changed_too", severity: "warning", attribute: branch, range: { file: "rnv.yaml" } },
    ]);
  });

  it("a field no longer declared goes back to the default", () => {
    expect(cause(undefined, "dev", "dev")).toEqual([[branch, "removed", value("dev"), value("main")]]);
  });

  it("a field no longer declared whose default is live needs nothing", () => {
    expect(cause(undefined, "main", "main")).toEqual([]);
  });

  it("a field no longer declared that others changed since is released, once", () => {
    const { change } = branchPlan(undefined, "dev", "hotfix");
    expect(change.action).toBe("no-op");
    expect(change.released).toEqual([
      expect.objectContaining({
        path: branch,
        cause: "released",
        before: value("dev"),
        after: value("hotfix"),
      }),
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

  it("what is neither declared nor recorded is never compared", () => {
    expect(cause(undefined, undefined, "hotfix")).toEqual([]);
  });

  it("null goes back to the default, whatever is recorded", () => {
    expect(cause(null, undefined, "main")).toEqual([]);
    expect(cause(null, undefined, "dev")).toEqual([[branch, "take-over", value("dev"), value("main")]]);
    expect(cause(null, "dev", "dev")).toEqual([[branch, "edit", value("dev"), value("main")]]);
    expect(cause(null, "main", "dev")).toEqual([[branch, "drift", value("dev"), value("main")]]);
  });

  it("false, zero and empty are values", () => {
    const world = new World();
    world.settle(desiredOf([declare(address, { kind: "static" })]));
    const fields = {
      "configuration.buildCommand": "",
      "configuration.port": 0,
      "configuration.privateNetworking": false,
    };
    const plan = world.plan(desiredOf([declare(address, { kind: "static", ...fields })]));
    expect(changeOf(plan, address).attributes.map(({ path, after }) => [path, after])).toEqual([
      ["configuration.port", value(0)],
      ["configuration.privateNetworking", value(false)],
    ]);
  });

  it("lists of paths are sets", () => {
    const world = new World();
    const paths = (...of: string[]) =>
      desiredOf([declare(address, { kind: "static", "configuration.ignorePaths": of })]);
    world.settle(paths("a", "b"));
    expect(actionsOf(world.plan(paths("b", "a")))).toEqual([]);
    expect(actionsOf(world.plan(paths("b", "c")))).toEqual(["update service.docs"]);
  });

  it.each([branch, "configuration"])(
    "%s under ignoreChanges is left alone on update and sent on create",
    (path) => {
      const lifecycle = { preventDestroy: false, ignoreChanges: [path], onRemove: "delete" } as const;
      const desired = (of: string) =>
        desiredOf([declare(address, { kind: "static", [branch]: of }, { lifecycle })]);
      const world = new World();
      const created = world.plan(desired("dev"));
      expect(changeOf(created, address).attributes.map((field) => field.path)).toContain(branch);
      world.apply(created);
      expect(actionsOf(world.plan(desired("other")))).toEqual([]);
    },
  );

  it.each(["configuration.bran", "config", "configuration.branch.name"])(
    "ignoreChanges of %s covers nothing that only begins alike",
    (path) => {
      const lifecycle = { preventDestroy: false, ignoreChanges: [path], onRemove: "delete" } as const;
      const desired = (of: string) =>
        desiredOf([declare(address, { kind: "static", [branch]: of }, { lifecycle })]);
      const world = new World();
      world.settle(desired("dev"));
      expect(actionsOf(world.plan(desired("other")))).toEqual(["update service.docs"]);
    },
  );

  it("a changed kind forces replacement", () => {
    const world = new World();
    world.settle(desiredOf([declare(address, { kind: "static" })]));
    const change = changeOf(world.plan(desiredOf([declare(address, { kind: "web" })])), address);
    expect(change).toMatchObject({
      action: "replace",
      attributes: [{ path: "kind", forcesReplacement: true }],
    });
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

  it("of the same text changes nothing, and of another is an edit without its text", () => {
    const world = settled(new Secret("one"));
    expect(actionsOf(world.plan(desired(new Secret("one"))))).toEqual([]);
    const change = changeOf(world.plan(desired(new Secret("two"))), variable);
    expect(change.attributes).toMatchObject([
      { path: "value", cause: "edit", before: { kind: "secret" }, after: { kind: "secret" } },
    ]);
  });

  it("that the service changed since is drift", () => {
    const world = settled(new Secret("one"));
    world.touch(variable, {});
    const change = changeOf(world.plan(desired(new Secret("one"))), variable);
    expect(change.attributes).toMatchObject([{ path: "value", cause: "drift", before: { kind: "secret" } }]);
  });

  it("that is made up is made once, and again when its length changes", () => {
    const world = settled(new GeneratedSecret(32));
    expect(actionsOf(world.plan(desired(new GeneratedSecret(32))))).toEqual([]);
    expect(actionsOf(world.plan(desired(new GeneratedSecret(40))))).toEqual([`update ${variable}`]);
  });

  it("without a recorded fingerprint is taken over", () => {
    const world = settled(new Secret("one"));
    world.recorded.delete(at(variable));
    const change = changeOf(world.plan(desired(new Secret("one")), { adopt: true }), variable);
    expect(change).toMatchObject({ action: "adopt", attributes: [{ path: "value", cause: "take-over" }] });
  });

  it("keeps its fingerprint when its service moves", () => {
    const world = settled(new Secret("one"));
    const moved = desiredOf(
      [
        declare("service.guide", { kind: "static", name: "docs" }),
        declare("variable.guide.TOKEN", { value: new Secret("one") }),
      ],
      { moved: [{ from: at(address), to: at("service.guide"), range }] },
    );
    const plan = world.plan(moved);
    expect(actionsOf(plan)).toEqual([]);
    expect(changeOf(plan, "variable.guide.TOKEN").previousAddress).toBe(variable);
    world.apply(plan);
    expect(actionsOf(world.plan(moved))).toEqual([]);
  });

  it("made of references is known once they are", () => {
    const text = new Template(
      [new Secret("https://"), { address: at(address), attribute: "internalHost" }],
      true,
    );
    const world = new World();
    const first = changeOf(world.plan(desired(text)), variable);
    expect(first.attributes.find(({ path }) => path === "value")?.after).toEqual({ kind: "unknown" });
    world.settle(desired(text));
    expect(actionsOf(world.plan(desired(text)))).toEqual([]);
  });

  it("refers to what is replaced: it is unknown and changes", () => {
    const world = new World();
    const refer = (kind: string) =>
      desiredOf([
        declare("service.api", { kind: "web" }),
        declare(address, { kind }),
        declare("variable.api.HOST", {
          value: new Template([{ address: at(address), attribute: "internalHost" }], true),
        }),
      ]);
    world.settle(refer("static"));
    expect(actionsOf(world.plan(refer("web")))).toEqual([`replace ${address}`, "update variable.api.HOST"]);
  });
});
