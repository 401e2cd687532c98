import { join } from "node:path";
import { approve, oneScenario, printing } from "../support/cli";
import { textIn } from "../support/rows";

const base = textIn(join(__dirname, "overlays.yaml"));

describe("an overlay and the environment", () => {
  const scenario = oneScenario();
  const both = ["-f", "rnv.yaml", "-f", "production.yaml"] as const;
  beforeAll(async () => {
    await scenario.applied(base);
    await scenario.isQuiet();
  });
  beforeEach(() => scenario.forget());

  it("an empty environment variable is no value: nothing is sent for it", async () => {
    scenario.write("empty.yaml", base.replace("name: Shop", "name: Shop-${env.EMPTY}"));
    const { code, stderr } = await scenario.runWith(
      { env: { EMPTY: "" } },
      "apply",
      "-f",
      "empty.yaml",
      ...approve,
    );
    expect(code).toBe(1);
    expect(stderr).toContain(
      "error[manifest.env_missing]: project.shop: the environment variable EMPTY is empty",
    );
    expect(stderr).toContain("--> empty.yaml:3:11");
    expect(stderr).toContain("set it, or write a default: ${env.EMPTY:-text}");
    expect(scenario.requests()).toEqual([]);
  });

  it("a default stands in for an unset and an empty variable alike", async () => {
    for (const env of [{}, { STAGE: "" }] as Record<string, string>[]) {
      const { code, stdout } = await scenario.runWith({ env }, "plan", "-detailed-exitcode");
      expect({ code, stdout }).toEqual(printing(0, "No changes."));
    }
    const { code, stdout } = await scenario.runWith({ env: { STAGE: "test" } }, "plan", "-detailed-exitcode");
    expect({ code, stdout }).toEqual(printing(2, "variable.shop.api.STAGE"));
  });

  it("null takes away a field and a variable: the field goes back to its default, the variable is deleted", async () => {
    scenario.write(
      "production.yaml",
      "projects: { shop: { services: { api: { configuration: { branch: null }, variables: { LOG_LEVEL: null } } } } }\n",
    );
    const applied = await scenario.run("apply", ...both, ...approve);
    expect(applied).toMatchObject({ code: 0 });
    expect(applied.stdout).toContain('configuration.branch  "release" -> "main"');
    expect(scenario.requests()).toEqual([
      "PATCH /workspaces/ID/services/ID",
      "DELETE /workspaces/ID/services/ID/variables/ID",
    ]);
    const api = scenario.service("api");
    expect(api?.configuration).toMatchObject({ branch: "main", runtime: "node" });
    await scenario.isQuiet(...both);
  });

  it("a null without anything to take away is told with what was meant, and nothing is sent", async () => {
    scenario.write("production.yaml", "projects: { shop: { services: { wroker: null } } }\n");
    const { code, stderr } = await scenario.run("apply", ...both, ...approve);
    expect(code).toBe(1);
    expect(stderr).toContain("no earlier file has projects.shop.services.wroker");
    expect(stderr).toContain('did you mean "worker"?');
    expect(scenario.requests()).toEqual([]);
  });

  it("the manifest that validate prints of an overlay plans as the overlay does, from standard input", async () => {
    const text = base.replace(
      '{ LOG_LEVEL: info, STAGE: "${env.STAGE:-none}" }',
      "{ LOG_LEVEL: { fromEnv: LEVEL } }",
    );
    const env = { LEVEL: "canary-value" };
    scenario.write("sources.yaml", text);
    scenario.write("production.yaml", "projects: { shop: { services: { worker: null } } }\n");
    const files = ["-f", "sources.yaml", "-f", "production.yaml"];
    const printed = await scenario.runWith({ env }, "validate", "-print", ...files);
    expect(printed).toMatchObject({ code: 0, stderr: "" });
    expect(printed.stdout).not.toContain("worker");
    expect(printed.stdout).not.toContain("canary-value");
    const direct = await scenario.runWith({ env }, "plan", ...files);
    const piped = await scenario.runWith({ env, input: printed.stdout }, "plan", "-f", "-");
    expect(direct.stdout).toContain("Plan: ");
    expect(piped).toMatchObject({ code: direct.code, stdout: direct.stdout });
  });
});
