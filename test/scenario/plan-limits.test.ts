import { oneScenario } from "../support/cli";

const source = 'repository: "https://git.example.com/shop"';
const service = (name: string, more = "") =>
  `  ${name}: { kind: web, deploy: { when: never }, configuration: { ${source}${more} } }\n`;

/** Interface, "Catalog": `workspaceLimit`, `backupRetentionDays` and `maxConnections` of a plan. */
describe("the limits of a plan of the catalog", () => {
  const scenario = oneScenario();
  const planned = async (...services: readonly string[]) => {
    scenario.write("rnv.yaml", `services:\n${services.join("")}`);
    const { code, stdout, stderr } = await scenario.run("plan");
    expect(code).toBe(0);
    return stdout + stderr;
  };

  it("are warnings where a declared setting is above them", async () => {
    expect(await planned(service("api", ", plan: free, backupRetentionDays: 7"))).toContain(
      'warning[plan.limit]: service.api: backupRetentionDays 7 is above the backupRetentionDays of plan "free": 1',
    );
    expect(await planned(service("api", ", plan: starter, backupRetentionDays: 7"))).not.toContain(
      "plan.limit",
    );
  });

  it("are those of the default plan, or of the plan that the service has, where none is declared", async () => {
    const limit = (plan: string) =>
      `backupRetentionDays 7 is above the backupRetentionDays of plan "${plan}": 1`;
    expect(await planned(service("api", ", backupRetentionDays: 7"))).toContain(limit("free"));
    const { id } = scenario.emulator.store.addService({ name: "old", configuration: { plan: "starter" } });
    const found = await planned(
      service("old", ", backupRetentionDays: 6").replace("{ kind", `{ import: ${id}, kind`),
    );
    expect(found).toContain("backupRetentionDays");
    expect(found).not.toContain("plan.limit");
  });

  it("are a warning where a plan would have more services than a workspace may, managed or not", async () => {
    for (let made = 0; made < 24; made += 1) scenario.emulator.store.addService({ name: `other-${made}` });
    expect(await planned(service("api"))).not.toContain("plan.limit");
    expect(await planned(service("api"), service("web"))).toContain(
      'warning[plan.limit]: 26 services would have plan "free", and the catalog allows 25 in a workspace',
    );
    expect(await planned(service("api"), service("web", ", plan: starter"))).not.toContain("plan.limit");
  });
});
