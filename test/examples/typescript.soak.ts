import { spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { builtCli } from "../support/built-cli";
import { approve, oneScenario } from "../support/cli";
import { linkPackage } from "../support/install-package";

const root = join(__dirname, "..", "..");
const examples = join(root, "examples");
const env = {
  ...{ RNV_STATE: "state/rnv.state.json", RNV_STATE_KEY: "5a".repeat(32), SHOP_REGION: "eu" },
  ...{ SHOP_DATABASE_URL: "postgres://example", SHOP_QUEUE_TOKEN: "example-token" },
};

it("npm run demo tells the whole story and ends well", () => {
  builtCli();
  const { status, stdout } = spawnSync(process.execPath, [join(examples, "quickstart", "demo.mjs")], {
    encoding: "utf8",
  });
  expect(status).toBe(0);
  expect(stdout).toContain("No changes. Your infrastructure matches the configuration.");
  expect(stdout).toContain("Drift: 1 changed outside rnv");
  expect(stdout).toContain("Destroy complete! Resources: 4 destroyed.");
});

describe("examples/typescript", () => {
  const scenario = oneScenario();
  const rnv = (...args: string[]) => scenario.runWith({ env }, ...args);
  beforeAll(async () => {
    cpSync(join(examples, "typescript"), scenario.folder, { recursive: true });
    linkPackage(scenario.folder);
  });

  it("compiles, and runs three environments of one function beside each other", async () => {
    const tsc = join(root, "node_modules", ".bin", "tsc");
    expect(spawnSync(tsc, { cwd: scenario.folder, encoding: "utf8" })).toMatchObject({
      stdout: "",
      status: 0,
    });
    for (const stage of ["production", "staging", "preview/12"]) {
      const inStage = ["--stage", stage, "--state", `state/${stage}.json`];
      // Paid plans wait for their checkout.
      await rnv("apply", ...approve, ...inStage);
      for (const { id } of scenario.emulator.store.services()) scenario.emulator.store.completeCheckout(id);
      expect(await rnv("apply", ...approve, ...inStage)).toMatchObject({ code: 0 });
      expect(await rnv("plan", "-detailed-exitcode", ...inStage)).toMatchObject({ code: 0 });
    }
    expect(scenario.emulator.store.projects().map(({ name }) => name)).toEqual([
      ...["Shop production", "Shop staging", "Shop preview 12"],
    ]);
    const replicas = scenario.emulator.store.services().map(({ configuration }) => configuration.replicas);
    expect(replicas).toEqual([2, 1, 1, 1, 1, 1]);
  });
});
