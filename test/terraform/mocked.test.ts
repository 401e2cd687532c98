import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeTerraform, TerraformFolder } from "../support/terraform";

const root = join(__dirname, "../..");
const guide = readFileSync(join(root, "docs/guides/ci.md"), "utf8");
const inGuide = /```hcl\n(mock_provider[\s\S]*?)```/.exec(guide)?.[1] ?? "";

describeTerraform("terraform test with a mocked provider", () => {
  const world = new TerraformFolder();
  const testFile = (text: string) => writeFileSync(join(world.folder, "w/tests/shop.tftest.hcl"), text);
  beforeAll(async () => {
    await world.open();
    for (const name of ["main.tf", "outputs.tf", "variables.tf"])
      copyFileSync(join(root, "examples/terraform", name), join(world.folder, "w", name));
    mkdirSync(join(world.folder, "w/tests"));
    world.environment = { TF_VAR_queue_token: "text" };
  });

  it("plays the test of the guide on the example, without a request", async () => {
    testFile(inGuide);
    expect(await world.run("test")).toContain("1 passed, 0 failed");
    testFile(inGuide.replace("== 14", "== 15"));
    expect(await world.run("test", 1)).toContain("The API costs more than USD 14 a month.");
    expect(world.emulator.log).toEqual([]);
  }, 60_000);

  it("mocks every attribute that a plan of the catalog has", async () => {
    const { stdout } = await world.start("providers", "schema", "-json");
    const plan = /"rnv_catalog":.*?"plans":\{"type":\["list",\["object",(\{.*?\})/s.exec(stdout)?.[1] ?? "{}";
    const mocked = /plans = \[\{\n([\s\S]*?)\n *\}\]/.exec(inGuide)?.[1]?.match(/^ *\w+/gm) ?? [];
    expect(mocked.map((name) => name.trim()).sort()).toEqual(Object.keys(JSON.parse(plan)).sort());
  }, 60_000);

  it("has no price for a plan that no catalog lists, and no error", async () => {
    const withoutCatalog = inGuide.replace(/ {2}mock_data[\s\S]*?\n {2}\}\n/, "").replace("== 14", "== null");
    expect(withoutCatalog).not.toContain("mock_data");
    testFile(`run "planned" {\n  command = plan\n}\n${withoutCatalog}`);
    expect(await world.run("test")).toContain("2 passed, 0 failed");
  }, 60_000);

  it("runs on an embedded platform that pays for plans", async () => {
    const text = `run "all" {\n  assert {\n    condition = rnv_deployment.a.up_to_date\n    error_message = "unpaid"\n  }\n}\n`;
    const service = `resource "rnv_service" "a" {\n  name = "a"\n  kind = "web"\n  configuration {\n    repository = "https://git.example.com/a"\n    plan = "starter"\n  }\n}\nresource "rnv_deployment" "a" {\n  service_id = rnv_service.a.id\n  when = "always"\n}\n`;
    for (const name of ["outputs.tf", "variables.tf"]) world.remove(name);
    world.write(service, 'base_url = "embedded"');
    testFile(text);
    world.environment = { RNV_EMULATOR_PAYS: "1" };
    expect(await world.run("test")).toContain("1 passed, 0 failed");
  }, 60_000);
});
