import { approve, eachScenario } from "../support/cli";

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

const night = `$ rnv status
SERVICE  RUNS  HEALTH  BUILT FROM  SINCE
service.shop.api  live, last deployment failed  ready  main  TIME
    deployment (3) failed: npm ERR! missing script: build; it still runs release (2) (TIME)
service.shop.web  suspended  unknown  main  TIME
service.shop.worker  live  ready  main  TIME

3 services: 2 live, 1 suspended; the last deployment of 1 failed.
$ rnv history
WHEN  RUN  WHO  COMMIT  ID  RESULT
TIME  suspend  bo@laptop  -  (run)  done: service.shop.web
TIME  apply  ada  ffeec0ffee  (run)  a deployment or postcondition failed (exit 7): 1 changed, 1 failed
    deployment.shop.api (2) -> (3) (failed), service.shop.api
TIME  deploy  bo@laptop  -  (run)  done: deployment.shop.api (1) -> (2)
TIME  apply  bo@laptop  -  (run)  done: 7 added
    + deployment.shop.api, + deployment.shop.web, + deployment.shop.worker, + project.shop, + service.shop.api and 2 more
$ rnv drift
Changed outside rnv:
  ~ service.shop.worker
      ~ name  "worker" -> "jobs"
      last updated TIME; to repair it: deployment.shop.worker would run again

Declared, but not applied yet:
  ~ deployment.shop.api would run again
      deployment (3) failed: npm ERR! missing script: build; it still runs release (2) (TIME)

Not running what was applied last:
  service.shop.web  suspended

Drift: 1 changed outside rnv. 1 not applied yet.
$ rnv rollback service.shop.api
error[guard.delete_unconfirmed]: service.shop.api will go back to release (1), the newest before the one that serves. Blocked: it is not confirmed
  deployment (3) failed: npm ERR! missing script: build; it still runs release (2)
  hint: run it in a terminal, or add --confirm service.shop.api
`;

describe("a night on call", () => {
  const scenario = eachScenario({
    readings: { statusWords: "seen", otherDeployments: "none", idleRelease: "stays" },
  });

  it("is told in at most 30 lines: what failed and why, what runs, who did what, what to do next", async () => {
    await scenario.applied(shop("make"));
    const { store } = scenario.emulator;
    const idOf = (name: string) => store.services().find((one) => one.name === name)?.id ?? "";
    expect((await scenario.run("deploy", "service.shop.api")).code).toBe(0);
    scenario.settle();
    store.failNextDeployment(idOf("api"), "npm ERR! missing script: build");
    scenario.write("rnv.yaml", shop("make all"));
    expect((await scenario.runWith({ env: job }, "apply", ...approve)).code).toBe(7);
    expect((await scenario.run("suspend", "service.shop.web")).code).toBe(0);
    store.renameService(idOf("worker"), "jobs");
    const releases = scenario.deployments(idOf("api")).map(({ id }) => id.slice(0, 8));
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
