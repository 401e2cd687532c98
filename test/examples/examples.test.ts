import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { approve, oneScenario, openScenario } from "../support/cli";
import { serveCodeHost } from "../support/code-host-server";
import { linkPackage } from "../support/install-package";
import { type Step, type Workflow, workflowOf } from "../support/workflow";

const root = join(__dirname, "..", "..");
const examples = join(root, "examples");

const state = { RNV_STATE: "state/rnv.state.json", RNV_STATE_KEY: "5a".repeat(32) };
const env = {
  ...state,
  SHOP_STATE: "state",
  SHOP_REGION: "eu",
  SHOP_DATABASE_URL: "postgres://example",
  SHOP_QUEUE_TOKEN: "example-token",
};

/** The arguments of every `npx rnv …` of a workflow file, in order. */
const commandsOf = (workflow: string): string[][] => commandsIn(readFileSync(workflow, "utf8"));

const commandsIn = (text: string): string[][] =>
  [...text.matchAll(/npx rnv ([^\n>|;]+)/g)].map(([, line]) => (line ?? "").trim().split(/\s+/));

/** Each step of a workflow that runs something, with the whole environment that it is given. */
const stepsOf = ({ env: everywhere, jobs }: Workflow) =>
  Object.values(jobs).flatMap((job) =>
    (job.steps ?? []).map((step) => ({
      ...step,
      run: step.run ?? "",
      env: { ...everywhere, ...job.env, ...step.env },
    })),
  );

const allWorkflows = ["gitops", "drift-cron", "preview"].flatMap((name) => {
  const folder = join(examples, name, ".github", "workflows");
  return readdirSync(folder).map((file) => ({ name, file, workflow: workflowOf(join(folder, file)) }));
});

describe.each(allWorkflows)("examples/$name: $file", ({ workflow }) => {
  const secretsIn = (step: Step) =>
    [...JSON.stringify(step).matchAll(/secrets\.(\w+)/g)].map(([, name]) => name).sort();

  it("gives the installation of packages no secret, and runs none of their scripts", () => {
    const installing = stepsOf(workflow).filter(({ run }) => /\bnpm (ci|install)\b/.test(run));
    expect(installing.length).toBeGreaterThan(0);
    for (const step of installing)
      expect({ run: step.run, secrets: secretsIn(step) }).toEqual({
        run: "npm ci --git=git --ignore-scripts",
        secrets: [],
      });
  });

  it("gives secrets to single steps, never to a job", () => {
    const { env: everywhere, jobs } = workflow;
    for (const where of [everywhere, ...Object.values(jobs).map((job) => job.env)])
      expect(secretsIn({ env: where ?? {} })).toEqual([]);
  });

  it("gives what is not applied no secret of production", () => {
    const isApplying = stepsOf(workflow).some(({ run }) => /rnv (ci )?apply/.test(run));
    // Credentials of the store of the states are of the same kind.
    const secrets = stepsOf(workflow)
      .flatMap(secretsIn)
      .filter((one = "") => !/^RNV_STATE_(READ|WRITE|PREVIEW)_/.test(one));
    const ofPreviews = /^(AWS_\w+|RNV_PREVIEW_KEY|RNV_STATE_KEY)$/;
    if (secrets.includes("RNV_PREVIEW_KEY"))
      expect(secrets.filter((one) => !ofPreviews.test(one ?? ""))).toEqual([]);
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
  const scenario = oneScenario();
  beforeAll(() => {
    cpSync(join(examples, name), scenario.folder, { recursive: true });
    mkdirSync(join(scenario.folder, "state"), { recursive: true });
  });

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
  // What applies a review or is of a pull request needs a host: below, and in the test of the page.
  const isAlone = (file: string) => /^(plan|drift)/.test(file);
  it.each(readdirSync(workflows).filter(isAlone))(
    "%s runs its commands as written, with the environment it gives",
    async (file) => {
      const steps = stepsOf(workflowOf(join(workflows, file))).filter(({ run }) => run.includes("npx rnv"));
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
          if (command.includes("--no-secrets")) expect(run.stdout).toContain("cannot read 2 values");
        }
      }
    },
  );
});

it.each(["gitops", "preview"])(
  "examples/%s passes the job for forks and the hook of pre-commit, wherever its states are",
  async (name) => {
    const scenario = await openScenario();
    cpSync(join(examples, name), scenario.folder, { recursive: true });
    const remote = scenario
      .read("rnv.yaml")
      .replace("    each: true", "    each: true\n    state: s3://b/${stage.id}.json");
    if (name === "preview") scenario.write("rnv.yaml", remote);
    const fork = { SHOP_STATE: "s3://rnv-state/shop", RNV_API_KEY: "", RNV_WORKSPACE_ID: "" };
    const [hook] = parse(readFileSync(join(root, ".pre-commit-hooks.yaml"), "utf8")) as { entry: string }[];
    const [program, ...words] = String(hook?.entry).split(" ");
    expect(program).toBe("rnv");
    for (const command of [["validate", "--untrusted"], words]) {
      const run = await scenario.runWith({ env: fork }, ...command);
      expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining("valid in each stage") });
    }
  },
);

it("examples/gitops deletes a service by two changes in git, and not by one", async () => {
  const scenario = await openScenario();
  const host = await serveCodeHost("github");
  cpSync(join(examples, "gitops"), scenario.folder, { recursive: true });
  mkdirSync(join(scenario.folder, "state"));
  const commit = "a".repeat(40);
  const pull = { number: 7, branch: "change", commit: "b".repeat(40), isOpen: false };
  host.pulls.push({ ...pull, commits: [commit], mergeCommit: commit });
  const [planned, onMain] = ["plan.yml", "apply.yml"].map((file) =>
    commandsOf(join(examples, "gitops", ".github", "workflows", file))
      .find(([verb]) => verb === "ci")
      ?.map((word) => (word === "$REVIEW" ? "--all-stages" : word)),
  );
  const rnv = (command: readonly string[] = [], event: object = {}) => {
    scenario.write("event.json", JSON.stringify(event));
    const job = { GITHUB_EVENT_PATH: join(scenario.folder, "event.json"), GITHUB_SHA: commit };
    return scenario.runWith({ env: { ...env, ...host.environment, ...job } }, ...command);
  };
  const review = () => rnv(planned, { pull_request: { number: 7 } });
  const liveNames = () => scenario.emulator.store.services().map(({ name }) => name);
  await review();
  for (const code of [8, 0]) {
    expect(await rnv(onMain)).toMatchObject({ code });
    for (const { id } of scenario.emulator.store.services()) scenario.emulator.store.completeCheckout(id);
  }
  expect(liveNames().sort()).toEqual(["api", "api", "worker", "worker"]);

  const manifest = scenario.read("rnv.yaml");
  const without = manifest.replace(/ {6}worker:\n(?: {8}.*\n)+/, "").replace(/ +WORKER_HOST: .*\n/, "");
  expect(without).not.toContain("worker");
  scenario.write("rnv.yaml", without);
  scenario.forget();
  const blocked = await review();
  expect({ code: blocked.code, shown: /blocked/i.test(blocked.stdout) }).toEqual({ code: 4, shown: true });
  expect(await rnv(onMain)).toMatchObject({ code: 4 });
  expect(scenario.requests()).toEqual([]);

  scenario.write("rnv.yaml", `${without}removed: [service.shop.worker]\n`);
  expect((await review()).stdout).toContain("1 to destroy");
  expect(await rnv(onMain)).toMatchObject({ code: 0 });
  expect(liveNames()).toEqual(["api", "api"]);
  expect((await review()).stdout).toContain("No changes.");
});

describe("examples/typescript", () => {
  const scenario = oneScenario();
  const rnv = (...args: string[]) => scenario.runWith({ env }, ...args);
  beforeAll(() => {
    cpSync(join(examples, "typescript"), scenario.folder, { recursive: true });
    linkPackage(scenario.folder);
  });

  it("is begun by rnv init --typescript, and applied as it is", async () => {
    rmSync(join(scenario.folder, "rnv.config.ts"));
    const written = await rnv("init", "--typescript");
    expect(written).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("rnv.config.ts: a first manifest"),
    });
    expect(scenario.read("rnv.config.ts")).toBe(
      readFileSync(join(examples, "starter", "starter.ts"), "utf8"),
    );
    expect(await rnv("apply", ...approve, "--state", "first.json")).toMatchObject({ code: 0 });
    expect(await rnv("init", "--typescript")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("left as it is"),
    });
    expect(await rnv("init", "--typescript", "--from", "workspace")).toMatchObject({ code: 1 });
  });
});
