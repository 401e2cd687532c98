import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { App } from "cdktf";
import { approve, type CliRun, eachScenario, openScenario, type Scenario } from "../support/cli";
import {
  changed,
  type Edit,
  internalLibrary,
  monorepo,
  recordAndHosting,
  renamed,
  renamedBack,
  servicesIn,
  threeEnvironments,
  unchanged,
  wholeEnvironment,
} from "../support/stack-programs";
import { describeTerraform, TerraformFolder } from "../support/terraform";

const token = { TF_VAR_env_QUEUE_TOKEN: "token-of-the-queue", QUEUE_TOKEN: "token-of-the-queue" };

/** Programs of teams, with their stacks in order; `dns` has a resource of another provider. */
const programs = {
  wholeEnvironment: { define: wholeEnvironment, stacks: ["environment"] },
  monorepo: { define: monorepo, stacks: ["monorepo"] },
  recordAndHosting: { define: recordAndHosting, stacks: ["hosting", "dns"] },
  internalLibrary: { define: internalLibrary, stacks: ["library"] },
  threeEnvironments: {
    define: threeEnvironments,
    stacks: ["platform", "development", "staging", "production"],
  },
};

describeTerraform("a program that moves from rnv to Terraform and back", () => {
  let world: TerraformFolder;
  const scenario = eachScenario();
  beforeEach(async () => {
    world = new TerraformFolder();
    await world.openAttached();
    Object.assign(world.environment, token);
  });

  function synthesize(define: (app: App) => void, edit: Edit): void {
    const app = new App({ outdir: join(scenario.folder, "cdktf.out") });
    define(app);
    edit(servicesIn(app));
    app.synth();
  }

  async function rnvIn({ runWith }: Scenario, ...args: readonly string[]): Promise<CliRun> {
    const env = { ...token, RNV_BASE_URL: world.baseUrl };
    const ended = await runWith({ env }, ...args, "-f", "cdktf.out");
    if (ended.code !== 0) throw new Error(`rnv ${args.join(" ")}: ${JSON.stringify(ended)}`);
    return ended;
  }

  const stateOf = (stack: string): string => join(world.folder, stack, "terraform.tfstate");
  const terraform = (stack: string, args: string): Promise<string> =>
    world.run(`-chdir=../${stack} ${args} -input=false`);

  /** Writes the JSON of a stack for Terraform, whose states are then in the folders of their stacks; returns its resources. */
  function handTo(stack: string, imports = ""): readonly string[] {
    const json = JSON.parse(scenario.read(`cdktf.out/stacks/${stack}/cdk.tf.json`));
    delete json.terraform.backend;
    for (const [input, { config }] of Object.entries<{ config: { path: string } }>(
      json.data?.terraform_remote_state ?? {},
    ))
      config.path = stateOf(input.split("-").at(-1) ?? "");
    mkdirSync(join(world.folder, stack), { recursive: true });
    writeFileSync(join(world.folder, stack, "cdk.tf.json"), JSON.stringify(json));
    writeFileSync(join(world.folder, stack, "imports.tf"), imports);
    const resources = Object.entries<object>(json.resource);
    return resources.flatMap(([type, named]) => Object.keys(named).map((name) => `${type}.${name}`));
  }

  /** Number of deployments, and the values that are made up. */
  const made = (): readonly (string | number | undefined)[] => {
    const { store } = world.emulator;
    const services = store.services();
    const generated = services
      .flatMap(({ id }) => store.variables(id))
      .filter(({ key }) => key === "SESSION_KEY");
    return [
      services.reduce((sum, { id }) => sum + store.deployments(id).length, 0),
      ...generated.map(({ id }) => store.variableValue(id)),
    ];
  };

  it.each(Object.entries(programs))(
    "changes nothing by the move: %s",
    async (_name, { define, stacks }) => {
      const own = stacks.filter((stack) => stack !== "dns");
      const all = own.flatMap((stack) => ["--stack", stack]);
      for (const edit of [unchanged, changed, renamed]) {
        synthesize(define, edit);
        const { stdout } = await rnvIn(scenario, "plan", ...all);
        if (edit === renamed) expect(stdout).not.toMatch(/[1-9]\d* to (add|destroy)/);
        await rnvIn(scenario, "apply", ...all, ...approve);
        await rnvIn(scenario, "plan", "-detailed-exitcode", ...all);
      }

      // Every value is live already: none is written again, and the next plan has nothing to deploy.
      const before = made();
      world.emulator.resetLog();
      for (const stack of own) {
        const { stdout } = await rnvIn(scenario, "terraform", "import-blocks", "--stack", stack);
        const declared = [...handTo(stack, stdout)].sort();
        expect([...stdout.matchAll(/ to = (\S+)/g)].map(([, to]) => to).sort()).toEqual(declared);
        expect(await terraform(stack, "apply -auto-approve")).toMatch(/ 0 added, .* 0 destroyed/);
        await terraform(stack, "plan -detailed-exitcode");
      }
      const writes = world.writes().map((write) => write.replace(/[0-9a-f-]{36}/g, "ID"));
      expect(writes.filter((write) => !/^PATCH \/canvas$|\/reveal$/.test(write))).toEqual([]);
      expect(made()).toEqual(before);

      // Terraform renames what rnv made.
      synthesize(define, renamedBack);
      for (const stack of stacks) {
        handTo(stack);
        const applied = await terraform(stack, "apply -auto-approve");
        if (stack !== "dns") expect(applied).toMatch(/ 0 added, .* 0 destroyed/);
      }
      expect(made()).toEqual(before);

      // It is taken over from the state of Terraform: nothing is deployed again.
      const other = await openScenario();
      cpSync(join(scenario.folder, "cdktf.out"), join(other.folder, "cdktf.out"), { recursive: true });
      for (const stack of own) {
        other.write("terraform.tfstate", readFileSync(stateOf(stack), "utf8"));
        const args = ["--stack", stack, "--from-terraform-state", "terraform.tfstate"];
        const taken = await rnvIn(other, "import", ...args);
        expect(taken.stdout).toContain("rnv apply --adopt --verify-values");
        expect(taken.stderr).not.toContain("is not declared here");
      }
      await rnvIn(other, "apply", "--adopt", "--verify-values", ...all, ...approve);
      await rnvIn(other, "plan", "-detailed-exitcode", ...all);
      expect(made()).toEqual(before);
    },
    180_000,
  );
});
