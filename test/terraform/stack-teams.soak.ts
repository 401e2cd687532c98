import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { App, TerraformStack } from "cdktf";
import { approve, openScenario, type Scenario } from "../support/cli";
import {
  changed,
  type Edit,
  internalLibrary,
  monorepo,
  recordBesideHosting,
  renamed,
  servicesIn,
  threeEnvironments,
  unchanged,
  wholeEnvironment,
} from "../support/stack-programs";
import { describeTerraform, TerraformFolder } from "../support/terraform";

const token = { TF_VAR_env_QUEUE_TOKEN: "token-of-the-queue", QUEUE_TOKEN: "token-of-the-queue" };

describeTerraform("a program of a team", () => {
  let world: TerraformFolder;
  const scenarios: Scenario[] = [];
  beforeEach(async () => {
    world = await new TerraformFolder().openAttached();
    Object.assign(world.environment, token);
  });
  afterEach(async () => {
    for (const scenario of scenarios.splice(0)) await scenario.close();
    await world.close();
  });

  async function open(): Promise<Scenario> {
    const scenario = await openScenario();
    scenarios.push(scenario);
    return scenario;
  }
  const env = { ...token, RNV_STATE_KEY: "5a".repeat(32) };
  const rnv = (scenario: Scenario, ...args: readonly string[]) =>
    scenario.runWith({ env: { ...env, RNV_BASE_URL: world.baseUrl } }, ...args, "-f", "cdktf.out");
  /** Runs a command in the folder of each stack; returns what it printed. */
  async function terraform(stacks: readonly string[], args: string): Promise<string> {
    const printed: string[] = [];
    for (const stack of stacks) printed.push(await world.run(`-chdir=${stack} ${args} -input=false`));
    return printed.join("\n");
  }
  const deployments = (): number => {
    const { store } = world.emulator;
    return store.services().reduce((sum, { id }) => sum + store.deployments(id).length, 0);
  };

  /** Writes the stacks of a program for both; returns their names, each after those that it needs. */
  function synthesize(folder: string, define: (app: App) => void, edit: Edit): readonly string[] {
    const outdir = join(folder, "cdktf.out");
    rmSync(outdir, { recursive: true, force: true });
    const app = new App({ outdir });
    define(app);
    edit(servicesIn(app));
    app.synth();
    const stacks = app.node
      .findAll()
      .filter((one) => TerraformStack.isStack(one))
      .map(({ node }) => node.id);
    for (const stack of stacks) {
      const text = readFileSync(join(outdir, "stacks", stack, "cdk.tf.json"), "utf8");
      // Each state is in the folder of its stack.
      const moved = text.replace(/"[^"]*terraform\.(\w+)\.tfstate"/g, (_path, name) =>
        JSON.stringify(join(world.folder, "w", name, "terraform.tfstate")),
      );
      const json = JSON.parse(moved);
      delete json.terraform.backend;
      mkdirSync(join(world.folder, "w", stack), { recursive: true });
      writeFileSync(join(world.folder, "w", stack, "cdk.tf.json"), JSON.stringify(json));
    }
    return stacks;
  }

  async function handOver(scenario: Scenario, stacks: readonly string[]): Promise<void> {
    const before = deployments();
    for (const stack of stacks) {
      const { code, stdout } = await rnv(scenario, "terraform", "import-blocks", "--stack", stack);
      expect(code).toBe(0);
      writeFileSync(join(world.folder, "w", stack, "imports.tf"), stdout);
    }
    const applied = await terraform(stacks, "apply -auto-approve");
    expect(applied).toContain("imported, 0 added");
    expect(applied).toContain("0 destroyed");
    await terraform(stacks, "plan -detailed-exitcode");
    expect(deployments()).toBe(before);
    for (const stack of stacks) rmSync(join(world.folder, "w", stack, "imports.tf"));
  }

  async function takeBack(from: Scenario, stacks: readonly string[]): Promise<Scenario> {
    const before = deployments();
    const scenario = await open();
    cpSync(join(from.folder, "cdktf.out"), join(scenario.folder, "cdktf.out"), { recursive: true });
    for (const stack of stacks) {
      const state = join(world.folder, "w", stack, "terraform.tfstate");
      const named = stacks.length === 1 ? [] : ["--stack", stack];
      const taken = await rnv(scenario, "import", "--from-terraform-state", state, ...named);
      expect(taken).toMatchObject({ code: 0, stderr: expect.not.stringContaining("is not declared here") });
      const adopted = await rnv(
        scenario,
        ...["apply", ...(stacks.length === 1 ? [] : [stack])],
        ...["--adopt", "--verify-values", ...approve],
      );
      expect([adopted.code, adopted.stderr]).toEqual([0, expect.any(String)]);
    }
    expect(deployments()).toBe(before);
    return scenario;
  }

  it.each(Object.entries({ wholeEnvironment, monorepo, internalLibrary, threeEnvironments }))(
    "is applied by rnv, handed over, changed and renamed by Terraform, and taken back: %s",
    async (_name, define) => {
      const first = await open();
      const stacks = synthesize(first.folder, define, unchanged);
      expect(await rnv(first, "apply", ...approve)).toMatchObject({ code: 0 });
      expect(await rnv(first, "plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
      await handOver(first, stacks);

      synthesize(first.folder, define, changed);
      expect(await terraform(stacks, "apply -auto-approve")).toContain("0 destroyed");
      await terraform(stacks, "plan -detailed-exitcode");
      synthesize(first.folder, define, renamed);
      expect(await terraform(stacks, "apply -auto-approve")).not.toMatch(/[1-9]\d* (added|destroyed)/);

      const second = await takeBack(first, stacks);
      const quiet = await rnv(second, "plan", "-detailed-exitcode");
      expect([quiet.code, quiet.stdout]).toEqual([0, expect.any(String)]);
    },
    300_000,
  );

  it("is changed and renamed by Terraform beside a record of another provider", async () => {
    const { folder } = await open();
    for (const edit of [unchanged, changed, renamed]) {
      const stacks = synthesize(folder, recordBesideHosting, edit);
      expect(await terraform(stacks, "apply -auto-approve")).toContain("0 destroyed");
      await terraform(stacks, "plan -detailed-exitcode");
    }
  }, 120_000);
});
