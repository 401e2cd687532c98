import { describeTerraform, TerraformFolder } from "../support/terraform";

const service = (name: string): string =>
  `resource "rnv_service" "${name}" {\n  name       = "${name}"\n  kind       = "web"\n  project_id = rnv_project.shop.id\n}\n`;

/** Interface, "Services": no list is shown to hold archived ones, and a read of one is a gap. */
describeTerraform("a service that cannot be read", () => {
  it("stays in the state as it is, and the plan says so", async () => {
    const world = await new TerraformFolder({ gaps: { readService: false } }).openAttached();
    const { store } = world.emulator;
    world.write(`resource "rnv_project" "shop" { name = "Shop" }\n${service("api")}${service("web")}`);
    await world.apply();
    const { id = "" } = store.services().find(({ name }) => name === "api") ?? {};
    // Long after the writes: a list without it is not behind them.
    world.clock.advance(3_600_000);
    await world.attach();
    store.editService(id, () => ({ archived: true }));
    const planned = await world.expectNoChanges();
    expect(planned).toContain('Service "api" could not be read');
    expect(planned).toContain("Its state is kept as it is");
  }, 60_000);
});
