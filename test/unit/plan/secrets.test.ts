import { Secret } from "../../../src/model/secret";
import { UnreadSecret } from "../../../src/model/value";
import { makePlan } from "../../../src/plan/make-plan";
import type { Plan, Revealed } from "../../../src/plan/plan";
import { actionsOf, at, changeOf, declare, desiredOf, key, World } from "../../support/plan-world";

const address = at("variable.api.KEY");
const shop = (value: Secret | UnreadSecret = new Secret("text")) =>
  desiredOf([declare("service.api", { kind: "web" }), declare(address, { value })]);

function settled(): World {
  const world = new World();
  world.settle(shop());
  return world;
}

describe("a secret that cannot be compared", () => {
  const unread = new UnreadSecret("SHOP_KEY is not set");

  it("is reported where its text is not here, also where it is sent anyway", () => {
    expect(settled().plan(shop()).unchecked).toEqual([]);
    const unchecked = [{ address, attribute: "value", reason: "SHOP_KEY is not set" }];
    expect(new World().plan(shop(unread)).unchecked).toEqual(unchecked);
    const touched = settled();
    touched.touch(address, {});
    const plan = touched.plan(shop(unread));
    expect([actionsOf(plan), plan.unchecked]).toEqual([[`update ${address}`], unchecked]);
  });
});

describe("a secret of which nothing could be read", () => {
  it("is there as far as anybody knows: an edit changes it, and creates nothing", () => {
    const input = settled().input(shop(new Secret("other")));
    const reads = new Map(input.reads).set(address, { kind: "unchecked", reason: "no list" });
    const plan = makePlan({ ...input, reads });
    expect(changeOf(plan, address)).toMatchObject({
      action: "update",
      attributes: [{ path: "value", cause: "edit", before: { kind: "secret" }, after: { kind: "secret" } }],
    });
    expect(plan.unchecked).toEqual([{ address, reason: "no list" }]);
  });
});

describe("a secret that was revealed", () => {
  const printsOf = (text: string) => {
    const now = new Secret(text).fingerprint(key, address);
    return { value: { now, asRecorded: [now] } };
  };
  function planned(live: string, about: (world: World) => Partial<Revealed> = () => ({})): Plan {
    const world = settled();
    const { id, updatedAt } = world.live.get(world.id(address)) ?? { id: "" };
    const revealed: Revealed = {
      id,
      ...(updatedAt && { updatedAt }),
      prints: printsOf(live),
      ...about(world),
    };
    return makePlan({ ...world.input(shop()), revealed: new Map([[address, revealed]]) });
  }

  it.each<[string, Partial<Revealed>]>([
    ["something else", { id: "another" }],
    ["what it was before a change", { updatedAt: "2020-01-01T00:00:00.000Z" }],
  ])("of %s says nothing", (_, about) => {
    expect(actionsOf(planned("other", () => about))).toEqual([]);
  });
});
