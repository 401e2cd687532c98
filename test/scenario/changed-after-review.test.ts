import { join } from "node:path";
import { approve, openScenario, type Scenario } from "../support/cli";
import { type CodeHostServer, serveCodeHost } from "../support/code-host-server";

const stateKey = { RNV_STATE_KEY: "ab".repeat(32) };
const merged = "a".repeat(40);
const own = { repo: { full_name: "acme/shop" } };
const shop = (variables: string) =>
  `projects:\n  shop:\n    services:\n      api:\n        kind: web\n        configuration: { repository: "https://git.example.com/shop/api" }\n        variables: { ${variables} }\n`;

describe("a literal value that changes after its review, in the rest of a plan that was begun", () => {
  let scenario: Scenario;
  let host: CodeHostServer;
  beforeAll(async () => {
    scenario = await openScenario();
    host = await serveCodeHost("github");
    const pull = { number: 7, branch: "change", commit: "b".repeat(40), isOpen: false };
    host.pulls.push({ ...pull, commits: [merged], mergeCommit: merged });
  });
  afterAll(() => Promise.all([scenario.close(), host.close()]));

  const inJob = (event: object, env: Readonly<Record<string, string>>, ...words: readonly string[]) => {
    scenario.write("event.json", JSON.stringify(event));
    const path = { GITHUB_EVENT_PATH: join(scenario.folder, "event.json") };
    return scenario.runWith({ env: { ...host.environment, ...stateKey, ...path, ...env } }, ...words);
  };
  const ciApply = () => inJob({}, { GITHUB_EVENT_NAME: "push", GITHUB_SHA: merged }, "ci", "apply");
  const values = () => {
    const { store } = scenario.emulator;
    const variables = store.variables(store.services()[0]?.id ?? "");
    return Object.fromEntries(variables.map(({ id, key }) => [key, store.variableValue(id)]));
  };

  it("is refused with exit 5, and nothing is written", async () => {
    scenario.write("rnv.yaml", shop("LEVEL: info"));
    expect(await scenario.runWith({ env: stateKey }, "apply", ...approve)).toMatchObject({ code: 0 });
    scenario.write("rnv.yaml", shop("LEVEL: debug, MODE: fast"));
    const opened = { action: "synchronize", pull_request: { number: 7, head: own, base: own } };
    expect(await inJob(opened, { GITHUB_EVENT_NAME: "pull_request" }, "ci", "plan")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("~ variable.shop.api.LEVEL will be updated in place"),
    });
    scenario.fail(({ method, path }) =>
      method === "PATCH" && path.includes("/variables/") ? { kind: "status", status: 403 } : undefined,
    );
    expect(await ciApply()).toMatchObject({ code: 3 });
    expect(values()).toEqual({ LEVEL: "info", MODE: "fast" });
    scenario.fail();
    scenario.write("rnv.yaml", shop("LEVEL: trace, MODE: fast"));
    scenario.forget();
    expect(await ciApply()).toMatchObject({ code: 5 });
    expect(scenario.requests()).toEqual([]);
    expect(values()).toEqual({ LEVEL: "info", MODE: "fast" });
  });
});
