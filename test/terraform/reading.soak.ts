import { join } from "node:path";
import { textIn } from "../support/rows";
import { describeTerraform, TerraformFolder } from "../support/terraform";

describeTerraform("data sources, functions, ephemeral values and imports", () => {
  const world = new TerraformFolder();
  const { emulator } = world;

  beforeAll(async () => {
    await world.openAttached();
    const { id: projectId } = emulator.store.addProject({ name: "Shop", description: "Sold here" });
    const api = emulator.store.addService({
      name: "api",
      kind: "web",
      projectId,
      configuration: { plan: "standard", replicas: 2, repository: "https://git.example.com/shop/api.git/" },
    });
    emulator.store.addService({ name: "docs", kind: "static" });
    emulator.store.addVariable(api.id, "TOKEN", "hidden-value");
    emulator.store.deploy(api.id);
    emulator.store.settle();
  });

  it("data sources and functions show what is there", async () => {
    world.write(textIn(join(__dirname, "reading.tf")));
    await world.apply();
    const { stdout } = await world.start("output", "-json", "all");
    expect(JSON.parse(stdout)).toEqual({
      description: "Sold here",
      repository: "https://git.example.com/shop/api.git/",
      region: "auto",
      names: ["api"],
      deployed: "manual",
      nodes: ["api"],
      address: "service.shop.api",
      ungrouped: "service.docs",
      cost: { usd: 50, ngn: 75_000 },
      planned: 7,
    });
    for (const [parameter, given] of Object.entries({ project: '"a b", "c"', service: '"a", "b c"' })) {
      world.write(`output "wrong" { value = provider::rnv::service_address(${given}) }\n`);
      expect(await world.run("plan", 1)).toContain(`Invalid value for "${parameter}" parameter`);
    }
    world.write(`data "rnv_deployments" "d" {\n  service_id = null\n  limit = 1 / 3\n}\n`);
    const wrong = await world.run("validate", 1);
    expect(wrong).toContain("service_id must not be null");
    expect(wrong).toContain("limit: expected a whole number from 1 to 200");
  }, 60_000);

  it("an ephemeral value is revealed for the run, audited, and stored nowhere", async () => {
    world.write(textIn(join(__dirname, "lists.tf")));
    expect(await world.apply()).not.toContain("hidden-value");
    expect(world.stateText()).not.toContain("hidden-value");
    const api = emulator.store.services().find(({ name }) => name === "api");
    const copy = emulator.store.variables(api?.id ?? "").find(({ key }) => key === "COPY");
    expect(emulator.store.variableValue(copy?.id ?? "")).toBe("hidden-value");
    expect(emulator.store.auditEvents().length).toBeGreaterThan(0);
    world.write("");
    await world.apply();
  }, 60_000);
});
