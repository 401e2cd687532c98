import { Secret } from "../../../src/model/secret";
import { actionsOf, at, changeOf, declare, desiredOf, range, World } from "../../support/plan-world";

const shop = (service: string, name = service) => [
  declare("project.shop"),
  declare(`service.shop.${service}`, { kind: "web", name }),
  declare(`variable.shop.${service}.KEY`, { value: new Secret("text") }),
  declare(`deployment.shop.${service}`),
];
const move = (from: string, to: string) => ({ from: at(from), to: at(to), range });

function settled(): World {
  const world = new World();
  world.settle(desiredOf(shop("web")));
  return world;
}

describe("a moved resource", () => {
  it("takes its logical name as its name unless it declares one", () => {
    const desired = desiredOf(shop("api"), { moved: [move("service.shop.web", "service.shop.api")] });
    expect(changeOf(settled().plan(desired), "service.shop.api").attributes).toMatchObject([
      { path: "name", cause: "edit", before: { value: "web" }, after: { value: "api" } },
    ]);
  });
});

describe("a move", () => {
  it.each([
    ["service.shop.two", [move("service.shop.web", "service.shop.two")]],
    ["service.shop.api", ["two", "web"].map((old) => move(`service.shop.${old}`, "service.shop.api"))],
  ])("to %s is refused where another service of the state is there", (to, moved) => {
    const world = new World();
    world.settle(desiredOf([...shop("web"), declare("service.shop.two", { kind: "web" })]));
    const plan = world.plan(desiredOf(shop(to.slice("service.shop.".length)), { moved }));
    expect(plan.diagnostics.filter(({ severity }) => severity === "error")).toMatchObject([
      {
        code: "manifest.moved",
        summary: `service.shop.web cannot move to ${to}: service.shop.two is recorded already`,
        range,
      },
    ]);
  });

  it("is followed by those of what it is in and by those that came after it", () => {
    const moved = [
      move("project.shop", "project.store"),
      move("service.shop.web", "service.shop.mid"),
      move("service.store.mid", "service.store.api"),
    ];
    const store = [
      declare("project.store", { name: "shop" }),
      declare("service.store.api", { kind: "web", name: "web" }),
      declare("variable.store.api.KEY", { value: new Secret("text") }),
      declare("deployment.store.api"),
    ];
    expect(actionsOf(settled().plan(desiredOf(store, { moved })))).toEqual([]);
  });
});
