import { canvas, catalog } from "../../../src/api/wire/shapes";
import { manualClock } from "../../../src/emulator/testing";
import { start } from "./start";

describe("seeding", () => {
  it("2,000 services stand on one canvas that the wire schema accepts", async () => {
    const { call, emulator, workspace } = start();
    const project = emulator.store.addProject();
    for (let i = 0; i < 2000; i += 1) emulator.store.addService({ name: `s${i}`, projectId: project.id });
    const { body } = await call("GET", `${workspace}/canvas`);
    expect(canvas.parse(body).nodes).toHaveLength(2000);
    expect(new Set(body.nodes.map((node: { id: string }) => node.id)).size).toBe(2000);
  });

  it("a change behind the caller's back is on the next canvas and moves updatedAt", async () => {
    const { call, emulator, workspace } = start();
    const { id, updatedAt } = emulator.store.addService({ name: "api" });
    const node = async () => (await call("GET", `${workspace}/canvas`)).body.nodes[0];
    expect((await node()).configuration.branch).toBe("main");
    emulator.store.editConfiguration(id, { branch: "trunk" });
    emulator.store.renameService(id, "renamed");
    expect(await node()).toMatchObject({ name: "renamed", configuration: { branch: "trunk", port: 8000 } });
    expect((await node()).updatedAt > updatedAt).toBe(true);
    emulator.store.deleteServiceNow(id);
    expect(await node()).toBeUndefined();
  });

  it("the catalog is one that the wire schema accepts, and its estimate follows plan and replicas", async () => {
    const { call, emulator, services } = start();
    expect(() => catalog.parse(emulator.log)).toThrow();
    catalog.parse((await call("GET", "/catalog")).body);
    const { id } = emulator.store.addService({
      name: "api",
      configuration: { plan: "starter", replicas: 3 },
    });
    const { estimatedMonthly } = (await call("GET", `${services}/${id}`)).body.service;
    expect(estimatedMonthly).toEqual({ usd: 21, ngn: 31_500, priced: true });
  });

  it("the same random source makes the same ids", () => {
    const ids = () => {
      let state = 7;
      const random = () => {
        state = (state * 48_271) % 2_147_483_647;
        return state / 2_147_483_647;
      };
      return start({ random }).emulator.store.addProject().id;
    };
    expect(ids()).toBe(ids());
    expect(ids()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

describe("how gaps are read", () => {
  const draft = { name: "api", kind: "web", configuration: {}, deploy: false };

  it.each([
    ["nested", { configuration: { branch: "x" } }, 200],
    ["nested", { branch: "x" }, 400],
    ["flat", { branch: "x" }, 200],
    ["flat", { configuration: { branch: "x" } }, 400],
    ["both", { branch: "x" }, 200],
    ["both", { configuration: { branch: "x" } }, 200],
  ] as const)("a service that reads %s bodies answers %j with %i", async (servicePatch, body, status) => {
    const { call, services } = start({ gaps: { servicePatch } });
    const { id } = (await call("POST", services, draft)).body.service;
    const answer = await call("PATCH", `${services}/${id}`, body);
    expect(answer.status).toBe(status);
    if (status === 200) expect(answer.body.service.configuration.branch).toBe("x");
  });

  it("missing gap routes answer 405 or 404, and errors and operations can be nested", async () => {
    const gaps = {
      readService: false,
      listVariables: false,
      rollback: false,
      errorBody: "nested",
      operationBody: "wrapped",
    } as const;
    const { call, emulator, services } = start({ gaps });
    const { id, deploymentId } = emulator.store.addService({ name: "api", live: true });
    const missing = await call("GET", `${services}/${id}`);
    expect(missing).toMatchObject({ status: 405, headers: { allow: "DELETE, PATCH" } });
    expect(missing.body).toEqual({
      requestId: expect.any(String),
      error: expect.objectContaining({ code: "method_not_allowed" }),
    });
    expect((await call("GET", `${services}/${id}/variables`)).status).toBe(405);
    expect(
      (await call("POST", `${services}/${id}/deploys/${deploymentId}/rollback`, { confirm: "api" })).status,
    ).toBe(404);
    const { operation } = (await call("POST", `${services}/${id}/actions`, { action: "restart" })).body;
    expect((await call("GET", `${services}/${id}/operations/${operation.id}`)).body).toEqual({ operation });
  });
});

describe("the manual clock", () => {
  it("stands still until moved, and wakes sleepers in order", async () => {
    const clock = manualClock({ start: 0 });
    const woken: string[] = [];
    const late = clock.sleep(20).then(() => woken.push("late"));
    const early = clock.sleep(10).then(() => woken.push("early"));
    await new Promise(setImmediate);
    expect([clock.now(), woken]).toEqual([0, []]);
    clock.advance(20);
    await Promise.all([late, early]);
    expect(woken).toEqual(["early", "late"]);
  });

  it("with sleepMoves a sleep moves it, to the earliest sleeper first", async () => {
    const clock = manualClock({ start: 0, sleepMoves: true });
    const woken: number[] = [];
    await Promise.all([30, 10, 20].map((ms) => clock.sleep(ms).then(() => woken.push(clock.now()))));
    expect(woken).toEqual([10, 20, 30]);
  });

  it("an aborted sleep rejects with the reason", async () => {
    const clock = manualClock();
    const abort = new AbortController();
    const sleep = clock.sleep(10, abort.signal);
    abort.abort(new Error("enough"));
    await expect(sleep).rejects.toThrow("enough");
  });
});
