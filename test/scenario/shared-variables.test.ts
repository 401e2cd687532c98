import { approve, oneScenario } from "../support/cli";

const manifest = (level: string) => `
x-web: &web { branch: main, repository: "https://git.example.com/shop" }
variableGroups:
  common:
    LOG_LEVEL: ${level}
    SENTRY_DSN: { fromCommand: [node, vault.js], json: /shop/sentry }
    TOKEN: { fromCommand: [node, vault.js], json: /shop/token }
services:
  api:
    kind: web
    configuration: { <<: *web }
    variablesFrom: [{ group: common }, { dotenv: .env.production }]
    variables: { LOG_LEVEL: warn }
  worker:
    kind: worker
    configuration: { <<: *web, branch: next }
    variablesFrom: [{ group: common }]
`;

/** DESIGN section 12. */
describe("variables that services share", () => {
  const scenario = oneScenario();
  beforeAll(async () => {
    scenario.write("rnv.yaml", manifest("info"));
    scenario.write(".env.production", "# of production\nexport REGION='eu 1'\nHOST=$STAGE.example.com\n");
    scenario.write(
      "vault.js",
      'require("node:fs").appendFileSync("runs", "x"); console.log(JSON.stringify({ shop: { sentry: "canary-a", token: "canary-b" } }));',
    );
  });
  const env = { STAGE: "live" };
  const keysOf = (name: string): string[] => {
    const { store } = scenario.emulator;
    const service = store.services().find((one) => one.name === name);
    return store
      .variables(service?.id ?? "")
      .map(({ key }) => key)
      .sort();
  };

  it("are set on each service with one call of the secret manager a run, and plan to nothing", async () => {
    const applied = await scenario.runWith({ env }, "apply", ...approve);
    expect(applied).toMatchObject({ code: 0 });
    expect(applied.stdout).toContain("Resources: 12 added");
    expect(keysOf("api")).toEqual(["HOST", "LOG_LEVEL", "REGION", "SENTRY_DSN", "TOKEN"]);
    expect(keysOf("worker")).toEqual(["LOG_LEVEL", "SENTRY_DSN", "TOKEN"]);
    expect(scenario.files().filter(({ path, text }) => path.endsWith("/runs") && text === "x")).toHaveLength(
      1,
    );
    expect(await scenario.runWith({ env }, "plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
  });

  it("change where they are taken and not overridden, and each service is deployed once", async () => {
    scenario.write("rnv.yaml", manifest("debug"));
    const plan = await scenario.runWith({ env }, "plan");
    expect(plan.stdout).toContain("variable.worker.LOG_LEVEL will be updated in place");
    expect(plan.stdout).not.toContain("variable.api.LOG_LEVEL");
    expect(plan.stdout).toContain("Plan: 0 to add, 2 to change, 0 to destroy.");
    // A value of the environment that is not here is left alone by the drift job.
    const drift = await scenario.run("drift");
    expect(drift.stdout).toContain("No drift.");
    expect(drift.code).toBe(0);
  });

  it("are read for a manifest that is not trusted only from files of the project and listed names", async () => {
    scenario.write("rnv.yaml", manifest("debug").replaceAll(/ {4}(SENTRY|TOKEN).*\n/g, ""));
    const refused = await scenario.runWith({ env }, "plan", "-untrusted");
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain("STAGE is not read for a manifest that is not trusted");
    expect(refused.stderr).toContain(".env.production:3:1");
    const allowed = { env: { ...env, RNV_ALLOW_ENV: "STAGE" } };
    expect(await scenario.runWith(allowed, "validate", "-untrusted")).toMatchObject({ code: 0 });
  });

  it("show no value anywhere", () => {
    for (const { path, text } of scenario.files())
      if (!path.endsWith("vault.js")) expect(`${path} ${text}`).not.toMatch(/canary-[ab]/);
  });
});
