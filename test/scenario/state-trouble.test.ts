import { join } from "node:path";
import { applyKilledAfterPatch, approve, eachScenario, failing, printing } from "../support/cli";
import { textIn } from "../support/rows";

const keys = { old: "0a".repeat(32), new: "0b".repeat(32) };
const shop = (level: string) => textIn(join(__dirname, "state-trouble.yaml"), { level });

const scenario = eachScenario();

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
  expect(alone).toMatchObject(failing(1, "state.key_mismatch"));
  expect(await scenario.runWith({ env: rotating }, "apply", ...approve)).toMatchObject({ code: 0 });
  const after = await scenario.runWith({ env: { RNV_STATE_KEY: keys.new } }, "plan");
  expect(after).toMatchObject(printing(0, "No changes."));
});

it("after the key is lost, what its message advises gives the values another key", async () => {
  scenario.write("rnv.yaml", shop("info"));
  const old = { RNV_STATE_KEY: keys.old };
  expect(await scenario.runWith({ env: old }, "apply", ...approve)).toMatchObject({ code: 0 });
  const env = { RNV_STATE_KEY: keys.new };
  const lost = await scenario.runWith({ env }, "plan");
  const advice = "rnv state rm each variable, then rnv apply --adopt";
  expect(lost).toMatchObject(failing(1, advice));
  const forgotten = await scenario.run("state", "rm", "variable.shop.api.LOG_LEVEL");
  expect(forgotten).toMatchObject(printing(0, "Forgot 1 record; nothing was deleted on the platform:"));
  expect(await scenario.runWith({ env }, "apply", "--adopt", ...approve)).toMatchObject({ code: 0 });
  const after = await scenario.runWith({ env }, "plan", "-detailed-exitcode");
  expect(after).toMatchObject(printing(0, "No changes."));
});

it("a folder that cannot be made ends the run", async () => {
  // Node's own way to make folders never returns below /proc.
  const unmade = process.platform === "linux" ? "/proc/rnv/a/state.json" : "/dev/null/a/state.json";
  scenario.write("rnv.yaml", shop("info"));
  const run = await scenario.runWith({ env: { RNV_STATE: unmade } }, "apply", ...approve);
  expect(run).toMatchObject(failing(1, `cannot write ${unmade}`));
  expect(scenario.requests()).toEqual([]);
});
