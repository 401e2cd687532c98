import { embeddedApiKey, embeddedWorkspaceId } from "../../src/emulator/emulator";
import { approve, openScenario, type Scenario } from "../support/cli";

let scenario: Scenario;

// "deletionRequestedAt: Set when deletion is requested or done." (interface, "Service"): a failed deletion may leave it.
describe("a deletion that failed and left its time", () => {
  const readings = { failedDeletionTime: "kept", failedDeletionFlag: "archived" } as const;

  it("is told by the plan with that time, and requested again by destroy with a new key", async () => {
    scenario = await openScenario({ readings, conditions: ["failed-deletions"] });
    const { store } = scenario.emulator;
    await scenario.applied(
      "projects: { shop: { services: { api: { kind: web, deploy: { when: never } } } } }\n",
    );
    scenario.settle();
    const [service] = store.services();
    await fetch(`${scenario.url}/workspaces/${embeddedWorkspaceId}/services/${service?.id}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${embeddedApiKey}`, "content-type": "application/json" },
      body: '{"confirm":"api"}',
    });
    store.settle();
    store.setCondition("failed-deletions", false);
    scenario.settle();
    const since = store.service(service?.id ?? "")?.deletionRequestedAt;
    const plan = await scenario.run("plan", "-destroy");
    const [, told = ""] =
      /its deletion was requested at (\S+); it is requested again unless it goes on/.exec(plan.stdout) ?? [];
    // Seconds are what each form of a time holds.
    expect(new Date(told).toISOString().slice(0, 19)).toBe(since?.slice(0, 19));
    scenario.forget();
    expect(await scenario.run("destroy", ...approve)).toMatchObject({ code: 0 });
    expect(scenario.requests().filter((request) => request.includes("/services/"))).toHaveLength(1);
    expect(scenario.sent[0]?.idempotencyKey).toMatch(/^rnv-1-/);
    expect([store.services(), store.projects()]).toEqual([[], []]);
  });
});
