import { describeTerraform, TerraformFolder } from "../support/terraform";

const services = (names: readonly string[]) =>
  names.map((name) => `resource "rnv_service" "${name}" {\n  name = "${name}"\n  kind = "web"\n}\n`).join("");

describeTerraform("an error that all resources share", () => {
  const world = new TerraformFolder();
  beforeAll(async () => {
    await world.openAttached();
    world.write(services(["a", "b", "c", "d"]));
    await world.apply();
  }, 60_000);
  const errorOf = async (block: string): Promise<string> => {
    world.write(services(["a", "b", "c", "d"]), block);
    const output = await world.told("plan", 1);
    world.write(services(["a", "b", "c", "d"]));
    expect(output.match(/Error: /g)).toHaveLength(1);
    expect(output).toContain('in provider "rnv"');
    return output;
  };

  it("a wrong key, workspace or address is one error of the provider block", async () => {
    expect(await errorOf('api_key = "rnv_no-such-key"')).toContain("access denied");
    const other = "00000000-0000-4000-8000-00000000abcd";
    expect(await errorOf(`workspace_id = "${other}"`)).toMatch(new RegExp(`workspaces/${other}`));
    expect(await errorOf(`base_url = "${world.baseUrl.replace("/api/v1", "/elsewhere/api/v1")}"`)).toContain(
      "RNV_BASE_URL",
    );
    expect(await errorOf('base_url = "http://127.0.0.1:9/api/v1"')).toContain(
      "Cannot connect to 127.0.0.1:9",
    );
  }, 120_000);

  it("a resource that was deleted elsewhere, with nothing left beside it, is an error that names it and accept_missing", async () => {
    for (const { id } of world.emulator.store.services()) world.emulator.store.deleteServiceNow(id);
    world.settle();
    const output = await world.told("plan", 1);
    expect(output).toMatch(/Service "[abcd]" cannot be found, and the workspace shows nothing else/);
    expect(output).toContain("accept_missing = true");
    world.write(services(["a", "b", "c", "d"]), "accept_missing = true");
    const plan = await world.told("plan");
    expect(plan).toContain("4 to add, 0 to change, 0 to destroy");
    expect(plan).toContain("Missing resources are taken out of the state");
    await world.apply();
    await world.expectNoChanges();
    const map = `${services(["a", "b", "c", "d"])}resource "rnv_variables" "all" {\n  service_id = rnv_service.a.id\n  values = { A = "1", B = "2", C = "3" }\n}\n`;
    world.write(map);
    await world.apply();
    world.settle();
    for (const one of Object.values(world.attributes("rnv_variables", "all").ids as Record<string, string>))
      world.emulator.store.deleteVariableNow(one);
    expect(await world.told("plan")).toContain("0 to add, 1 to change, 0 to destroy");
  }, 60_000);
});
