import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { applyKilledAfterPatch, approve, openScenario, type Scenario } from "../support/cli";

const keys = { old: "0a".repeat(32), new: "0b".repeat(32) };
const shop = (level: string) => `
projects:
  shop:
    services:
      api:
        kind: web
        configuration: { repository: "https://git.example.com/shop/api" }
        variables: { LOG_LEVEL: ${level} }
        deploy: { when: never }
`;

let scenario: Scenario;
beforeEach(async () => {
  scenario = await openScenario();
});
afterEach(() => scenario.close());

it("keys do not change in the run that repeats one write which was left open", async () => {
  const old = { RNV_STATE_KEY: keys.old };
  const rotating = { RNV_STATE_KEY: keys.new, RNV_STATE_KEY_PREVIOUS: keys.old };
  scenario.write("rnv.yaml", shop("info"));
  expect(await scenario.runWith({ env: old }, "apply", ...approve)).toMatchObject({ code: 0 });
  scenario.write("rnv.yaml", shop("debug"));
  expect((await applyKilledAfterPatch(scenario, { env: old })).code).toBe(-1);
  scenario.forget();
  expect(await scenario.runWith({ env: rotating }, "apply", ...approve)).toMatchObject({ code: 0 });
  // The key of the state is still the old one: the new one alone opens nothing.
  const alone = await scenario.runWith({ env: { RNV_STATE_KEY: keys.new } }, "plan");
  expect(alone).toMatchObject({ code: 1, stderr: expect.stringContaining("state.key_mismatch") });
  expect(await scenario.runWith({ env: rotating }, "apply", ...approve)).toMatchObject({ code: 0 });
  const after = await scenario.runWith({ env: { RNV_STATE_KEY: keys.new } }, "plan");
  expect(after).toMatchObject({ code: 0, stdout: expect.stringContaining("No changes.") });
});

it("a state that cannot be read names the file, the reason and what to check", async () => {
  scenario.write("rnv.yaml", shop("info"));
  mkdirSync(join(scenario.folder, ".rnv/state.json"), { recursive: true });
  const { code, stderr } = await scenario.run("plan");
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining("error[state.unreadable]: cannot read "),
  });
  expect(stderr).toContain("hint: check the path, its permissions and the disk");
});

it("init --from workspace says so where it cannot record, changes nothing live, and can be repeated", async () => {
  scenario.write("rnv.yaml", shop("info"));
  expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0 });
  const other = await openScenario();
  scenario.forget();
  const to = { RNV_BASE_URL: scenario.url };
  const failed = await other.runWith(
    { env: { ...to, RNV_STATE: "rnv.yaml/state.json" } },
    "init",
    "--from",
    "workspace",
  );
  expect({ code: failed.code, stderr: failed.stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining("error[state."),
  });
  expect(failed.stderr).not.toContain("bug");
  expect(scenario.requests().filter((one) => !one.startsWith("GET"))).toEqual([]);
  const again = await other.runWith({ env: to }, "init", "--from", "workspace", "--force");
  expect(again).toMatchObject({ code: 0 });
  expect(await other.runWith({ env: to }, "plan")).toMatchObject({
    stdout: expect.stringContaining("No changes."),
  });
  await other.close();
});
