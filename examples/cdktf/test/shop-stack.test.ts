import "cdktf/lib/testing/adapters/jest";
import { Testing } from "cdktf";
import { Service, Variable } from "terraform-provider-rnv/cdktf";
import { ShopStack } from "../shop-stack";

Testing.setupJest();

describe("the shop", () => {
  const synthesized = Testing.synth(new ShopStack(Testing.app(), "shop"));

  it("checks the health of what serves requests", () => {
    expect(synthesized).toHaveResourceWithProperties(Service, {
      name: "api",
      configuration: expect.objectContaining({ health_check_path: "/healthz" }),
    });
  });

  it("tells the API where the worker listens", () => {
    expect(synthesized).toHaveResourceWithProperties(Variable, {
      key: "WORKER_URL",
      value: "http://${rnv_service.shop__worker.internal_host}:8000",
    });
  });

  it("holds the text of no secret", () => {
    expect(synthesized).not.toContain("shop-example-license");
  });
});
