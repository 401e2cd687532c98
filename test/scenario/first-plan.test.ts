import { statSync } from "node:fs";
import { join } from "node:path";
import { approve, oneScenario, openScenario, printing } from "../support/cli";
import { withoutFields } from "../support/edited-answers";
import { textIn } from "../support/rows";

const shop = (health = "/healthz", level = "info") =>
  textIn(join(__dirname, "first-plan.yaml"), { health, level });

describe("plan and apply", () => {
  // The test counts requests and compares the state: no other user may deploy.
  const scenario = oneScenario({ readings: { otherDeployments: "none" } });
  beforeAll(async () => {
    scenario.write("rnv.yaml", shop());
  });
  beforeEach(() => scenario.forget());

  it("a first plan of a new workspace takes at most 4 requests, none of them a write", async () => {
    const { code, stdout } = await scenario.run("plan");
    expect(code).toBe(0);
    expect(stdout).toContain("Plan: 7 to add, 0 to change, 0 to destroy.");
    expect(scenario.requests("all").length).toBeLessThanOrEqual(4);
    expect(scenario.requests()).toEqual([]);
    expect(scenario.files().map(({ path }) => path)).toEqual([`${scenario.folder}/rnv.yaml`]);
  });

  it("apply creates without deploying, then variables, then exactly one deployment a service", async () => {
    const { code, stdout } = await scenario.run("apply", ...approve);
    expect(code).toBe(0);
    expect(stdout).toContain("Apply complete! Resources: 7 added, 0 changed, 0 destroyed.");
    expect(scenario.requests().sort()).toEqual([
      "POST /workspaces/ID/projects",
      "POST /workspaces/ID/services",
      "POST /workspaces/ID/services",
      "POST /workspaces/ID/services/ID/deploys",
      "POST /workspaces/ID/services/ID/deploys",
      "POST /workspaces/ID/services/ID/variables",
      "POST /workspaces/ID/services/ID/variables",
    ]);
    const creates = scenario.sent.filter(({ path }) => path.endsWith("/services"));
    expect(creates.map(({ body }) => JSON.parse(body ?? "").deploy)).toEqual([false, false]);
  });

  it("a no-op plan takes 3 requests and one for each service with variables", async () => {
    await scenario.isQuiet();
    expect(scenario.requests("all").sort()).toEqual([
      "GET /catalog",
      "GET /workspaces/ID/canvas",
      "GET /workspaces/ID/projects",
      "GET /workspaces/ID/services/ID/variables",
    ]);
  });

  it("only the user reads the state and its folder", () => {
    const modeOf = (path: string) => statSync(join(scenario.folder, path)).mode & 0o777;
    expect([".rnv", ".rnv/state.json", ".rnv/state.key"].map(modeOf)).toEqual([0o700, 0o600, 0o600]);
  });

  it("applying again writes nothing", async () => {
    const state = scenario.read(".rnv/state.json");
    const { code, stdout } = await scenario.run("apply", ...approve);
    expect(code).toBe(0);
    expect(stdout).toContain("No changes. Your infrastructure matches the configuration.");
    expect(scenario.requests()).toEqual([]);
    expect(scenario.read(".rnv/state.json")).toBe(state);
  });

  it("a service that is shown without archived is not archived", async () => {
    scenario.write("rnv.yaml", shop().replaceAll("kind: worker", "kind: worker\n        archived: false"));
    scenario.fail(({ method }) => (method === "GET" ? withoutFields("archived") : undefined));
    const planned = await scenario.run("plan");
    expect(planned).toMatchObject(printing(0, "No changes."));
    scenario.fail();
    scenario.write("rnv.yaml", shop());
  });

  it("one field and one variable are two PATCHes and one deployment, and nothing else", async () => {
    scenario.write("rnv.yaml", shop("/ready", "debug"));
    const planned = await scenario.run("plan", "-detailed-exitcode");
    expect(planned.code).toBe(2);
    scenario.forget();
    await scenario.applies();
    expect(scenario.requests().sort()).toEqual([
      "PATCH /workspaces/ID/services/ID",
      "PATCH /workspaces/ID/services/ID/variables/ID",
      "POST /workspaces/ID/services/ID/deploys",
    ]);
    const patch = scenario.sent.find(({ method, path }) => method === "PATCH" && !path.includes("variables"));
    expect(JSON.parse(patch?.body ?? "")).toEqual({ configuration: { healthCheckPath: "/ready" } });
    await scenario.isQuiet();
  });

  it("destroy removes services, then the project, and leaves nothing", async () => {
    const { code, stdout } = await scenario.run("destroy", ...approve);
    expect(code).toBe(0);
    expect(stdout).toContain("Destroy complete! Resources:");
    expect(scenario.requests()).toEqual([
      "DELETE /workspaces/ID/services/ID",
      "DELETE /workspaces/ID/services/ID",
      "DELETE /workspaces/ID/projects/ID",
    ]);
    expect(scenario.emulator.store.services()).toEqual([]);
    expect(scenario.emulator.store.projects()).toEqual([]);
    const plan = await scenario.run("plan");
    expect(plan.stdout).toContain("Plan: 7 to add, 0 to change, 0 to destroy.");
  });
});

it("every write carries a key, and no key is ever used for two bodies", async () => {
  const scenario = await openScenario();
  for (const [health, level] of [
    ["/a", "info"],
    ["/b", "debug"],
    ["/a", "info"],
  ]) {
    await scenario.applied(shop(health, level));
  }
  expect((await scenario.run("destroy", ...approve)).code).toBe(0);
  await scenario.applied(shop("/a", "info"));
  expect(scenario.sent.length).toBeGreaterThan(20);
  const uses = new Map<string, Set<string>>();
  for (const { method, path, body, idempotencyKey } of scenario.sent) {
    expect(idempotencyKey).toMatch(/^[!-~]{1,160}$/);
    const used = uses.get(idempotencyKey ?? "") ?? new Set();
    uses.set(idempotencyKey ?? "", used.add(`${method} ${path} ${body}`));
  }
  expect([...uses].filter(([, bodies]) => bodies.size > 1)).toEqual([]);
  expect(uses.size).toBe(scenario.sent.length);
});
