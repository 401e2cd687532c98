import { approve, openScenario, type Scenario } from "../support/cli";

const shop = (branch: string, level = "info") => `
projects:
  shop:
    services:
      api:
        kind: web
        configuration: { repository: "https://git.example.com/api", branch: ${branch} }
        variables: { LEVEL: ${level}, TOKEN: { generate: { length: 40 } } }
`;

/** Most scenarios run the command line again and again in one process (test/support/cli.ts). */
describe("a run in a process that made others before", () => {
  let scenario: Scenario;
  /** One and the same run there and in a process of its own. */
  const both = async (...args: readonly string[]) => ({
    there: await scenario.run(...args),
    alone: await scenario.runWith({ node: [] }, ...args),
  });
  beforeAll(async () => {
    scenario = await openScenario();
    scenario.write("rnv.yaml", shop("main"));
    expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0 });
  });
  afterAll(() => scenario.close());

  it.each([
    ["an empty plan", "main", ["plan", "-detailed-exitcode"], 0],
    ["a change", "next", ["plan", "-detailed-exitcode"], 2],
    ["a change, in JSON", "next", ["drift", "-json", "-fail-on", "pending"], 2],
    ["a mistake in the manifest", "{ nope", ["plan"], 1],
    ["a mistake on the command line", "main", ["plan", "-nope"], 1],
    ["help", "main", ["apply", "-help"], 0],
    ["an approval that nobody can give", "next", ["apply"], 1],
    ["an apply that has nothing to do", "main", ["apply", ...approve], 0],
    ["the state", "main", ["state", "show", "service.shop.api"], 0],
  ])("leaves what a process of its own leaves: %s", async (_, branch, args, code) => {
    scenario.write("rnv.yaml", shop(branch));
    const { there, alone } = await both(...args);
    expect(there).toEqual(alone);
    expect(there.code).toBe(code);
  });

  it("reads anew what changed outside of it: the state, the service, the environment", async () => {
    const [api] = scenario.emulator.store.services();
    scenario.write("rnv.yaml", shop("main", "debug"));
    expect(await scenario.runWith({ node: [] }, "apply", ...approve)).toMatchObject({ code: 0 });
    await scenario.isQuiet();
    scenario.emulator.store.editConfiguration(api?.id ?? "", { branch: "theirs" });
    expect((await scenario.run("drift")).stdout).toContain("theirs");
    const refused = await scenario.runWith({ env: { RNV_API_KEY: "rnv_other" } }, "plan");
    expect(refused.stderr).toContain("error[api.unauthorized]");
    expect(await scenario.run("plan", "-detailed-exitcode")).toMatchObject({ code: 2, stderr: "" });
  });
});
