import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Testing } from "cdktf";
import { Service, Variable } from "terraform-provider-rnv/cdktf";
import { ShopStack } from "../shop-stack";

describe("the shop", () => {
  const synthesized = Testing.synth(new ShopStack(Testing.app(), "shop"));
  const has = (resource: { readonly tfResourceType: string }, properties: Record<string, unknown>): boolean =>
    Testing.toHaveResourceWithProperties(synthesized, resource.tfResourceType, properties);

  it("checks the health of what serves requests, and of nothing else", () => {
    assert(has(Service, { name: "api", configuration: { healthCheckPath: "/healthz" } }));
    assert(!has(Service, { name: "worker", configuration: { healthCheckPath: "/healthz" } }));
  });

  it("tells the API where the worker listens", () => {
    assert(
      has(Variable, {
        key: "WORKER_URL",
        value: "http://${rnv_service.shop__worker.internal_host}:8000",
      }),
    );
  });

  it("holds the text of no secret", () => {
    assert(!synthesized.includes("shop-example-license"));
  });
});
