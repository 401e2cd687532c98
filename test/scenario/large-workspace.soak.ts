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
});
