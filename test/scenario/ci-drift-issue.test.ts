import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { failing, oneScenario } from "../support/cli";
import { type CodeHostServer, hostTokens, serveCodeHost } from "../support/code-host-server";
import { textIn } from "../support/rows";
import { shareOf } from "../support/soak";

const manifest = textIn(join(__dirname, "ci-drift-issue.yaml"));

describe.each(shareOf(["gitlab", "github"] as const, 2))("the issue of a drift job on %s", (platform) => {
  const scenario = oneScenario();
  let host: CodeHostServer;
  const job = (more: Readonly<Record<string, string>> = {}, ...args: readonly string[]) =>
    scenario.runWith({ env: { ...host.environment, ...more } }, "ci", "drift", "--all-stages", ...args);
  const edit = (branch: string, stage = "production") => {
    const { store } = scenario.emulator;
    const project = store.projects().find(({ name }) => name === `Shop ${stage}`)?.id;
    const id = store.services().find(({ projectId }) => projectId === project)?.id ?? "";
    store.editConfiguration(id, { branch });
  };
  const writes = () =>
    host.seen.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`);
  beforeAll(async () => {
    host = await serveCodeHost(platform);
    scenario.write("rnv.yaml", manifest);
    for (const stage of ["production", "staging"]) await scenario.applies("--stage", stage);
  });
  beforeEach(() => {
    host.seen.length = 0;
  });

  it("is not opened by a clean run", async () => {
    expect(await job()).toMatchObject({ code: 0, stderr: "" });
    expect(writes()).toEqual([]);
    // One list for all stages: a token has few requests an hour.
    expect(host.seen.filter(({ path }) => path.includes("/issues?"))).toHaveLength(1);
  });

  it("is opened for the stage that has drifted, rewritten while it stands, and never doubled", async () => {
    edit("evil @everyone");
    expect(await job()).toMatchObject({ code: 2 });
    const [issue] = host.issues;
    expect(host.issues).toHaveLength(1);
    expect(issue).toMatchObject({
      title: "Drift of rnv.yaml: production",
      isOpen: true,
      labels: ["rnv-drift"],
    });
    expect(issue?.body).toContain("<!-- rnv drift manifest=rnv.yaml stack= stage=production -->");
    expect(issue?.body).toContain("Drift: 1 changed outside rnv.");
    expect(issue?.body).toContain("This issue closes when no drift is found.");
    edit("worse");
    host.issues.push({
      ...(issue as never as (typeof host.issues)[0]),
      number: 5,
      author: "mallory",
    } as never);
    host.seen.length = 0;
    const again = await job({}, "--report", "out");
    expect(again).toMatchObject({ code: 2 });
    expect(host.issues.filter(({ author }) => author !== "mallory")).toHaveLength(1);
    expect(issue?.body).toContain("worse");
    expect(issue?.body).not.toContain("@everyone");
    expect(writes()).toHaveLength(1);
    expect(host.issues.find(({ author }) => author === "mallory")?.body).not.toContain("worse");
    for (const text of [again.stdout, again.stderr, ...scenario.files().map((file) => file.text)])
      for (const token of Object.values(hostTokens)) expect(text).not.toContain(token);
  });

  it("stays as it is while its stage cannot be looked at, in the job of a pull request, and where it is not wanted", async () => {
    const path = join(scenario.folder, ".rnv/production/state.json");
    const state = readFileSync(path, "utf8");
    writeFileSync(path, "{ broken");
    expect(await job()).toMatchObject({ code: 1 });
    writeFileSync(path, state);
    expect(await job({}, "--no-issue")).toMatchObject({ code: 2 });
    scenario.write("event.json", JSON.stringify({ pull_request: { number: 7 } }));
    const pull: Readonly<Record<string, string>> =
      platform === "github"
        ? { GITHUB_EVENT_NAME: "push", GITHUB_EVENT_PATH: join(scenario.folder, "event.json") }
        : { CI_MERGE_REQUEST_IID: "7" };
    expect(await job(pull)).toMatchObject({ code: 2 });
    expect(writes()).toEqual([]);
  });

  it("a host that refuses, and a token that is missing, are told and do not change how the job ends", async () => {
    host.refuse = ({ method }) => (method === "GET" ? undefined : { status: 403, body: '{"message":"no"}' });
    const refused = await job();
    host.refuse = undefined;
    expect(refused).toMatchObject(failing(2, "warning["));
    const without = await job({ GITHUB_TOKEN: "", RNV_GITLAB_TOKEN: "" });
    expect(without).toMatchObject(failing(2, "is not set"));
  });

  it("is closed with a comment when the drift is gone, and another is opened when it comes back", async () => {
    const [issue] = host.issues;
    edit("main");
    expect(await job()).toMatchObject({ code: 0 });
    expect(issue?.isOpen).toBe(false);
    expect(host.comments).toMatchObject([
      { at: `issue ${issue?.number}`, body: expect.stringContaining("No drift as of ") },
    ]);
    host.seen.length = 0;
    expect(await job()).toMatchObject({ code: 0 });
    expect(writes()).toEqual([]);
    edit("again");
    expect(await job()).toMatchObject({ code: 2 });
    expect(host.issues.filter(({ author, isOpen }) => isOpen && author !== "mallory")).toHaveLength(1);
  });

  it("is named in the outputs and the summary of the job", async () => {
    const files = { GITHUB_OUTPUT: "outputs", GITHUB_STEP_SUMMARY: "summary.md" };
    expect(await job(files)).toMatchObject({ code: 2 });
    expect(scenario.read("outputs")).toBe("drift=true\nexitcode=2\n");
    expect(scenario.read("summary.md")).toContain(
      "- `production` drift: 1 changed outside rnv (3 resources)",
    );
    scenario.write("rnv.yaml", manifest.replace("  production: {}\n", ""));
    // The issue of another stage cannot be opened, which stops nothing.
    edit("other", "staging");
    host.refuse = ({ method, path }) =>
      method === "POST" && path.endsWith("/issues") ? { status: 403, body: '{"message":"no"}' } : undefined;
    expect(await job()).toMatchObject({ code: 2 });
    host.refuse = undefined;
    expect(host.issues.filter(({ author, isOpen }) => isOpen && author !== "mallory")).toEqual([]);
    expect(host.comments.at(-1)?.body).toContain("This stage is not declared any more.");
  });
});
