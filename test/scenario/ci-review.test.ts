import { rmSync } from "node:fs";
import { join } from "node:path";
import { addMerged, githubJob, jobKey, mainJob, ownComments, pullRequestJob } from "../support/ci-jobs";
import { approve, type CliRun, failing, oneScenario, printing, refusing } from "../support/cli";
import { type CodeHostServer, hostTokens, serveCodeHost } from "../support/code-host-server";

const shop = (branch: string, more = "") =>
  `projects:\n  shop:\n    services:\n      api: { kind: web, configuration: { repository: "https://git.example.com/shop", branch: ${branch} } }\n${more}`;
const web = '      web: { kind: web, configuration: { repository: "https://git.example.com/shop" } }\n';
const merged = "a".repeat(40);

/** A pull request is planned, the world changes or does not, it is merged, and applied (DESIGN section 15). */
describe("a reviewed plan", () => {
  const scenario = oneScenario();
  let server: CodeHostServer;

  beforeAll(async () => {
    server = await serveCodeHost("github");
    addMerged(server, 7, merged);
  });
  beforeEach(() => {
    scenario.write("rnv.yaml", shop("main"));
    for (const file of ["output", "summary"]) scenario.write(file, "");
    server.comments.length = 0;
    server.addComment("pull 7", "atlantis[bot]", "another tool's comment");
    scenario.forget();
  });

  const inPullRequest = (number = 7) => pullRequestJob(scenario, server, number);
  const onMain = () => mainJob(scenario, server, merged);
  const inQueue = () => {
    const group = { head_ref: `refs/heads/gh-readonly-queue/main/pr-7-${"d".repeat(40)}` };
    const job = githubJob(scenario, server, "merge_group", { merge_group: group });
    return { ...job, GITHUB_SHA: "c".repeat(40) };
  };
  const plan = (env: Record<string, string>, ...args: string[]): Promise<CliRun> =>
    scenario.runWith({ env }, "ci", "plan", ...args);
  const apply = (...args: string[]): Promise<CliRun> =>
    scenario.runWith({ env: onMain() }, "ci", "apply", ...args);
  const own = (kind: "plan" | "apply") => ownComments(server, kind);
  const changeLive = (branch: string) => {
    scenario.emulator.store.editConfiguration(scenario.idOf("api"), { branch });
  };

  it("is applied at the merge, once, and a job that runs again does nothing", async () => {
    const planned = await plan(inPullRequest());
    expect(planned).toMatchObject(printing(0, "Plan: 3 to add"));
    expect(own("plan")).toEqual([expect.stringContaining("**Plan: 3 to add, 0 to change, 0 to destroy.**")]);
    expect(scenario.requests()).toEqual([]);
    const applied = await apply();
    expect(applied).toMatchObject(printing(0, "Apply complete!"));
    await scenario.isQuiet();
    expect(own("apply")).toEqual([expect.stringContaining("**Applied.** Apply complete!")]);
    const { runs } = JSON.parse((await scenario.run("history", "-json")).stdout);
    expect(own("apply")[0]).toContain(`run \`${runs[0].id}\``);
    expect(runs[0].pull_requests).toEqual(["#7"]);
    expect((await scenario.run("history")).stdout).toMatch(/@\S+ #7 /);
    scenario.forget();
    expect(await apply()).toMatchObject({ code: 0 });
    expect(scenario.requests()).toEqual([]);
    expect(own("apply")).toHaveLength(1);
  });

  it("is refused when the live service has changed since, says how, and is applied after another review", async () => {
    scenario.write("rnv.yaml", shop("release"));
    await plan(inPullRequest());
    const [reviewed] = own("plan");
    changeLive("hotfix");
    const refused = await apply();
    expect(refused).toMatchObject(failing(5, "error[plan.digest]"));
    expect(refused.stderr).toContain("service.shop.api would change in another way than was reviewed");
    expect(scenario.requests()).toEqual([]);
    expect(own("plan")).toEqual([reviewed]);
    const [told = ""] = own("apply");
    expect(told).toContain("Nothing was applied");
    expect(told).toContain("- `service.shop.api` would change in another way than was reviewed");
    expect(told).toContain('"hotfix"');
    // The job of the plan again: it rewrites what is to be reviewed.
    await plan(inPullRequest());
    expect(own("plan")).toHaveLength(1);
    expect(own("plan")).not.toEqual([reviewed]);
    expect(await apply()).toMatchObject({ code: 0 });
    expect(own("apply")).toEqual([expect.stringContaining("**Applied.**")]);
    await scenario.isQuiet();
    expect(server.comments.filter(({ author }) => author === "atlantis[bot]")).toHaveLength(1);
  });

  it("refuses what was never reviewed, and whatever a stranger's comment says", async () => {
    scenario.write("rnv.yaml", shop("other"));
    await plan(inPullRequest());
    const [body = ""] = own("plan");
    server.comments.length = 0;
    expect(await apply()).toMatchObject(failing(5, "pull request 7 has no plan comment for this stage"));
    server.addComment("pull 7", "mallory", body);
    expect(await apply()).toMatchObject({ code: 5 });
    expect(scenario.requests()).toEqual([]);
    // A digest names the comment of a review, and is none by itself.
    const digest = String(/Digest: (\w+)/.exec((await scenario.run("plan")).stdout)?.[1]);
    server.comments.length = 0;
    const given = await apply("--expect-digest", digest);
    expect(given).toMatchObject(failing(5, `pull request 7 has no comment with the digest ${digest}`));
    expect(scenario.requests()).toEqual([]);
    // The refused apply has shown the plan, with a record of it.
    expect(own("apply")).toEqual([
      expect.stringContaining(`rnv ci apply --pull-request 7 --expect-digest ${digest}`),
    ]);
    expect(await apply()).toMatchObject({ code: 5 });
    expect(await apply("--expect-digest", digest)).toMatchObject({ code: 0 });
    await scenario.isQuiet();
  });

  it("is not applied while the review cannot be read, and a failure before any plan is told", async () => {
    scenario.write("rnv.yaml", shop("asked"));
    await plan(inPullRequest());
    server.refuse = ({ path }) =>
      path.includes(merged) ? { status: 403, body: '{"message":"no"}' } : undefined;
    expect(await apply()).toMatchObject(failing(1, "error[api.forbidden]"));
    server.refuse = undefined;
    const unread = { ...onMain(), GITHUB_TOKEN: "" };
    const without = await scenario.runWith({ env: unread }, "ci", "apply");
    expect(without).toMatchObject(failing(5, "this job has no code host"));
    expect(without.stderr.match(/is not set/g)).toHaveLength(2);
    expect(own("apply")).toEqual([]);
    const keyless = await scenario.runWith({ env: { ...onMain(), RNV_API_KEY: "" } }, "ci", "apply");
    expect(keyless).toMatchObject(failing(1, "RNV_API_KEY"));
    expect(own("apply")).toEqual([expect.stringContaining("**Failed (exit 1).**")]);
    expect(scenario.requests()).toEqual([]);
    // Someone applies it by hand: nothing is left to do, and the failure is no longer shown.
    await scenario.runWith({ env: jobKey }, "apply", ...approve);
    expect(await apply()).toMatchObject({ code: 0 });
    expect(own("apply")).toEqual([expect.stringContaining("**Applied.** No changes.")]);
  });

  it("is applied by no job of a pull request that is open or in a queue, unless it is named there", async () => {
    scenario.write("rnv.yaml", shop("undecided"));
    await plan(inPullRequest());
    for (const job of [inPullRequest, inQueue]) {
      const early = await scenario.runWith({ env: job() }, "ci", "apply");
      expect(early).toMatchObject(failing(5, "pull request 7 is not merged"));
      expect(own("apply").at(-1)).toContain("Nothing was applied: pull request");
    }
    expect(scenario.requests()).toEqual([]);
    const named = await scenario.runWith({ env: inPullRequest() }, "ci", "apply", "--pull-request", "7");
    expect(named).toMatchObject({ code: 0 });
    expect(own("apply")).toEqual([expect.stringContaining("**Applied.**")]);
  });

  it("goes on where an apply of it stopped half-way", async () => {
    const canary = "7hCanaryOfProduction";
    const secrets = { SHOP_TOKEN: canary, ...jobKey };
    const withToken = `${web.trimEnd().slice(0, -1)}, variables: { TOKEN: { fromEnv: SHOP_TOKEN } } }\n`;
    scenario.write("rnv.yaml", shop("half", withToken));
    // The job of the pull request has no secret of production.
    await plan(inPullRequest(), "--no-secrets");
    const apply = () => scenario.runWith({ env: { ...onMain(), ...secrets } }, "ci", "apply");
    scenario.fail(refusing("POST", /\/services$/));
    const stopped = await apply();
    expect(stopped.code).not.toBe(0);
    expect(own("apply")).toEqual([expect.stringMatching(/\*\*(Failed|Partly applied|.*) \(exit \d\)\.\*\*/)]);
    // Stopped a second time, further on.
    scenario.fail(refusing("POST", /\/variables$/));
    expect((await apply()).code).not.toBe(0);
    scenario.fail();
    expect(await apply()).toMatchObject({ code: 0 });
    const quiet = await scenario.runWith({ env: secrets }, "plan", "-detailed-exitcode");
    expect(quiet.code).toBe(0);
    // It came to its end: what someone undoes afterwards is not done again by the same job.
    changeLive("undone");
    expect(await apply()).toMatchObject({ code: 5 });
    changeLive("half");
    for (const { body } of server.comments) expect(body).not.toContain(canary);
    scenario.write("rnv.yaml", shop("half"));
    const removed = ["apply", ...approve, "--confirm-delete", "service.shop.web"];
    expect((await scenario.runWith({ env: secrets }, ...removed)).code).toBe(0);
  });

  it("holds no key of a dotenv file that its job lacks: a new key is not applied, a rotated value is", async () => {
    const shared = (branch: string) =>
      shop(branch).replace("web,", "web, variablesFrom: [{ dotenv: .env }],");
    scenario.write("rnv.yaml", shared("half"));
    scenario.write(".env", "TOKEN=1\nOTHER=2\n");
    expect(await scenario.runWith({ env: jobKey }, "apply", ...approve)).toMatchObject({ code: 0 });
    rmSync(join(scenario.folder, ".env"));
    scenario.write("rnv.yaml", shared("next"));
    expect(await plan(inPullRequest(), "--no-secrets")).toMatchObject({ code: 0 });
    for (const [text, code] of [
      ["TOKEN=1\nOTHER=2\nNEW=3\n", 5],
      ["TOKEN=1\n", 5],
      ["TOKEN=3\nOTHER=2\n", 0],
    ] as const) {
      scenario.write(".env", text);
      expect(await apply()).toMatchObject({ code });
    }
    scenario.write("rnv.yaml", shop("half"));
    expect(await scenario.runWith({ env: jobKey }, "apply", ...approve)).toMatchObject({ code: 0 });
  });

  it("is applied with those that a queue merged in the same push, each as it was reviewed", async () => {
    const second = "e".repeat(40);
    addMerged(server, 8, second);
    const pushed = (...args: string[]) => {
      const push = { commits: [{ id: merged }, { id: second }] };
      const env = { ...githubJob(scenario, server, "push", push), GITHUB_SHA: second };
      return scenario.runWith({ env }, "ci", "apply", ...args);
    };
    const [one, two] = ["one", "two"].map((name) =>
      web.replaceAll("web", name).replace(`kind: ${name}`, "kind: web"),
    );
    const base = shop("half");
    scenario.write("rnv.yaml", base);
    await scenario.runWith({ env: jobKey }, "apply", ...approve);
    scenario.forget();
    scenario.write("rnv.yaml", base + one);
    await plan(inPullRequest());
    scenario.write("rnv.yaml", base + two);
    await plan(inPullRequest(8));
    // What both bring, and a third without a review.
    scenario.write("rnv.yaml", base + one + two + web);
    expect(await pushed()).toMatchObject(
      failing(5, "service.shop.web would change now, and was not reviewed"),
    );
    expect(scenario.requests()).toEqual([]);
    scenario.write("rnv.yaml", base + one + two);
    expect(await pushed()).toMatchObject(printing(0, "Apply complete!"));
    const told = server.comments.filter(({ body }) => body.includes("**Applied.** Apply complete!"));
    expect(told.map(({ at }) => at).sort()).toEqual(["pull 7", "pull 8"]);
    // The job that runs again does not undo the revert of either.
    const reverts = [base + two, base];
    for (const [at, name] of ["one", "two"].entries()) {
      scenario.write("rnv.yaml", reverts[at] ?? "");
      const confirmed = ["--confirm-delete", `service.shop.${name}`];
      expect((await scenario.runWith({ env: jobKey }, "apply", ...approve, ...confirmed)).code).toBe(0);
      scenario.write("rnv.yaml", base + one + two);
      expect(await pushed()).toMatchObject(failing(5, "was applied already"));
    }
    server.pulls.pop();
  });

  it("is compared in a queue, where the comment stays as it was reviewed", async () => {
    scenario.write("rnv.yaml", shop("queued", web));
    await plan(inPullRequest());
    const [reviewed] = own("plan");
    expect(await plan(inQueue())).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining("stands before"),
    });
    // Another pull request is ahead of it: its changes are in the branch, and not applied yet.
    const jobs = web.replaceAll("web", "jobs").replace("kind: jobs", "kind: worker");
    scenario.write("rnv.yaml", shop("queued", web + jobs));
    const behind = await plan(inQueue());
    expect(behind).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("the reviewed plan plus 2 changes ahead in the queue"),
    });
    expect(behind.stderr).toContain("service.shop.jobs");
    scenario.write("rnv.yaml", shop("queued"));
    expect(await plan(inQueue())).toMatchObject({ code: 5 });
    scenario.write("rnv.yaml", shop("queued", web));
    changeLive("meanwhile");
    expect(await plan(inQueue())).toMatchObject(
      failing(5, "the plan in the merge queue is not the reviewed one"),
    );
    expect(own("plan")).toEqual([reviewed]);
    expect(scenario.requests()).toEqual([]);
  });

  it("writes reports and outputs, and one line for a plan that is empty, only where a comment stands", async () => {
    await scenario.runWith({ env: jobKey }, "apply", ...approve);
    scenario.forget();
    expect(await plan(inPullRequest(), "--report", "reports")).toMatchObject({ code: 0 });
    expect(own("plan")).toEqual([]);
    scenario.write("rnv.yaml", shop("reported"));
    const by = { GITHUB_ACTOR: "ada", GITHUB_SHA: merged };
    const detailed = await plan({ ...inPullRequest(), ...by }, "--report", "reports", "-detailed-exitcode");
    expect(detailed.code).toBe(2);
    const read = (name: string) => scenario.read(`reports/${name}`);
    const { digest } = JSON.parse(read("plan.json")) as { digest: string };
    expect(read("plan.md")).toContain(digest);
    const [facts = ""] = /<dl class="facts">.*?<\/dl>/.exec(read("plan.html")) ?? [];
    expect(facts).toContain(`<dt>Commit<dd>${merged.slice(0, 12)}<`);
    expect(facts).toMatch(/<dt>Started by<dd>ada<.*<dt>Planned<dd>20\d\d-/);
    expect(read("junit.xml")).toContain('<testsuite name="rnv plan" tests="2" failures="0" time="');
    expect(JSON.parse(read("gl-terraform.json"))).toEqual({ create: 0, update: 2, delete: 0 });
    expect(JSON.parse(read("gl-code-quality-report.json"))).toEqual([]);
    expect(read("rnv.env")).toBe(`PLAN_CHANGES=true\nPLAN_DIGEST=${digest}\nPLAN_EXITCODE=2\n`);
    expect(scenario.read("output").trimEnd().split("\n").slice(-4)).toEqual([
      "changes=true",
      `digest=${digest}`,
      "exitcode=2",
      `plans=${JSON.stringify([{ stage: "", stack: "", changes: true, digest, exitcode: 2 }])}`,
    ]);
    expect(scenario.read("summary")).toContain("Plan: 0 to add, 2 to change");
    expect(own("plan")).toHaveLength(1);
    expect((await scenario.run("show", "reports/plan.rnvplan")).stdout).toContain(`Digest: ${digest}`);
    scenario.write("rnv.yaml", shop("main"));
    expect(await plan(inPullRequest(), "--report", "reports")).toMatchObject({ code: 0 });
    const [empty = ""] = own("plan");
    expect(empty.split("\n").filter((line) => line !== "" && !line.startsWith("<!--"))).toEqual([
      "**rnv plan of `rnv.yaml`**: No changes. Your infrastructure matches the configuration.",
    ]);
    for (const { text } of scenario.files()) expect(text).not.toContain(hostTokens.github);
  });

  it("says that no plan could be made, and what was reviewed before is no longer applied", async () => {
    scenario.write("rnv.yaml", shop("fine"));
    await plan(inPullRequest());
    scenario.write("rnv.yaml", shop("broken", "      web: { kind: [\n"));
    expect(await plan(inPullRequest())).toMatchObject({ code: 1 });
    expect(own("plan")).toEqual([expect.stringContaining("**No plan could be made.**")]);
    scenario.write("rnv.yaml", shop("fine"));
    expect(await apply()).toMatchObject({ code: 5 });
    expect(scenario.requests()).toEqual([]);
  });

  it("fails no plan where the comment cannot be written, and says what the job needs", async () => {
    scenario.write("rnv.yaml", shop("unseen"));
    server.refuse = ({ method }) =>
      method === "GET" ? undefined : { status: 403, body: '{"message":"Resource not accessible"}' };
    const { code, stderr } = await plan(inPullRequest());
    server.refuse = undefined;
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("Resource not accessible"),
    });
    expect(stderr).toContain("permissions: pull-requests: write");
  });

  it("is red where a change is blocked: in the comment with what passes it, in JUnit, at its line", async () => {
    scenario.write("rnv.yaml", shop("other").replace("kind: web", "kind: static"));
    const blocked = await plan(inPullRequest());
    expect(blocked.code).toBe(4);
    expect(own("plan")).toEqual([
      expect.stringContaining("To destroy it: `--confirm-delete service.shop.api`"),
    ]);
    expect(scenario.read("rnv-report/junit.xml")).toContain('failures="1"');
    const [issue] = JSON.parse(scenario.read("rnv-report/gl-code-quality-report.json"));
    expect(issue).toMatchObject({
      check_name: "guard.delete_unconfirmed",
      location: { lines: { begin: 4 } },
    });
    expect(blocked.stderr).toMatch(/::error file=rnv\.yaml,line=4,.*title=guard\.delete_unconfirmed::/);
    const refused = await apply();
    expect(refused).toMatchObject({ code: 4 });
    expect(scenario.requests()).toEqual([]);
    const confirmed = await apply("--confirm-delete", "service.shop.api");
    expect(confirmed).toMatchObject({ code: 0 });
  });

  it("is judged by policies that the repository cannot take away, at the plan and at the apply", async () => {
    scenario.write("rnv.yaml", shop("policy").replace("kind: web", "kind: static"));
    scenario.write(
      "house.yaml",
      'policies:\n  main: { level: mandatory, each: service, require: service.configuration.branch == "main", message: main alone }\n',
    );
    const judged = { RNV_POLICY: join(scenario.folder, "house.yaml") };
    await plan(inPullRequest());
    expect(await scenario.runWith({ env: { ...onMain(), ...judged } }, "ci", "apply")).toMatchObject({
      code: 4,
    });
    const red = await plan({ ...inPullRequest(), ...judged });
    expect({ red, comment: own("plan")[0] }).toMatchObject({
      red: { code: 4 },
      comment: expect.stringContaining("main alone"),
    });
    expect(red.stderr.match(/^::error .*title=guard\.\w+::/gm)).toHaveLength(1);
    expect(scenario.requests()).toEqual([]);
  });
});
