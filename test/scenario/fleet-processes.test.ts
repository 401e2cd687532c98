import { embeddedApiKey } from "../../src/emulator/emulator";
import { fleetReportSchema } from "../../src/report/fleet-report";
import { eachScenario } from "../support/cli";
import { openSilent, processesBelow, until } from "../support/silent-service";
import { itInSoak, shareOf } from "../support/soak";

const manifest = (name: string, more = "") =>
  `projects:\n  ${name}:\n    services:\n      ${name}-api:\n        kind: web\n        configuration: { repository: "https://git.example.com/${name}" }\n${more}`;

const scenario = eachScenario();

const writeMembers = (...names: readonly string[]): void => {
  for (const name of names) scenario.write(`${name}/rnv.yaml`, manifest(name));
};
const statusesOf = (stdout: string) =>
  Object.fromEntries(
    fleetReportSchema.parse(JSON.parse(stdout)).members.map(({ name, status }) => [name, status]),
  );
const processes = (pattern?: RegExp) => processesBelow(scenario.folder, pattern);

it("reads a workspace once for all members with one key, and shows what each shows alone", async () => {
  const names = ["a", "b", "c", "d"];
  writeMembers(...names);
  await scenario.run("fleet", "apply", "-auto-approve");
  scenario.emulator.store.editConfiguration(scenario.idOf("c-api"), {
    repository: "https://git.example.com/other",
  });
  scenario.settle();
  for (const verb of shareOf(["drift", "plan"], 2)) {
    scenario.forget();
    const together = await scenario.run("fleet", verb, "-json");
    expect(statusesOf(together.stdout)).toEqual({
      ...{ a: "clean", b: "clean", d: "clean" },
      c: verb === "plan" ? "changes" : "drift",
    });
    const shared = scenario.requests("all").filter((request) => !request.includes("/services/"));
    expect(shared.sort()).toEqual([
      "GET /catalog",
      "GET /workspaces/ID/canvas",
      "GET /workspaces/ID/projects",
    ]);
  }
  // With a key of its own, a member is no part of that.
  scenario.write(
    "rnv.fleet.yaml",
    `members:\n  a:\n  b:\n  c: { env: { RNV_API_KEY: OWN_KEY } }\n  d: { env: { RNV_API_KEY: WRONG_KEY } }\n`,
  );
  scenario.forget();
  const env = { OWN_KEY: embeddedApiKey, WRONG_KEY: "rnv_wrong" };
  const apart = await scenario.runWith({ env }, "fleet", "drift", "-json");
  expect(statusesOf(apart.stdout)).toEqual({ a: "clean", b: "clean", c: "drift", d: "failed" });
});

it("masks the secrets of each member in what all of them read", async () => {
  writeMembers("a", "b");
  await scenario.run("fleet", "apply", "-auto-approve");
  scenario.emulator.store.editConfiguration(scenario.idOf("b-api"), {
    startCommand: "run --with canary-of-b",
  });
  scenario.write(
    "b/rnv.yaml",
    manifest(
      "b",
      "          startCommand: run\n        variables: { TOKEN: { fromEnv: B_TOKEN } }\n",
    ).replace(/configuration: \{ (.*) \}\n/, "configuration:\n          $1\n"),
  );
  scenario.write("rnv.fleet.yaml", "members:\n  a:\n  b: { env: { TOKEN: B_TOKEN, B_TOKEN: B_TOKEN } }\n");
  const run = await scenario.runWith({ env: { B_TOKEN: "canary-of-b" } }, "fleet", "plan", "-json");
  expect(statusesOf(run.stdout)).toEqual({ a: "clean", b: "changes" });
  expect(run.stdout + run.stderr).not.toContain("canary");
});

itInSoak("runs the members again alone that hang or break their process; none is lost", async () => {
  writeMembers("a", "b", "c", "d");
  const silent = await openSilent();
  const env = { RNV_BASE_URL: silent.url };
  const started = scenario.start({ env }, "fleet", "plan", "-json", "-parallelism", "2");
  await until(() => silent.connections() >= 3);
  const [shared = 0, ...others] = processes(/fleet members/);
  expect(others).toEqual([]);
  expect(shared).toBeGreaterThan(0);
  process.kill(shared, "SIGKILL");
  // The two that had begun, each in a process of its own.
  await until(() => processes(/fleet members/).length === 2);
  started.process.kill("SIGINT");
  const { code, stdout } = await started.ended;
  expect(code).toBe(130);
  expect(Object.keys(statusesOf(stdout))).toEqual(["a", "b", "c", "d"]);

  const late = await scenario.runWith({ env }, "fleet", "drift", "-json", "--member-timeout", "1s");
  expect(late.code).toBe(7);
  expect(statusesOf(late.stdout)).toEqual({ a: "timeout", b: "timeout", c: "timeout", d: "timeout" });
});

itInSoak(
  "ends a member whose time is over, and no other that shares its process and what it reads",
  async () => {
    writeMembers("a", "b");
    scenario.write("rnv.fleet.yaml", "members:\n  a: { timeout: 1s }\n  b:\n");
    const wait = () => new Promise<void>((resolve) => setTimeout(resolve, 3_000));
    let projects = 0;
    scenario.fail(({ method, path }) => {
      const isFirst = method === "GET" && path.endsWith("/projects") && ++projects === 1;
      return isFirst ? { kind: "hook", when: "before", run: wait } : undefined;
    });
    const { stdout } = await scenario.run("fleet", "plan", "-json");
    scenario.fail();
    expect(statusesOf(stdout)).toEqual({ a: "timeout", b: "changes" });
    expect(projects).toBe(1);
  },
);

it.each(shareOf(["apply", "plan", "drift"], 3))(
  "leaves no process of fleet %s behind after a SIGKILL",
  async (verb) => {
    writeMembers("a", "b");
    const silent = await openSilent();
    const options = verb === "apply" ? ["-auto-approve"] : [];
    const started = scenario.start({ env: { RNV_BASE_URL: silent.url } }, "fleet", verb, ...options);
    await until(() => silent.connections() >= 3);
    expect(processes()).not.toEqual([]);
    started.process.kill("SIGKILL");
    await started.ended;
    await until(() => processes().length === 0);
  },
);

it("ends what is in flight of an apply that is interrupted, and the next apply goes on", async () => {
  writeMembers("a", "b");
  const started = scenario.start({}, "fleet", "apply", "-auto-approve", "-json", "-parallelism", "1");
  let creates = 0;
  const run = async (): Promise<void> => {
    started.process.kill("SIGINT");
    await new Promise((resolve) => setTimeout(resolve, 300));
  };
  scenario.fail(({ method }) => {
    creates += method === "POST" ? 1 : 0;
    return creates === 1 ? { kind: "hook", when: "after", run } : undefined;
  });
  const { code, stdout } = await started.ended;
  scenario.fail();
  expect(code).toBe(130);
  expect(statusesOf(stdout)).toMatchObject({ b: "interrupted" });
  expect(processes()).toEqual([]);
  const next = await scenario.run("fleet", "apply", "-auto-approve", "-json");
  expect(statusesOf(next.stdout)).toEqual({ a: "applied", b: "applied" });
  const names = scenario.emulator.store.projects().map(({ name }) => name);
  expect(names.sort()).toEqual(["a", "b"]);
});
