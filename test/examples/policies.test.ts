import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openScenario, type Scenario } from "../support/cli";

const folder = join(__dirname, "../../examples/policies");
const good = readFileSync(join(folder, "rnv.yaml"), "utf8");

/** Each of the ten policies of the example has a plan that passes and one that fails. */
describe("examples/policies", () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario();
    scenario.write("rnv.policy.yaml", readFileSync(join(folder, "rnv.policy.yaml"), "utf8"));
  });
  afterAll(() => scenario.close());
  const env = { DATABASE_PASSWORD: "canary" };
  const failed = async (manifest: string, ...options: string[]): Promise<readonly string[]> => {
    scenario.write("rnv.yaml", manifest);
    const { stdout } = await scenario.runWith({ env }, "plan", "-json", "--stage", "production", ...options);
    const { checks } = JSON.parse(stdout) as { checks: { policy: string; status: string }[] };
    return checks
      .filter(({ status }) => status !== "passed")
      .map(({ policy, status }) => `${policy} ${status}`);
  };

  it("passes as it is, and judges all ten", async () => {
    expect(await failed(good)).toEqual([]);
    const saved = await scenario.runWith({ env }, "plan", "--stage", "production", "-out", "p.rnvplan");
    expect(saved.stdout).toContain("Policies: 10 passed.");
    const checked = await scenario.run("policy", "check", "p.rnvplan");
    expect(checked).toMatchObject({ code: 0, stdout: "Policies: 10 passed.\n" });
    scenario.write(
      "strict.yaml",
      'policies: { no-create: { level: mandatory, each: change, require: change.action != "create", message: no } }\n',
    );
    const strict = await scenario.run("policy", "check", "--policy", "strict.yaml", "p.rnvplan");
    expect(strict.code).toBe(4);
    expect(strict.stderr).toContain("policy no-create of service.shop.api: no");
  });

  it.each([
    ["replicas-in-production", good.replace("replicas: 2", "replicas: 1")],
    ["no-free-plan-in-production", good.replace("plan: starter", "plan: free")],
    ["regions", good.replace("region: auto", "region: oregon")],
    ["health-check", good.replace("          healthCheckPath: /healthz\n", "")],
    ["pinned-commit", good.replace(/ {8}deploy: .*\n/, "")],
    ["names", good.replace("kind: web", "kind: web\n        name: Api_1")],
    ["secrets-from-a-manager", good.replace("{ fromEnv: DATABASE_PASSWORD }", "hunter2-in-git")],
    ["cost-rise", good.replace("replicas: 2", "replicas: 20")],
    ["backups", good.replace("kind: web", "kind: postgres").replace("replicas: 2", "backupEnabled: false")],
  ])("%s fails where it should", async (policy, manifest) => {
    expect(await failed(manifest)).toContain(`${policy} failed`);
  });

  it("declared-deletions fails where a deletion is only confirmed", async () => {
    scenario.write("rnv.yaml", good);
    await scenario.runWith({ env }, "apply", "-auto-approve", "-input=false", "--stage", "production");
    const without = "stages: { production: {}, staging: {} }\nprojects: { shop: {} }\n";
    const flag = ["--confirm-delete", "service.shop.api"];
    expect(await failed(without, ...flag)).toEqual(["declared-deletions failed"]);
    expect(await failed(`${without}removed: [service.shop.api]\n`)).toEqual([]);
  });
});
