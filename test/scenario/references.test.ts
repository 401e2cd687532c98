import { approve, openScenario } from "../support/cli";

const pair = (api: string, reference: string) => `
projects:
  shop:
    services:
      api: { kind: web, ${api}, deploy: { when: never } }
      worker:
        kind: web
        variables: { IT: "${"${service.shop.api."}${reference}}" }
        deploy: { when: never }
`;

describe("a reference to a field that is not declared", () => {
  it.each([
    ["configuration.port", "8000"],
    ["name", "api"],
    ["archived", "false"],
  ])("(%s) is its default in the run that makes what it refers to", async (reference, value) => {
    const scenario = await openScenario();
    scenario.write("rnv.yaml", pair("configuration: { branch: main }", reference));
    expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0, stderr: "" });
    expect(scenario.valueOf("IT", "worker")).toBe(value);
    await scenario.isQuiet();
  });

  it("is the default in the run that resets the field, and the live value in a run that changes another field", async () => {
    const scenario = await openScenario();
    scenario.write("rnv.yaml", pair("configuration: { port: 9000 }", "configuration.port"));
    expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0, stderr: "" });
    expect(scenario.valueOf("IT", "worker")).toBe("9000");
    scenario.write("rnv.yaml", pair("configuration: { branch: next }", "configuration.port"));
    expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0, stderr: "" });
    expect(scenario.valueOf("IT", "worker")).toBe("8000");
    scenario.emulator.store.editService(scenario.idOf("api"), ({ configuration }) => ({
      configuration: { ...configuration, port: 7000 },
    }));
    scenario.write("rnv.yaml", pair("configuration: { branch: later }", "configuration.port"));
    expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0, stderr: "" });
    expect(scenario.valueOf("IT", "worker")).toBe("7000");
    await scenario.isQuiet();
  });
});

it("a field without a value is null in an output, and the plan after the apply is empty", async () => {
  const scenario = await openScenario();
  scenario.write(
    "rnv.yaml",
    `services: { api: { kind: web, configuration: { repository: "https://git.example.com/shop/api" } } }
outputs: { commit: "\${deployment.api.commit}", text: "at-\${deployment.api.commit}" }
`,
  );
  expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0 });
  const { stdout } = await scenario.run("output", "-json");
  expect(JSON.parse(stdout)).toMatchObject({ commit: { value: null }, text: { value: "at-" } });
  await scenario.isQuiet();
});

it("a change of what the platform decides and a variable refers to is said to come from there", async () => {
  const scenario = await openScenario();
  const { store } = scenario.emulator;
  await scenario.applied(pair("configuration: { branch: main }", "url"));
  // The service moves its addresses: no declared field was changed.
  store.editService(scenario.idOf("api"), ({ configuration }) => ({
    configuration: { ...configuration, platformDomainEnabled: false },
  }));
  scenario.settle();
  const said = "follows service.shop.api.url, which the platform has changed";
  expect((await scenario.run("plan")).stdout).toContain(`# ${said}`);
  expect((await scenario.run("plan", "--format", "markdown")).stdout).toContain(said);
  const drift = await scenario.run("drift", "-json");
  expect(JSON.parse(drift.stdout).pending).toMatchObject([
    {
      address: "variable.shop.worker.IT",
      attributes: [{ path: "value", cause: "edit", from: ["service.shop.api.url"] }],
    },
  ]);
  await scenario.applies();
  expect(scenario.valueOf("IT", "worker")).toBe("");
  await scenario.isQuiet();
});
