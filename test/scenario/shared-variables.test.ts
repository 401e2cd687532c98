import { rmSync } from "node:fs";
import { join } from "node:path";
import { approve, oneScenario } from "../support/cli";
import { textIn } from "../support/rows";

const manifest = (level: string) => textIn(join(__dirname, "shared-variables.yaml"), { level });

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
    return scenario.emulator.store
      .variables(scenario.idOf(name))
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

/** DESIGN section 4, "Without secrets". */
describe("a dotenv file that only the job of apply has", () => {
  const scenario = oneScenario();
  const file = ".env.production";
  const manifest = `
variableGroups: { common: { LOG_LEVEL: info } }
services:
  api:
    kind: web
    deploy: { when: never }
    variablesFrom: [{ group: common }, { dotenv: ${file} }]
    variables: { COPY: "\${variable.api.REGION.id}" }
`;
  const env = { RNV_STATE_KEY: "ab".repeat(32), TOKEN: "canary-1" };
  const bare = { env: { RNV_STATE_KEY: env.RNV_STATE_KEY } };
  const keys = (): string[] => {
    const { store } = scenario.emulator;
    return store.variables(store.services()[0]?.id ?? "").map(({ key }) => key);
  };
  const all = ["COPY", "LOG_LEVEL", "REGION", "TOKEN", "discovery.type"];
  const remove = () => rmSync(join(scenario.folder, file), { force: true });
  beforeAll(async () => {
    scenario.write("rnv.yaml", manifest);
    scenario.write(file, "REGION=eu-1\nLOG_LEVEL=debug\ndiscovery.type=single\nTOKEN\n");
    expect(await scenario.runWith({ env }, "apply", ...approve)).toMatchObject({ code: 0 });
    expect(keys().sort()).toEqual(all);
  });

  it.each([
    ["is not there", undefined],
    ["is empty", ""],
    ["holds comments", "# REGION=eu-1\n"],
  ])("is an error of plan and apply alone where it %s", async (_, text) => {
    remove();
    if (text !== undefined) scenario.write(file, text);
    for (const verb of [["plan"], ["apply", ...approve]])
      expect(await scenario.runWith({ env }, ...verb)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^error\[(?![\s\S]*\n(error|warning)\[)/),
      });
    for (const verb of [["drift"], ["ci", "drift"], ["plan", "-destroy"]])
      expect(await scenario.runWith(bare, ...verb)).toMatchObject({ code: 0 });
    const plan = await scenario.runWith(bare, "plan", "--no-secrets", "-json", "-detailed-exitcode");
    expect(plan.code).toBe(0);
    expect(JSON.parse(plan.stdout).unchecked).toEqual(
      ["LOG_LEVEL", "REGION", "TOKEN", "discovery_type"].map((key) =>
        expect.objectContaining({ address: `variable.api.${key}`, reason: expect.stringContaining(file) }),
      ),
    );
    expect(keys().sort()).toEqual(all);
  });

  it("destroys without it", async () => {
    remove();
    expect(await scenario.runWith(bare, "destroy", ...approve)).toMatchObject({ code: 0 });
    expect(scenario.emulator.store.services()).toEqual([]);
  });
});
