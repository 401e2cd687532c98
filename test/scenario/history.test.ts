import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { approve, eachScenario, refusing } from "../support/cli";

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
  // The releases in the history are those of rnv: no deployment of the platform stands between them.
  const scenario = eachScenario({ readings: { otherDeployments: "none" } });
  const runs = async (...args: readonly string[]) =>
    JSON.parse((await scenario.run("history", "-json", ...args)).stdout).runs;
  /** The lines below the head, without the times. */
  const text = async (...args: readonly string[]) =>
    (await scenario.run("history", ...args)).stdout
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) =>
        line.replace(/^\d{4}-.*? ago +|^\d{4}-.* just now +/, "").replace(/ {2,}\S+@\S+ .* {2,}/, ": "),
      );
  const idOf = (address: string) => JSON.parse(scenario.read(".rnv/state.json")).resources[address]?.id;
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
      touched: expect.arrayContaining([{ address: "service.shop.api", after: idOf("service.shop.api") }]),
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
    const named = (sign: string) =>
      ["deployment.shop.api", "deployment.shop.web", "project.shop", "service.shop.api", "service.shop.web"]
        .map((address) => `${sign} ${address}`)
        .join(", ");
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(
        /Z {2}\S.* destroy {2}tanuki\\u001b\[31m {2}b{10} {2}[0-9a-f]{8} {2}done: 5 destroyed$/,
      ),
      `    ${named("-")}`,
      expect.stringMatching(/ apply {2,}octocat +4f2a1c9d4f {2}[0-9a-f]{8} {2}done: 5 added$/),
      `    ${named("+")}`,
    ]);
    const [last] = await runs("-n", "1");
    expect(last).toMatchObject({ command: "destroy" });
    const whole = (await scenario.run("history", "-verbose")).stdout;
    for (const text of [last.id, `digest ${last.digest}`, first.job]) expect(whole).toContain(text);
  });

  it("a run that failed in part and a run that was killed are in it, and the next run adds itself", async () => {
    scenario.fail(refusing("POST", /\/deploys$/, 400, "invalid"));
    const failed = await scenario.run("apply", ...approve);
    scenario.fail();
    expect(failed).toMatchObject({ code: 3 });
    expect(await runs()).toMatchObject([
      {
        ...{ by: expect.stringContaining(`${userInfo().username}@`), counts: { failed: 2 }, exit_code: 3 },
        touched: [
          "deployment.shop.api",
          "deployment.shop.web",
          "project.shop",
          "service.shop.api",
          "service.shop.web",
        ].map((address) =>
          address.startsWith("deployment.") ? { address, failed: true } : { address, after: idOf(address) },
        ),
      },
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
    expect(await text("-n", "1")).toContain("    planned: deployment.shop.api, deployment.shop.web");
    const cut = (await runs())[0];
    expect(cut).toMatchObject({ command: "apply", by: expect.any(String), digest: expect.any(String) });
    expect([cut.ended_at, cut.counts, cut.exit_code]).toEqual([undefined, undefined, undefined]);
    await scenario.applies();
    expect(await runs()).toMatchObject([{ exit_code: 0 }, cut, { exit_code: 3 }]);
  });

  it("names the releases of a deployment and a rollback, what other verbs touched, and both addresses of a move", async () => {
    await scenario.run("apply", ...approve);
    const first = idOf("deployment.shop.api");
    for (const verb of ["restart", "suspend", "resume", "deploy"])
      expect(await scenario.run(verb, "service.shop.api")).toMatchObject({ code: 0 });
    const second = idOf("deployment.shop.api");
    await scenario.run("rollback", "service.shop.api", "--confirm", "service.shop.api");
    const third = idOf("deployment.shop.api");
    const change = (before: string, after: string) => `${before.slice(0, 8)} -> ${after.slice(0, 8)}`;
    scenario.fail(refusing("POST", /\/actions$/, 400, "invalid"));
    expect(await scenario.run("restart", "service.shop.api")).toMatchObject({ code: 1 });
    scenario.fail();
    await scenario.run("state", "mv", "service.shop.api", "service.shop.core");
    const web = idOf("service.shop.web");
    await scenario.run("state", "rm", "service.shop.web");
    await scenario.run("import", "service.shop.web", web);
    const ofApi = [
      ...[
        "state mv: done",
        "    service.shop.api -> service.shop.core, deployment.shop.api -> deployment.shop.core",
      ],
      "restart: failed (exit 1): service.shop.api",
      `rollback: done: deployment.shop.api ${change(second, third)}`,
      `deploy: done: deployment.shop.api ${change(first, second)}`,
      ...["resume: done: service.shop.api", "suspend: done: service.shop.api"],
      ...[
        "restart: done: service.shop.api",
        "apply: done: 5 added",
        expect.stringContaining("+ service.shop.api"),
      ],
    ];
    const ofWeb = [
      "import: done: + service.shop.web",
      "state rm: done",
      "    deployment.shop.web, service.shop.web",
    ];
    expect(await text()).toEqual([...ofWeb, ...ofApi]);
    expect(await text("service.shop.api")).toEqual(ofApi);
    expect(await text("service.shop.core")).toEqual(ofApi);
    expect(await scenario.run("history", "service.shop.apo")).toMatchObject({
      ...{ code: 1, stdout: "" },
      stderr: expect.stringContaining(": service.shop.apo is not recorded in the state\n"),
    });
    expect(await scenario.run("history", "api")).toMatchObject({ code: 1 });
  });

  it("keeps 20 addresses of a run, and says of which runs it does not know all", async () => {
    const names = Array.from({ length: 25 }, (_, at) => `s${at}`);
    scenario.write("rnv.yaml", shop(names).replaceAll("kind: web,", "kind: web, deploy: { when: never },"));
    await scenario.run("apply", ...approve);
    const path = ".rnv/state.json";
    const state = JSON.parse(scenario.read(path));
    const [{ touched, omitted, ...earlier }] = state.history;
    expect([touched.length, omitted]).toEqual([20, 6]);
    expect((await text())[1]).toMatch(/^ {4}\+ project.shop, .* and 21 more$/);
    expect((await text("-verbose"))[1]).toMatch(/ and 6 more$/);
    scenario.write(path, JSON.stringify({ ...state, history: [{ ...earlier, id: "1" }, ...state.history] }));
    expect(await text()).toHaveLength(3);
    expect(await scenario.run("history", "service.shop.s24")).toMatchObject({
      stderr: expect.stringContaining("2 runs may have changed it: some addresses are not recorded.\n"),
    });
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
