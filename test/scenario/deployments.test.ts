import { setTimeout } from "node:timers/promises";
import { approve, eachScenario, openScenario, printing, type Scenario } from "../support/cli";

const commit = (digit: string) => digit.repeat(40);
const api = (configuration: string, deploy = "{}") => `
services:
  api:
    kind: web
    configuration: { repository: "https://git.example.com/api", ${configuration} }
    deploy: ${deploy}
`;

describe("the state after an apply", () => {
  it("shows what is: the service as it runs, and outputs of it", async () => {
    // The words of its status are shown.
    const scenario = await openScenario({ readings: { statusWords: "seen" } });
    scenario.write(
      "rnv.yaml",
      "services:\n  api: { kind: web, configuration: { repository: 'https://git.example.com/api' } }\n" +
        "outputs: { status: '${service.api.status}' }\n",
    );
    const shown = async () => {
      const { stdout } = await scenario.run("state", "show", "-json", "service.api");
      return JSON.parse(stdout).values;
    };
    await scenario.applies();
    const [live] = scenario.emulator.store.services();
    expect(await shown()).toMatchObject({ status: "live", healthStatus: "ready" });
    const ids = scenario.emulator.store.deployments(live?.id ?? "").map(({ id }) => id);
    expect(ids).toContain((await shown()).liveDeploymentId);
    expect((await scenario.run("output", "-raw", "status")).stdout.trim()).toBe("live");
    await scenario.isQuiet();
    scenario.emulator.store.failNextDeployment("*");
    scenario.write("rnv.yaml", scenario.read("rnv.yaml").replace("com/api", "com/other"));
    expect((await scenario.run("apply", ...approve)).code).toBe(7);
    const deployments = scenario.emulator.store.deployments(live?.id ?? "");
    expect(deployments.filter(({ status }) => status === "failed")).toHaveLength(1);
    expect((await shown()).deploymentId).toBe(deployments.at(-1)?.id);
  });
});

const serviceOf = ({ emulator }: Scenario) => {
  const [found] = emulator.store.services();
  if (!found) throw new Error("no service");
  return found;
};
const allOf = (scenario: Scenario) => scenario.emulator.store.deployments(serviceOf(scenario).id);

describe("a deployment that is cancelled", () => {
  // It is the newest one, and no other follows: where that is superseded, its apply follows the other.
  const scenario = eachScenario({ readings: { otherDeployments: "none" } });

  it("with wait: false a cancelled deployment is run again by the next apply", async () => {
    const deploy = "{ wait: false }";
    await scenario.applied(api("branch: main", deploy));
    scenario.emulator.store.settle();
    scenario.emulator.store.setCondition("worker-offline", true);
    await scenario.applied(api("branch: next", deploy));
    expect((await scenario.run("cancel", "service.api")).code).toBe(0);
    scenario.emulator.store.setCondition("worker-offline", false);
    expect(await scenario.run("plan", "-detailed-exitcode")).toMatchObject(
      printing(2, "deployment.api will run again"),
    );
    // An edit is no older than the deployment that was cancelled.
    await scenario.applied(api("branch: third", deploy));
    scenario.emulator.store.settle();
    const ended = allOf(scenario).map(({ status }) => status);
    expect(ended).toEqual(["live", expect.stringMatching(/cancelled|superseded/), "live"]);
    await scenario.isQuiet();
  });

  it("a deployment that is cancelled while its verb waits ends so in the history, and the cancellation is done", async () => {
    await scenario.applied(api("branch: main"));
    scenario.emulator.store.setCondition("worker-offline", true);
    const deploying = scenario.start({}, "deploy", "service.api");
    while (allOf(scenario).length < 2) await setTimeout(20);
    const cancelling = scenario.start({}, "cancel", "service.api", "-lock-timeout", "10s");
    expect([(await cancelling.ended).code, (await deploying.ended).code]).toEqual([0, 7]);
    const { runs } = JSON.parse((await scenario.run("history", "-json")).stdout);
    expect(runs.slice(0, 2)).toMatchObject([
      { command: "cancel", exit_code: 0 },
      { command: "deploy", exit_code: 7 },
    ]);
  });
});

describe("deployments", () => {
  const scenario = eachScenario();
  const service = () => serviceOf(scenario);
  const all = () => allOf(scenario);
  /** Without those that the platform queued by itself. */
  const deploys = () => all().filter(({ actor }) => actor !== "auto-deploy");

  it("a failed deployment ends with 7, tells why, and is tried again by the next apply", async () => {
    scenario.emulator.store.failNextDeployment("*", "npm ERR! missing script: build");
    scenario.write("rnv.yaml", api("branch: main"));
    const { code, stdout, stderr } = await scenario.run("apply", ...approve);
    expect(code).toBe(7);
    expect(stdout).toMatch(/^deployment\.api: failed after \d+s: npm ERR! missing script: build$/m);
    expect(stderr).toContain("error[apply.deploy_failed]: deployment.api: npm ERR! missing script: build\n");
    expect(stderr).toContain("^ Fix the build in the repository and push it.");
    expect(stdout).toContain("Nothing is lost. Fix the cause, then run: rnv apply");
    const planned = await scenario.run("plan", "-detailed-exitcode");
    expect(planned.code).toBe(2);
    expect(planned.stdout).toContain("deployment.api will run");
    scenario.emulator.store.failNextDeployment("*", "npm ERR! missing script: build");
    scenario.write("rnv.yaml", api("branch: main, port: 9000, buildCommand: npm run bild"));
    const advised = await scenario.run("apply", ...approve);
    expect(advised.stderr).toMatch(
      /buildCommand: npm run bild[\s\S]*\^ This apply set configuration\.buildCommand\. Check that first\. Fix the build/,
    );
    await scenario.applied(api("branch: main"));
    expect(deploys().map(({ status }) => status)).toEqual(["failed", "failed", "live"]);
    await scenario.isQuiet();
  });

  it("a wait that is too long ends with 7, and the next apply takes up the same deployment", async () => {
    scenario.emulator.store.setCondition("worker-offline", true);
    scenario.write("rnv.yaml", api("branch: main", "{ timeout: 1s }"));
    const { code, stdout, stderr } = await scenario.run("apply", ...approve);
    expect(code).toBe(7);
    expect(stderr).toContain("error[apply.deploy_timeout]");
    expect(stdout).toContain("Waiting for capacity: no worker is online.");
    expect(stdout).toContain(`deployment.api: Still creating... [id=${deploys()[0]?.id}] `);
    scenario.emulator.store.setCondition("worker-offline", false);
    await scenario.applied(api("branch: main", "{ timeout: 1m }"));
    expect(deploys().map(({ status }) => status)).toEqual(["live"]);
    // The replaced deployment is not in progress.
    const { stdout: again } = await scenario.applied(api("branch: next", "{ timeout: 1m }"));
    expect(again).toContain("deployment.api: Modifying...\n");
    await scenario.isQuiet();
  });

  it("wait: false only queues, and the next plan is empty", async () => {
    scenario.emulator.store.setCondition("worker-offline", true);
    await scenario.applied(api("branch: main", "{ wait: false }"));
    await scenario.isQuiet();
    expect(deploys()).toHaveLength(1);
  });

  it("a pinned commit is deployed, and another live commit is drift that the next apply repairs", async () => {
    const kept = "\nprojects: { kept: {} }\n";
    await scenario.applied(`${api("branch: main", `{ commit: "${commit("a")}" }`)}${kept}`);
    expect(deploys().map(({ commitSha }) => commitSha)).toEqual([commit("a")]);
    await scenario.isQuiet();
    scenario.emulator.store.deploy(service().id, { commitSha: commit("b") });
    scenario.emulator.store.settle();
    const drift = await scenario.run("drift");
    expect(drift.code).toBe(2);
    expect(drift.stdout).toContain(commit("b"));
    await scenario.applies();
    expect(deploys().map(({ commitSha }) => commitSha)).toEqual([commit("a"), commit("b"), commit("a")]);
    await scenario.isQuiet();
    // The same commit is no drift, also where the deployment is not declared any more.
    scenario.emulator.store.deploy(service().id, { commitSha: commit("a") });
    scenario.emulator.store.settle();
    scenario.write("rnv.yaml", `services: {}${kept}`);
    expect(await scenario.run("drift")).toMatchObject({ code: 0 });
  });

  it("a deployment that is superseded is followed to its end", async () => {
    scenario.write("rnv.yaml", api("branch: main"));
    let done = false;
    scenario.fail(({ method, path }) => {
      if (done || method !== "GET" || !/\/deploys\/[^/]+$/.test(path)) return undefined;
      done = true;
      const run = (store: Scenario["emulator"]["store"]) => {
        store.deploy(service().id);
        store.setCondition("worker-offline", false);
      };
      return { kind: "hook", when: "before", run };
    });
    // However slow the machine is: ours has not ended when the newer one comes.
    scenario.emulator.store.setCondition("worker-offline", true);
    const { code, stdout } = await scenario.run("apply", ...approve);
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(deploys().at(-1)?.status).toBe("live");
    await scenario.isQuiet();
  });
});
