import { type Call, start } from "./start";

const stages = ["queued", "preparing", "cloning", "building", "predeploy", "deploying", "checking", "live"];

const statusOf = async (call: Call, path: string): Promise<string> =>
  (await call("GET", path)).body.deployment.status;

describe("deployments on the clock", () => {
  it("a deployment walks through every stage in order and records a step for each", async () => {
    const { call, clock, emulator, services } = start({ deploySeconds: 7 });
    const { id } = emulator.store.addService({ name: "api", configuration: { repository: "https://x/y" } });
    const { deployment } = (await call("POST", `${services}/${id}/deploys`, {})).body;
    const path = `${services}/${id}/deploys/${deployment.id}`;
    const seen = [deployment.status];
    for (let second = 1; second <= 7; second += 1) {
      clock.advance(1000);
      seen.push(await statusOf(call, path));
    }
    expect(seen).toEqual(stages);
    const { body } = await call("GET", path);
    expect(body.deployment.steps.map((step: { name: string }) => step.name)).toEqual(stages.slice(1, -1));
    expect(body.deployment.finishedAt > body.deployment.startedAt).toBe(true);
    expect((await call("GET", `${services}/${id}`)).body.service.liveDeploymentId).toBe(deployment.id);
  });

  it("a jump of the clock gives every move its own time", async () => {
    const { call, clock, emulator, services } = start({ deploySeconds: 7 });
    const { id } = emulator.store.addService({ name: "api" });
    const queued = emulator.store.deploy(id);
    clock.advance(60_000);
    const { deployment } = (await call("GET", `${services}/${id}/deploys/${queued.id}`)).body;
    expect(Date.parse(deployment.finishedAt) - Date.parse(deployment.startedAt)).toBe(6000);
  });

  it("a deployment that starts supersedes the older one still under way", async () => {
    const { call, clock, emulator, services } = start({ deploySeconds: 7 });
    const { id } = emulator.store.addService({ name: "api" });
    const first = emulator.store.deploy(id);
    clock.advance(2500);
    const second = emulator.store.deploy(id);
    await call("GET", "/catalog");
    clock.advance(60_000);
    expect(await statusOf(call, `${services}/${id}/deploys/${first.id}`)).toBe("superseded");
    expect(await statusOf(call, `${services}/${id}/deploys/${second.id}`)).toBe("live");
  });

  it("a cancelled deployment ends at its next move, not at once", async () => {
    const { call, clock, emulator, services } = start({ deploySeconds: 7 });
    const { id } = emulator.store.addService({ name: "api" });
    const path = `${services}/${id}/deploys/${emulator.store.deploy(id).id}`;
    clock.advance(3500);
    expect((await call("POST", `${path}/cancel`, {})).body).toEqual({ cancelRequested: true });
    const at = (await call("GET", path)).body.deployment;
    expect([at.status, at.cancelRequested]).toEqual(["building", true]);
    clock.advance(1000);
    expect(await statusOf(call, path)).toBe("cancelled");
  });

  it("a paid plan waits for its checkout and goes on once that is completed", async () => {
    const { call, clock, emulator, services } = start({ deploySeconds: 7 });
    const { id } = emulator.store.addService({ name: "api", configuration: { plan: "starter" } });
    const path = `${services}/${id}/deploys/${emulator.store.deploy(id).id}`;
    clock.advance(600_000);
    const waiting = (await call("GET", path)).body.deployment;
    expect(waiting.status).toBe("queued");
    expect(waiting.blockedReason).toMatch(/checkout/);
    emulator.store.completeCheckout(id);
    clock.advance(7000);
    expect(await statusOf(call, path)).toBe("live");
  });

  it("no worker online blocks a deployment until one is back", async () => {
    const { call, clock, emulator, services } = start({ deploySeconds: 7 });
    const { id } = emulator.store.addService({ name: "api" });
    emulator.store.setCondition("worker-offline", true);
    const path = `${services}/${id}/deploys/${emulator.store.deploy(id).id}`;
    clock.advance(600_000);
    expect((await call("GET", path)).body.deployment).toMatchObject({
      status: "queued",
      blockedReason: expect.stringMatching(/worker/),
    });
    expect((await call("GET", "/catalog")).body.capabilities.workerOnline).toBe(false);
    emulator.store.setCondition("worker-offline", false);
    clock.advance(7000);
    expect(await statusOf(call, path)).toBe("live");
  });

  it("a scripted failure hits one deployment of that service only", async () => {
    const { call, clock, emulator, services } = start({ deploySeconds: 7 });
    const { id } = emulator.store.addService({ name: "api" });
    const other = emulator.store.addService({ name: "web" });
    emulator.store.failNextDeployment(id, "no such branch");
    const failing = `${services}/${id}/deploys/${emulator.store.deploy(id).id}`;
    const fine = `${services}/${other.id}/deploys/${emulator.store.deploy(other.id).id}`;
    clock.advance(7000);
    expect((await call("GET", failing)).body.deployment).toMatchObject({
      status: "failed",
      error: "no such branch",
    });
    expect(await statusOf(call, fine)).toBe("live");
    const again = `${services}/${id}/deploys/${emulator.store.deploy(id).id}`;
    clock.advance(7000);
    expect(await statusOf(call, again)).toBe("live");
  });
});

describe("operations on the clock", () => {
  it("the deletion of a service with a runtime settles through its operation", async () => {
    const { call, clock, emulator, services, workspace } = start({ operationSeconds: 2 });
    const { id } = emulator.store.addService({ name: "api", live: true });
    const { body } = await call("DELETE", `${services}/${id}`, { confirm: "api" });
    expect(body).toMatchObject({ deleted: false, queued: true, operation: { status: "queued" } });
    const path = `${services}/${id}/operations/${body.operation.id}`;
    expect((await call("GET", `${services}/${id}`)).body.service.archived).toBe(true);
    clock.advance(1000);
    expect((await call("GET", path)).body.status).toBe("running");
    clock.advance(1000);
    expect((await call("GET", path)).body.status).toBe("complete");
    expect((await call("GET", `${services}/${id}`)).status).toBe(404);
    expect((await call("GET", `${workspace}/canvas`)).body.nodes).toEqual([]);
  });

  it("a failed operation has no effect", async () => {
    const { call, emulator, services } = start();
    const { id } = emulator.store.addService({ name: "api", live: true });
    emulator.store.failNextOperation(id);
    const { operation } = (await call("POST", `${services}/${id}/actions`, { action: "suspend" })).body;
    emulator.store.settle();
    expect((await call("GET", `${services}/${id}/operations/${operation.id}`)).body.status).toBe("failed");
    expect(emulator.store.service(id)?.runtime).toBe("running");
  });
});
