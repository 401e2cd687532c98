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

  it("take no deployment: the apply says so, and a change of them alone asks for none", async () => {
    const deployment = (more = "") =>
      `resource "rnv_deployment" "api" {\n  service_id = rnv_service.api.id\n  triggers = { config = rnv_service.api.revision }\n${more}}\n`;
    const fields = (branch: string) =>
      `  configuration {\n    repository = "https://git.example.com/api"\n    branch = "${branch}"\n  }\n`;
    world.write(block(`  archived = true\n${fields("main")}`) + deployment());
    const refused = (await world.run("apply -auto-approve", 1)).replace(/[\s│]+/g, " ");
    expect(refused).toMatch(/archived/i);
    expect(refused).toContain("with rnv_deployment.api");
    expect(emulator.store.deployments(emulator.store.services()[0]?.id ?? "")).toEqual([]);
    // Restored by the same apply.
    world.write(block(fields("main")) + deployment());
    await world.apply();
    await world.expectNoChanges();
    archive(true);
    emulator.store.editConfiguration(emulator.store.services()[0]?.id ?? "", { branch: "next" });
    world.write(block(`  archived = true\n${fields("next")}`) + deployment());
    await world.expectNoChanges();
  }, 60_000);
});
