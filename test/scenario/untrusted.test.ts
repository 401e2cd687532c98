import { existsSync } from "node:fs";
import { join } from "node:path";
import { approve, openScenario, type Scenario } from "../support/cli";

/** A program that leaves a mark and prints what it sees of the environment. */
const script = `require("node:fs").writeFileSync("ran", ""); console.log("seen:" + Object.keys(process.env).sort())`;
const manifest = `projects:
  shop:
    services:
      api:
        kind: web
        configuration: { repository: "https://git.example.com/api" }
        variables:
          SEEN: { fromCommand: [node, seen.js], env: [SHOP_TOKEN] }
`;

describe("programs that a manifest names", () => {
  let scenario: Scenario;
  const hasRun = () => existsSync(join(scenario.folder, "ran"));
  beforeAll(async () => {
    scenario = await openScenario();
    scenario.write("seen.js", script);
    scenario.write("rnv.yaml", manifest);
  });
  afterAll(() => scenario.close());

  it.each([
    [["--untrusted"], {}],
    [[], { RNV_ALLOW_COMMANDS: "0" }],
  ])("are refused with their place, and with exit 4 (%j %j)", async (flags, env) => {
    for (const verb of ["plan", "apply"]) {
      const approved = verb === "apply" ? approve : [];
      const { code, stderr } = await scenario.runWith({ env }, verb, ...approved, ...flags);
      expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining("rnv.yaml:8:32") });
      expect(stderr).toContain('the command "node" is not run');
    }
    const { code, stdout } = await scenario.runWith({ env }, "plan", "--no-secrets", ...flags);
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("variable.shop.api.SEEN"),
    });
    expect(hasRun()).toBe(false);
  });

  it("run for no verb that needs no value", async () => {
    for (const how of [["validate"], ["graph"], ["drift"], ["destroy", ...approve], ["plan", "-destroy"]])
      expect({ how, code: (await scenario.run(...how)).code }).toEqual({ how, code: 0 });
    expect(hasRun()).toBe(false);
  });

  it("are given what they list, and none of our credentials", async () => {
    const env = { SHOP_TOKEN: "given", SHOP_OTHER: "kept", RNV_STATE_KEY: "0".repeat(64) };
    expect(await scenario.runWith({ env }, "apply", ...approve)).toMatchObject({ code: 0 });
    const [service] = scenario.emulator.store.services();
    const [variable] = scenario.emulator.store.variables(service?.id ?? "");
    const seen = scenario.emulator.store
      .variableValue(variable?.id ?? "")
      ?.replace("seen:", "")
      .split(",");
    expect(seen).toContain("PATH");
    expect(seen?.filter((name) => /^(RNV|SHOP)_/.test(name))).toEqual(["SHOP_TOKEN"]);
    expect((await scenario.runWith({ env }, "plan", "-detailed-exitcode")).code).toBe(0);
  });
});
