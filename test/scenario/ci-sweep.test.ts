import { isKeptBy } from "../../src/cli/verbs/ci";
import { openScenario, type Scenario } from "../support/cli";
import { type CodeHostServer, hostTokens, serveCodeHost } from "../support/code-host-server";
import { shareOf } from "../support/soak";

const manifest = `stages:
  production: {}
  preview: { each: true, disposable: true }
projects: { shop: { name: "shop-\${stage.name}-\${stage.id}" } }
`;

it("takes the IDs 12, pr-12 and mr-12 for pull requests, and keeps every other instance", () => {
  const keeps = isKeptBy([{ number: 12 }, { number: 7 }]);
  const kept = ["12", "pr-12", "mr-7", "demo2", "12-web", "2-legs", "007", "pr-007", "v2", "pr-1-b"];
  expect(kept.map((id) => [id, keeps(id)])).toEqual(kept.map((id) => [id, true]));
  const gone = ["1", "2", "120", "pr-1", "mr-27"];
  expect(gone.map((id) => [id, keeps(id)])).toEqual(gone.map((id) => [id, false]));
});

describe.each(shareOf(["github", "gitlab"] as const, 2))("rnv ci sweep on %s", (platform) => {
  let scenario: Scenario;
  let host: CodeHostServer;
  const names = () => scenario.emulator.store.projects().map(({ name }) => name);
  const sweep = (...args: readonly string[]) =>
    scenario.runWith({ env: { ...host.environment } }, "ci", "sweep", ...args);
  const preview = ["--stage", "preview"];
  const pull = (number: number, isOpen: boolean) => ({
    ...{ number, isOpen, branch: `b${number}`, commit: "a".repeat(40), commits: [] },
  });
  beforeAll(async () => {
    host = await serveCodeHost(platform);
    scenario = await openScenario();
    scenario.write("rnv.yaml", manifest);
    for (const id of ["12", "pr-13", "14", "demo2"]) await scenario.applies("--stage", `preview/${id}`);
    // Two pages of them.
    for (let number = 200; number < 320; number += 1) host.pulls.push(pull(number, true));
    host.pulls.push(pull(12, false), pull(13, true), pull(14, false));
  });
  afterAll(async () => {
    await scenario.close();
    await host.close();
  });
  const all = ["shop-preview-12", "shop-preview-pr-13", "shop-preview-14", "shop-preview-demo2"];

  it("sweeps nothing where the list cannot be read to its end, or there is no host", async () => {
    scenario.forget();
    for (const refuse of [
      () => ({ status: 403, body: '{"message":"Resource not accessible by integration"}' }),
      () => ({ status: 200, body: "<html>login</html>" }),
      () => ({ status: 200, body: '{"message":"not a list"}' }),
      ({ path }: { path: string }) => (/[?&]page=2/.test(path) ? { status: 404, body: "{}" } : undefined),
    ]) {
      host.refuse = refuse;
      const ended = await sweep(...preview);
      expect({ ...ended, stdout: ended.stdout }).toMatchObject({ code: 1, stdout: "" });
      for (const token of Object.values(hostTokens)) expect(ended.stderr).not.toContain(token);
    }
    host.refuse = undefined;
    const nowhere = await scenario.run("ci", "sweep", ...preview);
    expect(nowhere).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("there is no code host to ask"),
    });
    const without = await scenario.runWith(
      { env: { ...host.environment, GITHUB_TOKEN: "", RNV_GITLAB_TOKEN: "" } },
      ...["ci", "sweep", ...preview],
    );
    expect(without).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("there is no code host to ask"),
    });
    expect([scenario.requests(), names()]).toEqual([[], all]);
  });

  it("says what would go, and then destroys the previews of closed pull requests alone", async () => {
    const dry = await sweep(...preview, "--dry-run");
    expect(dry).toMatchObject({ code: 0, stdout: "Would destroy:\n  preview/12\n  preview/14\n" });
    expect(names()).toEqual(all);
    const ended = await sweep(...preview, "--json");
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      swept: [{ stage: "preview/12" }, { stage: "preview/14" }],
      kept: ["preview/demo2", "preview/pr-13"],
    });
    expect(names()).toEqual(["shop-preview-pr-13", "shop-preview-demo2"]);
    expect(await sweep(...preview)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Nothing to sweep"),
    });
  });

  it("a stage that is not disposable is refused before the host is asked", async () => {
    host.seen.length = 0;
    expect(await sweep("--stage", "production")).toMatchObject({ code: 4 });
    expect(host.seen).toEqual([]);
  });
});
