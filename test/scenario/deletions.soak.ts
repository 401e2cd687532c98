import { approve, openScenario, type Scenario } from "../support/cli";

const manifest = `projects:
  shop:
    services:
      api:
        kind: web
        configuration: { repository: https://git.example.com/api }
        variables: { LEVEL: one }
`;
const removed = "projects: { shop: {} }\nremoved: [service.shop.api]\n";

describe("a deletion that fails at the service", () => {
  let scenario: Scenario;
  beforeEach(async () => {
    scenario = await openScenario();
    scenario.write("rnv.yaml", manifest);
    expect((await scenario.run("apply", ...approve)).code).toBe(0);
    scenario.emulator.store.setCondition("failed-deletions", true);
    scenario.forget();
  });
  afterEach(() => scenario.close());

  const services = () => scenario.emulator.store.services().map(({ id }) => id);
  const deletions = () => scenario.sent.filter(({ method }) => method === "DELETE");

  // DESIGN section 4, "Ends of pending work": "never takes the thing for gone".
  it("leaves the service recorded; the plan says why, and apply asks again with another key", async () => {
    const before = services();
    scenario.emulator.store.setCondition("failed-deletions-linger", true);
    scenario.write("rnv.yaml", removed);
    const first = await scenario.run("apply", ...approve);
    expect(first.code).toBe(1);
    expect(first.stderr).toContain("error[apply.delete_failed]: service.shop.api was not deleted");
    expect(first.stderr).toContain("To try again, run the same command");
    expect((await scenario.run("state", "show", "service.shop.api")).stdout).toContain(
      "# its last deletion failed: the service could not carry it out",
    );
    const planned = await scenario.run("plan");
    expect(planned.stdout).toContain("because the last deletion failed: the service could not carry it out");
    expect(planned.stdout).toContain("Plan: 0 to add, 0 to change, 3 to destroy.");
    scenario.emulator.store.setCondition("failed-deletions", false);
    expect((await scenario.run("apply", ...approve)).code).toBe(0);
    expect(deletions()).toHaveLength(2);
    expect(new Set(deletions().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
    expect([before.length, services().length]).toEqual([1, 0]);
    await scenario.isQuiet();
  });

  it("makes destroy ask again, each time it is run", async () => {
    expect((await scenario.run("destroy", ...approve)).code).toBe(1);
    expect((await scenario.run("destroy", ...approve)).code).toBe(1);
    expect(deletions()).toHaveLength(2);
    expect(services()).toHaveLength(1);
    scenario.emulator.store.setCondition("failed-deletions", false);
    expect((await scenario.run("destroy", ...approve)).code).toBe(0);
    expect((await scenario.run("state", "list")).stdout).toBe("");
    expect(scenario.emulator.store.projects()).toEqual([]);
  });

  it("is found out by the run after one that was killed while it waited", async () => {
    scenario.emulator.store.setCondition("failed-deletions-linger", true);
    scenario.write("rnv.yaml", removed);
    // Its answer is recorded by then: it names the operation.
    let looks = 0;
    scenario.fail(({ path }) => {
      if (!path.includes("/operations/")) return undefined;
      looks += 1;
      return { kind: "timeout-before" };
    });
    const cli = scenario.start({}, "apply", ...approve);
    const deadline = Date.now() + 20_000;
    while (looks === 0 && Date.now() < deadline) await new Promise((go) => setTimeout(go, 20));
    cli.process.kill("SIGKILL");
    await cli.ended;
    scenario.fail();
    scenario.emulator.store.settle();
    expect((await scenario.run("plan")).stderr).toContain("service.shop.api was not deleted");
    expect((await scenario.run("apply", ...approve)).code).toBe(1);
    expect(services()).toHaveLength(1);
    scenario.emulator.store.setCondition("failed-deletions", false);
    expect((await scenario.run("apply", ...approve)).code).toBe(0);
    expect(services()).toEqual([]);
    expect(scenario.requests().filter((request) => request.startsWith("POST"))).toEqual([]);
    await scenario.isQuiet();
  });
});

describe("a queued deletion", () => {
  it("of every kind is waited for until the thing is gone", async () => {
    const scenario = await openScenario({ conditions: ["queued-deletions"] });
    scenario.write("rnv.yaml", manifest.replace("variables:", "deploy: { when: never }\n        variables:"));
    expect((await scenario.run("apply", ...approve)).code).toBe(0);
    // "Its operation answers 404" says nothing of the variable.
    scenario.fail(({ path, method }) =>
      method === "GET" && path.includes("/operations/") ? { kind: "status", status: 404 } : undefined,
    );
    scenario.write("rnv.yaml", manifest.replace(/variables: .*/, "deploy: { when: never }"));
    expect((await scenario.run("apply", ...approve)).code).toBe(0);
    expect(scenario.emulator.store.variables(scenario.emulator.store.services()[0]?.id ?? "")).toEqual([]);
    await scenario.isQuiet();
    scenario.fail();
    expect((await scenario.run("destroy", ...approve)).code).toBe(0);
    expect(scenario.emulator.store.projects()).toEqual([]);
    expect(scenario.emulator.store.services()).toEqual([]);
    await scenario.close();
  });
});
