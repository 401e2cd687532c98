import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { App, TerraformStack } from "cdktf";
import { Project, RnvProvider } from "../../src/cdktf/cdktf";
import { approve, eachScenario } from "../support/cli";
import { worldOf } from "../support/live-world";
import {
  archivedService,
  deployedService,
  fieldsOfOthers,
  monorepo,
  recordBesideHosting,
  textBesideSecret,
  twoWorkspaces,
  wholeEnvironment,
} from "../support/stack-programs";
import { newFolder } from "../support/temp-folder";
import { describeTerraform, TerraformFolder } from "../support/terraform";

const token = { TF_VAR_env_QUEUE_TOKEN: "token-of-the-queue", QUEUE_TOKEN: "token-of-the-queue" };

/** Writes the JSON of the only stack of a program, without a backend: Terraform keeps its state in its folder. */
function jsonOf(define: (app: App) => void, skipValidation = false): string {
  const app = new App({ outdir: newFolder("programs"), skipValidation });
  define(app);
  app.synth();
  const [id] = app.node.children.map(({ node }) => node.id).filter((child) => child !== "TreeMetadata");
  const json = JSON.parse(readFileSync(join(app.outdir, "stacks", `${id}`, "cdk.tf.json"), "utf8"));
  delete json.terraform.backend;
  return JSON.stringify(json, undefined, 2);
}

describeTerraform("programs of teams by Terraform and by rnv", () => {
  let world: TerraformFolder;
  const scenario = eachScenario();
  beforeEach(async () => {
    world = new TerraformFolder();
    await world.openAttached();
    Object.assign(world.environment, token);
  });

  async function applyByTerraform(json: string): Promise<void> {
    writeFileSync(join(world.folder, "w", "cdk.tf.json"), json);
    await world.apply();
    await world.expectNoChanges();
  }

  it.each(Object.entries({ wholeEnvironment, monorepo, fieldsOfOthers }))(
    "%s ends in the same world",
    async (_name, define) => {
      const json = jsonOf(define);
      await applyByTerraform(json);
      scenario.write("cdk.tf.json", json);
      const applied = await scenario.runWith({ env: token }, "apply", "-f", "cdk.tf.json", ...approve);
      expect(applied).toMatchObject({ code: 0 });
      expect(worldOf(scenario.emulator)).toEqual(worldOf(world.emulator));
    },
    120_000,
  );

  const never = { when: "never" } as const;
  /** Programs one after the other, each with how often its first service was deployed then. */
  const changes: Readonly<Record<string, readonly (readonly [(app: App) => void, number])[]>> = {
    "an archived service, which takes no deployment and comes back": [
      [archivedService("info"), 0],
      [archivedService("debug"), 0],
      [archivedService("debug", false), 1],
      [archivedService("warn", true), 1],
    ],
    "a service that is restored, which is deployed for a change alone": [
      [archivedService("info", false), 1],
      [archivedService("info"), 1],
      [archivedService("info", false), 1],
      [archivedService("debug"), 1],
      [archivedService("debug", false), 2],
    ],
    "a service that is not deployed for a while": [
      [deployedService(undefined, { A: "1", B: "1" }), 1],
      [deployedService(never, { A: "1", B: "1" }), 1],
      [deployedService(undefined, { A: "1", B: "1" }), 1],
      [deployedService(never, { A: "1" }), 1],
      [deployedService(undefined, { A: "1" }), 2],
    ],
    "a service that is deployed from some time on": [
      [deployedService(never, { A: "1" }), 0],
      [deployedService(never, { A: "2" }), 0],
      [deployedService(undefined, { A: "2" }), 1],
    ],
    "a pin that is taken away, which is deployed unless the service is not": [
      [deployedService({ commit: "a".repeat(40) }, { A: "1" }), 1],
      [deployedService(undefined, { A: "1" }), 2],
      [deployedService({ commit: "b".repeat(40) }, { A: "1" }), 3],
      [deployedService(never, { A: "1" }), 3],
      [deployedService(undefined, { A: "1" }), 3],
    ],
    "a text beside a secret": [
      [textBesideSecret("info"), 1],
      [textBesideSecret("debug"), 2],
    ],
  };
  it.each(Object.entries(changes))(
    "%s, is changed to the same world",
    async (_name, steps) => {
      for (const [define, deployments] of steps) {
        const json = jsonOf(define);
        await applyByTerraform(json);
        scenario.write("cdk.tf.json", json);
        const rnv = (...args: string[]) => scenario.runWith({ env: token }, ...args, "-f", "cdk.tf.json");
        expect(await rnv("apply", ...approve)).toMatchObject({ code: 0 });
        expect(await rnv("plan", "-detailed-exitcode")).toMatchObject({
          code: 0,
          stdout: expect.not.stringContaining("deployment."),
        });
        expect(worldOf(scenario.emulator)).toEqual(worldOf(world.emulator));
        expect(worldOf(world.emulator)).toMatchObject({ services: [{ deployments }] });
      }
    },
    120_000,
  );

  it("a service that was never deployed is handed over both ways", async () => {
    const json = jsonOf(deployedService(never, { A: "1" }));
    await applyByTerraform(json);
    scenario.write("cdk.tf.json", json);
    scenario.write("terraform.tfstate", JSON.stringify(world.state()));
    const env = { ...token, RNV_BASE_URL: world.baseUrl };
    const rnv = (...args: string[]) => scenario.runWith({ env }, ...args, "-f", "cdk.tf.json");
    expect(await rnv("import", "--from-terraform-state", "terraform.tfstate")).toMatchObject({ code: 0 });
    expect(await rnv("apply", "--adopt", "--verify-values", ...approve)).toMatchObject({ code: 0 });
    const blocks = await rnv("terraform", "import-blocks", "--stack", "deployed");
    expect(blocks).toMatchObject({ code: 0, stdout: expect.not.stringContaining("rnv_deployment") });
    expect(worldOf(world.emulator)).toMatchObject({ services: [{ deployments: 0 }] });
  }, 120_000);

  it("the same names in two workspaces are other resources, of which a run of rnv has one", async () => {
    // Terraform starts a process for each configuration of the provider, unless it attaches to one.
    delete world.environment.TF_REATTACH_PROVIDERS;
    const json = jsonOf(twoWorkspaces(scenario.url));
    await applyByTerraform(json);
    expect(worldOf(scenario.emulator)).toEqual(worldOf(world.emulator));
    scenario.write("cdk.tf.json", json);
    const planned = await scenario.runWith(
      { env: { RNV_BASE_URL: world.baseUrl } },
      "plan",
      "-f",
      "cdk.tf.json",
    );
    expect(planned).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("provider.rnv.eu: the setting is not what RNV_BASE_URL says"),
    });
    expect(planned.stderr).toContain("put what belongs elsewhere into a stack of its own");
    expect(planned.stderr).not.toContain("as does");
  }, 120_000);

  it("imports by names and moves along a chain", async () => {
    const chain = (app: App): void => {
      const stack = new TerraformStack(app, "chain");
      new RnvProvider(stack, "rnv");
      const shop = new Project(stack, "shop", { name: "Shop" });
      shop.importFrom("Shop");
      shop.addService("front", { kind: "web", name: "api", deploy: never }).importFrom("Shop/api");
      const steps = ["web", "site", "front"].map((name) => `rnv_service.shop__${name}`);
      stack.addOverride("moved", [
        { from: steps[0], to: steps[1] },
        { from: steps[1], to: steps[2] },
      ]);
    };
    for (const { store } of [world.emulator, scenario.emulator]) {
      const { id: projectId } = store.addProject({ name: "Shop" });
      store.addService({ name: "api", kind: "web", projectId });
    }
    const json = jsonOf(chain);
    await applyByTerraform(json);
    scenario.write("cdk.tf.json", json);
    await scenario.applies("-f", "cdk.tf.json");
    await scenario.isQuiet("-f", "cdk.tf.json");
    expect(worldOf(scenario.emulator)).toEqual(worldOf(world.emulator));
    expect(worldOf(world.emulator)).toMatchObject({ projects: [{}], services: [{ deployments: 0 }] });
  }, 120_000);

  it("a record of another provider has the address of the service", async () => {
    await applyByTerraform(jsonOf(recordBesideHosting));
    const record = world.state().resources.find(({ type }) => type === "terraform_data");
    expect(JSON.stringify(record)).toContain("https://site-");
  }, 120_000);
});
