import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostTokens } from "../support/code-host-server";
import { type JobWorld, openJobWorld } from "./job-world";
import { describeWith, paths } from "./programs";

const read = (file: string) => readFileSync(join(__dirname, "..", "..", "examples", "github", file), "utf8");
const action = read("action.yml");
const workflows = ["plan", "apply", "drift"].map((name) => [
  `.github/workflows/${name}.yml`,
  read(`workflows/${name}.yml`),
]);
const manifest = (size: string) => ({
  "rnv.yaml": `stages: { production: {} }
projects:
  shop:
    services:
      api: { kind: web, configuration: { repository: https://git.example.com/shop }, variables: { SIZE: "${size}" } }
`,
});
/** Stands for an action of GitHub, which is not fetched. */
const stub = "runs: { using: composite, steps: [{ run: 'true', shell: bash }] }\n";
const words = (option: string, of: object) =>
  Object.entries(of).flatMap(([name, value]) => [option, `${name}=${value}`]);

describeWith(["act", "node-24"], () => {
  let jobs: JobWorld;
  beforeAll(async () => {
    const files = {
      ...Object.fromEntries(workflows),
      ".github/actions/rnv/action.yml": action,
      ...manifest("1"),
    };
    jobs = await openJobWorld("github", "https://github.com/o/r.git", files);
    mkdirSync(join(jobs.folder, "stub"));
    writeFileSync(join(jobs.folder, "stub", "action.yml"), stub);
  }, 300_000);
  afterAll(() => jobs.close());

  /** Plays the workflow of an event; returns its exit code and its output. */
  function play(file: string, event: string, payload: object) {
    const { folder, host, states, apiKey, run, settings } = jobs;
    const { RNV_STATE_KEY, ...vars } = settings;
    writeFileSync(join(folder, "event.json"), JSON.stringify(payload));
    const fetched = [action, ...workflows.map(([, text]) => text)]
      .join()
      .match(/actions\/(setup-node|upload-artifact)@\w+/g);
    const secrets = {
      RNV_READ_KEY: apiKey,
      RNV_WRITE_KEY: apiKey,
      RNV_STATE_KEY,
      GITHUB_TOKEN: hostTokens.github,
    };
    return run(String(paths.act), [
      ...[event, "-W", `.github/workflows/${file}.yml`, "-e", join(folder, "event.json")],
      ...["-P", "ubuntu-latest=-self-hosted", "--no-cache-server", "--action-offline-mode", "--pull=false"],
      ...["--action-cache-path", join(folder, "cache"), ...words("--env", { GITHUB_API_URL: host.url })],
      ...(fetched ?? []).flatMap((name) => ["--local-repository", `${name}=${join(folder, "stub")}`]),
      ...words("--secret", secrets),
      ...words("--var", { ...vars, RNV_STATE: `${states.url}/shop` }),
    ]);
  }
  const pull = (from: string) => {
    const [base, head] = ["o/r", from].map((name) => ({ repo: { full_name: name } }));
    return { pull_request: { number: 7, base, head: { ...head, sha: jobs.git("rev-parse", "HEAD") } } };
  };
  const values = () => {
    const { services, variables, variableValue } = jobs.emulator.store;
    return services().flatMap(({ id }) => variables(id).map((one) => variableValue(one.id)));
  };

  it("checks what a fork proposes, with no secret", async () => {
    const output = expect.stringContaining("valid in each stage: production");
    expect(await play("plan", "pull_request", pull("stranger/r"))).toMatchObject({ code: 0, output });
    expect(jobs.host.seen).toEqual([]);
  }, 120_000);

  it("plans a pull request, compares it in a queue, and applies what was reviewed", async () => {
    expect(await play("plan", "pull_request", pull("o/r"))).toMatchObject({ code: 0 });
    expect(jobs.host.comments.map(({ at }) => at)).toEqual(["pull 7"]);
    const queued = { merge_group: { head_ref: `refs/heads/gh-readonly-queue/main/pr-7-${"a".repeat(40)}` } };
    expect(await play("plan", "merge_group", queued)).toMatchObject({ code: 0 });
    jobs.merge();
    expect(await play("apply", "push", {})).toMatchObject({ code: 0 });
    expect(values()).toEqual(["1"]);
  }, 300_000);

  it("refuses what was not reviewed, and applies it by hand", async () => {
    jobs.commit(manifest("2"));
    expect(await play("plan", "pull_request", pull("o/r"))).toMatchObject({ code: 0 });
    jobs.commit(manifest("3"));
    jobs.merge();
    const { output } = await play("apply", "push", {});
    const [, digest] = /7 --stage production --expect-digest ([0-9a-f]{64})/.exec(output) ?? [];
    expect([output, values()]).toEqual([expect.stringContaining("exit status 5"), ["1"]]);
    const inputs = { digest, "pull-request": "7" };
    expect(await play("apply", "workflow_dispatch", { inputs })).toMatchObject({ code: 0 });
    expect(values()).toEqual(["3"]);
  }, 300_000);

  it("keeps an issue for drift until it is gone", async () => {
    const { services, renameService } = jobs.emulator.store;
    const rename = (name: string) => renameService(services()[0]?.id ?? "", name);
    rename("other");
    expect(await play("drift", "schedule", {})).toMatchObject({
      output: expect.stringContaining("exit status 2"),
    });
    expect(jobs.host.issues).toMatchObject([{ isOpen: true }]);
    rename("api");
    expect(await play("drift", "schedule", {})).toMatchObject({ code: 0 });
    expect(jobs.host.issues).toMatchObject([{ isOpen: false }]);
  }, 300_000);
});
