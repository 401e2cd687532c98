import { createWorkbench, type Workbench } from "../../support/workbench";

const shop = `
projects:
  shop:
    name: Shop
    services:
      api:
        kind: web
        configuration: { repository: "https://git.example.com/shop/api", runtime: node, healthCheckPath: /healthz }
        variables:
          LOG_LEVEL: info
          WORKER_HOST: "\${service.shop.worker.internalHost}"
      worker:
        kind: worker
        configuration: { repository: "https://git.example.com/shop/worker", runtime: python }
outputs: { apiUrl: "\${service.shop.api.url}" }
`;

describe("the main path", () => {
  let bench: Workbench;
  beforeEach(() => {
    bench = createWorkbench();
    bench.write("rnv.yaml", shop);
  });
  afterEach(() => bench.remove());

  it("a first plan reads with three requests and writes nothing", async () => {
    const { plan, diagnostics } = await bench.plan();
    expect(diagnostics).toEqual([]);
    expect(plan?.summary).toMatchObject({ add: 7, change: 0, destroy: 0 });
    expect(bench.emulator.log).toHaveLength(3);
    expect(bench.writes()).toEqual([]);
  });

  it("a changed field and a changed variable are two PATCHes and one deployment", async () => {
    await bench.apply();
    bench.emulator.resetLog();
    bench.write(
      "rnv.yaml",
      shop.replace("/healthz", "/ready").replace("LOG_LEVEL: info", "LOG_LEVEL: debug"),
    );
    const { exitCode } = await bench.apply();
    expect(exitCode).toBe(0);
    const writes = bench.writes().map((write) => write.replace(/[0-9a-f-]{36}/g, "ID"));
    expect(writes.sort()).toEqual([
      "PATCH /workspaces/ID/services/ID",
      "PATCH /workspaces/ID/services/ID/variables/ID",
      "POST /workspaces/ID/services/ID/deploys",
    ]);
    expect((await bench.plan()).plan?.summary).toMatchObject({ add: 0, change: 0, destroy: 0 });
  });

  it("a refused change skips what depends on it, and everything else is done", async () => {
    bench.emulator.setFaults((_, { method, path, body }) =>
      method === "POST" && path.endsWith("/services") && body?.includes('"worker"')
        ? { kind: "status", status: 403 }
        : undefined,
    );
    const { exitCode, counts } = await bench.apply();
    expect(exitCode).toBe(3);
    expect(counts).toMatchObject({ added: 3, failed: 1, skipped: 3 });
    const skipped = bench.events.flatMap((event) => (event.type === "skipped" ? [event] : []));
    expect(skipped.map(({ address }) => address).sort()).toEqual([
      "deployment.shop.api",
      "deployment.shop.worker",
      "variable.shop.api.WORKER_HOST",
    ]);
    for (const { because } of skipped) expect(because).toEqual(["service.shop.worker"]);
  });

  it("a refused key ends the run: nothing else is sent", async () => {
    bench.emulator.setFaults((_, { method }) =>
      method === "GET" ? undefined : { kind: "status", status: 401 },
    );
    bench.write("rnv.yaml", "projects: { a: {}, b: {}, c: {} }");
    expect(await bench.apply({ parallelism: 1 })).toMatchObject({ exitCode: 1 });
    expect(bench.writes()).toHaveLength(1);
  });
});
