import { constructProps } from "../../../tools/types/construct-props";

const written = constructProps();

describe("the props of the constructs", () => {
  it("say of each field and attribute what it is, its limits, its default and what a change does", () => {
    for (const text of [
      "Port that the application listens on. Default: `8000`. From 1 to 65535. A change deploys the service.",
      "A change deploys the service and may change the price.",
      "A change takes effect at once, without a deployment.",
      "A change replaces it.",
      "Days that backups are kept.",
    ])
      expect(written).toContain(text);
    expect(written).not.toContain("zod");
  });
});
