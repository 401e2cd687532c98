import { approve, failing, oneScenario, printing } from "../support/cli";
import { type CodeHostServer, hostTokens, serveCodeHost } from "../support/code-host-server";
import { shareOf } from "../support/soak";

const manifest = `stages:
  production: {}
  preview: { each: true, disposable: true }
projects: { shop: { name: "shop-\${stage.name}-\${stage.id}" } }
`;

describe.each(shareOf(["github", "gitlab"] as const, 2))("rnv ci sweep on %s", (platform) => {
  const scenario = oneScenario();
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
    scenario.write("rnv.yaml", manifest);
    for (const id of ["12", "pr-13", "mr-14", "300", "demo2", "007", "pr-1-b", "901"])
      expect(
        await scenario.runWith(
          { env: { ...host.environment } },
          "apply",
          "--stage",
          `preview/${id}`,
          ...approve,
        ),
      ).toMatchObject({ code: 0 });
    // Two pages of them.
    for (let number = 200; number < 320; number += 1) host.pulls.push(pull(number, true));
    // There is no number 901.
    host.pulls.push(pull(12, false), pull(13, true), pull(14, false));
  });
  const named = (...ids: string[]) => ids.map((id) => `shop-preview-${id}`);
  const all = named("12", "pr-13", "mr-14", "300", "demo2", "007", "pr-1-b", "901");

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
    const refused = failing(1, "there is no code host to ask");
    expect(await scenario.run("ci", "sweep", ...preview)).toMatchObject(refused);
    const without = await scenario.runWith(
      { env: { ...host.environment, GITHUB_TOKEN: "", RNV_GITLAB_TOKEN: "" } },
      ...["ci", "sweep", ...preview],
    );
    expect(without).toMatchObject(refused);
    expect([scenario.requests(), names()]).toEqual([[], all]);
  });

  it("says what would go, and then destroys the previews of closed pull requests alone", async () => {
    const dry = await sweep(...preview, "--dry-run");
    expect(dry).toMatchObject({ code: 0, stdout: "Would destroy:\n  preview/12\n  preview/mr-14\n" });
    expect(names()).toEqual(all);
    // One that is closed while the list is read moves number 300 from the second page to the first.
    host.refuse = ({ path }) => void (/[?&]page=2/.test(path) && host.pulls.shift());
    const ended = await sweep(...preview, "--json");
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      swept: [{ stage: "preview/12" }, { stage: "preview/mr-14" }],
      kept: ["007", "300", "901", "demo2", "pr-1-b", "pr-13"].map((id) => `preview/${id}`),
    });
    expect(names()).toEqual(named("pr-13", "300", "demo2", "007", "pr-1-b", "901"));
    expect(await sweep(...preview)).toMatchObject(printing(0, "Nothing to sweep"));
  });

  it("leaves a state that names no repository, until it is claimed", async () => {
    expect(names()).toHaveLength(6);
    await scenario.applies("--stage", "preview/12");
    const at = { env: { ...host.environment } };
    for (const words of [
      ["ci", "sweep"],
      ["stage", "sweep", "--keep", "99", "--older-than", "0s", ...approve],
      ["ci", "sweep", "--dry-run"],
    ])
      expect(await scenario.runWith(at, ...words, ...preview)).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/12\/state\.json names no repository.*claim --stage preview\/12\n/s),
      });
    expect(names()).toContain("shop-preview-12");
    const { stdout } = await sweep(...preview, "--dry-run", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ would_sweep: [], refused: ["preview/12"] });
    const claimed = await scenario.runWith(at, "state", "claim", "--stage", "preview/12");
    expect(claimed).toMatchObject({ code: 0 });
    expect(await sweep(...preview)).toMatchObject(printing(0, "Swept 1 instance"));
  });

  it("a stage that is not disposable is refused before the host is asked", async () => {
    host.seen.length = 0;
    expect(await sweep("--stage", "production")).toMatchObject({ code: 4 });
    expect(host.seen).toEqual([]);
  });
});
