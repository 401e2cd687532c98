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

  it("follows a chain of moves", () => {
    const moved = [
      move("service.shop.mid", "service.shop.api"),
      move("service.shop.web", "service.shop.mid"),
    ];
    expect(actionsOf(settled().plan(desiredOf(shop("api", "web"), { moved })))).toEqual([]);
  });
});

describe("a move", () => {
  it.each([
    ["service.shop.web", "service.shop.api", "still declared"],
    ["service.shop.web", "project.web", "keeps the type"],
    ["service.shop.web", "service.shop.two", "recorded already"],
  ])("from %s to %s is refused", (from, to, why) => {
    const world = new World();
    world.settle(desiredOf([...shop("web"), declare("service.shop.two", { kind: "web" })]));
    const declared = why === "still declared" ? shop("web") : shop("two");
    const plan = world.plan(desiredOf(declared, { moved: [move(from, to)] }));
    expect(plan.diagnostics.filter(({ severity }) => severity === "error")).toMatchObject([
      { code: "manifest.moved", summary: expect.stringContaining(why), range },
    ]);
  });
});
