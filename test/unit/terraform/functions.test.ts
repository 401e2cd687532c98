import {
  DynamicValue,
  dynamicOf,
  type TerraformObject,
  type TerraformValue,
} from "../../../src/terraform/codec";
import { functions } from "../../../src/terraform/functions";

const catalog = dynamicOf({
  plans: [{ id: "standard", kinds: ["web"], usd: 25, ngn: 37_500 }],
  database_plans: [],
  defaults: { plan: "free", replicas: 1, scaling: "manual" },
});

const priced = (offered: TerraformValue, service: TerraformObject) =>
  functions.find(({ name }) => name === "monthly_cost")?.call(offered, dynamicOf(service));
const cost = (service: TerraformObject) => priced(catalog, service);

describe("monthly_cost", () => {
  const twice = { usd: 50, ngn: 75_000 };

  it("prices the fields of the block, and the default of a field that is not given", () => {
    expect(cost({ kind: "web", configuration: { plan: "standard", replicas: 2 } })).toEqual(twice);
    expect(cost({ kind: "web", configuration: { plan: "standard" } })).toEqual({ usd: 25, ngn: 37_500 });
    const dynamic = new DynamicValue(["map", "string"], { plan: "standard", replicas: "2" });
    expect(cost({ kind: "web", configuration: dynamic })).toEqual(twice);
  });

  it("reads a number in quotes, as every attribute does, and refuses other text", () => {
    expect(cost({ kind: "web", configuration: { plan: "standard", replicas: "2" } })).toEqual(twice);
    const wrong = { plan: "standard", replicas: "many" };
    expect(() => cost({ kind: "web", configuration: wrong })).toThrow(
      "configuration.replicas: expected a number",
    );
    expect(() => cost({ kind: "web", configuration: { plam: "standard" } })).toThrow(
      'no field "plam" in configuration',
    );
    expect(() => cost({ kind: "web", configuration: [{ plan: "standard" }] })).toThrow(
      "configuration: expected an object",
    );
  });

  it("wants a catalog whose plans have what a price is made of", () => {
    const plan = { id: "standard", kinds: ["web"], usd: 25, ngn: 37_500 };
    const wrongs: TerraformValue[] = [
      null,
      {},
      { plans: [null] },
      { plans: [{ ...plan, kinds: null }] },
      { plans: "all" },
    ];
    for (const wrong of wrongs)
      expect(() => priced(dynamicOf(wrong), { kind: "web" })).toThrow("expected the data source rnv_catalog");
    const ofPlan = { kind: "web", configuration: { plan: "standard" } };
    expect(priced(dynamicOf({ plans: [plan] }), ofPlan)).toEqual({ usd: 25, ngn: 37_500 });
  });
});
