import { RunJournal } from "../../../src/apply/run-journal";
import { manualClock } from "../../../src/emulator/testing";
import type { Address } from "../../../src/model/address";
import type { Pending } from "../../../src/model/live";
import type { JournalEntry, State } from "../../../src/model/state";
import type { StateSession } from "../../../src/state/backend";
import { api, intentOf, recordOf, shop, stateOf, timeAt } from "./fixtures";

const web = "service.shop.web" as Address;
const deploying: Pending = { kind: "deployment", id: "d1" };

function journalOf(state: State = stateOf({}, [])) {
  const clock = manualClock();
  const appended: { readonly entries: readonly JournalEntry[]; readonly durable: boolean }[] = [];
  const session = {
    append: async (entries: readonly JournalEntry[], { durable }: { durable: boolean }) =>
      void appended.push({ entries, durable }),
    commit: async (written: State) => written,
  } as unknown as StateSession;
  return { journal: new RunJournal(session, state, clock), appended, clock };
}

const { seq: _, ...write } = intentOf();

describe("the journal of a run", () => {
  it("makes the run and each write durable before anything is sent, and nothing else", async () => {
    const { journal, appended } = journalOf();
    const run = { ...stateOf({}, []).run, id: "r2" } as NonNullable<State["run"]>;
    await journal.begin(run, undefined);
    await journal.begin(run, "key");
    expect(appended).toEqual([
      { entries: [{ kind: "run", run }], durable: true },
      { entries: [{ kind: "run", run, keyId: "key" }], durable: true },
    ]);
    const seq = await journal.intend(write);
    expect(appended[2]).toEqual({ entries: [{ kind: "intent", intent: { seq, ...write } }], durable: true });
    await journal.record(api, recordOf("s1"));
    await journal.recordDeleted(api);
    await journal.move(shop, web, recordOf("p1"));
    await journal.recordOutputs({ url: "u" });
    await journal.close([seq], { result: "done", status: 200 });
    expect(appended.slice(3).map(({ durable }) => durable)).toEqual([false, false, false, false, false]);
  });

  it("numbers writes after those that an earlier run left open", async () => {
    const { journal } = journalOf(stateOf({}, [intentOf({ seq: 4 }), intentOf({ seq: 9 })]));
    expect([await journal.intend(write), await journal.intend(write)]).toEqual([10, 11]);
    expect(await journalOf().journal.intend(write)).toBe(1);
    expect(journal.openAt(api).map(({ seq }) => seq)).toEqual([4, 9, 10, 11]);
    expect(journal.openAt(web)).toEqual([]);
  });

  it("records what was made before the outcome, and what is waited for, in one append", async () => {
    const { journal, appended } = journalOf(stateOf({}, [intentOf({ seq: 1 }), intentOf({ seq: 2 })]));
    const run = { ...stateOf({}, []).run, id: "r2" } as NonNullable<State["run"]>;
    await journal.close(
      [1, 2],
      { result: "done", status: 201, id: "s1" },
      { address: api, resource: recordOf("s1") },
      run,
    );
    expect(appended).toHaveLength(1);
    expect(appended[0]?.entries).toEqual([
      { kind: "resource", address: api, resource: recordOf("s1") },
      { kind: "run", run },
      { kind: "outcome", seq: 1, result: "done", status: 201, id: "s1" },
      { kind: "outcome", seq: 2, result: "done", status: 201, id: "s1" },
    ]);
    expect(journal.openAt(api)).toEqual([]);
    expect(journal.recorded(api)).toEqual(recordOf("s1"));
    expect((await journal.finish(null, { goesOn: true })).run).toEqual(run);
    await journal.close([77], { result: "refused", status: 400 });
    expect(appended[1]?.entries).toEqual([{ kind: "outcome", seq: 77, result: "refused", status: 400 }]);
  });

  it("leaves other writes of an address open", async () => {
    const { journal } = journalOf(
      stateOf({}, [intentOf({ seq: 1 }), intentOf({ seq: 2 }), intentOf({ seq: 3, address: web })]),
    );
    await journal.close([1], { result: "done", status: 200 });
    expect(journal.openAt(api).map(({ seq }) => seq)).toEqual([2]);
    const { open, run } = await journal.finish(null);
    expect(open.map(({ seq }) => seq)).toEqual([2, 3]);
    // The run is not over.
    expect(run).not.toBeNull();
  });

  it("is over with its last open write, unless it goes on", async () => {
    const { journal } = journalOf();
    expect(await journal.finish("key")).toMatchObject({ run: null, keyId: "key", open: [] });
    expect((await journal.finish(null, { goesOn: true })).run).not.toBeNull();
    const { journal: keyed } = journalOf({ ...stateOf({}, []), keyId: "before" });
    expect((await keyed.finish(null)).keyId).toBe("before");
  });
});

describe("what the journal of a run knows", () => {
  it("is what the state recorded, and what was recorded since", async () => {
    const { journal } = journalOf(
      stateOf({ [shop]: recordOf("p1"), [api]: recordOf("s1", { parent: shop }) }, []),
    );
    expect(journal.hasChanges).toBe(false);
    expect(journal.inside(shop)).toEqual([[api, recordOf("s1", { parent: shop })]]);
    expect(journal.inside(api)).toEqual([]);
    await journal.record(web, recordOf("s2", { parent: shop }));
    expect(journal.hasChanges).toBe(true);
    expect(journal.inside(shop).map(([at]) => at)).toEqual([api, web]);
    expect(journal.all().map(([at]) => at)).toEqual([shop, api, web]);
    await journal.record(api, recordOf("s3", { parent: web }));
    expect(journal.inside(shop).map(([at]) => at)).toEqual([web]);
    expect(journal.inside(web).map(([at]) => at)).toEqual([api]);
    await journal.record(api, null);
    expect({ is: journal.recorded(api), in: journal.inside(web) }).toEqual({ is: undefined, in: [] });
  });

  it("stands under the new address once it has moved", async () => {
    const { journal, appended } = journalOf(stateOf({ [api]: recordOf("s1", { parent: shop }) }, []));
    await journal.move(api, web, recordOf("s1", { parent: shop }));
    expect(appended[0]?.entries).toEqual([
      { kind: "resource", address: api, resource: null },
      { kind: "resource", address: web, resource: recordOf("s1", { parent: shop }) },
    ]);
    expect(journal.recorded(api)).toBeUndefined();
    expect(journal.inside(shop).map(([at]) => at)).toEqual([web]);
  });

  it("is written as one snapshot", async () => {
    const state = { ...stateOf({ [api]: recordOf("s1") }, []), outputs: { before: 1 } };
    const { journal, appended } = journalOf(state);
    const lastRunAt = "2026-01-01T00:00:00.000Z";
    expect(await journal.finish(null)).toEqual({ ...state, run: null, lastRunAt });
    await journal.recordOutputs({ url: "u" });
    expect(appended.at(-1)?.entries).toEqual([{ kind: "outputs", outputs: { url: "u" } }]);
    expect(journal.hasChanges).toBe(true);
    await journal.record(web, recordOf("s2"));
    const written = await journal.finish(null);
    expect(written).toMatchObject({
      outputs: { url: "u" },
      resources: { [api]: { id: "s1" }, [web]: { id: "s2" } },
    });
    expect(written).not.toHaveProperty("deleted");
  });
});

describe("what was deleted", () => {
  const entry = { type: "service", name: "api", address: api, at: timeAt(0) };

  it("is remembered with its time, since lists may show it for a while", async () => {
    const { journal, appended } = journalOf(stateOf({ [api]: recordOf("s1"), [web]: recordOf("s2") }, []));
    await journal.recordDeleted(api);
    expect(appended[0]?.entries).toEqual([
      { kind: "resource", address: api, resource: null, deletedAt: timeAt(0) },
    ]);
    await journal.close([], { result: "done", status: 200 }, { address: web, resource: null });
    expect(appended[1]?.entries).toMatchObject([{ address: web, resource: null, deletedAt: timeAt(0) }]);
    expect((await journal.finish(null)).deleted).toEqual({ s1: entry, s2: { ...entry, address: web } });
  });

  it("is not what is only forgotten, nor what was not recorded", async () => {
    const { journal, appended } = journalOf(stateOf({ [api]: recordOf("s1") }, []));
    await journal.record(api, null);
    await journal.recordDeleted(web);
    expect(appended.map(({ entries }) => entries[0])).toEqual([
      { kind: "resource", address: api, resource: null },
      { kind: "resource", address: web, resource: null },
    ]);
    expect(await journal.finish(null)).not.toHaveProperty("deleted");
  });
});

describe("what is left pending", () => {
  it("counts from when it was first recorded, whatever is recorded of it later", async () => {
    const { journal, clock } = journalOf();
    await journal.record(api, recordOf("s1", { pending: deploying }));
    const since = timeAt(0);
    expect(journal.recorded(api)?.pending).toEqual({ ...deploying, since });
    clock.advance(1000);
    await journal.record(api, recordOf("s1", { pending: { ...deploying, commit: "c" } }));
    expect(journal.recorded(api)?.pending).toEqual({ ...deploying, commit: "c", since });
    const other = { ...deploying, id: "d2" };
    await journal.close(
      [],
      { result: "done", status: 200 },
      { address: api, resource: recordOf("s1", { pending: other }) },
    );
    expect(journal.recorded(api)?.pending).toEqual({ ...other, since: timeAt(1000) });
    await journal.record(api, recordOf("s1", { pending: { ...other, since: timeAt(5) } }));
    expect(journal.recorded(api)?.pending?.since).toBe(timeAt(5));
  });
});
