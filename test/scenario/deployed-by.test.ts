import { eachScenario, refusing } from "../support/cli";

const service = (name: string) =>
  `  ${name}: { kind: web, configuration: { repository: "https://git.example.com/${name}", branch: main } }\n`;
const told = "deployed by lina from branch";

describe("drift of a service that another user has deployed", () => {
  // Only the users named here deploy.
  const scenario = eachScenario({ readings: { otherDeployments: "none" } });
  const drifts = (name: string) =>
    scenario.emulator.store.editConfiguration(scenario.idOf(name), {
      repository: "https://git.example.com/fork",
    });
  const lists = () => scenario.requests("all").filter((request) => request.endsWith("/deploys"));

  beforeEach(async () => {
    await scenario.applied(`services:\n${service("api")}${service("web")}`);
    scenario.settle();
    scenario.forget();
  });

  it("says who deployed it, with one request", async () => {
    drifts("api");
    scenario.emulator.store.deploy(scenario.idOf("api"), { actor: "lina" });
    scenario.emulator.store.settle();
    scenario.emulator.store.deploy(scenario.idOf("web"), { actor: "ada" });
    const planned = await scenario.run("plan", "--html", "plan.html", "--json-into", "plan.json");
    expect(planned.stdout).toContain(`service.api will be updated in place\n      ${told}`);
    expect(planned.stdout).not.toContain("by ada");
    expect(scenario.read("plan.html")).toContain(told);
    expect((await scenario.run("plan", "--format", "markdown")).stdout).toContain(told);
    const { resource_changes: changes } = JSON.parse(scenario.read("plan.json"));
    expect(changes).toContainEqual(
      expect.objectContaining({ address: "service.api", deployed: expect.stringContaining(told) }),
    );
    scenario.forget();
    expect((await scenario.run("drift", "--html", "drift.html")).stdout).toContain(told);
    expect(lists()).toHaveLength(1);
    expect(scenario.read("drift.html")).toContain(told);
    expect((await scenario.run("drift", "--format", "markdown")).stdout).toContain(told);
    const { drifted } = JSON.parse((await scenario.run("drift", "-json")).stdout);
    expect(drifted).toEqual([
      expect.objectContaining({ address: "service.api", deployed: expect.stringContaining(told) }),
    ]);
  });

  it("says nothing where only rnv has deployed, or where the list cannot be read", async () => {
    drifts("api");
    const alone = await scenario.run("drift");
    expect(alone.stdout).not.toContain("deployed by");
    expect(alone.stdout).toMatch(/^ {6}last updated \d{4}-\d\d-\d\d /m);
    drifts("web");
    for (const name of ["api", "web"]) scenario.emulator.store.deploy(scenario.idOf(name), { actor: "lina" });
    scenario.emulator.store.settle();
    scenario.fail(refusing("GET", new RegExp(`/${scenario.idOf("api")}/deploys$`)));
    const { code, stdout } = await scenario.run("drift");
    expect(code).toBe(2);
    expect(stdout.match(/deployed by lina|last updated/g)).toEqual(["last updated", "deployed by lina"]);
  });

  it("says so after a restart by rnv, and of a commit that rnv could not replace", async () => {
    drifts("api");
    scenario.emulator.store.deploy(scenario.idOf("api"), { actor: "lina" });
    scenario.emulator.store.settle();
    expect((await scenario.run("restart", "service.api")).code).toBe(0);
    expect((await scenario.run("drift")).stdout).toContain("deployed by lina");
  });
});
