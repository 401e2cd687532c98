import { MemoryDisk } from "../../support/memory-disk";
import { createWorkbench, type Workbench } from "../../support/workbench";

const shop = `
projects:
  shop:
    services:
      api: { kind: web, deploy: { when: never }, variables: { A: one, B: two, C: three, D: four, E: five } }
`;

describe("what an interrupted run left open", () => {
  let bench: Workbench;
  afterEach(() => bench.remove());

  it("is closed by a later write that was answered, though a generated value gives that another key", async () => {
    bench = createWorkbench();
    bench.write(
      "rnv.yaml",
      shop.replace(/variables: {.*?}/, "variables: { A: { generate: { length: 24 } } }"),
    );
    bench.emulator.setFaults((_, { method, path }) => {
      if (!path.endsWith("/variables")) return undefined;
      if (method === "GET") return { kind: "status", status: 404 };
      return { kind: "status", status: 409, code: "idempotency_legacy_conflict" };
    });
    expect((await bench.apply()).exitCode).toBe(3);
    expect((await bench.state())?.open).toHaveLength(1);
    bench.emulator.setFaults((_, { method, path }) =>
      method === "GET" && path.endsWith("/variables") ? { kind: "status", status: 404 } : undefined,
    );
    expect((await bench.apply()).exitCode).toBe(0);
    expect((await bench.state())?.open).toEqual([]);
  });

  it("is no mass disappearance: what it deleted itself, it forgets", async () => {
    bench = createWorkbench();
    bench.write("rnv.yaml", shop);
    await bench.apply();
    bench.write("rnv.yaml", shop.replace(/variables: {.*?}/, "variables: {}"));
    await bench.applyUntilDeath({ write: 4, when: "after" }, { parallelism: 4 });
    const [service] = bench.emulator.store.services();
    expect(bench.emulator.store.variables(service?.id ?? "").length).toBeLessThanOrEqual(2);
    const { plan, diagnostics } = await bench.plan();
    expect(diagnostics).toEqual([]);
    expect(plan?.changes.filter(({ action }) => action === "create")).toEqual([]);
    expect(await bench.apply()).toMatchObject({ exitCode: 0, diagnostics: [] });
    expect(bench.emulator.store.variables(service?.id ?? "")).toEqual([]);
    expect(Object.keys((await bench.state())?.resources ?? {})).toEqual(["project.shop", "service.shop.api"]);
  });

  it("is never an id without its outcome: what a look finds is written down in one piece", async () => {
    const disk = new MemoryDisk();
    bench = createWorkbench({ disk });
    bench.write("rnv.yaml", shop);
    const seen: string[] = [];
    disk.fault = () => {
      seen.push(disk.text(`${bench.folder}/.rnv/state.json.journal`));
      return undefined;
    };
    bench.emulator.setFaults((_, { method, path }) =>
      method === "POST" && path.endsWith("/services")
        ? { kind: "status", status: 500, when: "after" }
        : undefined,
    );
    expect((await bench.apply()).exitCode).toBe(0);
    const [service] = bench.emulator.store.services();
    // The project's outcome is the first one.
    const withOutcome = seen.filter((text) => text.split('"kind":"outcome"').length > 2);
    expect(withOutcome.length).toBeGreaterThan(0);
    for (const text of withOutcome) expect(text).toContain(`"id":"${service?.id}"`);
    expect(withOutcome.every((text) => text.includes('"address":"service.shop.api","resource":{'))).toBe(
      true,
    );
  });
});
