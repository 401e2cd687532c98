import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { App } from "cdktf";
import { approve, openScenario, type Scenario } from "../support/cli";
import { wholeEnvironment } from "../support/stack-programs";
import { describeTerraform, TerraformFolder } from "../support/terraform";

const token = { TF_VAR_env_QUEUE_TOKEN: "token-of-the-queue", QUEUE_TOKEN: "token-of-the-queue" };

describeTerraform("a stack that moves from rnv to Terraform and back", () => {
  const world = new TerraformFolder();
  let scenario: Scenario;
  beforeAll(async () => {
    await world.openAttached();
    Object.assign(world.environment, token);
    scenario = await openScenario();
    const app = new App({ outdir: join(scenario.folder, "cdktf.out") });
    wholeEnvironment(app);
    app.synth();
  });
  afterAll(async () => {
    await scenario.close();
    await world.close();
  });

  const rnv = (...args: readonly string[]) =>
    scenario.runWith({ env: { ...token, RNV_BASE_URL: world.baseUrl } }, ...args);
  const deployments = (): number =>
    world.emulator.store
      .services()
      .reduce((sum, { id }) => sum + world.emulator.store.deployments(id).length, 0);
  const generated = (): readonly (string | undefined)[] => {
    const { store } = world.emulator;
    const variables = store.services().flatMap(({ id }) => store.variables(id));
    return variables.filter(({ key }) => key === "SESSION_KEY").map(({ id }) => store.variableValue(id));
  };

  it("writes import blocks with the names of its own JSON: Terraform imports all of it", async () => {
    expect(await rnv("apply", "-f", "cdktf.out", ...approve)).toMatchObject({ code: 0 });
    const before = deployments();
    const kept = generated();
    expect(kept).toEqual([expect.any(String)]);
    const { code, stdout } = await rnv(
      "terraform",
      "import-blocks",
      "--stack",
      "environment",
      "-f",
      "cdktf.out",
    );
    expect(code).toBe(0);
    for (const name of [
      "rnv_service.shop__api",
      "rnv_variables.shop__api",
      "rnv_variable.shop__api__SESSION_KEY",
    ])
      expect(stdout).toContain(`to = ${name}\n`);
    expect(stdout.match(/rnv_variables\.shop__api/g)).toHaveLength(1);
    const json = JSON.parse(scenario.read("cdktf.out/stacks/environment/cdk.tf.json"));
    delete json.terraform.backend;
    writeFileSync(join(world.folder, "w", "cdk.tf.json"), JSON.stringify(json));
    writeFileSync(join(world.folder, "w", "imports.tf"), stdout);
    world.emulator.resetLog();
    const applied = await world.apply();
    expect(applied).toContain("0 added");
    expect(applied).toContain("0 destroyed");
    // Every value is live already: none is written again, and the next plan has nothing to deploy.
    const writes = world.writes().map((write) => write.replace(/[0-9a-f-]{36}/g, "ID"));
    expect([...new Set(writes)].sort()).toEqual(["PATCH /canvas", "POST /services/ID/variables/ID/reveal"]);
    await world.expectNoChanges();
    expect(deployments()).toBe(before);
    expect(generated()).toEqual(kept);
  }, 120_000);

  it("is taken over from the state of Terraform: nothing is deployed again", async () => {
    await world.apply();
    const before = deployments();
    const other = await openScenario();
    const env = { ...token, RNV_BASE_URL: world.baseUrl };
    cpSync(join(scenario.folder, "cdktf.out"), join(other.folder, "cdktf.out"), { recursive: true });
    other.write("terraform.tfstate", world.stateText());
    world.emulator.resetLog();
    const args = ["-f", "cdktf.out", "--from-terraform-state", "terraform.tfstate"];
    const taken = await other.runWith({ env }, "import", ...args);
    expect(taken).toMatchObject({ code: 0, stderr: expect.not.stringContaining("is not declared here") });
    expect(taken.stdout).toContain("rnv apply --adopt --verify-values");
    const applied = await other.runWith(
      { env },
      "apply",
      ...["-f", "cdktf.out", "--adopt", "--verify-values", ...approve],
    );
    expect([applied.code, applied.stderr]).toEqual([0, expect.any(String)]);
    expect(deployments()).toBe(before);
    await other.close();
  }, 120_000);
});
