import { canvas } from "../../../src/api/wire/shapes";
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
