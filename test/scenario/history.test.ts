import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { approve, eachScenario } from "../support/cli";

const shop = (names: readonly string[]) =>
  `projects:\n  shop:\n    services:\n${names
    .map(
      (name) => `      ${name}: { kind: web, configuration: { repository: "https://git.example.com/x" } }\n`,
    )
    .join("")}`;
const github = {
  GITHUB_ACTIONS: "true",
  GITHUB_ACTOR: "octocat",
  GITHUB_SHA: "4f2a1c9d".repeat(5),
  GITHUB_SERVER_URL: "https://github.example.com",
  GITHUB_REPOSITORY: "acme/shop",
  GITHUB_RUN_ID: "77",
};

describe("rnv history", () => {
  const scenario = eachScenario();
  const runs = async (...args: readonly string[]) =>
    JSON.parse((await scenario.run("history", "-json", ...args)).stdout).runs;
  const serial = () => JSON.parse(scenario.read(".rnv/state.json")).serial;
  beforeEach(async () => {
    scenario.write("rnv.yaml", shop(["api", "web"]));
  });

  it("lists who applied what, when, which commit and how it ended, newest first; a run without changes is none", async () => {
    expect(await scenario.run("history")).toEqual({
      code: 0,
      stdout: "",
      stderr: "No run is recorded yet.\n",
    });
    expect(await scenario.runWith({ env: github }, "apply", ...approve)).toMatchObject({ code: 0 });
    const [first] = await runs();
    expect(first).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      ended_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      command: "apply",
      by: "octocat",
      commit: github.GITHUB_SHA,
      job: "https://github.example.com/acme/shop/actions/runs/77",
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      counts: { added: 5, changed: 0, destroyed: 0, adopted: 0, forgotten: 0, failed: 0, skipped: 0 },
      exit_code: 0,
    });
    const ids = scenario.emulator.log.map(({ requestId }) => requestId);
    expect(ids.every((id) => new RegExp(`^rnv-${first.id}-\\d+$`).test(id))).toBe(true);
    // An apply refreshes what the platform did meanwhile; the next one finds nothing.
    await scenario.applies();
    const before = serial();
    await scenario.applies();
    expect([serial(), await runs()]).toEqual([before, [first]]);

    scenario.write("rnv.yaml", shop(["api"]));
    expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 4 });
    expect(await runs()).toHaveLength(1);
    const env = {
      ...{ GITLAB_CI: "true", GITLAB_USER_LOGIN: "tanuki\u001b[31m", CI_COMMIT_SHA: "b".repeat(40) },
      // The repository moved its jobs to another system under its name.
      CI_PROJECT_URL: "https://github.example.com/acme/shop",
    };
    expect(await scenario.runWith({ env }, "destroy", ...approve)).toMatchObject({ code: 0 });
    const { stdout } = await scenario.run("history");
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatch(
      /Z {2}\S.* destroy {2}tanuki\\u001b\[31m {2}b{10} {2}[0-9a-f]{12} {2}[0-9a-f]{12} {2}done: 5 destroyed$/,
    );
    expect(lines[2]).toMatch(
      / apply {2,}octocat +4f2a1c9d4f {2}[0-9a-f]{12} {2}[0-9a-f]{12} {2}done: 5 added$/,
    );
    expect(await runs("-n", "1")).toMatchObject([{ command: "destroy" }]);
  });

  it("a run that failed in part and a run that was killed are in it, and the next one adds itself", async () => {
    scenario.fail(({ method, path }) =>
      method === "POST" && path.endsWith("/deploys")
        ? { kind: "status", status: 400, code: "invalid" }
        : undefined,
    );
    const failed = await scenario.run("apply", ...approve);
    scenario.fail();
    expect(failed).toMatchObject({ code: 3 });
    expect(await runs()).toMatchObject([
      { by: expect.stringContaining(`${userInfo().username}@`), counts: { failed: 2 }, exit_code: 3 },
    ]);
    const started = scenario.start({}, "apply", ...approve, "-parallelism=1");
    scenario.fail(({ method }) =>
      method === "GET"
        ? undefined
        : { kind: "hook", when: "before", run: async () => void started.process.kill("SIGKILL") },
    );
    await started.ended;
    scenario.fail();
    expect((await scenario.run("history")).stdout).toContain("did not end: it runs, or was cut short");
    const cut = (await runs())[0];
    expect(cut).toMatchObject({ command: "apply", by: expect.any(String), digest: expect.any(String) });
    expect([cut.ended_at, cut.counts, cut.exit_code]).toEqual([undefined, undefined, undefined]);
    await scenario.applies();
    expect(await runs()).toMatchObject([{ exit_code: 0 }, cut, { exit_code: 3 }]);
  });

  it("the last 50 are kept", async () => {
    await scenario.run("apply", ...approve);
    const path = join(scenario.folder, ".rnv/state.json");
    const state = JSON.parse(readFileSync(path, "utf8"));
    const old = Array.from({ length: 50 }, (_, at) => ({ ...state.history[0], id: `${at}` }));
    scenario.write(".rnv/state.json", JSON.stringify({ ...state, history: old }));
    scenario.write("rnv.yaml", `${shop(["api", "web"])}outputs: { a: b }\n`);
    await scenario.run("apply", ...approve);
    const kept = await runs();
    expect([kept.length, kept[0].counts.added, kept[1].id, kept.at(-1).id]).toEqual([50, 0, "49", "1"]);
  });
});
