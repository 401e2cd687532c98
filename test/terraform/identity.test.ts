import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { embeddedApiKey } from "../../src/emulator/emulator";
import { CrashFolder, everything } from "../support/crash-folder";
import { describeTerraform, TerraformFolder } from "../support/terraform";

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

describeTerraform("what exists of a name", () => {
  const first = new TerraformFolder();
  const second = new TerraformFolder();
  const services = () => first.emulator.store.services().filter(({ deletedAt }) => deletedAt === null);

  beforeAll(async () => {
    await first.open();
    await second.open();
    second.environment = { RNV_BASE_URL: first.baseUrl };
    first.write(withVariables);
    await first.apply();
  }, 60_000);
  afterAll(() => Promise.all([first.close(), second.close()]));

  it("is a conflict for another state of the same content: the plan says its id, and how it is imported", async () => {
    second.write(withVariables);
    first.emulator.resetLog();
    const output = flat(await second.run("plan -input=false", 1));
    const [api] = services();
    expect(output).toContain('There is a service "api" already');
    expect(output).toContain(`import { to = rnv_service.api id = "${api?.id}" }`);
    expect(output.match(/Error: /g)).toHaveLength(1);
    expect(first.writes()).toEqual([]);
    second.write(
      `import {\n  to = rnv_service.api\n  id = "${api?.id}"\n}\n${withVariables.replace(/service_id = .*/g, `service_id = "${api?.id}"`)}`,
    );
    const inside = flat(await second.run("apply -auto-approve -input=false", 1));
    expect(inside).toContain('There is a variable "A" already');
    expect(inside).toContain(`id = "${api?.id}/`);
    expect(first.emulator.store.variables(api?.id ?? "")).toHaveLength(3);
  }, 60_000);

  it("is taken over with adopt = true, which the plan says, and changed where it differs", async () => {
    const [api] = services();
    second.write(shop("next", "adopt = true"));
    await second.run("state rm rnv_service.api").catch(() => "nothing was imported");
    const plan = flat(await second.run("plan -input=false"));
    expect(plan).toContain(`The service "api" (${api?.id}) is there, and is taken over: adopt = true`);
    expect(plan).toContain("Changed there: configuration.branch.");
    await second.apply();
    expect(services().map(({ id, configuration }) => [id, configuration.branch])).toEqual([
      [api?.id, "next"],
    ]);
    await second.expectNoChanges();
    second.write(
      shop("next", "adopt = true")
        .replace('"web"', '"worker"')
        .replace('rnv_service" "api', 'rnv_service" "other'),
    );
    await second.run("state rm rnv_service.api");
    expect(flat(await second.run("plan -input=false", 1))).toContain(
      "cannot be taken over: kind differs there",
    );
  }, 60_000);

  it("is a conflict of the plan in a map of variables too, by key, and is taken over with adopt = true", async () => {
    const [api] = services();
    const ids = () => first.emulator.store.variables(api?.id ?? "").map(({ id }) => id);
    const before = ids();
    const map = (more = "") =>
      `resource "rnv_variables" "all" {\n  service_id = "${api?.id}"\n  values = { A = "other", B = "other" }\n  ${more}\n}\n`;
    second.write(map());
    const output = flat(await second.run("plan -input=false", 1));
    expect(output).toContain("A, B: there already, and not managed by this resource");
    expect(output).toContain(`import { to = rnv_variables.all id = "${api?.id}" }`);
    second.write(map("adopt = true"));
    expect(flat(await second.run("plan -input=false"))).toContain("A, B: there already, and taken over");
    await second.apply();
    expect(ids()).toEqual(before);
    await second.expectNoChanges();
    await second.run("state rm rnv_variables.all");
  }, 60_000);

  it("is not taken over where two bear it", async () => {
    first.emulator.store.addService({ name: "twice" });
    first.emulator.store.addService({ name: "twice" });
    second.write(shop("next", "adopt = true").replace('name = "api"', 'name = "twice"'));
    expect(flat(await second.run("plan -input=false", 1))).toContain(
      'There are 2 of the name "twice" already',
    );
  }, 60_000);

  it("is one thing for one resource: the second of two that declare the same is an error, and nothing is doubled", async () => {
    second.write(
      `resource "rnv_service" "s" {\n  count = 2\n  name = "same"\n  kind = "web"\n}\nresource "rnv_project" "p" {\n  for_each = toset(["one", "two"])\n  name = "both"\n}\n`,
    );
    const output = flat(await second.run("apply -auto-approve -input=false", 1));
    expect(output.match(/Two resources declare the same thing/g)).toHaveLength(2);
    expect(services().filter(({ name }) => name === "same")).toHaveLength(1);
    expect(first.emulator.store.projects().filter(({ name }) => name === "both")).toHaveLength(1);
  }, 60_000);
});

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
