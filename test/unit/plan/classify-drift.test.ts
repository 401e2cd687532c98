import { defaultLifecycle } from "../../../src/model/desired";
import type { Standing } from "../../../src/model/live";
import { Secret } from "../../../src/model/secret";
import { driftReport } from "../../../src/plan/drift";
import { at, declare, desiredOf, reference, World } from "../../support/plan-world";

const branch = "configuration.branch";

/** Enough that stays where it is: a third of everything gone at once would stop the plan. */
const others = ["a", "b", "c", "d", "e", "f"].map((name) => declare(`service.${name}`, { kind: "web" }));

interface Shop {
  readonly branch?: string;
  readonly key?: string;
  readonly deploy?: Record<string, string>;
}
const shop = ({ branch: of = "dev", key = "text", deploy = {} }: Shop = {}) => [
  declare("service.api", { kind: "web", [branch]: of }),
  declare("variable.api.KEY", { value: new Secret(key) }),
  declare("deployment.api", deploy),
];

function settled(resources = shop()): World {
  const world = new World();
  world.settle(desiredOf(resources));
  return world;
}

/** Every class of the report in short: `drifted`, `consequences`, `pending` as `action address fields`. */
function classes(
  world: World,
  resources: ReturnType<typeof shop>,
  more: Parameters<typeof desiredOf>[1] = {},
) {
  const report = driftReport(world.plan(desiredOf(resources, more)));
  const paths = (fields: readonly { path: string }[]) => fields.map(({ path }) => ` ${path}`).join("");
  return {
    drifted: report.drifted.map(({ address, fields }) => `${address}${paths(fields)}`),
    missing: report.missing,
    consequences: report.consequences.map(({ address, because }) => `${address} < ${because.join(" ")}`),
    pending: report.pending.map(({ address, action, fields }) => `${action} ${address}${paths(fields)}`),
    hasDrift: report.hasDrift,
  };
}
const none = { drifted: [], missing: [], consequences: [], pending: [], hasDrift: false };

describe("drift has classes", () => {
  it("what could not be read is unchecked, and a value that is not available is not: its time tells", () => {
    const resource = { address: at("service.api"), reason: "405" };
    const value = { address: at("variable.api.KEY"), attribute: "value", reason: "not set" };
    const plan = { ...settled().plan(desiredOf(shop())), unchecked: [resource, value] };
    expect(driftReport(plan).unchecked).toEqual([resource]);
    expect(driftReport(plan, { unchecked: [value] }).unchecked).toEqual([resource, value]);
  });

  it("a replacement that is only asked for is pending with what follows from it", () => {
    const plan = settled().plan(desiredOf(shop()), { replace: [at("service.api")] });
    const { pending, consequences, hasDrift } = driftReport(plan);
    expect(pending.map(({ action, address }) => `${action} ${address}`)).toContain("replace service.api");
    expect([consequences, hasDrift]).toEqual([[], false]);
  });

  it("has the reason of what runs, what is archived, and where something moved from", () => {
    const lifecycle = { ...defaultLifecycle, onRemove: "archive" } as const;
    const old = [
      declare("service.old", { kind: "web" }, { lifecycle }),
      declare("service.gone", { kind: "web" }),
    ];
    const world = settled([...shop(), ...old, declare("service.web", { kind: "web" })]);
    world.touch("variable.api.KEY", {});
    const moved = [
      { from: at("service.web"), to: at("service.site"), range: { file: "", start: 0, end: 0 } },
    ];
    const site = declare("service.site", { kind: "web", name: "web" });
    const report = driftReport(world.plan(desiredOf([...shop(), site], { moved })));
    expect(report.consequences).toEqual([
      {
        address: "deployment.api",
        ...{ action: "update", runs: true, because: ["variable.api.KEY"] },
        reason: "its KEY changes",
      },
    ]);
    expect(report.pending).toEqual([
      { address: "service.gone", action: "delete", fields: [] },
      {
        address: "service.old",
        action: "delete",
        fields: [],
        archives: true,
        reason: expect.stringContaining("restored"),
      },
      { address: "service.site", action: "no-op", fields: [], previousAddress: "service.web" },
    ]);
    const edited = driftReport(world.plan(desiredOf([...shop({ branch: "next" }), site], { moved })));
    expect(edited.pending[0]).toMatchObject({
      address: "deployment.api",
      reason: "the service and its KEY change",
    });
    expect(edited.revealed).toBeUndefined();
  });

  it("what follows from something missing without a reason of its own has none", () => {
    const web = [
      declare("service.web", { kind: "web" }),
      declare("variable.web.API", { value: reference("service.api", "internalHost") }),
    ];
    const world = settled([...shop(), ...others, ...web]);
    world.lose("service.api", "variable.api.KEY", "deployment.api");
    const { consequences } = driftReport(world.plan(desiredOf([...shop(), ...others, ...web])));
    const follows = consequences.find(({ address }) => address === "variable.web.API");
    expect(follows).toEqual({ address: "variable.web.API", action: "update", because: ["service.api"] });
  });

  it("a deployment that cannot run is pending, and says why", () => {
    const lifecycle = { ...defaultLifecycle, ignoreChanges: ["archived"] };
    const left = (of: string) => [
      declare("service.api", { kind: "web", [branch]: of }, { lifecycle }),
      ...shop().slice(1),
    ];
    const world = settled();
    world.settle(desiredOf(left("dev")));
    world.touch("service.api", { archived: true });
    const { pending } = driftReport(world.plan(desiredOf(left("next"))));
    expect(pending[0]).toEqual({
      ...{ address: "deployment.api", action: "no-op", fields: [] },
      standing: {
        ...{ address: "deployment.api", code: "held", class: "pending" },
        summary: "cannot run: its service is archived",
      },
    });
  });

  it("a field that is declared no more and was changed outside is let go: pending, because it is no longer ours", () => {
    const world = settled();
    world.touch("service.api", { [branch]: "hotfix" });
    const without = [declare("service.api", { kind: "web" }), ...shop().slice(1)];
    expect(classes(world, without)).toEqual({ ...none, pending: [`no-op service.api ${branch}`] });
  });

  it("what the manifest removed is pending, also when someone deleted it already", () => {
    const world = settled();
    const without = [shop()[0], shop()[2]].flatMap((one) => one ?? []);
    expect(classes(world, without)).toEqual({
      ...none,
      pending: ["update deployment.api", "delete variable.api.KEY"],
    });
    world.lose("variable.api.KEY");
    expect(classes(world, without)).toEqual({ ...none, pending: ["forget variable.api.KEY"] });
  });

  it("a deployment of a missing service that is not wanted again follows too", () => {
    const world = settled([...shop(), ...others]);
    world.lose("service.api", "variable.api.KEY", "deployment.api");
    const never = [...shop({ deploy: { when: "never" } }), ...others];
    expect(classes(world, never)).toMatchObject({
      consequences: ["deployment.api < service.api"],
      pending: [],
    });
  });

  it("a variable that refers to what must be created again follows from it, and so does its deployment", () => {
    const two = [
      ...shop(),
      ...others,
      declare("service.web", { kind: "web" }),
      declare("variable.web.API", { value: reference("service.api", "internalHost") }),
      declare("deployment.web"),
    ];
    const world = settled(two);
    world.lose("service.api", "variable.api.KEY", "deployment.api");
    expect(classes(world, two)).toEqual({
      ...none,
      missing: ["service.api", "variable.api.KEY"],
      consequences: [
        "deployment.api < service.api",
        "deployment.web < service.api",
        "variable.web.API < service.api",
      ],
      hasDrift: true,
    });
  });

  it("a deployment that every run makes is no difference", () => {
    const always = shop({ deploy: { when: "always" } });
    const world = settled(always);
    expect(classes(world, always)).toEqual(none);
  });

  it("a change of lifecycle is pending, and the deployment that repairs drift beside it still follows from the drift", () => {
    const world = settled();
    world.touch("service.api", { [branch]: "hotfix" });
    const lifecycle = { ...defaultLifecycle, preventDestroy: true };
    const protectedApi = declare("service.api", { kind: "web", [branch]: "dev" }, { lifecycle });
    expect(classes(world, [protectedApi, ...shop().slice(1)])).toEqual({
      ...none,
      drifted: [`service.api ${branch}`],
      consequences: ["deployment.api < service.api"],
      pending: ["update service.api lifecycle.preventDestroy"],
      hasDrift: true,
    });
  });

  it("a layout that gives a place to what is created again follows from that, to something new it is pending", () => {
    const layout = (...services: string[]) => [
      declare("project.shop", {}),
      ...services.map((name) => declare(`service.shop.${name}`, { kind: "web" })),
      declare("layout.shop", { positions: "auto" }),
    ];
    const world = settled(layout("api"));
    expect(classes(world, layout("api"))).toEqual(none);
    expect(classes(world, layout("api", "web")).pending).toContain("update layout.shop");
    world.lose("service.shop.api");
    expect(classes(world, layout("api"))).toMatchObject({
      missing: ["service.shop.api"],
      consequences: ["layout.shop < service.shop.api"],
      pending: [],
    });
  });
});

describe("where a deployment stands", () => {
  const stand = (world: World, address: string, standing: Standing) => {
    const live = world.live.get(world.id(address));
    if (live) world.live.set(live.id, { ...live, standing: [standing] });
  };
  const failed: Standing = {
    code: "failed",
    class: "pending",
    summary: "deployment 1 failed: no such branch",
  };

  it("is said beside the change that runs it again", () => {
    const world = settled();
    stand(world, "deployment.api", failed);
    const { pending } = driftReport(world.plan(desiredOf(shop({ branch: "next" }))));
    expect(pending[0]).toMatchObject({ address: "deployment.api", action: "update", standing: failed });
  });
});
