import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { builtCli } from "../support/built-cli";
import { approve, openScenario, type Scenario } from "../support/cli";

const root = join(__dirname, "..", "..");
const examples = join(root, "examples");

const env = {
  SHOP_REGION: "eu",
  SHOP_DATABASE_URL: "postgres://example",
  SHOP_QUEUE_TOKEN: "example-token",
};

/** The arguments of every `npx rnv …` of a workflow file, in order. */
const commandsOf = (workflow: string): string[][] =>
  [...readFileSync(workflow, "utf8").matchAll(/npx rnv ([^\n>|;]+)/g)].map(([, line]) =>
    (line ?? "").trim().split(/\s+/),
  );

describe.each([
  { name: "quickstart", files: [] },
  { name: "gitops", files: ["-f", "rnv.yaml", "-f", "production.yaml"] },
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
  it.each(readdirSync(workflows))("%s runs commands that exist, as they are written", async (file) => {
    const commands = commandsOf(join(workflows, file));
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) {
      const { code, stderr } = await rnv(...command);
      expect({ command, code, stderr: code === 0 ? "" : stderr }).toEqual({ command, code: 0, stderr: "" });
    }
  });
});

it("examples/gitops deletes a service by two changes in git, and not by one", async () => {
  const scenario = await openScenario();
  try {
    cpSync(join(examples, "gitops"), scenario.folder, { recursive: true });
    mkdirSync(join(scenario.folder, "state"));
    const [, planned] = commandsOf(join(examples, "gitops", ".github", "workflows", "plan.yml"));
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
    expect({ code: blocked.code, shown: blocked.stdout.includes("Blocked") }).toEqual({
      code: 4,
      shown: true,
    });
    expect(await apply()).toEqual([0, 4]);
    expect(scenario.requests()).toEqual([]);

    scenario.write("rnv.yaml", `${without}removed: [service.shop.worker]\n`);
    expect((await rnv(planned)).code).toBe(2);
    expect(await apply()).toEqual([0, 0]);
    expect(liveNames()).toEqual(["api"]);
    expect((await rnv(planned)).code).toBe(0);
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
  expect(stdout).toContain("Destroy complete! Resources: 10 destroyed.");
});
