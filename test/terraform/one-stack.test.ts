import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, TerraformStack, TerraformVariable, Token } from "cdktf";
import { DataRnvCatalog, fromEnv, Project, RnvProvider, Service } from "../../src/cdktf/cdktf";
import type { Emulator } from "../../src/emulator/emulator";
import { approve, openScenario, type Scenario } from "../support/cli";
import { describeTerraform, TerraformFolder } from "../support/terraform";

const configuration = { repository: "https://git.example.com/shop/api", branch: "main" };

/** What both read: functions of what is known later, names of fields as the program has them, numbers as text. */
function shop({ name = "api", branch = "main", moves = false } = {}): string {
  const app = new App({ outdir: mkdtempSync(join(tmpdir(), "rnv-one-stack-")) });
  const stack = new TerraformStack(app, "shop");
  new RnvProvider(stack, "rnv");
  const project = new Project(stack, "shop");
  const port = new TerraformVariable(stack, "port", { type: "string", default: "8080" });
  const api = new Service(project, name, {
    name: "api",
    kind: "web",
    configuration: { ...configuration, branch, port: Token.asNumber(port.value) },
    lifecycle: { ignoreChanges: ["configuration.branch"] },
  });
  if (moves) api.moveFromId("rnv_service.shop__api");
  const worker = new Service(project, "worker", { kind: "worker", configuration });
  worker.addOverride("configuration.replicas", "2");
  worker.configuration.ipAllowList = [{ cidr: "10.0.0.0/8", description: "office" }, "1.1.1.1/32"];
  new DataRnvCatalog(stack, "catalog");
  api.addVariable("TOKEN", fromEnv("SHOP_TOKEN"));
  api.addVariable("RUNTIMES", `\${join("|", slice(data.rnv_catalog.catalog.runtimes, 0, 2))}`);
  api.addVariable("NUMBER", `\${format("%05.1f", 2 * 1.25)}`);
  worker.addVariable(
    "API",
    `\${jsonencode({ name = upper("api"), parts = length(split("-", rnv_service.${api.friendlyUniqueId}.id)) })}`,
  );
  worker.addVariable(
    "EACH",
    `\${join(",", [for key, id in { a = rnv_project.shop.id, b = "b" } : "\${key}\${length(id) == 36 ? 1 : 2}" if id != ""])}`,
  );
  worker.addVariable(
    "PICKED",
    `\${lookup({ a = "x" }, "b", rnv_project.shop.id) == rnv_project.shop.id ? "yes" : "no"}`,
  );
  app.synth();
  const written = readFileSync(join(app.outdir, "stacks", "shop", "cdk.tf.json"), "utf8");
  rmSync(app.outdir, { recursive: true, force: true });
  const json = JSON.parse(written);
  // Terraform keeps its state in its folder, where init is not needed.
  delete json.terraform.backend;
  return JSON.stringify(json, undefined, 2);
}

/** Resources at a service, without what each makes up by itself. */
function worldOf({ store }: Emulator): unknown {
  const services = [...store.services()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    projects: store.projects().map(({ name }) => name),
    services: services.map(({ id, name, kind, configuration: fields }) => ({
      ...{ name, kind, fields },
      variables: Object.fromEntries(
        store
          .variables(id)
          .map((one): [string, unknown] => [one.key, store.variableValue(one.id)])
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
    })),
  };
}

describeTerraform("one stack by rnv and by Terraform", () => {
  const world = new TerraformFolder();
  let scenario: Scenario;
  const token = { TF_VAR_env_SHOP_TOKEN: "token-of-the-shop", SHOP_TOKEN: "token-of-the-shop" };
  beforeAll(async () => {
    await world.openAttached();
    scenario = await openScenario();
    Object.assign(world.environment, token);
  });
  afterAll(async () => {
    await scenario.close();
    await world.close();
  });

  async function applyBoth(stack: string): Promise<void> {
    writeFileSync(join(world.folder, "w", "cdk.tf.json"), stack);
    scenario.write("cdk.tf.json", stack);
    world.emulator.resetLog();
    scenario.forget();
    await world.apply();
    await world.expectNoChanges();
    const args = ["-f", "cdk.tf.json"];
    const applied = await scenario.runWith({ env: token }, "apply", ...args, ...approve);
    if (applied.code !== 0) throw new Error(applied.stderr + applied.stdout);
    const quiet = await scenario.runWith({ env: token }, "plan", "-detailed-exitcode", ...args);
    expect([quiet.code, quiet.stdout]).toEqual([0, expect.stringContaining("No changes")]);
    expect(worldOf(scenario.emulator)).toEqual(worldOf(world.emulator));
  }

  const ids = ({ store }: Emulator) => [...store.services(), ...store.projects()].map(({ id }) => id).sort();

  it("ends in the same world", async () => {
    await applyBoth(shop());
    expect(worldOf(world.emulator)).toMatchObject({
      services: [
        {
          fields: { port: 8080 },
          variables: {
            NUMBER: "002.5",
            TOKEN: "token-of-the-shop",
            RUNTIMES: expect.stringMatching(/^\w+\|\w+$/),
          },
        },
        {
          fields: { replicas: 2, ipAllowList: [{ cidr: "10.0.0.0/8", description: "office" }, "1.1.1.1/32"] },
          variables: { API: '{"name":"API","parts":5}', EACH: "a1,b2", PICKED: "yes" },
        },
      ],
    });
  }, 60_000);

  it("what is ignored by its name in the program stays in both", async () => {
    await applyBoth(shop({ branch: "release" }));
    expect(worldOf(world.emulator)).toMatchObject({ services: [{ fields: { branch: "main" } }, {}] });
  }, 60_000);

  it("what moves takes its parts along: nothing is created again by either", async () => {
    const before = [ids(world.emulator), ids(scenario.emulator)];
    const made = (emulator: Emulator) =>
      emulator.store.services().flatMap(({ id }) => emulator.store.variables(id).map((one) => one.id));
    const variables = [made(world.emulator), made(scenario.emulator)];
    await applyBoth(shop({ name: "front", moves: true }));
    expect([ids(world.emulator), ids(scenario.emulator)]).toEqual(before);
    expect([made(world.emulator), made(scenario.emulator)]).toEqual(variables);
  }, 60_000);
});
