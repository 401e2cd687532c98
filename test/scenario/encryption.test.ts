import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { approve, openScenario, type Scenario } from "../support/cli";

const keys = { one: "1a".repeat(32), two: "2b".repeat(32) };
const manifest = (variables: string) =>
  `services: { docs: { kind: static, deploy: { when: never }${variables} } }\n`;

describe.each([
  ["with a variable", ", variables: { LOG_LEVEL: info }"],
  ["without one", ""],
])("RNV_STATE_ENCRYPTION, where nothing is to change (%s)", (_, variables) => {
  let scenario: Scenario;
  const state = () => scenario.read(".rnv/state.json");
  const apply = (env: Record<string, string>) => scenario.runWith({ env }, "apply", ...approve);
  const quiet = expect.objectContaining({ code: 0, stdout: expect.stringContaining("No changes.") });
  beforeAll(async () => {
    scenario = await openScenario();
    scenario.write("rnv.yaml", manifest(variables));
    expect(await apply({ RNV_STATE_KEY: keys.one })).toMatchObject({ code: 0 });
    scenario.forget();
  });
  afterAll(() => scenario.close());

  it("writes the state encrypted", async () => {
    expect(state()).toContain("service.docs");
    expect(await apply({ RNV_STATE_KEY: keys.one, RNV_STATE_ENCRYPTION: "1" })).toEqual(quiet);
    expect(state()).toContain("rnv-state-encrypted");
    expect(state()).not.toContain("service.docs");
  });

  it("leaves it as it is when it is so already", async () => {
    const before = state();
    expect(await apply({ RNV_STATE_KEY: keys.one, RNV_STATE_ENCRYPTION: "1" })).toEqual(quiet);
    expect(await apply({ RNV_STATE_KEY: keys.one })).toEqual(quiet);
    expect(state()).toBe(before);
  });

  it("takes it over to a new key, and back into the clear", async () => {
    expect(await apply({ RNV_STATE_KEY: keys.two, RNV_STATE_KEY_PREVIOUS: keys.one })).toEqual(quiet);
    expect(await apply({ RNV_STATE_KEY: keys.two })).toEqual(quiet);
    expect(await apply({ RNV_STATE_KEY: keys.two, RNV_STATE_ENCRYPTION: "0" })).toEqual(quiet);
    expect(state()).toContain("service.docs");
    expect(scenario.requests()).toEqual([]);
  });
});

describe("a state and a saved plan of the version before, under a passphrase", () => {
  const fixture = join(__dirname, "../support/unsalted");
  const env = {
    RNV_BASE_URL: "embedded",
    RNV_STATE_KEY: "correct horse battery staple",
    TOKEN: "canary-value-123",
  };
  let scenario: Scenario;
  const run = (...args: string[]) => scenario.runWith({ env }, ...args);
  const state = () => JSON.parse(scenario.read(".rnv/state.json"));
  beforeAll(async () => {
    scenario = await openScenario();
    mkdirSync(join(scenario.folder, ".rnv/emulator"), { recursive: true });
    for (const [from, to] of [
      ["rnv.yaml", "rnv.yaml"],
      ["saved.plan", "saved.plan"],
      ["state.json", ".rnv/state.json"],
      ["journal.ndjson", ".rnv/emulator/journal.ndjson"],
      ["emulator-key", ".rnv/emulator/key"],
    ] as const)
      copyFileSync(join(fixture, from), join(scenario.folder, to));
  });
  afterAll(() => scenario.close());

  it("are read, and the plan is refused as out of date rather than misread", async () => {
    expect(state().salt).toBeUndefined();
    expect(await run("state", "list")).toMatchObject({
      code: 0,
      stdout: "service.api\nvariable.api.TOKEN\n",
    });
    const shown = await run("show", "saved.plan");
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining("Plan: 1 to add, 0 to change") });
    expect(await run("apply", "saved.plan", "-input=false")).toMatchObject({ code: 5 });
  });

  it("show no value as changed, and are salted by the next apply, which writes no value again", async () => {
    const planned = await run("plan");
    expect(planned.stdout).toContain("+ variable.api.LEVEL");
    expect(planned.stdout).not.toContain("variable.api.TOKEN");
    const applied = await run("apply", ...approve);
    expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining("1 added, 0 changed") });
    expect(state().salt).toMatch(/==$/);
    expect(await run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
    expect(await run("drift")).toMatchObject({ code: 0 });
    const other = await scenario.runWith({ env: { ...env, TOKEN: "another-value" } }, "plan");
    expect(other.stdout).toContain("~ variable.api.TOKEN");
  });

  it("name another key from then on, so that no two workspaces share one for a passphrase", async () => {
    const clear = { ...env, RNV_STATE_ENCRYPTION: "0" };
    expect(await scenario.runWith({ env: clear }, "apply", ...approve)).toMatchObject({ code: 0 });
    // Of the passphrase under the salt that all had.
    expect(state().keyId).not.toBe("ee0cf12e1ccbbaf1");
    expect(state().keyId).toMatch(/^[0-9a-f]{16}$/);
  });
});
