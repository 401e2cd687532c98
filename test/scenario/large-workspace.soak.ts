import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { approve, oneScenario, openScenario, type Scenario } from "../support/cli";

const count = 2000;
const megabytes = 1024;

/** Arguments of Node that make each process write down the most memory it held. */
function measuringIn({ folder }: Scenario): readonly string[] {
  const hook = join(mkdtempSync(join(folder, "hook-")), "peak.cjs");
  writeFileSync(
    hook,
    `const { peakKb } = require(${JSON.stringify(join(__dirname, "../support/peak-memory.cjs"))});
process.on("exit", () => require("node:fs").writeFileSync("peak", String(peakKb())));\n`,
  );
  return ["--require", hook];
}

const peakIn = ({ folder }: Scenario): number =>
  Number(readFileSync(join(folder, "peak"), "utf8")) / megabytes;

describe("a workspace of 2,000 services", () => {
  const scenario = oneScenario();
  let measuring: readonly string[];
  const peak = () => peakIn(scenario);
  beforeAll(async () => {
    const { store } = scenario.emulator;
    const { id } = store.addProject({ name: "shop" });
    for (let i = 0; i < count; i += 1) {
      store.addService({ name: `s${i}`, projectId: id, configuration: { branch: `b${i % 7}` } });
    }
    measuring = measuringIn(scenario);
    const services = Array.from(
      { length: count },
      (_, i) => `      s${i}: { kind: web, configuration: { branch: b${i % 7} }, deploy: { when: never } }\n`,
    );
    scenario.write("rnv.yaml", `projects:\n  shop:\n    services:\n${services.join("")}`);
  });
  beforeEach(() => scenario.forget());

  it("is adopted without a write, in at most 4 requests and 250 MB", async () => {
    const { code, stdout, stderr } = await scenario.runWith(
      { node: measuring },
      "apply",
      ...approve,
      "--adopt",
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(
      `Apply complete! Resources: ${count + 1} imported, 0 added, 0 changed, 0 destroyed.`,
    );
    expect(scenario.requests()).toEqual([]);
    expect(scenario.requests("all").length).toBeLessThanOrEqual(4);
    expect(peak()).toBeLessThan(250);
  });

  it("is planned without a change, in at most 4 requests and 250 MB", async () => {
    const { code, stdout } = await scenario.runWith({ node: measuring }, "plan", "-detailed-exitcode");
    expect(stdout).toContain("No changes. Your infrastructure matches the configuration.");
    expect(code).toBe(0);
    expect(scenario.requests("all").length).toBeLessThanOrEqual(4);
    expect(peak()).toBeLessThan(250);
  });

  it("is exported in the same memory, with one request for each service whose variables it names", async () => {
    const { code, stdout } = await scenario.runWith({ node: measuring }, "export");
    expect(code).toBe(0);
    expect(stdout.match(/kind: web/g)).toHaveLength(count);
    expect(scenario.requests("all").length).toBeLessThanOrEqual(count + 4);
    expect(peak()).toBeLessThan(250);
  });
});

it("a canvas that is too large is read project by project", async () => {
  const scenario = await openScenario();
  const { store } = scenario.emulator;
  const declared: string[] = [];
  for (const project of ["a", "b"]) {
    const { id } = store.addProject({ name: project });
    for (let i = 0; i < 1001; i += 1) store.addService({ name: `s${i}`, projectId: id });
    declared.push(`  ${project}: { services: { s0: { kind: web, deploy: { when: never } } } }\n`);
  }
  scenario.write("rnv.yaml", `projects:\n${declared.join("")}`);
  const { code, stdout, stderr } = await scenario.run("apply", ...approve, "--adopt");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("Resources: 4 imported, 0 added, 0 changed, 0 destroyed.");
  expect(scenario.requests()).toEqual([]);
  await scenario.isQuiet();
  await scenario.close();
});

it("a project above 2,000 services is read environment by environment", async () => {
  const scenario = await openScenario();
  const { store } = scenario.emulator;
  const { id, environments } = store.addProject({ name: "shop" });
  const staging = store.addEnvironment(id, "Staging");
  for (const environmentId of [environments[0]?.id, staging.id])
    for (let i = 0; i < 1001; i += 1)
      store.addService({ name: `s${i}-${environmentId}`, projectId: id, environmentId });
  const last = store.addService({ name: "last", projectId: id, environmentId: staging.id });
  const manifest = (port: number) =>
    `projects: { shop: { services: { last: { kind: web, environment: Staging, configuration: { port: ${port} }, deploy: { when: never } } } } }\n`;
  scenario.write("rnv.yaml", manifest(8000));
  const { code, stdout, stderr } = await scenario.run("apply", ...approve, "--adopt");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("Resources: 2 imported, 0 added, 0 changed, 0 destroyed.");
  expect(scenario.requests()).toEqual([]);
  await scenario.isQuiet();
  await scenario.applied(manifest(9000));
  expect(store.services().find((one) => one.id === last.id)?.configuration.port).toBe(9000);
  // A name that stands in one of the environments is found, and nothing is made beside it.
  const taken = `projects: { shop: { services: { last: { kind: web, environment: Staging }, "s5-${staging.id}": { kind: web, environment: Staging } } } }\n`;
  scenario.write("rnv.yaml", taken);
  const refused = await scenario.run("plan");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("live.unmanaged_exists");
  await scenario.close();
});

it("a workspace of 60 MB of text is no manifest: export says so in at most 512 MB", async () => {
  const scenario = await openScenario();
  const { store } = scenario.emulator;
  const { id: projectId } = store.addProject({ name: "shop" });
  const startCommand = "a line of a command, which says much\n".repeat(5900);
  for (let i = 0; i < 285; i += 1)
    store.addService({ name: `s${i}`, projectId, live: true, configuration: { startCommand } });
  const node = measuringIn(scenario);
  for (const verb of [["export"], ["init", "--from", "workspace"]]) {
    const { code, stderr } = await scenario.runWith({ node }, ...verb);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("--project NAME") });
    expect(peakIn(scenario)).toBeLessThan(512);
  }
  await scenario.close();
});
