import { approve, oneScenario, printing } from "../support/cli";

const keys = { one: "1a".repeat(32), two: "2b".repeat(32) };
const manifest = (variables: string) =>
  `services: { docs: { kind: static, deploy: { when: never }${variables} } }\n`;

describe.each([
  ["with a variable", ", variables: { LOG_LEVEL: info }"],
  ["without one", ""],
])("RNV_STATE_ENCRYPTION, where nothing is to change (%s)", (_, variables) => {
  const scenario = oneScenario();
  const state = () => scenario.read(".rnv/state.json");
  const apply = (env: Record<string, string>) => scenario.runWith({ env }, "apply", ...approve);
  const quiet = expect.objectContaining(printing(0, "No changes."));
  beforeAll(async () => {
    scenario.write("rnv.yaml", manifest(variables));
    expect(await apply({ RNV_STATE_KEY: keys.one })).toMatchObject({ code: 0 });
    scenario.forget();
  });

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
