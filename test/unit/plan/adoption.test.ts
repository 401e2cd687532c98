import type { LiveResource } from "../../../src/model/live";
import { Secret } from "../../../src/model/secret";
import { makePlan } from "../../../src/plan/make-plan";
import { actionsOf, at, changeOf, codesOf, declare, desiredOf, range, World } from "../../support/plan-world";

const shop = () => [
  declare("project.shop"),
  declare("service.shop.api", {
    kind: "web",
    "configuration.repository": "https://git.example.com/shop/api",
    "configuration.branch": "dev",
  }),
  declare("variable.shop.api.KEY", { value: new Secret("text") }),
  declare("deployment.shop.api"),
];

/** Everything live, nothing recorded. */
function unrecorded(): { world: World; ids: ReadonlyMap<string, string> } {
  const world = new World();
  world.settle(desiredOf(shop()));
  const ids = new Map([...world.recorded].map(([address, { id }]) => [address as string, id]));
  world.recorded.clear();
  return { world, ids };
}

describe("a live thing that is declared but not recorded", () => {
  it("is an error where the import names another id than the state records, and nothing is written", () => {
    const world = new World();
    world.settle(desiredOf(shop()));
    const id = world.recorded.get(at("project.shop"))?.id as string;
    const importing = (importId: string) =>
      world.plan(
        desiredOf(
          shop().map((one) =>
            one.address === "project.shop" ? { ...one, importId: { id: importId, range } } : one,
          ),
        ),
      );
    const plan = importing("11111111-2222-4333-8444-555555555555");
    expect(plan.diagnostics).toMatchObject([
      {
        code: "manifest.invalid_value",
        address: "project.shop",
        summary: `project.shop is recorded as ${id}, not as 11111111-2222-4333-8444-555555555555`,
        hint: "remove the import line, or forget what is recorded: rnv state rm project.shop",
        range,
      },
    ]);
    expect([codesOf(importing(id)), actionsOf(importing(id))]).toEqual([[], []]);
  });

  it("under the name that something gone is to get is an error, under another one it is not", () => {
    const others = ["b", "c", "d"].map((name) => declare(`service.${name}`, { kind: "web" }));
    const world = new World();
    world.settle(desiredOf([declare("service.a", { kind: "web", name: "old" }), ...others]));
    const live = world.live.get(world.id("service.a")) as LiveResource;
    world.lose("service.a");
    world.live.set("other", { ...live, id: "other", name: "new" });
    const codes = (name: string) =>
      codesOf(world.plan(desiredOf([declare("service.a", { kind: "web", name }), ...others])));
    expect(codes("new")).toEqual(["live.unmanaged_exists"]);
    expect(codes("old")).toEqual([]);
  });

  it("is never replaced to fit", () => {
    const { world } = unrecorded();
    const other = shop().map((one) =>
      one.type === "service" ? declare(one.address, { kind: "static" }) : one,
    );
    const plan = world.plan(desiredOf(other), { adopt: true });
    expect(plan.diagnostics).toMatchObject([{ code: "plan.invalid_combination", attribute: "kind" }]);
  });

  it("cannot be imported while it is managed under another address", () => {
    const world = new World();
    world.settle(desiredOf([declare("service.one", { kind: "web" })]));
    const importId = { id: world.id("service.one"), range };
    const two = declare("service.two", { kind: "web" }, { importId });
    for (const [others, hint] of [
      [[], "moved: [{ from: service.one, to: service.two }]"],
      [[declare("service.one", { kind: "web" })], "declare only one of service.one and service.two"],
    ] as const)
      expect(world.plan(desiredOf([...others, two])).diagnostics).toMatchObject([
        { code: "manifest.moved", hint },
      ]);
  });

  it("is an error where an import names what is not there", () => {
    const importId = { id: "no-such-id", range: { file: "rnv.yaml", start: 5, end: 9 } };
    const plan = new World().plan(desiredOf([declare("service.one", { kind: "web" }, { importId })]));
    expect(plan.diagnostics).toMatchObject([{ code: "live.import_missing", range: { start: 5 } }]);
    expect(plan.diagnostics[0]?.summary).toBe("service.one cannot be imported: no-such-id is not there");
    expect(actionsOf(plan)).toEqual([]);
  });

  it("is not created in its place where the import cannot be looked up", () => {
    const importId = { id: "5f0c1111-2222-4333-8444-555555555555", range };
    const input = new World().input(desiredOf([declare("service.one", { kind: "web" }, { importId })]));
    const reads = new Map([
      [at("service.one"), { kind: "unchecked", reason: "no way to read one" } as const],
    ]);
    const plan = makePlan({ ...input, reads });
    expect(plan.diagnostics).toMatchObject([
      { code: "live.import_missing", detail: "no way to read one", range },
    ]);
    expect(actionsOf(plan)).toEqual([]);
  });

  it("is an error whose hint imports the first of them, in whatever order the service lists them", () => {
    const { world, ids } = unrecorded();
    const found = world.live.get(ids.get("project.shop") as string) as LiveResource;
    world.live.clear();
    for (const id of ["c", "a", "b"]) world.live.set(id, { ...found, id });
    expect(world.plan(desiredOf(shop().slice(0, 1))).diagnostics).toMatchObject([
      { code: "live.ambiguous", detail: "Ids: a, b, c", hint: "say which one is meant: import: a" },
    ]);
  });

  it("is an error that says where the import goes: to its block, or to its construct", () => {
    const { world, ids } = unrecorded();
    const id = ids.get("project.shop");
    const told = (more: { readonly constructPath?: string }) =>
      world.plan(desiredOf([declare("project.shop", {}, more)])).diagnostics[0];
    const otherwise = `or plan with --adopt, or run: rnv import project.shop ${id}`;
    expect(told({})?.detail).toBe(`To take it over: add the line "import: ${id}" to its block, ${otherwise}`);
    expect(told({ constructPath: "Stack/shop" })).toMatchObject({
      detail: `To take it over: add the line "importFrom("${id}")" to Stack/shop, ${otherwise}`,
      hint: `importFrom("${id}")`,
    });
  });

  it("is taken over once, where two are declared of its name", () => {
    const { world } = unrecorded();
    const [project, ...services] = [
      declare("project.shop"),
      declare("service.shop.api", { kind: "web", "configuration.branch": "dev" }),
      declare("service.shop.twin", { kind: "web", name: "api" }),
    ];
    const plan = world.plan(desiredOf([project, ...services].flatMap((one) => one ?? [])), { adopt: true });
    expect(actionsOf(plan)).toEqual([
      "adopt project.shop",
      "adopt service.shop.api",
      "create service.shop.twin",
    ]);
  });
});

describe("a variable to be preserved", () => {
  const preserved = desiredOf([
    declare("service.api", { kind: "web" }),
    declare("variable.api.KEY", { preserve: true }),
  ]);

  it("is taken note of without a fuss, and never deleted", () => {
    const world = new World();
    world.settle(
      desiredOf([
        declare("service.api", { kind: "web" }),
        declare("variable.api.KEY", { value: new Secret("x") }),
      ]),
    );
    world.recorded.delete(at("variable.api.KEY"));
    const change = changeOf(world.plan(preserved), "variable.api.KEY");
    expect(change).toMatchObject({ action: "adopt", attributes: [], onRemove: "retain" });
  });
});
