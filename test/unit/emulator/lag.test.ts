import { parseLags } from "../../../src/emulator/lag";
import { start } from "./start";

const seeded = (options: Parameters<typeof start>[0] = {}) => {
  const started = start(options);
  const { store } = started.emulator;
  const project = store.addProject({ name: "Shop" });
  const service = store.addService({ name: "api", projectId: project.id });
  const variable = store.addVariable(service.id, "LEVEL", "info");
  return { ...started, store, project, service, variable, servicePath: `${started.services}/${service.id}` };
};

describe("reads that lag", () => {
  it("show a write once its time has passed, by list and by id, and not before", async () => {
    const at = seeded();
    at.store.setLag({ all: { ms: 300 } });
    const created = (await at.call("POST", `${at.workspace}/projects`, { name: "Later", color: "#2f6fed" }))
      .body;
    const { project } = created;
    const names = async () =>
      (await at.call("GET", `${at.workspace}/projects`)).body.projects.map(
        (one: { name: string }) => one.name,
      );
    at.clock.advance(299);
    expect(await names()).toEqual(["Shop"]);
    expect((await at.call("GET", `${at.workspace}/projects/${project.id}`)).status).toBe(404);
    at.clock.advance(1);
    expect(await names()).toEqual(["Shop", "Later"]);
    expect((await at.call("GET", `${at.workspace}/projects/${project.id}`)).status).toBe(200);
  });

  it("by count show a write after that many reads of the class, whatever the time", async () => {
    const at = seeded();
    at.store.setLag({ canvas: { reads: 2 } });
    await at.call("PATCH", at.servicePath, { name: "web" });
    const shown = async () => (await at.call("GET", `${at.workspace}/canvas`)).body.nodes[0].name;
    at.clock.advance(3_600_000);
    expect([await shown(), await shown(), await shown()]).toEqual(["api", "api", "web"]);
  });

  it.each([
    ["projects", "projects", (at: ReturnType<typeof seeded>) => `${at.workspace}/projects`],
    ["project", "project", (at: ReturnType<typeof seeded>) => `${at.workspace}/projects/${at.project.id}`],
    ["canvas", "canvas", (at: ReturnType<typeof seeded>) => `${at.workspace}/canvas`],
    ["service", "service", (at: ReturnType<typeof seeded>) => at.servicePath],
    ["variables", "variables", (at: ReturnType<typeof seeded>) => `${at.servicePath}/variables`],
    ["deployments", "deployments", (at: ReturnType<typeof seeded>) => `${at.servicePath}/deploys`],
    ["catalog", "catalog", () => "/catalog"],
  ] as const)("of the class %s alone lag while others are as they are", async (_, name, pathOf) => {
    const at = seeded();
    const read = async () => JSON.stringify((await at.call("GET", pathOf(at))).body);
    const change = async () => {
      await at.call("PATCH", `${at.workspace}/projects/${at.project.id}`, { name: "Market" });
      await at.call("PATCH", at.servicePath, { name: "web" });
      await at.call("POST", `${at.servicePath}/variables`, { key: "MORE", value: "x" });
      await at.call("POST", `${at.servicePath}/deploys`, {});
      at.store.setCondition("hosting-off", true);
    };
    const before = await read();
    at.store.setLag({ [name]: { ms: 1000 } });
    await change();
    expect(await read()).toBe(before);
    at.store.setLag();
    expect(await read()).not.toBe(before);
  });

  it("of an operation answer 404 until they show it", async () => {
    const at = seeded({ conditions: ["queued-deletions"], lag: { operations: { reads: 1 } } });
    const { operation } = (await at.call("DELETE", at.servicePath, { confirm: "api" })).body;
    const read = async () => (await at.call("GET", `${at.servicePath}/operations/${operation.id}`)).status;
    expect([await read(), await read()]).toEqual([404, 200]);
  });

  it("say nothing of writes: the key of a write that no read shows yet is known", async () => {
    const at = seeded({ lag: { all: { ms: 1000 } } });
    const create = () =>
      at.call(
        "POST",
        at.services,
        { name: "new", kind: "worker", configuration: {}, deploy: false },
        { "idempotency-key": "k".repeat(20) },
      );
    const [first, second] = [await create(), await create()];
    expect(second.body.service.id).toBe(first.body.service.id);
    expect(at.store.services().filter(({ name }) => name === "new")).toHaveLength(1);
  });

  it("are counted when what they show is not what there is, and only then", async () => {
    const at = seeded({ lag: { canvas: { reads: 2 }, catalog: { reads: 2 } } });
    const read = (path: string) => at.call("GET", `${at.workspace}/${path}`);
    await at.call("PATCH", at.servicePath, { name: "web" });
    await at.call("GET", "/catalog");
    expect(at.store.answersBehind()).toBe(0);
    for (let reads = 0; reads < 5; reads += 1) await read("canvas");
    expect(at.store.answersBehind()).toBe(2);
    at.store.setLag({ service: { reads: 1 } });
    at.store.deleteServiceNow(at.service.id);
    expect((await read(`services/${at.service.id}`)).status).toBe(200);
    expect(at.store.answersBehind()).toBe(3);
  });

  it("by count show it at the latest after a time, where one is set", async () => {
    const at = seeded();
    at.store.setLag({ canvas: { reads: 100, atMostMs: 1000 } });
    await at.call("PATCH", at.servicePath, { name: "web" });
    const shown = async () => (await at.call("GET", `${at.workspace}/canvas`)).body.nodes[0].name;
    at.clock.advance(999);
    expect(await shown()).toBe("api");
    at.clock.advance(1);
    expect(await shown()).toBe("web");
  });

  it("show what moved by itself as long after it moved, whenever somebody looks", async () => {
    const at = seeded({ lag: { deployments: { ms: 300 } } });
    at.store.editConfiguration(at.service.id, { repository: "https://git.example.com/shop/api" });
    const { deployment } = (await at.call("POST", `${at.servicePath}/deploys`, {})).body;
    at.clock.advance(3_600_000);
    const shown = await at.call("GET", `${at.servicePath}/deploys/${deployment.id}`);
    expect(shown.body.deployment.status).toBe("live");
  });

  it("are set from text by time and by count, for all classes or by name; other text is none", () => {
    expect(parseLags("300ms")).toEqual({ all: { ms: 300 } });
    expect(parseLags("canvas=2s,projects=3reads")).toEqual({ canvas: { ms: 2000 }, projects: { reads: 3 } });
    expect(parseLags("all=1s,all=1read")).toEqual({ all: { ms: 1000, reads: 1 } });
    expect(["", "soon", "canvas", "everything=1s", "canvas=x"].map(parseLags)).toEqual(
      Array(5).fill(undefined),
    );
  });
});
