import { ApiError } from "../../src/api/api-error";
import { listsWithout } from "../support/edited-answers";
import { fc } from "../support/fixed-seed";
import { MemoryDisk } from "../support/memory-disk";
import { inSoak } from "../support/soak";
import { createWorkbench, type Workbench } from "../support/workbench";
import {
  addForeign,
  foreignThings,
  foreignWrites,
  guardedSpec,
  type LiveEdit,
  liveEdits,
  liveThings,
  manifestOf,
  manifestText,
  type ShopSpec,
  shopSpec,
} from "./shops";

jest.setTimeout(120_000);

const everything = { adopt: true, allowEmpty: true } as const;

/** Runs a law on a fresh workspace that also holds things that are not declared. */
function holds<Ts extends [unknown, ...unknown[]]>(
  arbitraries: { [K in keyof Ts]: fc.Arbitrary<Ts[K]> },
  numRuns: number,
  law: (bench: Workbench, ...values: Ts) => Promise<void>,
): Promise<void> {
  const property = fc.asyncProperty(...arbitraries, async (...values: Ts) => {
    const bench = createWorkbench({ disk: new MemoryDisk() });
    try {
      addForeign(bench.emulator.store);
      await law(bench, ...values);
    } finally {
      bench.remove();
    }
  });
  return fc.assert(property, { numRuns: inSoak(numRuns, Math.ceil(numRuns / 12)) });
}

async function applied(bench: Workbench, spec: ShopSpec, shuffled = false): Promise<void> {
  bench.write("rnv.yaml", manifestText(spec, shuffled));
  const outcome = await bench.apply({ ...everything, confirmedDeletes: await deletions(bench) });
  expect({ errors: errorsOf(outcome), exitCode: outcome.exitCode }).toEqual({ errors: [], exitCode: 0 });
}

const errorsOf = (outcome: { readonly diagnostics: readonly { severity: string; summary: string }[] }) =>
  outcome.diagnostics.filter(({ severity }) => severity === "error").map(({ summary }) => summary);

const isApiError = (failure: unknown): void => expect(failure).toBeInstanceOf(ApiError);

async function deletions(bench: Workbench): Promise<string[]> {
  const { plan } = await bench.plan(everything);
  return (plan?.changes ?? [])
    .filter(({ blockedBy }) => blockedBy?.code === "guard.delete_unconfirmed")
    .map(({ address }) => address);
}

async function changesOf(bench: Workbench): Promise<string[]> {
  const outcome = await bench.plan(everything);
  expect(errorsOf(outcome)).toEqual([]);
  return (outcome.plan?.changes ?? [])
    .filter(({ action }) => action !== "no-op")
    .map(({ action, address, attributes }) => `${action} ${address} ${attributes.map(({ path }) => path)}`);
}

/** What was written before it is no longer younger than reads may be behind. */
const reliable = 3 * 60_000;

async function appliedAndEdited(bench: Workbench, spec: ShopSpec, edits: readonly LiveEdit[]): Promise<void> {
  await applied(bench, spec);
  for (const edit of edits) edit(bench.emulator.store);
  bench.clock.advance(reliable);
  bench.emulator.store.settle();
}

describe("the laws", () => {
  it("after an apply the plan is empty, from any manifest to any other, and a second apply writes nothing", () =>
    holds([shopSpec, shopSpec], 25, async (bench, first, second) => {
      for (const spec of [first, second]) {
        await applied(bench, spec);
        expect(await changesOf(bench)).toEqual([]);
        const once = liveThings(bench.emulator.store);
        bench.emulator.resetLog();
        await applied(bench, spec);
        expect(bench.writes()).toEqual([]);
        expect(liveThings(bench.emulator.store)).toEqual(once);
      }
    }));

  it("whatever is changed behind our back, one apply repairs what is ours", () =>
    holds([shopSpec, liveEdits], 25, async (bench, spec, edits: readonly LiveEdit[]) => {
      await appliedAndEdited(bench, spec, edits);
      const foreign = foreignThings(bench.emulator.store);
      await applied(bench, spec);
      expect(await changesOf(bench)).toEqual([]);
      expect(foreignThings(bench.emulator.store)).toEqual(foreign);
      expect(foreignWrites(bench)).toEqual([]);
    }));

  it("plan and drift write nothing, neither to the service nor to the folder", () =>
    holds([shopSpec, shopSpec, liveEdits], 12, async (bench, first, second, edits: readonly LiveEdit[]) => {
      await appliedAndEdited(bench, first, edits);
      bench.write("rnv.yaml", manifestText(second));
      const [state, live] = [await bench.context.backend.read(), liveThings(bench.emulator.store)];
      bench.emulator.resetLog();
      await bench.plan(everything);
      await bench.plan({ ...everything, mode: "destroy" });
      await bench.drift();
      expect(bench.writes()).toEqual([]);
      expect(await bench.context.backend.read()).toEqual(state);
      expect(liveThings(bench.emulator.store)).toEqual(live);
    }));

  it("no write happens without its change in the plan that was shown", () =>
    holds([shopSpec, shopSpec, liveEdits], 25, async (bench, spec, next, edits: readonly LiveEdit[]) => {
      await appliedAndEdited(bench, spec, edits);
      bench.write("rnv.yaml", manifestText(next));
      const confirmedDeletes = await deletions(bench);
      let shown: readonly string[] = [];
      bench.emulator.resetLog();
      bench.events.length = 0;
      await bench.apply({
        ...everything,
        confirmedDeletes,
        approve: async (plan) => {
          shown = plan.changes.filter(({ action }) => action !== "no-op").map(({ address }) => address);
          return { confirmedDeletes: [] };
        },
      });
      const started = bench.events.flatMap((event) => (event.type === "start" ? [event.address] : []));
      expect(started.filter((address) => !shown.includes(address))).toEqual([]);
      if (shown.length === 0) expect(bench.writes()).toEqual([]);
      expect(bench.writes().length).toBeLessThanOrEqual(shown.length * 2);
      const sent = bench.emulator.log.filter(({ method }) => method !== "GET");
      const whole = sent.map(({ method, path, body }) => `${method} ${path} ${JSON.stringify(body)}`);
      expect(whole).toEqual([...new Set(whole)]);
    }));

  it("an undeclared resource stays byte-identical, whatever runs", () =>
    holds([shopSpec, shopSpec], 12, async (bench, first, second) => {
      const foreign = foreignThings(bench.emulator.store);
      await applied(bench, first);
      await applied(bench, second);
      await bench.apply({ mode: "destroy" });
      expect(foreignThings(bench.emulator.store)).toEqual(foreign);
      expect(foreignWrites(bench)).toEqual([]);
    }));

  it("the plan does not depend on the order of keys, and the end not on concurrency", () =>
    holds([shopSpec, shopSpec], 12, async (bench, first, second) => {
      await applied(bench, first);
      bench.write("rnv.yaml", manifestText(second));
      const forwards = await changesOf(bench);
      bench.write("rnv.yaml", manifestText(second, true));
      expect(await changesOf(bench)).toEqual(forwards);
      const other = createWorkbench({ disk: new MemoryDisk() });
      try {
        await applied(other, first);
        for (const [one, parallelism] of [
          [bench, 1],
          [other, 10],
        ] as const) {
          one.write("rnv.yaml", manifestText(second));
          await one.apply({ ...everything, confirmedDeletes: await deletions(one), parallelism });
        }
        const shapes = (one: Workbench) => manifestOf(one.emulator.store);
        expect(shapes(bench)).toEqual(shapes(other));
      } finally {
        other.remove();
      }
    }));

  it("a plan deletes and replaces no project and no service unless it is confirmed", () =>
    holds([guardedSpec, guardedSpec], 25, async (bench, first, second) => {
      await applied(bench, first);
      bench.write("rnv.yaml", manifestText(second));
      const { plan } = await bench.plan(everything);
      for (const { action, blockedBy, type, onRemove } of plan?.changes ?? []) {
        const isLoss = action === "replace" || (action === "delete" && onRemove !== "archive");
        if (isLoss && /^(project|service)$/.test(type)) expect(blockedBy).toBeDefined();
      }
    }));

  it("destroy ends, and leaves only what is protected, kept or foreign", () =>
    holds([guardedSpec], 25, async (bench, spec) => {
      await applied(bench, spec);
      const outcome = await bench.apply({ mode: "destroy" });
      const isProtected = spec.services.some(
        ({ preventDestroy, onRemove }) => preventDestroy && onRemove === "delete",
      );
      expect(outcome.exitCode).toBe(isProtected ? 4 : 0);
      const left = manifestOf(bench.emulator.store).map(({ name }) => name);
      const kept = spec.services.filter(
        ({ preventDestroy, onRemove }) => preventDestroy || onRemove !== "delete",
      );
      if (!isProtected)
        expect(left.filter((name) => !kept.some((service) => service.name === name))).toEqual([]);
    }));

  it("a listing that fails, is short or malformed deletes nothing and creates nothing twice", () =>
    holds(
      [
        shopSpec,
        fc.constantFrom(
          "status",
          "malformed",
          "empty",
          "html",
          "reset-before",
          "short",
        ) as fc.Arbitrary<string>,
        fc.constantFrom("/projects", "/canvas", "/catalog", "/variables"),
      ],
      60,
      async (bench, spec, fault, path) => {
        await applied(bench, spec);
        const live = liveThings(bench.emulator.store);
        const omit = [
          ...bench.emulator.store.services().map(({ id }) => id),
          ...bench.emulator.store.projects().map(({ id }) => id),
        ].slice(0, 2);
        bench.emulator.setFaults((_, request) => {
          if (request.method !== "GET" || !request.path.endsWith(path)) return undefined;
          if (fault === "short") return listsWithout(omit);
          if (fault === "status") return { kind: "status", status: 500 };
          return { kind: fault as "malformed" | "empty" | "html" | "reset-before" };
        });
        await bench.apply(everything).catch(isApiError);
        bench.emulator.setFaults(undefined);
        expect(liveThings(bench.emulator.store)).toEqual(live);
      },
    ));
});
