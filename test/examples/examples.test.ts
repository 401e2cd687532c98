import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { builtCli } from "../support/built-cli";
import { approve, openScenario, type Scenario } from "../support/cli";

const root = join(__dirname, "..", "..");
const examples = join(root, "examples");

const state = { RNV_STATE: "state/rnv.state.json", RNV_STATE_KEY: "5a".repeat(32) };
const env = {
  ...state,
  SHOP_REGION: "eu",
  SHOP_DATABASE_URL: "postgres://example",
  SHOP_QUEUE_TOKEN: "example-token",
};

/** The arguments of every `npx rnv …` of a workflow file, in order. */
const commandsOf = (workflow: string): string[][] => commandsIn(readFileSync(workflow, "utf8"));

const commandsIn = (text: string): string[][] =>
  [...text.matchAll(/npx rnv ([^\n>|;]+)/g)].map(([, line]) => (line ?? "").trim().split(/\s+/));

interface Step {
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Workflow {
  readonly on: unknown;
  readonly env?: Step["env"];
  readonly jobs: Readonly<Record<string, { readonly env?: Step["env"]; readonly steps: readonly Step[] }>>;
}

const readWorkflow = (path: string): Workflow => parse(readFileSync(path, "utf8")) as Workflow;

/** Each step of a workflow that runs something, with the whole environment that it is given. */
const stepsOf = ({ env: everywhere, jobs }: Workflow) =>
  Object.values(jobs).flatMap((job) =>
    job.steps.map((step) => ({
      ...step,
      run: step.run ?? "",
      env: { ...everywhere, ...job.env, ...step.env },
    })),
  );

const allWorkflows = ["gitops", "drift-cron", "preview"].flatMap((name) => {
  const folder = join(examples, name, ".github", "workflows");
  return readdirSync(folder).map((file) => ({ name, file, workflow: readWorkflow(join(folder, file)) }));
});

describe.each(allWorkflows)("examples/$name: $file", ({ name, workflow }) => {
  const secretsIn = (step: Step) =>
    [...JSON.stringify(step).matchAll(/secrets\.(\w+)/g)].map(([, name]) => name).sort();

  it("gives the installation of packages no secret, and runs none of their scripts", () => {
    const installing = stepsOf(workflow).filter(({ run }) => /\bnpm (ci|install)\b/.test(run));
    expect(installing.length).toBeGreaterThan(0);
    for (const step of installing)
      expect({ run: step.run, secrets: secretsIn(step) }).toEqual({
        run: "npm ci --ignore-scripts",
        secrets: [],
      });
  });

  it("gives secrets to single steps, never to a job", () => {
    const { env: everywhere, jobs } = workflow;
    for (const where of [everywhere, ...Object.values(jobs).map((job) => job.env)])
      expect(secretsIn({ env: where ?? {} })).toEqual([]);
  });

  it("gives what is not applied no secret of production", () => {
    const isApplying = stepsOf(workflow).some(({ run }) => run.includes("rnv apply"));
    const secrets = stepsOf(workflow).flatMap(secretsIn);
    const ofPreviews = /^(AWS_\w+|RNV_PREVIEW_KEY|RNV_STATE_KEY)$/;
    if (name === "preview") expect(secrets.filter((one) => !ofPreviews.test(one ?? ""))).toEqual([]);
    else if (!isApplying)
      expect(secrets.filter((name) => !/^RNV_(READ|STATE)_KEY$/.test(name ?? ""))).toEqual([]);
    else expect(secrets).toEqual(["RNV_STATE_KEY", "RNV_WRITE_KEY", "SHOP_DATABASE_URL", "SHOP_QUEUE_TOKEN"]);
  });
});

describe.each([
  { name: "quickstart", files: [] },
  { name: "gitops", files: ["--stage", "production"] },
  { name: "drift-cron", files: [] },
])("examples/$name", ({ name, files }) => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario();
    cpSync(join(examples, name), scenario.folder, { recursive: true });
    mkdirSync(join(scenario.folder, "state"), { recursive: true });
  });
  afterAll(() => scenario.close());

  const rnv = (...args: string[]) => scenario.runWith({ env }, ...args);

  it("is valid, applies, plans to nothing and is destroyed", async () => {
    expect(await rnv("validate", ...files)).toMatchObject({ code: 0 });
    // gitops uses a paid plan: its checkout is completed in the dashboard.
    const applied = await rnv("apply", ...approve, ...files);
    expect({ ...applied, stdout: "" }).toMatchObject({ code: name === "gitops" ? 8 : 0 });
    for (const service of scenario.emulator.store.services())
      scenario.emulator.store.completeCheckout(service.id);
    expect(await rnv("apply", ...approve, ...files)).toMatchObject({ code: 0 });
    expect(await rnv("plan", "-detailed-exitcode", ...files)).toMatchObject({ code: 0 });
    expect(await rnv("drift", ...files)).toMatchObject({ code: 0 });
  });

  const workflows = join(examples, name, ".github", "workflows");
  if (!existsSync(workflows)) return;
  it.each(readdirSync(workflows))(
    "%s runs its commands as written, with the environment it gives",
    async (file) => {
      const steps = stepsOf(readWorkflow(join(workflows, file))).filter(({ run }) => run.includes("npx rnv"));
      expect(steps.length).toBeGreaterThan(0);
      for (const step of steps) {
        const given = Object.entries(env).filter(([name]) => name in step.env);
        const key: [string, string][] = "RNV_API_KEY" in step.env ? [] : [["RNV_API_KEY", ""]];
        for (const command of commandsIn(step.run)) {
          const run = await scenario.runWith({ env: Object.fromEntries([...given, ...key]) }, ...command);
          const { code, stderr } = run;
          expect({ command, code, stderr: code === 0 ? "" : stderr }).toEqual({
            command,
            code: 0,
            stderr: "",
          });
          if (command.includes("--no-secrets")) expect(run.stdout).toContain("2 values were not compared");
        }
      }
    },
  );
});

it("examples/gitops deletes a service by two changes in git, and not by one", async () => {
  const scenario = await openScenario();
  try {
    cpSync(join(examples, "gitops"), scenario.folder, { recursive: true });
    mkdirSync(join(scenario.folder, "state"));
    const planned = commandsOf(join(examples, "gitops", ".github", "workflows", "plan.yml")).find(
      ([verb]) => verb === "ci",
    );
    const onMain = commandsOf(join(examples, "gitops", ".github", "workflows", "apply.yml"));
    const rnv = (command: readonly string[] = []) => scenario.runWith({ env }, ...command);
    const apply = async () => {
      const codes: number[] = [];
      for (const command of onMain) codes.push((await rnv(command)).code);
      return codes;
    };
    const liveNames = () => scenario.emulator.store.services().map(({ name }) => name);
    await apply();
    expect(liveNames().sort()).toEqual(["api", "worker"]);
    for (const { id } of scenario.emulator.store.services()) scenario.emulator.store.completeCheckout(id);
    expect(await apply()).toEqual([0, 0]);

    const manifest = scenario.read("rnv.yaml");
    const without = manifest.replace(/ {6}worker:\n(?: {8}.*\n)+/, "").replace(/ +WORKER_HOST: .*\n/, "");
    expect(without).not.toContain("worker");
    scenario.write("rnv.yaml", without);
    scenario.forget();
    const blocked = await rnv(planned);
    expect({ code: blocked.code, shown: /blocked/i.test(blocked.stdout) }).toEqual({
      code: 4,
      shown: true,
    });
    expect(await apply()).toEqual([0, 4]);
    expect(scenario.requests()).toEqual([]);

    scenario.write("rnv.yaml", `${without}removed: [service.shop.worker]\n`);
    expect((await rnv(planned)).stdout).toContain("1 to destroy");
    expect(await apply()).toEqual([0, 0]);
    expect(liveNames()).toEqual(["api"]);
    expect((await rnv(planned)).stdout).toContain("No changes.");
  } finally {
    await scenario.close();
  }
});

it("npm run demo tells the whole story and ends well", () => {
  builtCli();
  const { status, stdout } = spawnSync(process.execPath, [join(examples, "quickstart", "demo.mjs")], {
    encoding: "utf8",
  });
  expect(status).toBe(0);
  expect(stdout).toContain("No changes. Your infrastructure matches the configuration.");
  expect(stdout).toContain("Drift: 1 changed outside rnv");
  expect(stdout).toContain("Destroy complete! Resources: 4 destroyed.");
});
