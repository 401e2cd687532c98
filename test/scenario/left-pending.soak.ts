import { approve, openScenario, type Scenario } from "../support/cli";

const shop = (deploy: string, port = 3000): string => `projects:
  shop:
    services:
      api:
        kind: web
        configuration: { repository: "https://git.example.com/api", port: ${port} }
        deploy: { ${deploy} }
`;

describe("a deployment that stays queued", () => {
  let scenario: Scenario;
  beforeEach(async () => {
    scenario = await openScenario({ conditions: ["worker-offline"] });
  });
  afterEach(() => scenario.close());

  /** An apply that dies while it waits for the deployment. */
  const leaveByKill = async (): Promise<void> => {
    scenario.write("rnv.yaml", shop("timeout: 30m"));
    const cli = scenario.start({}, "apply", ...approve);
    await cli.shows("deployment.shop.api: Still creating...");
    cli.process.kill("SIGKILL");
    await cli.ended;
  };
  const deployments = () =>
    scenario.emulator.store.services().flatMap(({ id }) => scenario.emulator.store.deployments(id));

  it("holds up neither the change of its service nor destroy, though its time is not over", async () => {
    await leaveByKill();
    scenario.write("rnv.yaml", shop("wait: false", 4000));
    const changed = await scenario.run("apply", ...approve);
    expect(changed.code).toBe(0);
    expect(changed.stdout).not.toContain("earlier run");
    expect(deployments()).toHaveLength(2);
    scenario.write("rnv.yaml", shop("timeout: 30m", 4000));
    const destroyed = await scenario.run("destroy", ...approve);
    expect(destroyed.code).toBe(0);
    expect(destroyed.stdout).toContain("Destroy complete!");
    expect(scenario.emulator.store.services()).toEqual([]);
  });

  it("is waited for by the next apply, which says so and for how long at most", async () => {
    await leaveByKill();
    const cli = scenario.start({}, "apply", ...approve);
    await cli.shows("deployment.shop.api: queued since an earlier run; waiting for it, at most ");
    scenario.emulator.store.setCondition("worker-offline", false);
    scenario.emulator.store.settle();
    expect((await cli.ended).code).toBe(0);
    expect(deployments()).toHaveLength(1);
    await scenario.isQuiet();
  });

  it("whose time is over is looked at by the next apply, which ends with 7 and what to do", async () => {
    scenario.write("rnv.yaml", shop("timeout: 1s"));
    expect((await scenario.run("apply", ...approve)).code).toBe(7);
    const again = await scenario.run("apply", ...approve);
    expect(again.code).toBe(7);
    expect(again.stderr).toContain("deployment.shop.api: still queued, started by an earlier run");
    expect(again.stderr).toContain("rnv status");
    expect(again.stdout).not.toContain("waiting for it");
    scenario.emulator.store.setCondition("worker-offline", false);
    scenario.emulator.store.settle();
    expect((await scenario.run("apply", ...approve)).code).toBe(0);
    await scenario.isQuiet();
  });
});
