import { eachScenario, failing } from "../support/cli";

const service = (name: string, more = "") =>
  `      ${name}: { kind: web, configuration: { repository: "https://git.example.com/${name}"${more} } }\n`;
const shop = (more = "") =>
  `projects:\n  shop:\n    services:\n${service("api", more)}${service("web", more)}`;
const api = "service.shop.api";

/** "Before the first write the plan proves what it can: hosting is available and the worker is online" (DESIGN section 7). */
describe("work that the service cannot do now", () => {
  // The code of a refusal says whether it passes.
  const scenario = eachScenario({ readings: { errorBody: "top" } });
  const lists = () =>
    scenario.requests("all").filter((line) => line.startsWith("GET") && line.endsWith("/deploys"));
  const posts = () => scenario.requests().filter((line) => /deploys|actions/.test(line));

  beforeEach(async () => {
    scenario.write("rnv.yaml", shop());
  });

  it("is a warning of the plan: hosting is off", async () => {
    scenario.emulator.store.setCondition("hosting-off", true);
    const { code, stdout } = await scenario.run("plan");
    expect(code).toBe(0);
    expect(stdout).toContain("warning[live.hosting_off]: hosting is off: 2 planned deployments cannot run");
    const document = JSON.parse((await scenario.run("plan", "-json")).stdout);
    expect(document.diagnostics).toEqual([
      expect.objectContaining({ severity: "warning", code: "live.hosting_off" }),
    ]);
    expect((await scenario.run("plan", "--format", "markdown")).stdout).toContain("hosting is off");
    expect(lists()).toEqual([]);
  });

  it("is said before anything is sent, with the service's reason, by plans and by verbs", async () => {
    await scenario.applied(shop().replaceAll(" } }", " }, deploy: { when: never } }"));
    scenario.emulator.store.setCondition("hosting-off", true);
    scenario.write("rnv.yaml", shop(", port: 81"));
    scenario.forget();
    const planned = await scenario.run("plan");
    expect(planned.stdout).toContain("The platform says: Hosting is disabled and there is no runtime");
    expect(lists()).toHaveLength(1);

    scenario.forget();
    for (const args of [
      ["deploy"],
      ["deploy", "--clear-cache"],
      ["rollback", "--confirm", "service.shop.api"],
    ]) {
      const { code, stderr } = await scenario.run(args[0] ?? "", api, ...args.slice(1));
      expect({ args, code, stderr }).toMatchObject(failing(1, "Hosting is disabled and there is no runtime"));
    }
    expect(posts()).toEqual([]);

    scenario.emulator.store.setCondition("hosting-off", false);
    await scenario.applies();
    await scenario.isQuiet();
  });

  it("is tried again where it is not ready in passing only", async () => {
    await scenario.applies();
    let refusals = 2;
    scenario.fail(({ method }) =>
      method === "POST" && refusals-- > 0
        ? { kind: "status", status: 409, code: "engine_unavailable" }
        : undefined,
    );
    expect(await scenario.run("restart", api)).toMatchObject({ code: 0 });
    expect(scenario.emulator.store.operations()).toHaveLength(1);
  });

  it("is a warning of plan and verbs: no worker is online", async () => {
    scenario.emulator.store.setCondition("worker-offline", true);
    const { stdout } = await scenario.run("plan");
    expect(stdout).toContain(
      "warning[live.worker_offline]: no worker is online: 2 planned deployments will wait",
    );
    await scenario.applied(shop().replaceAll(" } }", " }, deploy: { wait: false } }"));
    const deployed = await scenario.run("deploy", api, "-no-wait");
    expect(deployed).toMatchObject({ code: 0, stderr: expect.stringContaining("live.worker_offline") });
    scenario.emulator.store.setCondition("worker-offline", false);
    await scenario.isQuiet();
  });
});
