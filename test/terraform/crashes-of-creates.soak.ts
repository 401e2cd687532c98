import { existsSync } from "node:fs";
import { join } from "node:path";
import { embeddedApiKey } from "../../src/emulator/emulator";
import { CrashFolder, everything } from "../support/crash-folder";
import { describeTerraform } from "../support/terraform";

const secondKey = "rnv_second-key-of-the-same-workspace";
const shop = `
resource "rnv_service" "api" {
  name = "api"
  kind = "web"
  configuration {
    branch = "main"
  }
}
`;
const value = "a-value-that-no-file-may-hold";
const withVariables = `${shop}
resource "rnv_variable" "a" {
  service_id = rnv_service.api.id
  key        = "A"
  value      = "${value}"
}
resource "rnv_variables" "b" {
  service_id = rnv_service.api.id
  values     = { B = "${value}", C = "${value}" }
}
`;
const flat = (text: string): string => text.replace(/[\s│╷╵]+/g, " ");

describeTerraform("what an apply that was cut short made", () => {
  const apiKeys = [embeddedApiKey, secondKey].map((key) => ({ key, scope: "write", role: "owner" }) as const);
  const world = new CrashFolder({ apiKeys });
  const named = (name: string) => world.services().filter((one) => one.name === name);
  const posts = (end: string) => (request: { readonly method: string; readonly path: string }) =>
    request.method === "POST" && request.path.endsWith(end);
  const folder = join(world.folder, "w", ".terraform", ".rnv");

  beforeAll(() => world.open());
  afterAll(() => world.close());

  it("stops the next apply, with the ID and an import block, whatever key it uses, and is never created twice", async () => {
    world.write(withVariables);
    await world.applyKilledAt(posts("/services"), "after", { receipt: false });
    world.environment = { RNV_API_KEY: secondKey };
    const [api] = named("api");
    const stopped = flat(await world.run("apply -auto-approve", 1));
    expect(stopped).toContain('Service "api" already exists');
    expect(stopped).toContain(`id = "${api?.id}"`);
    world.environment = {};
    expect(await world.applyImporting()).toHaveLength(1);
    expect(named("api")).toHaveLength(1);
    await world.expectNoChanges();
    expect(existsSync(folder)).toBe(false);
  }, 120_000);

  it("is imported with another configuration too, variables as well; Terraform may die too", async () => {
    const only = new CrashFolder({ apiKeys });
    await only.open();
    try {
      only.write(withVariables);
      await only.applyKilledAt(posts("/variables"), "after", { dies: "terraform" });
      only.write(withVariables.replace('"main"', '"next"'));
      // Terraform died with what its state did not have yet.
      await only.applyImporting();
      const [api, ...others] = only.services();
      expect([api?.configuration.branch, others]).toEqual(["next", []]);
      expect(
        only.emulator.store
          .variables(api?.id ?? "")
          .map(({ key }) => key)
          .sort(),
      ).toEqual(["A", "B", "C"]);
      await only.expectNoChanges();
    } finally {
      await only.close();
    }
  }, 120_000);

  it("is one deployment, taken over with another key and without a receipt", async () => {
    const only = new CrashFolder({ apiKeys });
    await only.open();
    try {
      only.write(everything("1"));
      await only.applyKilledAt(posts("/deploys"), "after");
      only.environment = { RNV_API_KEY: secondKey };
      expect(flat(await only.apply())).toContain("has every change already, and is taken over");
      expect(only.deployments()).toHaveLength(1);
      only.write(everything("2"));
      await only.applyKilledAt(posts("/deploys"), "after", { receipt: false });
      only.environment = {};
      await only.apply();
      expect(only.deployments()).toHaveLength(2);
      await only.expectNoChanges();
    } finally {
      await only.close();
    }
  }, 120_000);
});
