import { join } from "node:path";
import { pullWords } from "../../src/api/code-host/code-host";
import { editManifest } from "../../src/manifest/write";
import { resourceTypes } from "../../src/resources";
import { eachScenario, failing } from "../support/cli";
import { serveCodeHost } from "../support/code-host-server";
import { textIn } from "../support/rows";

const tested = "1".repeat(40);
const newer = "2".repeat(40);
const manifest = textIn(join(__dirname, "promote.yaml"));
const overlay = (api: string, web = api) => textIn(join(__dirname, "promote-stage.yaml"), { api, web });
const inStaging = ["--stage", "staging"] as const;
const fromStaging = ["--from", "staging"] as const;

describe("rnv promote", () => {
  // What is promoted has to be "ready", the word seen.
  const scenario = eachScenario({ readings: { statusWords: "seen" } });

  beforeEach(async () => {
    scenario.write("rnv.yaml", manifest);
    scenario.write("staging.yaml", overlay(tested));
    scenario.write("production.yaml", "# Production.\nprojects: { shop: { color: '#2f6fed' } }\n");
    await scenario.applies(...inStaging);
    scenario.settle();
    scenario.forget();
  });

  it("pins what runs in one stage in the overlay of the other, and keeps its comments", async () => {
    scenario.write("production.yaml", overlay(newer));
    const { code, stdout } = await scenario.run("promote", "--all", ...fromStaging, "--to", "production");
    expect({ code, writes: scenario.requests() }).toEqual({ code: 0, writes: [] });
    expect(stdout).toContain(`deployment.shop.api\n    - commit: ${newer}\n    + commit: ${tested}`);
    expect(stdout).toContain("Next: rnv plan --stage production");
    expect(scenario.read("production.yaml")).toBe(overlay(tested));
    const again = await scenario.run("promote", "--all", ...fromStaging);
    expect(again.stdout).toContain("No changes. production pins what runs in staging.");
    // An anchor's value is that of its aliases, too; lines end as they did.
    const shared = overlay(newer)
      .replace(/"/, '&api "')
      .replace(/"2+"\n/, "*api\n");
    scenario.write("production.yaml", shared);
    const refused = await scenario.run("promote", "service.shop.api", ...fromStaging);
    expect([refused.code, scenario.read("production.yaml")]).toEqual([1, shared]);
    scenario.write("production.yaml", overlay(newer).replaceAll("\n", "\r\n"));
    expect(await scenario.run("promote", "--all", ...fromStaging)).toMatchObject({ code: 0 });
    expect(scenario.read("production.yaml")).toBe(overlay(tested).replaceAll("\n", "\r\n"));
  });

  it.each(["github", "gitlab"] as const)(
    "opens one request for it by the API of %s, and rewrites its branch",
    async (platform) => {
      const host = await serveCodeHost(platform);
      const job = {
        ...host.environment,
        GITHUB_REF: "refs/heads/main",
        GITHUB_SHA: newer,
        CI_COMMIT_BRANCH: "main",
        CI_COMMIT_SHA: newer,
      };
      const promoted = (env: Record<string, string> = job) =>
        scenario.runWith({ env }, "ci", "promote", "--all", ...fromStaging);
      scenario.write("production.yaml", overlay(newer));
      for (const file of [overlay(newer), overlay(newer).replace("Reviewed", "Read")]) {
        scenario.write("production.yaml", file);
        const { code, stdout } = await promoted();
        expect([code, stdout]).toEqual([
          0,
          expect.stringContaining(`Opened ${pullWords[platform]} ${host.pulls[0]?.number}.`),
        ]);
        expect([...host.branches]).toEqual([
          [
            "refs/heads/rnv-promote-staging-to-production",
            { base: newer, file: "production.yaml", text: file.replaceAll(newer, tested) },
          ],
        ]);
        expect([host.pulls.length, scenario.read("production.yaml")]).toEqual([1, file]);
        expect(host.pulls[0]?.text).toContain(`commit \`${tested}\``);
        Object.assign(host.pulls[0] ?? {}, { text: "of another run" });
      }
      // A service, or another folder, gets another request.
      await scenario.runWith({ env: job }, "ci", "promote", "service.shop.api", ...fromStaging);
      const [, alone] = host.branches.keys();
      expect([alone, host.pulls.length]).toEqual([
        "refs/heads/rnv-promote-staging-to-production-service.shop.api",
        2,
      ]);
      expect(await promoted({})).toMatchObject(failing(1, "no pull request was opened"));
      host.refuse = ({ method }) => (method === "POST" ? { status: 403, body: "{}" } : undefined) as never;
      expect((await promoted()).stderr).toMatch(/may write contents and pull requests|role Developer/);
    },
  );

  it.each([
    ["api: # the API\n        kind: web", "api: # the API\n        kind: web\n        deploy: { commit: X }"],
    ["api:", "api: { deploy: { commit: X } }"],
    ["api: {kind: web}", "api: {kind: web, deploy: { commit: X }}"],
    ["api: { deploy: { commit: 'old' , timeout: 5m } }", "api: { deploy: { commit: 'X' , timeout: 5m } }"],
    ["api: &a { kind: web }", undefined],
    ["api: { deploy: &d { timeout: 5m } }", undefined],
  ])("changes no other line of an overlay with %j", (before, after) => {
    const around = (line: string): string =>
      `# Top.\nprojects:\n  shop:\n    services:\n      ${line}\n\n      # Last.\n      web: {} # x\nx-w: [ 1,2 ]\n`;
    const edit = { type: "deployment", names: ["shop", "api"], attribute: "commit", value: "c0ffee" };
    const edited = editManifest(around(before), [edit], resourceTypes);
    expect("text" in edited ? edited.text : undefined).toBe(
      after === undefined ? undefined : around(after.replace("X", "c0ffee")),
    );
  });

  it("adds the block where the overlay has none, and changes one service alone", async () => {
    const dry = await scenario.run("promote", "service.shop.api", ...fromStaging, "--dry-run");
    expect(dry.stdout).toContain(`+ commit: ${tested}`);
    expect(scenario.read("production.yaml")).not.toContain(tested);
    expect((await scenario.run("promote", "service.shop.api", ...fromStaging)).code).toBe(0);
    const written = scenario.read("production.yaml");
    expect(written).toContain("# Production.\n");
    expect(written).toContain(tested);
    expect(written).not.toContain("web");
    const planned = await scenario.run("plan", "--stage", "production", "-json");
    const { resource_changes: changes } = JSON.parse(planned.stdout);
    const commits = changes.map(
      ({ address, change }: { address: string; change: { after?: { commit?: string } } }) => [
        address,
        change.after?.commit,
      ],
    );
    expect(commits).toContainEqual(["deployment.shop.api", tested]);
  });

  it("writes nothing where a service runs another commit than it pins, is not healthy, or has no commit", async () => {
    const before = scenario.read("production.yaml");
    const refusal = async (): Promise<string> => {
      const { code, stderr } = await scenario.run("promote", "--all", ...fromStaging);
      expect({ code, overlay: scenario.read("production.yaml") }).toEqual({ code: 4, overlay: before });
      return stderr;
    };
    const { store } = scenario.emulator;
    scenario.write("staging.yaml", overlay(tested, newer));
    expect(await refusal()).toContain(
      `error[guard.promote]: service.shop.web cannot be promoted: it runs commit ${tested}, and pins ${newer}`,
    );
    scenario.write("staging.yaml", overlay(tested));
    const live = scenario.service("web")?.liveDeploymentId ?? "";
    store.editDeployment(live, { commitSha: "" });
    const withoutCommit = await refusal();
    expect(withoutCommit).toContain(
      "service.shop.web cannot be promoted: its live deployment names no commit",
    );
    expect(withoutCommit).toContain("Pin deploy.commit in stage staging");
    store.failNextDeployment(scenario.idOf("web"));
    await scenario.run("deploy", "service.shop.web", ...inStaging);
    expect(await refusal()).toContain("failed: The build failed");
    expect((await scenario.run("suspend", "service.shop.api", ...inStaging)).code).toBe(0);
    expect(await refusal()).toContain("service.shop.api cannot be promoted: it is suspended");
    await scenario.run("state", "rm", "service.shop.web", ...inStaging);
    expect(await refusal()).toContain("service.shop.web cannot be promoted: nothing runs");
  });
});
