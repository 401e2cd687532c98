import { join } from "node:path";
import { approve, eachScenario } from "../support/cli";
import { textIn } from "../support/rows";

const shop = (buildCommand: string) => `
projects:
  shop:
    services:
      api: { kind: web, configuration: { repository: "https://git.example.com/api", buildCommand: ${buildCommand} } }
      web: { kind: static, configuration: { repository: "https://git.example.com/web" } }
      worker: { kind: web, configuration: { repository: "https://git.example.com/worker" } }
`;
const job = {
  ...{ GITHUB_ACTIONS: "true", GITHUB_ACTOR: "ada", GITHUB_SHA: "c0ffee".repeat(7).slice(2) },
  ...{ GITHUB_SERVER_URL: "https://github.example.com", GITHUB_REPOSITORY: "acme/shop", GITHUB_RUN_ID: "7" },
};

const night = textIn(join(__dirname, "night.txt"));

describe("a night on call", () => {
  const scenario = eachScenario({
    readings: { statusWords: "seen", otherDeployments: "none", idleRelease: "stays" },
  });

  it("takes at most 30 lines: failures and reasons, running releases, authors, the next command", async () => {
    await scenario.applied(shop("make"));
    const { store } = scenario.emulator;
    expect((await scenario.run("deploy", "service.shop.api")).code).toBe(0);
    scenario.settle();
    store.failNextDeployment(scenario.idOf("api"), "npm ERR! missing script: build");
    scenario.write("rnv.yaml", shop("make all"));
    expect((await scenario.runWith({ env: job }, "apply", ...approve)).code).toBe(7);
    expect((await scenario.run("suspend", "service.shop.web")).code).toBe(0);
    store.renameService(scenario.idOf("worker"), "jobs");
    const releases = scenario.deployments(scenario.idOf("api")).map(({ id }) => id.slice(0, 8));
    const masked = (text: string) =>
      releases
        .reduce((told, id, i) => told.replaceAll(id, `(${i + 1})`), text)
        .replaceAll(/\b[0-9a-f]{8}\b/g, "(run)")
        .replaceAll(/(\d{4}-\S+ \d\S+Z +)?(just now|\d+[smh] ago)|\d{4}-\S+ \d\S+Z/g, "TIME")
        .replaceAll(/\S+@\S+/g, "bo@laptop")
        .replaceAll(/(?<=\S) {2,}/g, "  ");
    const told: string[] = [];
    for (const command of ["status", "history", "drift", "rollback service.shop.api"]) {
      const { stdout, stderr } = await scenario.run(...command.split(" "));
      told.push(`$ rnv ${command}\n${masked(stdout + stderr)}`);
    }
    expect(told.join("")).toBe(night);
    expect(
      told.map((text) => text.trimEnd().split("\n").length - 1).reduce((a, b) => a + b),
    ).toBeLessThanOrEqual(30);
  });
});
