import type { Condition } from "../../../src/emulator/behaviour";
import type { EmulatorOptions } from "../../../src/emulator/emulator";
import type { SeenRequest } from "../../../src/emulator/faults";
import type { Readings } from "../../../src/emulator/readings";
import type { Address } from "../../../src/model/address";
import { resourceText } from "../../../src/report/state-list";
import { plainStyle } from "../../../src/report/style";
import { emptyLists, withFields } from "../../support/edited-answers";
import { createWorkbench, type Workbench } from "../../support/workbench";

const at = (text: string): Address => text as Address;
const api = at("service.shop.api");
const level = at("variable.shop.api.LEVEL");
const withApi =
  "projects: { shop: { services: { api: { kind: web, deploy: { when: never }, variables: { LEVEL: one } } } } }\n";
const withoutApi = "projects: { shop: {} }\nremoved: [service.shop.api]\n";
const withoutLevel = withApi.replace("variables: { LEVEL: one }", "variables: {}");

interface Seen extends SeenRequest {
  readonly idempotencyKey?: string;
}

/** A project with a service and a variable, and every DELETE that reaches the service. */
const opened = (...conditions: readonly Condition[]) => openedOn({}, conditions);

async function openedOn(
  options: Pick<EmulatorOptions, "gaps" | "readings" | "operationSeconds">,
  conditions: readonly Condition[] = [],
) {
  const bench = createWorkbench({ emulator: { operationSeconds: 2, ...options } });
  bench.write("rnv.yaml", withApi);
  await bench.apply();
  for (const condition of conditions) bench.emulator.store.setCondition(condition, true);
  const deletes: Seen[] = [];
  bench.emulator.setFaults((_, request) => {
    if (request.method === "DELETE") deletes.push(request);
    return undefined;
  });
  bench.emulator.resetLog();
  return {
    bench,
    store: bench.emulator.store,
    deletes,
    keys: () => deletes.map((one) => one.idempotencyKey),
  };
}

type Opened = Awaited<ReturnType<typeof openedOn>>;

const recordedIn = async (bench: Workbench, address: Address) => (await bench.state())?.resources[address];

const failed = "the platform could not carry it out";

/** What is left of a service whose deletion failed: each reading of that. */
const failures: readonly Partial<Readings>[] = [
  { failedDeletionTime: "cleared", failedDeletionFlag: "active" },
  { failedDeletionTime: "cleared", failedDeletionFlag: "archived" },
  { failedDeletionTime: "kept", failedDeletionFlag: "active" },
  { failedDeletionTime: "kept", failedDeletionFlag: "archived" },
];

/** Requests the deletion of the service as another user does. */
async function deleteAsOther({ bench, store }: Opened, idempotencyKey = "x"): Promise<void> {
  const { send } = await bench.context.connect();
  const path = `/workspaces/${bench.context.workspaceId}/services/${store.services()[0]?.id}`;
  const body = { confirm: "api" };
  await send({ operation: "deleteService", method: "DELETE", keyed: true, body, path, idempotencyKey });
}

describe("a deletion whose operation fails", () => {
  // "What a failed deletion leaves" is not shown in the interface.
  it.each(failures)(
    "leaves a service recorded, is told in the plan, and is asked for again with a new key (%j)",
    async (readings) => {
      const { bench, store, deletes, keys } = await openedOn({ readings }, ["failed-deletions"]);
      const [service] = store.services();
      bench.write("rnv.yaml", withoutApi);
      expect(await bench.apply()).toMatchObject({
        exitCode: 1,
        diagnostics: [{ code: "apply.delete_failed", address: api }],
      });
      const recorded = await recordedIn(bench, api);
      expect(recorded).toMatchObject({ id: service?.id, deletionFailed: failed });
      expect(recorded && resourceText(api, recorded, plainStyle)).toContain(
        `its last deletion failed: ${failed}`,
      );
      const { plan } = await bench.plan();
      expect(plan?.changes.find(({ address }) => address === api)).toMatchObject({
        action: "delete",
        reason: `the last deletion failed: ${failed}`,
      });
      expect((await bench.apply()).exitCode).toBe(1);
      store.setCondition("failed-deletions", false);
      expect(await bench.apply()).toMatchObject({ exitCode: 0, diagnostics: [] });
      expect(new Set(keys()).size).toBe(3);
      expect(deletes).toHaveLength(3);
      expect(store.services()).toEqual([]);
      expect(bench.writes().filter((write) => !write.startsWith("DELETE"))).toEqual([]);
      expect(Object.keys((await bench.state())?.resources ?? {})).toEqual(["project.shop"]);
    },
  );

  it("keeps a variable, also a variable that stands while its operation is not found", async () => {
    const { bench, store, deletes } = await opened("failed-deletions");
    bench.write("rnv.yaml", withoutLevel);
    expect(await bench.apply()).toMatchObject({
      exitCode: 1,
      diagnostics: [{ code: "apply.delete_failed", address: level }],
    });
    bench.fail(/^GET .*\/operations\//, { kind: "status", status: 404 });
    expect((await bench.apply()).diagnostics).toMatchObject([
      { summary: expect.stringContaining("has not ended in 5 minutes") },
    ]);
    expect(await recordedIn(bench, level)).toHaveProperty("deletionFailed");
    expect(store.variables(store.services()[0]?.id ?? "")).toHaveLength(1);
    expect(deletes).toHaveLength(1);
  });

  it.each([
    ["at once where its operation says so", true],
    ["after 5 minutes where nothing shows its operation", false],
  ] as const)("reports its end for a project %s", async (_, projectOperation) => {
    const { bench, store, deletes } = await openedOn({ gaps: { projectOperation } });
    bench.write("rnv.yaml", withoutApi);
    await bench.apply();
    store.setCondition("failed-deletions", true);
    bench.write("rnv.yaml", "removed: [project.shop]\n");
    const before = bench.clock.now();
    const { diagnostics } = await bench.apply({ allowEmpty: true });
    expect(diagnostics).toMatchObject([{ code: "apply.delete_failed", address: "project.shop" }]);
    const minutes = (bench.clock.now() - before) / 60_000;
    if (projectOperation) expect(minutes).toBeLessThan(1);
    else expect(minutes).toBeGreaterThan(4);
    expect(store.projects()).toHaveLength(1);
    expect(deletes.filter(({ path }) => path.includes("/projects/"))).toHaveLength(1);
  });

  it.each([
    ["a page of the dashboard", { kind: "html", status: 200, when: "after" }],
    ["a refusal", { kind: "status", status: 400 }],
  ] as const)("continues for a project where its assumed route answers with %s", async (_, fault) => {
    const { bench, store } = await opened("queued-deletions");
    bench.write("rnv.yaml", withoutApi);
    await bench.apply();
    bench.fail(/\/projects\/[^/]+\/operations\//, fault);
    await bench.applied("removed: [project.shop]\n", { allowEmpty: true });
    expect(store.projects()).toEqual([]);
  });

  it("stops a replacement before anything new is made", async () => {
    const { bench, store } = await opened("failed-deletions");
    const replacing = { confirmedDeletes: [api] };
    bench.write("rnv.yaml", withApi.replace("kind: web", "kind: worker"));
    expect((await bench.apply(replacing)).exitCode).toBe(1);
    expect((await bench.apply(replacing)).exitCode).toBe(1);
    expect(bench.writes().filter((write) => write.startsWith("POST"))).toEqual([]);
    const { plan } = await bench.plan(replacing);
    expect(plan?.changes.find(({ address }) => address === api)).toMatchObject({
      action: "replace",
      reason: `the last deletion failed: ${failed}`,
    });
    store.setCondition("failed-deletions", false);
    expect((await bench.apply(replacing)).exitCode).toBe(0);
    expect(store.services().map(({ kind }) => kind)).toEqual(["worker"]);
    expect(await bench.acting()).toEqual([]);
  });
});

describe("a service that another user is deleting", () => {
  it("is created again only after its end", async () => {
    const readings = { failedDeletionTime: "kept", failedDeletionFlag: "archived" } as const;
    const opening = await openedOn({ readings }, ["queued-deletions"]);
    const { bench, store } = opening;
    const [service] = store.services();
    await deleteAsOther(opening, "theirs-1");
    const requestedAt = store.service(service?.id ?? "")?.deletionRequestedAt;
    const { plan } = await bench.plan();
    expect(plan?.changes.find(({ address }) => address === api)).toMatchObject({
      action: "create",
      reason: `its deletion was requested at ${requestedAt}, and its end is waited for`,
    });
    const order: string[] = [];
    bench.emulator.setFaults((_, { method }) => {
      if (method === "POST") order.push(store.services().length === 0 ? "after" : "beside");
      return undefined;
    });
    expect((await bench.apply()).exitCode).toBe(0);
    expect(order[0]).toBe("after");
    expect(store.services()).toHaveLength(1);
    store.setCondition("failed-deletions", true);
    const [second] = store.services();
    await deleteAsOther(opening, "theirs-2");
    expect((await bench.apply()).exitCode).not.toBe(0);
    expect(store.services().map(({ id }) => id)).toEqual([second?.id]);
  });
});

/** DESIGN section 4: "A deletion counts as done when the thing is proven gone, never because its operation ended or is not found." */
describe("the end of a deletion", () => {
  it("is not that of an operation that answers complete while the service is still being deleted", async () => {
    const { bench, store } = await openedOn({ operationSeconds: 120 }, ["queued-deletions"]);
    bench.fail(/^GET .*\/operations\//, withFields({ status: "complete" }));
    bench.write("rnv.yaml", withoutApi);
    const startedAt = bench.clock.now();
    expect(await bench.apply()).toMatchObject({ exitCode: 0, diagnostics: [] });
    expect(bench.clock.now() - startedAt).toBeGreaterThanOrEqual(120_000);
    expect(store.services()).toEqual([]);
    expect(await recordedIn(bench, api)).toBeUndefined();
    expect(bench.writes()).toHaveLength(1);
  });

  it("is not believed for a project of a key that is shown nothing any more, whatever was shown just before", async () => {
    const beside = "services: { docs: { kind: web, deploy: { when: never } } }\n";
    const { bench, store, deletes } = await opened("queued-deletions");
    bench.write("rnv.yaml", `${withApi}${beside}`);
    await bench.apply();
    bench.write("rnv.yaml", `${beside}removed: [project.shop, service.shop.api]\n`);
    bench.emulator.setFaults((_, { method, path }) => {
      if (method === "DELETE") deletes.push({ method, path, query: "" });
      if (!deletes.some((one) => one.path.includes("/projects/")) || method !== "GET") return undefined;
      return /(projects|canvas)$/.test(path) ? emptyLists : { kind: "status", status: 404 };
    });
    expect((await bench.apply()).diagnostics).toMatchObject([
      { code: "live.gone_unproven", address: "project.shop" },
    ]);
    expect(await recordedIn(bench, at("project.shop"))).toHaveProperty("pending.deletes", true);
    bench.fail();
    expect(await bench.apply()).toMatchObject({ exitCode: 0, diagnostics: [] });
    expect(store.projects()).toEqual([]);
  });

  it("is told as unknown after half a minute where a key may see neither variables nor operations any more", async () => {
    const { bench, store, deletes } = await opened("queued-deletions");
    bench.write("rnv.yaml", withoutLevel);
    bench.emulator.setFaults((_, { method, path }) => {
      if (method === "DELETE") deletes.push({ method, path, query: "" });
      return method === "GET" && deletes.length > 0 && /\/(variables|operations\/[^/]*)$/.test(path)
        ? { kind: "status", status: 404 }
        : undefined;
    });
    const startedAt = bench.clock.now();
    expect(await bench.apply()).toMatchObject({
      exitCode: 1,
      diagnostics: [
        {
          code: "live.gone_unproven",
          address: level,
          summary: expect.stringContaining("the platform reports neither the operation nor its log"),
          hint: expect.stringContaining("Check what the key may read"),
        },
      ],
    });
    expect(bench.clock.now() - startedAt).toBeLessThan(45_000);
    expect(await recordedIn(bench, level)).toHaveProperty("pending.deletes", true);
    bench.fail();
    expect(await bench.apply()).toMatchObject({ exitCode: 0, diagnostics: [] });
    expect(await recordedIn(bench, level)).toBeUndefined();
    expect(store.variables(store.services()[0]?.id ?? "")).toEqual([]);
    expect(deletes).toHaveLength(1);
  });
});

describe("a deletion that an interrupted destroy requested", () => {
  const destroy = { mode: "destroy" } as const;
  const interrupted = async (options: Parameters<typeof openedOn>[0] = {}) => {
    const opening = await openedOn(options, ["queued-deletions"]);
    const { exitCode } = await opening.bench.interrupt(destroy);
    expect([exitCode, opening.deletes.length]).toEqual([130, 1]);
    return opening;
  };
  const isOfService = ({ path }: SeenRequest) => path.includes("/services/");

  it("is requested again where the service was restored since", async () => {
    const { bench, store, deletes } = await interrupted();
    const [service] = store.services();
    store.editService(service?.id ?? "", () => ({ archived: false, deletionRequestedAt: null }));
    expect(await bench.apply(destroy)).toMatchObject({ exitCode: 0 });
    expect([store.services(), store.projects()]).toEqual([[], []]);
    expect(deletes.filter(isOfService)).toHaveLength(2);
  });

  it.each(["project", "variable"] as const)(
    "is waited for while the operation of its %s runs, and the plan says since when",
    async (what) => {
      const { bench, store, deletes } = await openedOn({ operationSeconds: 60 }, ["queued-deletions"]);
      const [service] = store.services();
      await bench.clock.sleep(600_000);
      if (what === "project") store.deleteServiceNow(service?.id ?? "");
      bench.write("rnv.yaml", what === "project" ? "removed: [project.shop]\n" : withoutLevel);
      await bench.interrupt({ allowEmpty: true });
      const since = (await recordedIn(bench, what === "project" ? at("project.shop") : level))?.pending
        ?.since;
      const { plan } = await bench.plan(destroy);
      expect(plan?.changes.find(({ type }) => type === what)?.reason).toContain(`requested at ${since}`);
      expect(await bench.apply(destroy)).toMatchObject({ exitCode: 0 });
      expect([store.services(), store.projects()]).toEqual([[], []]);
      expect(deletes.filter(({ path }) => path.includes(`/${what}s/`))).toHaveLength(1);
    },
  );

  // Shown or not, it goes on: "Archived and deleting or deleted services are excluded" (interface, "Canvas") from lists alone.
  it.each(["shown", "missing"] as const)(
    "is waited for while it is pending, and not requested again, where the service is %s by its id",
    async (variant) => {
      const readings = { deletingService: variant, deletingParts: variant };
      const { bench, store, deletes } = await interrupted({ readings, operationSeconds: 60 });
      expect(await bench.apply(destroy)).toMatchObject({ exitCode: 0, diagnostics: [] });
      expect([store.services(), store.projects()]).toEqual([[], []]);
      expect(deletes.filter(isOfService)).toHaveLength(1);
    },
  );
});

describe("a deletion that another user requested and that failed", () => {
  const destroy = { mode: "destroy" } as const;
  const ended = async (readings: Partial<Readings>) => {
    const opening = await openedOn({ readings }, ["failed-deletions"]);
    await deleteAsOther(opening);
    await opening.bench.clock.sleep(60_000);
    opening.store.settle();
    opening.store.setCondition("failed-deletions", false);
    opening.deletes.length = 0;
    return opening;
  };

  it.each(failures)("is requested again by destroy at once (%j)", async (readings) => {
    for (const endedOperation of ["kept", "forgotten"] as const) {
      const { bench, store, deletes, keys } = await ended({ ...readings, endedOperation });
      const before = bench.clock.now();
      expect(await bench.apply(destroy)).toMatchObject({ exitCode: 0, diagnostics: [] });
      expect(bench.clock.now() - before).toBeLessThan(10_000);
      expect([store.services(), store.projects()]).toEqual([[], []]);
      expect(deletes.filter(({ path }) => path.includes("/services/"))).toHaveLength(1);
      expect(keys()).not.toContain("x");
    }
  });

  it("is requested again where a confirmation by address asks for it, and only there", async () => {
    const { bench, store, deletes } = await ended({
      failedDeletionTime: "kept",
      failedDeletionFlag: "archived",
    });
    bench.write("rnv.yaml", "projects: { shop: {} }\n");
    const { plan } = await bench.plan();
    const requestedAt = store.services()[0]?.deletionRequestedAt;
    expect(plan?.changes.find(({ address }) => address === api)).toMatchObject({
      action: "forget",
      reason: `its deletion was requested at ${requestedAt}, and its end is waited for`,
    });
    await bench.apply();
    expect(deletes).toEqual([]);
    expect(await bench.apply({ confirmedDeletes: [api] })).toMatchObject({ exitCode: 0, diagnostics: [] });
    expect(store.services()).toEqual([]);
  });

  // "Only active services … appear" (interface, "Canvas"): a service that it shows is not being deleted.
  it("leaves the plan empty where the service is active again", async () => {
    for (const readings of failures.filter(({ failedDeletionFlag }) => failedDeletionFlag === "active")) {
      const { bench } = await ended(readings);
      expect(await bench.acting()).toEqual([]);
    }
  });

  it.each([404, 409])("is looked at where the repeated request is answered with %i", async (status) => {
    const opening = await openedOn({ operationSeconds: 60 }, ["queued-deletions"]);
    const { bench, store } = opening;
    await deleteAsOther(opening);
    bench.fail(/^DELETE .*\/services\//, { kind: "status", status });
    expect(await bench.apply(destroy)).toMatchObject({ exitCode: 0, diagnostics: [] });
    expect([store.services(), store.projects()]).toEqual([[], []]);
  });
});
