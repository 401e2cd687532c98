import { describeTerraform, TerraformFolder } from "../support/terraform";

describeTerraform("archived services", () => {
  const world = new TerraformFolder();
  const { emulator } = world;
  const block = (more = "") => `resource "rnv_service" "api" {\n  name = "api"\n  kind = "web"\n${more}}\n`;
  const archive = (archived: boolean) => {
    const id = emulator.store.services()[0]?.id ?? "";
    emulator.store.editService(id, () => ({ archived }));
  };
  beforeAll(async () => {
    await world.openAttached();
    world.write(block());
    await world.apply();
  });
  afterAll(() => world.close());

  // DESIGN section 4: "Whether a managed service is archived is always ours: it is declared, or false."
  it("archived outside are restored by the next apply, also where nothing says archived", async () => {
    archive(true);
    expect(await world.run("plan -detailed-exitcode", 2)).toMatch(/archived += true -> false/);
    await world.apply();
    expect(emulator.store.services().map(({ archived }) => archived)).toEqual([false]);
    expect(await world.run("plan -detailed-exitcode", 0)).toContain("No changes");
  }, 60_000);

  it("that are declared so stay so", async () => {
    world.write(block("  archived = true\n"));
    await world.apply();
    expect(emulator.store.services().map(({ archived }) => archived)).toEqual([true]);
    expect(await world.run("plan -detailed-exitcode", 0)).toContain("No changes");
    world.write(block());
    await world.apply();
    expect(emulator.store.services().map(({ archived }) => archived)).toEqual([false]);
    expect(await world.run("plan -detailed-exitcode", 0)).toContain("No changes");
  }, 60_000);
});
