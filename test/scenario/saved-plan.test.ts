import { approve, openScenario, type Scenario } from "../support/cli";

const shop = (health: string, ...names: string[]) =>
  `projects:\n  shop:\n    services:\n${names
    .map(
      (name) =>
        `      ${name}: { kind: web, configuration: { repository: "https://git.example.com/shop", healthCheckPath: ${health} } }\n`,
    )
    .join("")}`;

describe("a saved plan", () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario();
    scenario.write("rnv.yaml", shop("/a", "api", "web"));
    const made = await scenario.run("plan", "-out", "first.rnvplan");
    expect(made.code).toBe(0);
    expect(made.stderr).toContain("rnv apply first.rnvplan");
  });
  afterAll(() => scenario.close());
  beforeEach(() => scenario.forget());

  const refused = async (file: string, text: string) => {
    const { code, stderr } = await scenario.run("apply", file);
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining(text) });
    expect(scenario.requests()).toEqual([]);
  };

  it("is shown, and applied without asking", async () => {
    const shown = await scenario.run("show", "first.rnvplan");
    expect(shown.stdout).toContain("Plan: 5 to add, 0 to change, 0 to destroy.");
    const json = await scenario.run("show", "-json", "first.rnvplan");
    expect(JSON.parse(json.stdout).format_version).toBe("1.2");
    const { code, stdout } = await scenario.run("apply", "first.rnvplan");
    expect(code).toBe(0);
    expect(stdout).toContain("Apply complete! Resources: 5 added, 0 changed, 0 destroyed.");
    await scenario.isQuiet();
  });

  it("applies once", () => refused("first.rnvplan", "error[plan.stale]"));

  it("is refused once what it touches changed behind its back", async () => {
    scenario.write("rnv.yaml", shop("/b", "api", "web"));
    await scenario.run("plan", "-out", "second.rnvplan");
    const [api] = scenario.emulator.store.services();
    scenario.emulator.store.editConfiguration(api?.id ?? "", { branch: "other" });
    await refused("second.rnvplan", "error[plan.stale]");
  });

  it("is refused once the manifest says something else", async () => {
    await scenario.run("plan", "-out", "third.rnvplan");
    scenario.write("rnv.yaml", shop("/c", "api", "web"));
    await refused("third.rnvplan", "error[plan.stale]");
  });

  it("is refused when a byte of it changed, wherever it is", async () => {
    await scenario.run("plan", "-out", "fourth.rnvplan");
    const text = scenario.read("fourth.rnvplan");
    for (const edited of [text.replace("/c", "/d"), text.replace(/\d(?=[^\d]*$)/, "x"), `${text}\n `, "{}"]) {
      expect(edited).not.toBe(text);
      scenario.write("edited.rnvplan", edited);
      const { code, stderr } = await scenario.run("apply", "edited.rnvplan");
      expect({ edited: edited.slice(-60), code, stderr }).toMatchObject({ code: 5 });
      expect(scenario.requests()).toEqual([]);
    }
    expect((await scenario.run("apply", "fourth.rnvplan")).code).toBe(0);
    await scenario.isQuiet();
  });

  it("confirms the deletions that it lists by name", async () => {
    scenario.write("rnv.yaml", shop("/c", "api"));
    const planned = await scenario.run("plan", "-out", "fifth.rnvplan");
    const shown = await scenario.run("show", "fifth.rnvplan");
    for (const { stdout } of [planned, shown]) {
      expect(stdout).toContain("service.shop.web will be destroyed");
      expect(stdout).not.toContain("blocked");
    }
    expect((await scenario.run("apply", "fifth.rnvplan")).code).toBe(0);
    expect(scenario.emulator.store.services().map(({ name }) => name)).toEqual(["api"]);
    await scenario.isQuiet();
  });

  it("takes no options of its own", async () => {
    const { code, stderr } = await scenario.run("apply", "fifth.rnvplan", "-target=service.shop.api");
    expect(code).toBe(1);
    expect(stderr).toContain("--target cannot change a saved plan");
  });

  it("of another workspace or address is refused", async () => {
    scenario.write("rnv.yaml", shop("/e", "api"));
    await scenario.run("plan", "-out", "sixth.rnvplan");
    const { code } = await scenario.runWith(
      { env: { RNV_BASE_URL: scenario.url.replace("127.0.0.1", "localhost") } },
      "apply",
      "sixth.rnvplan",
      ...approve.slice(1),
    );
    expect(code).not.toBe(0);
    expect(scenario.requests()).toEqual([]);
  });
});
