import type { ServiceConfig } from "../../../src/cdktf/cdktf";
import { constructProps } from "../../../tools/construct-props";

const written = constructProps();

describe("the props of the constructs", () => {
  it("say of each field and attribute what it is, its limits, its default and what a change does", () => {
    for (const text of [
      "Port that the application listens on. Default: `8000`. A change deploys the service.",
      "A change deploys the service and may change the price.",
      "A change takes effect at once, without a deployment.",
      "A change replaces it.",
      "Days that backups are kept.",
    ])
      expect(written).toContain(text);
    expect(written).not.toContain("zod");
  });

  it("offer the values that the interface shows, and take any text", () => {
    const given: ServiceConfig = { kind: "worker", configuration: { plan: "huge", runtime: "python" } };
    expect(given.kind).toBe("worker");
    expect(written).toContain('readonly kind: "web" | "static" | (string & {});');
  });

  it("can be extended by a team's own", () => {
    interface NodeService extends ServiceConfig {
      readonly team: string;
    }
    const given: NodeService = { kind: "web", team: "shop", configuration: { replicas: 2 } };
    expect(given.configuration?.replicas).toBe(2);
  });
});
