import { type Address, addressOf } from "../../../src/model/address";
import type { ReactionContext, Upstream } from "../../../src/model/resource-type";
import type { RecordedResource } from "../../../src/model/state";
import type { ResolvedValue } from "../../../src/model/value";
import { deploymentReaction } from "../../../src/resources/deployment";

const api = addressOf("service", "shop", "api");
const variable = (key: string): Address => addressOf("variable", "shop", "api", key);

const one = (address: Address, more: Partial<Upstream> = {}): Upstream => ({
  address,
  id: address,
  writes: 1,
  changes: false,
  ...more,
});

const recordedWith = (
  inputs?: Record<string, number>,
  applied: RecordedResource["applied"] = {},
): RecordedResource => ({
  type: "deployment",
  id: "d",
  name: "",
  dependsOn: [],
  applied,
  computed: {},
  preventDestroy: false,
  onRemove: "delete",
  writes: 1,
  inputs,
});

const reason = (
  upstream: readonly Upstream[],
  more: {
    inputs?: Record<string, number>;
    applied?: RecordedResource["applied"];
    declared?: Record<string, ResolvedValue>;
    parent?: object;
  } = {},
): string | null | undefined => {
  const context: ReactionContext = {
    declared: new Map(Object.entries(more.declared ?? {})),
    parent: new Map(Object.entries(more.parent ?? {})),
    recorded: more.inputs === undefined ? undefined : recordedWith(more.inputs, more.applied),
    upstream,
  };
  return deploymentReaction(context);
};

describe("a deployment runs", () => {
  it("when an earlier run wrote and did not come to deploy", () => {
    expect(reason([one(api, { writes: 2 })], { inputs: { [api]: 1 } })).toBe(
      "service.shop.api changed since the last deploy",
    );
    expect(reason([one(api, { writes: 0 }), one(variable("A"))])).toBe(
      "variable.shop.api.A changed since the last deploy",
    );
  });

  it("when a variable that it was deployed with is gone", () => {
    expect(reason([one(api)], { inputs: { [api]: 1, a: 1 } })).toBe("a variable is removed");
    expect(reason([one(api)], { inputs: { [api]: 1, a: 1, b: 2 } })).toBe("2 variables are removed");
  });

  it("when its commit is no longer pinned: the configured branch is to serve", () => {
    const pinned = { inputs: { [api]: 1 }, applied: { commit: "a".repeat(40) } };
    expect(reason([one(api)], pinned)).toBe("commit is not pinned");
    expect(reason([one(api)], { ...pinned, declared: { commit: "b".repeat(40) } })).toBeUndefined();
  });

  it("always, when that is declared", () => {
    expect(reason([one(api)], { inputs: { [api]: 1 }, declared: { when: "always" } })).toBe("always");
  });
});

describe("a deployment rests", () => {
  it("when its service is archived, even where it should always run", () => {
    const parent = { archived: true };
    expect(reason([one(api, { changes: true })], { parent })).toBeNull();
    expect(reason([one(api)], { parent, declared: { when: "always" } })).toBeNull();
    expect(reason([one(api, { changes: true })], { parent: { archived: false } })).toBeDefined();
  });
});
