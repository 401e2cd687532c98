import { openScenario, printing } from "../support/cli";

const site = (configuration: string) =>
  `services:\n  docs: { kind: static, configuration: { ${configuration} }, deploy: { when: never } }\n`;

describe("a kind with defaults of its own", () => {
  it("shows no drift, and its settings go back to what they were when it was made", async () => {
    const scenario = await openScenario({
      gaps: { kindDefaults: { static: { port: 80, runtime: "docker" } } },
    });
    const live = () => scenario.emulator.store.services()[0]?.configuration;
    await scenario.applied(site("publishDirectory: build, port: null"));
    expect(live()).toMatchObject({ port: 80, runtime: "docker" });
    await scenario.isQuiet();
    await scenario.applied(site("publishDirectory: build, port: 9000"));
    await scenario.applied(site("publishDirectory: build"));
    expect(live()?.port).toBe(80);
    await scenario.isQuiet();
    const strict = await scenario.run("drift", "--strict");
    expect(strict).toMatchObject(printing(0, "No drift."));
  });
});
