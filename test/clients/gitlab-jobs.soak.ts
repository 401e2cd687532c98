import { readFileSync } from "node:fs";
import { join } from "node:path";
import { textIn } from "../support/rows";
import { serveFront } from "./front";
import { type JobWorld, openJobWorld } from "./job-world";
import { describeWith, paths } from "./programs";

const component = join(__dirname, "..", "..", "examples", "gitlab", "templates", "rnv.yml");

/** The component as a project includes it for two stages, as examples/gitlab/README.md shows. */
const pipeline = textIn(join(__dirname, "gitlab-jobs.yaml"));
const manifest = textIn(join(__dirname, "gitlab-jobs-manifest.yaml"));
const overlay =
  "projects: { shop: { name: 'Shop ${stage.id}', services: { api: { name: 'api ${stage.id}' } } } }\n";

describeWith(["gitlab-ci-local", "node-24", "rsync"], () => {
  const closing: (() => unknown)[] = [];
  let variables: Readonly<Record<string, string>> = {};
  let jobs: JobWorld;

  beforeAll(async () => {
    const files = { "templates/rnv.yml": readFileSync(component, "utf8"), ".gitlab-ci.yml": pipeline };
    const texts = { ...files, "rnv.yaml": manifest, "preview.yaml": overlay };
    jobs = await openJobWorld("gitlab", "git@gitlab.example.com:o/r.git", texts);
    closing.push(jobs.close);
    const { host, settings, apiKey } = jobs;
    // GitLab at one address: its states, and the rest of its API.
    const isState = (path: string) => path.includes("/terraform/state/");
    const gitlab = await serveFront((path) => (isState(path) ? jobs.states.url : host.url));
    closing.push(gitlab.close);
    const CI_API_V4_URL = `${gitlab.url}/gitlab/api/v4`;
    variables = { ...host.environment, ...settings, CI_API_V4_URL, RNV_API_KEY: apiKey };
  }, 300_000);
  afterAll(() => Promise.all(closing.map((close) => close())));

  /** Runs the program for the pipeline of an event; returns what it prints. */
  async function play(event: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<string> {
    const given = Object.entries({ ...variables, ...event }).flatMap(([name, value]) => [
      "--variable",
      `${name}=${value}`,
    ]);
    const args = [String(paths["gitlab-ci-local"]), "--force-shell-executor", "--shell-isolation", "false"];
    const { code, output } = await jobs.run(String(paths["node-24"]), [...args, ...given, ...words]);
    if (code !== 0) throw new Error(output);
    return output;
  }
  const request = {
    CI_PIPELINE_SOURCE: "merge_request_event",
    CI_MERGE_REQUEST_IID: "7",
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "42",
  };
  const push = { CI_PIPELINE_SOURCE: "push", CI_COMMIT_BRANCH: "main", CI_DEFAULT_BRANCH: "main" };
  const jobsOf = async (event: Readonly<Record<string, string>>) =>
    [...(await play(event, "--list")).matchAll(/^(rnv-\S+).*?(on_success|manual)/gm)].map(
      ([, name, when]) => `${name} ${when}`,
    );

  it("has the jobs of both stages in each pipeline", async () => {
    expect(await jobsOf(request)).toEqual([
      "rnv-staging-plan on_success",
      "rnv-production-plan on_success",
      "rnv-production-preview on_success",
    ]);
    expect(await jobsOf(push)).toEqual(["rnv-staging-apply on_success", "rnv-production-apply manual"]);
    expect(await jobsOf({ CI_PIPELINE_SOURCE: "schedule" })).toEqual([
      "rnv-production-drift on_success",
      "rnv-production-sweep on_success",
    ]);
  }, 120_000);

  it("plans a merge request, applies what was reviewed, and looks for drift", async () => {
    const { host, emulator, states } = jobs;
    await play(request, "rnv-staging-plan");
    expect(host.comments.map(({ at, body }) => [at, body.includes("to add")])).toEqual([["pull 7", true]]);
    await play({ ...push, CI_COMMIT_SHA: jobs.merge() }, "rnv-staging-apply");
    expect(emulator.store.services().map(({ name }) => name.trim())).toEqual(["api"]);
    expect([...states.stored.keys()]).toEqual([expect.stringMatching(/\/terraform\/state\/rnv-staging$/)]);
    await play({ CI_PIPELINE_SOURCE: "schedule" }, "rnv-production-drift");
  }, 300_000);
});
