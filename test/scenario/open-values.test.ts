import { mainJob, pullRequestJob } from "../support/ci-jobs";
import { approve, eachScenario, failing } from "../support/cli";
import { serveCodeHost } from "../support/code-host-server";

const key = { RNV_STATE_KEY: "c".repeat(64) };

const manifest = (level: string, token = "opensesame-1234") => `projects:
  shop:
    services:
      api:
        kind: web
        configuration: { repository: "https://git.example.com/api", branch: main }
        variables: { LOG_LEVEL: ${level}, TOKEN: ${token} }
`;
const open = (text: string) => `{ value: "${text}", sensitive: false }`;

describe("a variable with sensitive: false", () => {
  const at = eachScenario();
  const run = (...args: readonly string[]) => at.runWith({ env: key }, ...args);
  const isQuiet = async () => expect(await run("plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
  beforeEach(async () => {
    at.write("rnv.yaml", manifest(open("verbose-output")));
    expect(await run("apply", ...approve)).toMatchObject({ code: 0 });
    at.settle();
    at.forget();
  });

  it("is shown as old -> new in every form of a plan, and its neighbour in none", async () => {
    await isQuiet();
    at.write("rnv.yaml", manifest(open("quiet-output"), "another-token-5678"));
    const text = await run("plan", "-out", "saved", "-html", "plan.html");
    expect(text.stdout).toContain('value  "verbose-output" -> "quiet-output"');
    const markdown = await run("plan", "--format", "markdown");
    expect(markdown.stdout).toContain('- value: "verbose-output"\n+ value: "quiet-output"');
    const shown = await run("show", "-json", "saved");
    const { resource_changes: changes } = JSON.parse(shown.stdout);
    const { change } = changes.find((one: { name: string }) => one.name === "shop.api.LOG_LEVEL");
    expect(change).toMatchObject({
      before: { value: "verbose-output" },
      after: { value: "quiet-output" },
      ...{ before_sensitive: {}, after_sensitive: {} },
    });
    expect(at.read("plan.html")).toContain("quiet-output");
    for (const output of [text.stdout, markdown.stdout, shown.stdout, at.read("plan.html"), at.read("saved")])
      expect(output).not.toMatch(/opensesame|another-token/);
    expect(await run("apply", ...approve, "saved")).toMatchObject({ code: 0 });
    await isQuiet();
    expect((await run("state", "show", "variable.shop.api.LOG_LEVEL")).stdout).toContain("quiet-output");
  });

  it("is shown in the comment on a pull request, and an apply of another value is refused", async () => {
    const server = await serveCodeHost("github");
    at.write("rnv.yaml", manifest(open("quiet-output")));
    const job = { ...pullRequestJob(at, server), ...key };
    expect(await at.runWith({ env: job }, "ci", "plan")).toMatchObject({ code: 0 });
    expect(server.comments[0]?.body).toContain('- value: "verbose-output"\n+ value: "quiet-output"');
    at.write("rnv.yaml", manifest(open("loud-output")));
    const merged = { ...mainJob(at, server, "a".repeat(40)), ...key };
    const refused = await at.runWith({ env: merged }, "ci", "apply", "--pull-request", "7");
    expect(refused).toMatchObject(failing(5, "variable.shop.api.LOG_LEVEL"));
  });

  it("stays readable in a text of the platform", async () => {
    const id = at.idOf();
    const [{ id: deployment = "" } = {}] = at.emulator.store.deployments(id);
    at.emulator.store.editDeployment(deployment, { error: "level verbose-output, token opensesame-1234" });
    const { stdout } = await run("deployments", "service.shop.api");
    expect(stdout).toContain("level verbose-output, token (sensitive)");
  });

  it("hides what the platform has after a change outside rnv", async () => {
    at.emulator.store.editVariable(at.variable("LOG_LEVEL")?.id ?? "", { value: "changed-outside" });
    const { stdout } = await run("plan");
    expect(stdout).toContain('value  (sensitive) -> "verbose-output"  # drift');
    expect(stdout).not.toContain("changed-outside");
  });

  it("is a secret again, in the state too, once the key is removed", async () => {
    at.write("rnv.yaml", manifest("verbose-output"));
    expect((await run("plan")).stdout).toContain('value  "verbose-output" -> (sensitive)');
    expect(await run("apply", ...approve)).toMatchObject({ code: 0 });
    expect(at.read(".rnv/state.json")).not.toContain("verbose-output");
    // The same value as a secret that was recorded: nothing to send.
    at.write("rnv.yaml", manifest(open("verbose-output")));
    await isQuiet();
  });

  it.each([
    ["{ value: { fromEnv: LEVEL }, sensitive: false }", "value must be text, not a mapping"],
    ['{ value: info, sensitive: "no" }', 'sensitive must be true or false, not the text "no"'],
    ['{ value: "${env.LEVEL_TOKEN}", sensitive: false }', "LEVEL_TOKEN looks like a secret"],
    ["{ sensitive: false }", "lacks value"],
  ])("is refused as %s", async (written, problem) => {
    at.write("rnv.yaml", manifest(written));
    const env = { ...key, LEVEL_TOKEN: "x".repeat(20) };
    expect(await at.runWith({ env }, "validate")).toMatchObject(failing(1, problem));
  });
});
