import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { embeddedApiKey } from "../../src/emulator/emulator";
import { fleetReportSchema } from "../../src/report/fleet-report";
import { eachScenario, failing, printing } from "../support/cli";
import { openSilent, processesBelow, until } from "../support/silent-service";
import { itInSoak } from "../support/soak";

const manifest = (name: string, more = "") =>
  `projects:\n  shop:\n    name: ${name}\n    services:\n      api:\n        kind: web\n        configuration: { repository: "https://git.example.com/${name}" }\n${more}`;

/** Starts a program that waits. */
const waits = (name: string) =>
  manifest(name, '        variables: { TOKEN: { fromCommand: ["sh", "-c", "touch started; sleep 60"] } }\n');

const scenario = eachScenario();

const reportOf = (stdout: string) => fleetReportSchema.parse(JSON.parse(stdout));
const statusesOf = (stdout: string) =>
  Object.fromEntries(reportOf(stdout).members.map(({ name, status }) => [name, status]));

itInSoak("records the repository that the job names, on GitLab too", async () => {
  scenario.write("shop/rnv.yaml", manifest("Shop"));
  const job = { GITLAB_CI: "true", CI: "true", CI_PROJECT_URL: "https://gitlab.example.com/o/r" };
  const env = { ...job, RNV_STATE: "${member}.json" };
  expect(await scenario.runWith({ env }, "fleet", "apply", "-auto-approve")).toMatchObject({ code: 0 });
  expect(scenario.read("shop/shop.json")).toContain('"gitlab.example.com/o/r"');
});

it("says the folder of a member in which the command of a hint is to be run", async () => {
  scenario.write("teams/shop/rnv.yaml", manifest("Shop"));
  scenario.write("teams/shop/.rnv/state.json", "{");
  const { stdout } = await scenario.run("fleet", "plan");
  expect(stdout).toMatch(/hint, in teams\/shop: .*rnv state restore 1/);
});

it("plans, applies and looks for drift of every manifest below a folder; a broken manifest stops no other", async () => {
  scenario.write("teams/shop/rnv.yaml", manifest("Shop"));
  scenario.write("teams/docs/rnv/docs.yml", manifest("Docs"));
  scenario.write("broken/rnv.yaml", "projects: [\n");
  // Its own run says that it lies elsewhere; left out, it would look clean.
  mkdirSync(join(scenario.folder, "linked"));
  symlinkSync("../teams/docs/rnv", join(scenario.folder, "linked/rnv"));
  scenario.write(
    "staged/rnv.yaml",
    `${manifest("Staged-${stage.name}")}stages: { production: {}, staging: {}, preview: { each: true } }\n`,
  );
  for (const hidden of ["node_modules/a", ".git/a", ".rnv/a"])
    scenario.write(`${hidden}/rnv.yaml`, manifest("Hidden"));
  const names = ["broken", "linked", "staged@production", "staged@staging", "teams/docs", "teams/shop"];

  const planned = await scenario.run("fleet", "plan", "-json", "--html", "fleet.html");
  expect(planned.code).toBe(1);
  const page = scenario.read("fleet.html");
  for (const name of names) expect(page).toContain(`<code>${name}</code>`);
  expect(page).toContain("error[manifest.syntax]");
  expect(Object.keys(statusesOf(planned.stdout))).toEqual(names);
  const broken = reportOf(planned.stdout).members[0];
  expect(broken).toMatchObject({
    status: "failed",
    diagnostics: [{ code: "manifest.syntax", location: { file: "broken/rnv.yaml", line: 1 } }],
  });
  expect(reportOf(planned.stdout).members[1]).toMatchObject({
    ...{ status: "failed", diagnostics: [{ code: "manifest.unreadable" }] },
  });
  expect(scenario.requests()).toEqual([]);

  // No question is asked, so it has to be said.
  expect(await scenario.run("fleet", "apply")).toMatchObject(failing(1, "--auto-approve"));
  const applied = await scenario.run("fleet", "apply", "-auto-approve", "-json");
  expect(statusesOf(applied.stdout)).toEqual({
    ...Object.fromEntries(names.map((name) => [name, "applied"])),
    broken: "failed",
    linked: "failed",
  });
  expect(
    scenario.emulator.store
      .projects()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(["Docs", "Shop", "Staged-production", "Staged-staging"]);

  const others = ["--member", "teams/*", "--member", "staged@*"];
  expect(await scenario.run("fleet", "drift", ...others)).toMatchObject(
    printing(0, "Fleet: 4 members: 4 no drift."),
  );
  const { store } = scenario.emulator;
  const docs = store.services().find(({ projectId }) => {
    const project = store.projects().find(({ id }) => id === projectId);
    return project?.name === "Docs";
  });
  store.editConfiguration(docs?.id as string, { repository: "https://git.example.com/other" });
  // Written long ago: reads are believed.
  const state = "teams/docs/.rnv/state.json";
  scenario.write(
    state,
    scenario.read(state).replace(/("writtenAt": ?)"[^"]*"/g, '$1"2026-01-01T00:00:00.000Z"'),
  );
  const drifted = await scenario.run("fleet", "drift", ...others);
  expect(drifted).toMatchObject(printing(2, "teams/docs"));
  expect(drifted.stdout.split("\n")[0]).toMatch(/^ {2}~ teams\/docs drift, 1 changed outside/);
  const exact = await scenario.run("fleet", "plan", "-detailed-exitcode", "--stage", "production");
  expect(exact).toMatchObject(printing(0, "Fleet: 1 member: 1 no changes."));
  expect(await scenario.run("fleet", "plan", "--member", "teams/docs")).toMatchObject({ code: 0 });
  expect(await scenario.run("fleet", "plan", "-detailed-exitcode", ...others)).toMatchObject({ code: 2 });
});

it("gives each member what the fleet file names for it, and never another's key", async () => {
  scenario.write(
    "rnv.fleet.yaml",
    `members:
  shop: { dir: teams/shop, env: { RNV_API_KEY: SHOP_KEY, TOKEN: SHOP_TOKEN }, state: "state/\${member}.json" }
  docs: { dir: teams/docs, env: { RNV_API_KEY: DOCS_KEY } }
  late: { dir: teams/late, env: { TOKEN: LATE_TOKEN } }
  link: { dir: teams/link }
  none: { dir: teams/none }
`,
  );
  const spy =
    '        variables: { TOKEN: { fromEnv: TOKEN }, ALL: { fromCommand: ["sh", "-c", "env > seen.txt; echo x"], env: [SHOP_KEY, DOCS_KEY, SHOP_TOKEN, EXTRA] } }\n';
  for (const name of ["shop", "docs", "late"]) scenario.write(`teams/${name}/rnv.yaml`, manifest(name, spy));
  symlinkSync("/etc", join(scenario.folder, "teams/link"));
  const env = {
    RNV_API_KEY: "rnv_of_the_fleet",
    SHOP_KEY: embeddedApiKey,
    DOCS_KEY: "rnv_docs",
    SHOP_TOKEN: "canary-of-shop",
    EXTRA: "canary-of-the-job",
  };
  const run = await scenario.runWith({ env }, "fleet", "plan", "-json");
  const [docs, late, link, none, shop] = reportOf(run.stdout).members;
  expect(link).toMatchObject({ status: "failed", diagnostics: [{ code: "manifest.unreadable" }] });
  expect(none).toMatchObject({ status: "failed", diagnostics: [{ code: "manifest.not_found" }] });
  expect(shop).toMatchObject({ name: "shop", status: "changes" });
  expect(scenario.read("teams/shop/seen.txt")).not.toMatch(/canary|rnv_/);
  // Its source is handed to another member alone.
  expect(docs).toMatchObject({
    status: "failed",
    diagnostics: [{ code: "manifest.env_missing", hint: expect.stringContaining("env: { NAME: NAME }") }],
  });
  expect(late).toMatchObject({
    status: "failed",
    diagnostics: [{ code: "config.missing", summary: "late: the variable that env.TOKEN names is not set" }],
  });
  expect(run.stdout + run.stderr).not.toContain("canary");

  // A stranger's fleet file reads no name of its choice, and says no server that keys are sent to.
  const refused = await scenario.runWith({ env }, "fleet", "plan", "--untrusted");
  expect(refused).toMatchObject({ code: 4, stdout: "" });
  expect(refused.stderr).toContain("rnv.fleet.yaml:2:48");
  expect(refused.stderr).toContain("an untrusted fleet file reads SHOP_KEY of the environment");
  expect(refused.stderr).toContain("an untrusted fleet file names a state");
});

it("refuses a fleet whose members would have one state, and a file with mistakes, each at its place", async () => {
  scenario.write("a/rnv.yaml", manifest("A"));
  scenario.write("b/rnv.yaml", manifest("B"));
  const shared = await scenario.runWith({ env: { RNV_STATE: "s3://states/all.json" } }, "fleet", "plan");
  expect(shared).toMatchObject(failing(1, "a and b would have one state"));
  const outside = await scenario.runWith({ env: { RNV_STATE: "${member}.json" } }, "-chdir=a", "plan");
  expect(outside).toMatchObject(failing(1, "holds ${member}, and nothing"));
  // However the address comes to be the same: of members, of stages, behind a link.
  const states = "members:\n  a: { env: { RNV_STATE: A } }\n  b: { env: { RNV_STATE: B } }\n";
  scenario.write("rnv.fleet.yaml", states);
  const named = (a: string, b: string) =>
    scenario.runWith({ env: { RNV_STATE: "all.json", A: a, B: b } }, "fleet", "plan");
  expect(await named("one.json", "two.json")).toMatchObject({ code: 0 });
  symlinkSync("a", join(scenario.folder, "to-a"));
  for (const [a = "", b = ""] of [
    ["s3://states/all.json", "s3://states/all.json"],
    ["../all.json", join(scenario.folder, "to-a/../all.json")],
  ])
    expect(await named(a, b)).toMatchObject(failing(1, "a and b would have one state"));
  scenario.write("rnv.fleet.yaml", "members: { a: , to-a: }\n");
  expect(await scenario.run("fleet", "plan")).toMatchObject(failing(1, "a and to-a would have one state"));
  execFileSync("rm", [join(scenario.folder, "rnv.fleet.yaml")]);
  for (const name of ["a", "b"])
    scenario.write(
      `${name}/rnv.yaml`,
      `${manifest(name)}stages: { live: { state: "../\${stage.name}.json" } }\n`,
    );
  expect(await scenario.run("fleet", "plan")).toMatchObject(
    failing(1, "a@live and b@live would have one state"),
  );
  scenario.write("rnv.fleet.yaml", "members: { file: { dir: a/rnv.yaml } }\n");
  expect((await scenario.run("fleet", "plan")).stdout).toContain("file has no folder a/rnv.yaml");
  scenario.write(
    "rnv.fleet.yaml",
    "members:\n  a: { dri: a, stages: [x, x] }\n  b: { dir: ../b, timeout: soon }\nmember: {}\n",
  );
  const { code, stderr } = await scenario.run("fleet", "plan");
  expect(code).toBe(1);
  for (const told of [
    'members.a has no key "dri"',
    "rnv.fleet.yaml:2:8",
    "members.a.stages: a stage is named twice",
    "members.b.dir must be a folder below that of the fleet file",
    "members.b.timeout must be a duration: 90s, 10m",
    'the file has no key "member"',
  ])
    expect(stderr).toContain(told);
  const single = await scenario.run("fleet", "plan", "a/rnv.yaml");
  expect(single).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/cannot look through .*a\/rnv\.yaml: /),
  });
  const hurried = await scenario.run("fleet", "plan", "--member-timeout", "0s");
  expect(hurried).toMatchObject(failing(1, "Not a duration above zero"));
});

it("ends a member that takes too long, and goes on; shards together are the whole, and a report joins them", async () => {
  for (const name of ["a", "b", "c", "slow"]) scenario.write(`${name}/rnv.yaml`, manifest(name));
  scenario.write(
    "rnv.fleet.yaml",
    "members: { a: , b: , c: , slow: { env: { RNV_BASE_URL: SLOW_URL }, timeout: 1s } }\n",
  );
  const silent = await openSilent();
  const hung = await scenario.runWith({ env: { SLOW_URL: silent.url } }, "fleet", "plan", "-json");
  expect(hung.code).toBe(7);
  expect(statusesOf(hung.stdout)).toEqual({ a: "changes", b: "changes", c: "changes", slow: "timeout" });

  execFileSync("rm", [join(scenario.folder, "rnv.fleet.yaml")]);
  const ran = [];
  for (const index of [0, 1, 2]) {
    const env = { JOB_COMPLETION_INDEX: String(index), RNV_SHARDS: "3" };
    const run = await scenario.runWith({ env }, "fleet", "plan", "-json", "--report", `out/${index}`);
    ran.push(...reportOf(run.stdout).members.map(({ name }) => name));
  }
  expect(ran.sort()).toEqual(["a", "b", "c", "slow"]);
  const joined = await scenario.run("fleet", "report", "out", "-json", "-detailed-exitcode");
  expect(joined.code).toBe(2);
  expect(reportOf(joined.stdout)).toMatchObject({ counts: { changes: 4 }, exit_code: 2 });
  // What did not run does not look clean.
  execFileSync("rm", ["-r", join(scenario.folder, "out/1")]);
  expect(await scenario.run("fleet", "report", "out")).toMatchObject(
    printing(1, "hint: run shard 2 of 3 again"),
  );
  const unknown = await scenario.runWith({ env: { JOB_COMPLETION_INDEX: "0" } }, "fleet", "plan");
  expect(unknown).toMatchObject(failing(1, "RNV_SHARDS is not set"));
});

it("Ctrl-C ends every member once, and reports those that were not run", async () => {
  for (const name of ["a", "b", "c"]) scenario.write(`${name}/rnv.yaml`, manifest(name));
  const silent = await openSilent();
  const env = { RNV_BASE_URL: silent.url };
  const started = scenario.start({ env }, "fleet", "plan", "-json", "-parallelism", "2");
  // What one of them asks, the others wait for too.
  await until(() => silent.connections() >= 3);
  started.process.kill("SIGINT");
  const { code, stdout } = await started.ended;
  expect(code).toBe(130);
  expect(statusesOf(stdout)).toEqual({ a: "interrupted", b: "interrupted", c: "interrupted" });
  expect(reportOf(stdout).members.filter(({ seconds }) => seconds > 0)).toHaveLength(2);
  // What is said to someone at a terminal.
  expect(stdout).not.toContain("Ctrl-C");
  expect(processesBelow(scenario.folder)).toEqual([]);
});

it("a second Ctrl-C leaves at once, and takes all with it", async () => {
  scenario.write("a/rnv.yaml", waits("a"));
  const started = scenario.start({}, "fleet", "plan");
  await until(() => scenario.files().some(({ path }) => path.endsWith("started")));
  started.process.kill("SIGINT");
  started.process.kill("SIGTERM");
  expect((await started.ended).code).toBe(130);
  await until(() => processesBelow(scenario.folder).length === 0);
});

it("takes the members of which a file has changed in git, and prints the matrix of a workflow", async () => {
  for (const name of ["a", "b", "c"]) scenario.write(`${name}/rnv.yaml`, manifest(name));
  const token = "        variables: { TOKEN: { fromFile: ../common/token } }\n";
  scenario.write("c/rnv.yaml", manifest("c", token));
  scenario.write("common/token", "one\n");
  scenario.write("rnv.fleet.yaml", "members: { a: , b: , c: }\n");
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.com", ...args], {
      cwd: scenario.folder,
    });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
  git("checkout", "-qb", "branch");
  const matrix = async (...more: string[]) => {
    const { code, stdout, stderr } = await scenario.run(
      "fleet",
      "matrix",
      "--changed-since",
      "main",
      ...more,
    );
    return code === 0 ? (JSON.parse(stdout) as { include: object[] }).include : stderr;
  };
  expect(await matrix()).toEqual([]);
  expect(await scenario.run("fleet", "plan", "--changed-since", "main")).toMatchObject({
    code: 0,
    stdout: "Fleet: nothing to run.\n",
  });
  // A file that a manifest names counts, wherever it is.
  scenario.write("common/token", "two\n");
  expect(await matrix()).toEqual([{ member: "c", folder: "c" }]);
  scenario.write("common/token", "one\n");
  scenario.write("a/more.env", "X=1\n");
  expect(await matrix()).toEqual([{ member: "a", folder: "a" }]);
  git("add", "-A");
  git("commit", "-qm", "second");
  scenario.write("common/token", "two\n");
  expect(await matrix()).toEqual([
    { member: "a", folder: "a" },
    { member: "c", folder: "c" },
  ]);
  expect(await matrix("--shards", "5")).toEqual([{ shard: "1/2" }, { shard: "2/2" }]);
  scenario.write("rnv.fleet.yaml", "members: { c: , b: , a: }\n");
  expect(await matrix()).toHaveLength(3);
  expect(await scenario.run("fleet", "matrix", "--changed-since", "--output=x")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /git cannot compare with "--output=x".*Not a valid object name --output=x/s,
    ),
  });
});
