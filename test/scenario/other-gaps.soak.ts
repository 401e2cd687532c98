import { join } from "node:path";
import type { EmulatorOptions } from "../../src/emulator/emulator";
import { approve, failing, openScenario, printing, type Scenario } from "../support/cli";
import { keptProjectNames, projectColors, variablesAt } from "../support/other-shapes";
import { casesIn } from "../support/rows";

type Gaps = NonNullable<EmulatorOptions["gaps"]>;
type Settings = Readonly<Record<string, string>>;

const shop = (health: string, level: string) => `
projects:
  shop:
    services:
      api:
        kind: web
        configuration: { repository: "https://git.example.com/shop/api", healthCheckPath: ${health} }
        variables: { LOG_LEVEL: ${level} }
`;

const apply = (scenario: Scenario, env: Settings) => scenario.runWith({ env }, "apply", ...approve);

async function expectQuiet(scenario: Scenario, env: Settings): Promise<void> {
  const { code, stdout } = await scenario.runWith({ env }, "plan", "-detailed-exitcode");
  expect({ code, stdout }).toEqual(printing(0, "No changes."));
}

const unset: readonly [string, Gaps, string][] = casesIn(join(__dirname, "unset-gaps.json"));

it.each(unset)(
  "without a setting, a service that %s gets an error that names the setting",
  async (_, gaps, said) => {
    const scenario = await openScenario({ gaps });
    scenario.write("rnv.yaml", shop("/a", "info"));
    expect(await apply(scenario, {})).toMatchObject({ code: 0 });
    scenario.write("rnv.yaml", shop("/b", "debug"));
    const { code, stderr } = await apply(scenario, {});
    expect(stderr).toMatch(new RegExp(said, "s"));
    expect(code).not.toBe(0);
  },
);

it("without a setting, a list of variables somewhere else in its answer is an error, not an empty list", async () => {
  const scenario = await openScenario();
  scenario.fail((request, index) => variablesAt("data.list")(index, request));
  scenario.write("rnv.yaml", shop("/a", "info"));
  expect(await apply(scenario, {})).toMatchObject({ code: 0 });
  const { code, stderr } = await scenario.run("plan");
  expect({ code, stderr }).toEqual(failing(1, "RNV_GAP_VARIABLE_ITEMS="));
});

it("a color that the service does not have is an error that names it and the setting", async () => {
  const scenario = await openScenario();
  scenario.fail((request, index) => projectColors("slate")(index, request));
  scenario.write("rnv.yaml", shop("/a", "info"));
  const refused = await apply(scenario, {});
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toMatch(
    /project\.shop: cannot create the project.*the color "#64748b" may be none.*RNV_GAP_PROJECT_COLOR=/s,
  );
  scenario.fail(() => ({ kind: "status", status: 400, code: "invalid", message: "name: must be shorter" }));
  expect((await apply(scenario, {})).stderr).not.toContain("color");
  scenario.fail((request, index) => projectColors("slate")(index, request));
  scenario.write("rnv.yaml", shop("/a", "info").replace("shop:", "shop:\n    color: slate"));
  expect(await apply(scenario, {})).toMatchObject({ code: 0 });
  await scenario.isQuiet();
});

it("a project that cannot be renamed says so, and the plan is empty once the dashboard has", async () => {
  const scenario = await openScenario();
  scenario.fail((request, index) => keptProjectNames(index, request));
  const named = (name: string) => `projects:\n  shop: { name: ${name} }\n`;
  scenario.write("rnv.yaml", named("Shop"));
  expect(await apply(scenario, {})).toMatchObject({ code: 0 });
  scenario.write("rnv.yaml", named("Store"));
  const refused = await apply(scenario, {});
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toMatch(/project\.shop: cannot update the project.*RNV_GAP_RENAME_PROJECT=off/s);
  scenario.forget();
  const off = await apply(scenario, { RNV_GAP_RENAME_PROJECT: "off" });
  expect(off.code).not.toBe(0);
  expect(off.stderr).toMatch(/turned off by RNV_GAP_RENAME_PROJECT.*dashboard/s);
  expect(scenario.requests()).toEqual([]);
  const [project] = scenario.emulator.store.projects();
  scenario.emulator.store.editProject(project?.id ?? "", { name: "Store" });
  expect(await apply(scenario, {})).toMatchObject({ code: 0 });
  await scenario.isQuiet();
});

describe("a kind with defaults of its own", () => {
  const site = (configuration: string) =>
    `services:\n  docs: { kind: static, configuration: { ${configuration} }, deploy: { when: never } }\n`;
  const gaps: Gaps = { kindDefaults: { static: { port: 80, runtime: "docker" } } };

  it("is told by a setting where the service was made by another user", async () => {
    const scenario = await openScenario({ gaps });
    const { store } = scenario.emulator;
    const { id, configuration } = store.addService({ name: "docs", kind: "static" });
    store.editService(id, () => ({ configuration: { ...configuration, port: 9000, plan: "free" } }));
    scenario.write("rnv.yaml", site("port: 9000").replace("docs: {", `docs: { import: ${id},`));
    expect(await apply(scenario, {})).toMatchObject({ code: 0 });
    scenario.write("rnv.yaml", site("branch: main").replace("docs: {", `docs: { import: ${id},`));
    const env = { RNV_GAP_KIND_DEFAULTS: '{"static": {"port": 80}}' };
    const planned = await scenario.runWith({ env }, "plan");
    expect(planned.stdout).toMatch(/configuration\.port\s+9000 -> 80/);
    expect(await apply(scenario, env)).toMatchObject({ code: 0 });
    expect(store.service(id)?.configuration.port).toBe(80);
    await expectQuiet(scenario, env);
  });
});
