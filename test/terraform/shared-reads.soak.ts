import { describeTerraform, TerraformFolder } from "../support/terraform";

const count = 200;

describeTerraform("a plan of many services", () => {
  const world = new TerraformFolder();
  beforeAll(() => world.openAttached());
  afterAll(() => world.close());

  it("costs three requests, and no one more for each service", async () => {
    const services = Array.from({ length: count }, (_, index) =>
      world.emulator.store.addService({ name: `s-${index}`, kind: "web", configuration: { branch: "main" } }),
    );
    const ids = services.map(({ id }, index) => `    ${index} = "${id}"`).join("\n");
    world.write(`
locals {
  ids = {
${ids}
  }
}
import {
  for_each = local.ids
  to       = rnv_service.s[each.key]
  id       = each.value
}
resource "rnv_service" "s" {
  for_each = local.ids
  name     = "s-\${each.key}"
  kind     = "web"
  configuration {
    branch = "main"
  }
}
`);
    await world.apply();
    expect(world.writes()).toEqual([]);
    world.emulator.resetLog();
    await world.expectNoChanges();
    expect(world.emulator.log.map(({ path }) => path.replace(/^.*\//, "")).sort()).toEqual([
      "canvas",
      "catalog",
      "projects",
    ]);
  }, 180_000);
});
