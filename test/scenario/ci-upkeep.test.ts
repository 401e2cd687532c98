import { join } from "node:path";
import { pullWords } from "../../src/api/code-host/code-host";
import { approve, eachScenario, failing } from "../support/cli";
import { type CodeHostServer, serveCodeHost } from "../support/code-host-server";
import { shareOf } from "../support/soak";

const shop = (branch: string, name = "api", more = "") =>
  `projects:\n  shop:\n    services:\n      ${name}: { name: api, kind: web, configuration: { repository: "https://git.example.com/shop", branch: ${branch} } }\n${more}`;

/** Jobs beside those of pull requests: first states, drift, repairs and history. */
describe.each(shareOf(["github", "gitlab"] as const, 2))("a job on %s", (platform) => {
  const scenario = eachScenario();
  let server: CodeHostServer;
  beforeEach(async () => {
    server = await serveCodeHost(platform);
    scenario.write("output", "");
  });
  const env = (more: Record<string, string> = {}) => ({
    ...server.environment,
    ...(platform === "github" && { GITHUB_OUTPUT: join(scenario.folder, "output") }),
    ...more,
  });
  const job = (more: Record<string, string>, ...args: string[]) =>
    scenario.runWith({ env: env(more) }, ...args);
  const edit = (branch: string) => {
    scenario.emulator.store.editConfiguration(scenario.idOf(), { branch });
  };

  it("creates no state that ends with its runner, and sends no request before it says so", async () => {
    const hosted = { RNV_BASE_URL: "https://rnv.invalid/api/v1" };
    const refused = failing(4, "error[guard.local_state]");
    const id = "6f1c0000-0000-4000-8000-000000000001";
    expect(await job(hosted, "init", "--from", "workspace")).toMatchObject(refused);
    scenario.write("rnv.yaml", shop("main"));
    expect(await job(hosted, "apply", ...approve)).toMatchObject(refused);
    expect(await job(hosted, "ci", "apply", "--pull-request", "7", "--no-comment")).toMatchObject(refused);
    expect(await job(hosted, "import", "service.shop.api", id)).toMatchObject(refused);
    expect(scenario.files().map(({ path }) => path)).not.toContain(".rnv/state.json");
    // Where something says where it is, the host is asked.
    for (const said of [{ ...hosted, RNV_STATE: "kept/state.json" }, hosted]) {
      const flags = said === hosted ? ["--state", "kept/state.json"] : [];
      const asked = await job(said, "apply", ...approve, "--timeout", "1s", ...flags);
      expect(asked.stderr).not.toContain("guard.local_state");
      expect(asked.code).toBe(1);
    }
    // A service of this machine ends with it, too.
    expect(await job({}, "apply", ...approve)).toMatchObject({ code: 0 });
  });

  it("reports drift as unknown where nothing could be read, and unused entries like drift does", async () => {
    scenario.write("rnv.yaml", shop("main"));
    await job({}, "apply", ...approve);
    const unused = "nothing of configuration.branch of service.shop.* has drifted";
    scenario.write(
      "rnv.drift.yaml",
      "accepted:\n  - { address: service.shop.*, attribute: configuration.branch, until: 2099-01-01, reason: later }\n",
    );
    for (const words of [["drift"], ["ci", "drift", "--no-issue"]])
      expect([words, await job({}, ...words)]).toMatchObject([
        words,
        { code: 0, stderr: expect.stringContaining(unused) },
      ]);
    expect(await job({ RNV_API_KEY: "rnv_wrong" }, "ci", "drift")).toMatchObject({ code: 1 });
    scenario.write("rnv.drift.yaml", "unknown: []\n");
    expect(await job({}, "ci", "drift")).toMatchObject({ code: 1 });
    const outputs = scenario.read("output");
    const unread = "drift=unknown\nexitcode=1\n";
    if (platform === "github") expect(outputs).toBe(`drift=false\nexitcode=0\n${unread}${unread}`);
  });

  it("repairs drift behind an approval, and nothing else; the issue says so", async () => {
    scenario.write("rnv.yaml", shop("main"));
    await job({}, "apply", ...approve);
    edit("hotfix");
    expect(await job({}, "ci", "drift")).toMatchObject({ code: 2 });
    expect(server.issues[0]?.body).toContain(`merge a ${pullWords[platform]}; its apply repairs it`);
    expect(server.issues[0]?.body).toContain("`rnv ci apply --repair`");
    scenario.forget();
    scenario.write("rnv.yaml", shop("release"));
    const more = await job({}, "ci", "apply", "--repair");
    expect(more).toMatchObject(failing(5, "does more than repair drift"));
    expect(more.stderr).toContain(`with a ${pullWords[platform]} first`);
    scenario.write("rnv.yaml", "projects: { shop: {} }\n");
    expect((await job({}, "ci", "apply", "--repair")).code).not.toBe(0);
    expect(scenario.requests()).toEqual([]);
    scenario.write("rnv.yaml", shop("main"));
    expect(await job({}, "ci", "apply", "--repair")).toMatchObject({ code: 0 });
    await scenario.isQuiet();
  });

  it("repairs neither what is removed nor what deploys another commit, also where the service is gone", async () => {
    const manifest = (api: string, more = "") =>
      `projects: { shop: { services: { api: { kind: web, ${api} }${more} } } }\n`;
    const pinned = `configuration: { repository: "https://git.example.com/shop", replicas: 1 }, deploy: { commit: ${"a".repeat(40)} }`;
    const old = ", old: { kind: web, deploy: { when: never }, lifecycle: { onRemove: archive } }";
    const repair = () => job({}, "ci", "apply", "--repair");
    await scenario.applied(manifest(pinned, old));
    const unpinned = pinned.replace(/, deploy.*/, "");
    const repinned = pinned.replace("aaa", "bbb");
    const refuses = async (...edited: string[]) => {
      scenario.settle();
      scenario.forget();
      for (const text of edited) {
        scenario.write("rnv.yaml", text);
        expect([text, await repair()]).toMatchObject([text, failing(5, "does more than repair drift")]);
      }
      expect(scenario.requests()).toEqual([]);
    };
    const edits = [unpinned, repinned, pinned.replace("replicas: 1", "replicas: 5")];
    await refuses(manifest(pinned), ...edits.map((text) => manifest(text, old)));
    scenario.emulator.store.deleteServiceNow(scenario.idOf("api"));
    await refuses(...edits.map((text) => manifest(text, old)));
    scenario.write("rnv.yaml", manifest(pinned, old));
    expect(await repair()).toMatchObject({ code: 0 });
    await scenario.isQuiet();
  });
});
