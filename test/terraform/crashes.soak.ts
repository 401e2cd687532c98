import { existsSync } from "node:fs";
import { join } from "node:path";
import { embeddedApiKey } from "../../src/emulator/emulator";
import { CrashFolder, everything } from "../support/crash-folder";
import { textIn } from "../support/rows";
import { describeTerraform, TerraformFolder } from "../support/terraform";

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
const withVariables = textIn(join(__dirname, "crashes.tf"), { shop, value });
const flat = (text: string): string => text.replace(/[\s│╷╵]+/g, " ");

describeTerraform("a resource that an apply made before it was cut short", () => {
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
});

/** `npx tsx test/faults/run-terraform-kills.ts` kills at each write of a create, an update, a replacement and a destroy. */
describeTerraform("an apply that was cut short", () => {
  const world = new CrashFolder();

  beforeAll(() => world.open());
  afterAll(() => world.close());
  it("Ctrl-C ends the wait for a deployment, keeps what is done, and the next apply continues with it", async () => {
    const slow = new TerraformFolder({ deploySeconds: 600 });
    await slow.open();
    try {
      slow.write(everything("1"));
      const running = slow.start("apply", "-auto-approve");
      const { child } = running;
      while (slow.writes().every((write) => !write.endsWith("/deploys")))
        await new Promise((resolve) => setTimeout(resolve, 50));
      process.kill(-(child.pid ?? 0), "SIGINT");
      const { code, output } = await running;
      expect(code).toBe(1);
      expect(output).toContain("was accepted, and its end was not waited for");
      const kept = slow
        .state()
        .resources.map(({ type }) => type)
        .sort();
      expect(kept).toEqual(["rnv_canvas_layout", "rnv_project", "rnv_service", "rnv_variables"]);
      slow.emulator.store.settle();
      await slow.apply();
      expect(slow.emulator.store.deployments(slow.emulator.store.services()[0]?.id ?? "")).toHaveLength(1);
    } finally {
      await slow.close();
    }
  }, 120_000);
});
