import { readdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { embeddedApiKey } from "../../src/emulator/emulator";
import { CrashFolder, everything } from "../support/crash-folder";
import { describeTerraform } from "../support/terraform";

const secondKey = "rnv_second-key-of-the-same-workspace";
const shop = (branch = "main", more = "") => `
resource "rnv_service" "api" {
  name = "api"
  kind = "web"
  ${more}
  configuration {
    branch = "${branch}"
  }
}
`;
const value = "a-value-that-no-file-may-hold";
const withVariables = `${shop()}
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

  it("is taken into the state, with another key, another configuration and without a receipt; Terraform may die too", async () => {
    world.write(withVariables);
    await world.applyKilledAt(posts("/services"), "after");
    expect(readdirSync(folder)).toHaveLength(2);
    world.environment = { RNV_API_KEY: secondKey };
    await world.applyKilledAt(posts("/variables"), "after", { receipt: false });
    world.write(withVariables.replace('"main"', '"next"'));
    world.environment = {};
    await world.applyKilledAt(posts("/variables"), "after", { dies: "terraform" });
    const intents = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    expect(intents.join("\n")).not.toMatch(new RegExp(`${value}|${embeddedApiKey}|${secondKey}`));
    await world.apply();
    expect(named("api").map(({ configuration }) => configuration.branch)).toEqual(["next"]);
    expect(
      world.emulator.store
        .variables(named("api")[0]?.id ?? "")
        .map(({ key }) => key)
        .sort(),
    ).toEqual(["A", "B", "C"]);
    // What was being written when a process died is swept once it is old.
    const before = new Date(Date.now() - 120_000);
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), before, before);
    await world.expectNoChanges();
    expect(readdirSync(folder)).toEqual([".gitignore"]);
  }, 120_000);

  it("is one deployment, found again with another key and without a receipt; taken away and added again it deploys", async () => {
    const only = new CrashFolder({ apiKeys });
    await only.open();
    try {
      only.write(everything("1"));
      await only.applyKilledAt(posts("/deploys"), "after");
      only.environment = { RNV_API_KEY: secondKey };
      await only.apply();
      expect(only.deployments()).toHaveLength(1);
      only.write(everything("2"));
      await only.applyKilledAt(posts("/deploys"), "after", { receipt: false });
      only.environment = {};
      await only.apply();
      expect(only.deployments()).toHaveLength(2);
      only.write(everything("2").replace(/resource "rnv_deployment"[\s\S]*/, ""));
      await only.apply();
      only.write(everything("2"));
      await only.apply();
      expect(only.deployments()).toHaveLength(3);
      await only.expectNoChanges();
    } finally {
      await only.close();
    }
  }, 120_000);

  it("says so in the plan; what a colleague made meanwhile is a conflict all the same", async () => {
    const two = (name: string) => withVariables + shop().replace(/"api"/g, `"${name}"`);
    world.write(two("web"));
    await world.applyKilledAt(posts("/services"), "after");
    const [web] = named("web");
    expect(flat(await world.run("plan -input=false"))).toContain(
      `The service "web" (${web?.id}) is there, and is taken into the state`,
    );
    world.write(two("theirs"));
    await world.applyKilledAt(posts("/services"), "before");
    const theirs = world.emulator.store.addService({ name: "theirs" });
    world.emulator.store.editService(theirs.id, () => ({ createdAt: "2026-01-01T00:00:00.000Z" }));
    expect(flat(await world.run("plan -input=false", 1))).toContain('There is a service "theirs" already');
    expect(named("theirs")).toHaveLength(1);
  }, 120_000);
});
