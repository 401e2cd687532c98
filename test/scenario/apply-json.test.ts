import { hostname } from "node:os";
import { join } from "node:path";
import { eventSchema } from "../../src/model/apply-event";
import { driftDocumentSchema } from "../../src/plan/drift";
import { approve, eachScenario, type RunOptions, refusing, type Scenario } from "../support/cli";

const scenario = eachScenario();
const manifest = (replicas: number) =>
  `services:\n  docs: { kind: web, configuration: { repository: "https://git.example.com/docs", replicas: ${replicas} } }\n`;

/** Runs a verb with `-json`; each line must be an event of the schema, and the last the summary with the exit code. */
async function streamOf(at: Scenario, how: RunOptions, verb: string, ...args: readonly string[]) {
  const { code, stdout } = await at.runWith(how, verb, "-json", ...args);
  const events = stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => eventSchema.parse(JSON.parse(line)));
  expect(events.at(-1)).toMatchObject({ type: "summary", exitCode: code });
  const codes = events.flatMap((one) => (one.type === "diagnostic" ? one.diagnostic.code : []));
  return { code, codes, types: events.map(({ type }) => type), last: events.at(-1) };
}

const missing = { env: { RNV_WORKSPACE_ID: "" } };
const early: readonly (readonly [string, number, RunOptions, readonly string[], string])[] = [
  ["a manifest with an error", 1, {}, ["-f", "wrong.yaml"], "manifest.unknown_key"],
  ["a workspace that is not set", 1, missing, [], "config.missing"],
  ["a value that no option takes", 1, {}, ["-parallelism", "many"], "command.usage"],
  ["a word of Terraform", 1, {}, ["-var", "a=b"], "command.usage"],
  ["options that exclude each other", 1, {}, ["-destroy", "-refresh-only"], "command.usage"],
  ["a stage that is not declared", 1, {}, ["--stage", "nowhere"], "manifest.stage_unknown"],
  ["a plan that is not the reviewed one", 5, {}, ["--expect-digest", "0".repeat(64)], "plan.digest"],
];

it.each(early)("apply -json ends with a summary after %s", async (_, exitCode, how, args, code) => {
  scenario.write("rnv.yaml", manifest(1));
  scenario.write("wrong.yaml", "services: { docs: { kind: web, wrong: 1 } }\n");
  const { types, codes, last, ...ended } = await streamOf(scenario, how, "apply", ...approve, ...args);
  expect(ended.code).toBe(exitCode);
  expect(codes).toContain(code);
  expect(new Set(types)).toEqual(new Set(["version", "diagnostic", "summary"]));
  expect(last).toMatchObject({ counts: { added: 0, failed: 0, skipped: 0 } });
  expect(scenario.requests()).toEqual([]);
});

it("apply -json says what blocks a plan, what made a saved plan stale, who holds the lock and what failed", async () => {
  await scenario.applied(manifest(1));
  scenario.write("rnv.yaml", manifest(2));
  await scenario.run("plan", "-out", "saved.rnvplan");
  await scenario.applied(manifest(3));
  const stale = await streamOf(scenario, {}, "apply", "saved.rnvplan");
  expect(stale).toMatchObject({ code: 5, codes: ["plan.stale"] });
  scenario.fail(refusing("PATCH", /./, 400, "invalid"));
  scenario.write("rnv.yaml", manifest(4));
  const failed = await streamOf(scenario, {}, "apply", ...approve);
  expect(failed).toMatchObject({ code: 1, codes: [], last: { counts: { failed: 1 } } });
  scenario.fail();
  scenario.write("rnv.yaml", manifest(3).replace("docs:", "other:"));
  const blocked = await streamOf(scenario, {}, "apply", ...approve);
  expect(blocked).toMatchObject({ code: 4, codes: expect.arrayContaining(["guard.delete_unconfirmed"]) });
  const holder = {
    id: "1",
    host: hostname(),
    pid: process.pid,
    command: "apply",
    since: "2030-01-01T00:00:00Z",
  };
  scenario.write(join(".rnv", "state.json.lock"), JSON.stringify(holder));
  expect(await streamOf(scenario, {}, "destroy", ...approve)).toMatchObject({
    ...{ code: 6, codes: ["state.lock_held"], last: { mode: "destroy" } },
  });
});

it("drift -json that fails has the version of drifts", async () => {
  scenario.write("rnv.yaml", manifest(1));
  for (const [how, args] of [
    [missing, []],
    [{}, ["-fail-on", "all"]],
    [{}, ["--stage", "nowhere"]],
  ] as const) {
    const { code, stdout } = await scenario.runWith(how, "drift", "-json", ...args);
    expect(code).toBe(1);
    expect(driftDocumentSchema.parse(JSON.parse(stdout))).toMatchObject({ errored: true, diagnostics: [{}] });
  }
});
