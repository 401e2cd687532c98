import type { Address } from "../../../src/model/address";
import { withOtherId } from "../../support/edited-answers";
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

  it("is looked for with one wait for all of it", async () => {
    bench = createWorkbench();
    bench.write("rnv.yaml", shop);
    bench.emulator.setFaults((_, { method, path }) =>
      method === "POST" && path.endsWith("/variables") ? { kind: "reset-before" } : undefined,
    );
    expect((await bench.apply()).exitCode).toBe(3);
    const { open = [] } = (await bench.state()) ?? {};
    expect(new Set(open.map(({ address }) => address)).size).toBe(5);
    bench.emulator.setFaults(() => undefined);
    const before = bench.clock.now();
    expect((await bench.apply()).exitCode).toBe(0);
    // "A bounded grace" (DESIGN section 7) is two seconds, however much is open.
    expect(bench.clock.now() - before).toBeLessThan(2 * 2000);
    expect((await bench.state())?.open).toEqual([]);
  });

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

/** A service that runs, and a change of one of its fields in the manifest. */
async function withOneEdit(): Promise<Workbench> {
  const bench = createWorkbench();
  const text =
    "projects: { shop: { services: { api: { kind: web, configuration: { repository: https://git.example.com/api, port: PORT } } } } }";
  bench.write("rnv.yaml", text.replace("PORT", "3000"));
  await bench.apply();
  bench.write("rnv.yaml", text.replace("PORT", "4000"));
  return bench;
}

describe("an answer about something else", () => {
  it("is not believed: the change is uncertain, and the next run finishes it", async () => {
    const bench = await withOneEdit();
    bench.emulator.setFaults((_, { method }) => (method === "PATCH" ? withOtherId() : undefined));
    expect(await bench.apply()).toMatchObject({ exitCode: 1, diagnostics: [{ code: "apply.uncertain" }] });
    bench.emulator.setFaults(undefined);
    expect(await bench.apply()).toMatchObject({ exitCode: 0, diagnostics: [] });
    const [service] = bench.emulator.store.services();
    const recorded = (await bench.state())?.resources["service.shop.api" as Address];
    expect(recorded).toMatchObject({ id: service?.id, computed: { id: service?.id } });
    expect(bench.writes().filter((write) => write.endsWith("/deploys"))).toEqual([
      `POST /workspaces/${bench.context.workspaceId}/services/${service?.id}/deploys`,
      `POST /workspaces/${bench.context.workspaceId}/services/${service?.id}/deploys`,
    ]);
    bench.remove();
  });
});

describe("a change that is sent in two shapes", () => {
  it("leaves nothing open once one of them took, and deploys once", async () => {
    const bench = await withOneEdit();
    let patches = 0;
    bench.emulator.setFaults((_, { method }) => {
      if (method !== "PATCH") return undefined;
      patches += 1;
      // The nested body is refused, the flat one is not answered, and the nested one takes at last.
      return patches > 2 ? undefined : { kind: "status", status: patches === 1 ? 400 : 500 };
    });
    expect(await bench.apply()).toMatchObject({ exitCode: 0, diagnostics: [] });
    expect(patches).toBe(3);
    expect((await bench.state())?.open).toEqual([]);
    await bench.apply();
    const [service] = bench.emulator.store.services();
    expect(bench.emulator.store.deployments(service?.id ?? "")).toHaveLength(2);
    bench.remove();
  });
});

describe("an interrupted run", () => {
  it("sends no write that still waits for its place, and the next run sends each once", async () => {
    const bench = createWorkbench();
    const names = Array.from({ length: 12 }, (_, i) => `s${i}: { kind: worker, deploy: { when: never } }`);
    bench.write("rnv.yaml", `services: { ${names.join(", ")} }`);
    const stop = new AbortController();
    bench.emulator.setFaults((_, { method }) =>
      method === "POST" ? { kind: "hook", when: "after", run: () => stop.abort() } : undefined,
    );
    expect((await bench.apply({ parallelism: 2 }, { signal: stop.signal })).exitCode).toBe(130);
    expect(bench.writes().length).toBeLessThanOrEqual(2);
    expect((await bench.state())?.open).toEqual([]);
    bench.emulator.setFaults(() => undefined);
    expect((await bench.apply()).exitCode).toBe(0);
    expect(bench.writes()).toHaveLength(12);
    bench.remove();
  });
});

describe("a deployment that was answered with 500 and left no receipt", () => {
  let bench: Workbench;
  afterEach(() => bench.remove());

  it("is not queued again because one look at the list said 404", async () => {
    bench = createWorkbench();
    const configuration = "configuration: { repository: https://git.example.com/shop }";
    bench.write("rnv.yaml", shop.replace("deploy: { when: never }", configuration));
    const met = new Set<string>();
    bench.emulator.setFaults((_, { method, path }) => {
      if (!path.endsWith("/deploys") || met.has(method)) return undefined;
      met.add(method);
      return method === "POST"
        ? { kind: "status", status: 500, when: "after", receipt: false }
        : { kind: "status", status: 404, code: "not_found" };
    });
    expect(await bench.apply()).toMatchObject({ exitCode: 0, diagnostics: [] });
    expect([...met]).toEqual(["POST", "GET"]);
    const [service] = bench.emulator.store.services();
    expect(bench.emulator.store.deployments(service?.id ?? "")).toHaveLength(1);
    expect((await bench.plan()).plan?.changes.filter(({ action }) => action !== "no-op")).toEqual([]);
  });
});
