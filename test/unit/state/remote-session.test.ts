import { DiagnosticsError } from "../../../src/diagnostics/diagnostic";
import { noCipher } from "../../../src/state/cipher";
import type { LockRecord } from "../../../src/state/lock-record";
import { emptyState, nothingRecorded } from "../../../src/state/recorded";
import { LockedRemoteStore } from "../../../src/state/remote/remote-backend";
import { type RemoteStore, type StoredState, UnansweredError } from "../../../src/state/remote/remote-store";
import { Session } from "../../../src/state/session";
import { holder, intent, origin, outcome, stillClock } from "./fixtures";

const start = emptyState({ lineage: "line", ...origin });
const mine: LockRecord = { ...holder("mine"), generation: 3, process: {} };
const theirs: LockRecord = {
  ...holder("theirs", 7),
  host: "there",
  command: "destroy",
  generation: 4,
  process: {},
};

/** A store in memory, in which a test replaces what is to go wrong. */
function setUp(change: (memory: Memory) => Partial<RemoteStore> = () => ({})) {
  const memory: Memory = { stored: undefined, versions: 0, backups: new Map(), freed: [], writes: 0 };
  const put = (bytes: Uint8Array): string => {
    memory.versions += 1;
    memory.stored = { bytes, version: `v${memory.versions}` };
    return memory.stored.version;
  };
  const store: RemoteStore = {
    location: "s",
    unlockHint: "",
    read: async () => memory.stored,
    write: async (bytes, expected) => {
      memory.writes += 1;
      if (memory.stored?.version !== expected) return { kind: "changed" };
      return { kind: "written", version: put(bytes) };
    },
    takeLock: async (record) => record,
    freeLock: async ({ id }) => memory.freed.push(id) > 0,
    backups: {
      name: String,
      read: async (slot) => memory.backups.get(slot),
      write: async (slot, bytes) => {
        memory.backups.set(slot, bytes);
      },
    },
  };
  const clock = stillClock();
  const retryPolicy = { clock, retries: 2, waitMinMs: 10, waitMaxMs: 20, totalMs: 60_000 };
  const open = (generation = 0, serial = 0) => {
    const state = serial === 0 ? undefined : { ...start, serial };
    const found = { ...nothingRecorded, state, stored: memory.stored, serial, generation };
    const locked = new LockedRemoteStore({ ...store, ...change(memory) }, retryPolicy, mine, found);
    return new Session(locked, noCipher, origin);
  };
  const found = () => JSON.parse(Buffer.from(memory.stored?.bytes ?? []).toString() || "null");
  return { memory, store, put, open, found, clock };
}

interface Memory {
  stored: StoredState | undefined;
  versions: number;
  writes: number;
  readonly backups: Map<number, Uint8Array>;
  readonly freed: string[];
}

const problem = async (work: Promise<unknown>) => {
  const cause = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (!(cause instanceof DiagnosticsError)) throw new Error(`no diagnostic: ${cause}`);
  return cause.diagnostics[0];
};

describe("a session on a remote state", () => {
  it("writes who wrote it, and above every serial and generation of before", async () => {
    const { memory, put, open, found } = setUp();
    put(Buffer.from("before"));
    const session = open(6, 9);
    expect((await session.commit({ ...start, serial: 2 })).serial).toBe(10);
    expect(found()).toMatchObject({
      serial: 10,
      writer: {
        generation: 7,
        journals: [],
        session: "mine",
        command: "apply",
        at: "2026-01-01T00:01:00.000Z",
      },
    });
    expect((await session.commit({ ...start, serial: 30 })).serial).toBe(31);
    // The snapshot of before is kept once, in the slot of its generation.
    expect([...memory.backups].map(([slot, bytes]) => [slot, Buffer.from(bytes).toString()])).toEqual([
      [6, "before"],
    ]);
    await open(10, 31).commit(start);
    expect([...memory.backups.keys()]).toEqual([6, 0]);
  });

  it("asks for nothing more once a write is answered", async () => {
    const reads: number[] = [];
    const bench = setUp((memory) => ({
      read: async () => {
        reads.push(memory.writes);
        return memory.stored;
      },
    }));
    const session = bench.open();
    await session.commit(start);
    await session.commit(start);
    expect([bench.memory.writes, reads]).toEqual([2, []]);
  });

  it("keeps no backup of nothing", async () => {
    const { memory, open } = setUp();
    await open().commit(start);
    expect(memory.backups.size).toBe(0);
  });

  it("keeps entries that need not be durable for a second, then writes them together", async () => {
    const { memory, open, found, clock } = setUp();
    const session = open();
    await Promise.all([1, 2].map((seq) => session.append([intent(seq)], { durable: false })));
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    await session.append([], { durable: true });
    expect(clock.slept).toEqual([1000]);
    expect(found().open.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2]);
    expect(memory.writes).toBeLessThanOrEqual(2);
    await session.append([outcome(1)], { durable: true });
    expect(found().open).toMatchObject([{ seq: 2 }]);
    expect(found()).toMatchObject({
      workspaceId: origin.workspaceId,
      lineage: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it("takes nothing more once it is released, and gives its lock back once", async () => {
    const { memory, open } = setUp();
    const session = open();
    await session.release();
    expect(memory.freed).toEqual(["mine"]);
    await expect(session.append([intent(1)], { durable: false })).rejects.toThrow("the session is over");
    await expect(session.commit(start)).rejects.toThrow("the session is over");
    expect(memory.writes).toBe(0);
  });

  it("is over where another wrote, or has the lock", async () => {
    for (const [change, by] of [
      [
        { write: async () => ({ kind: "not-ours", holder: theirs }) },
        "destroy (pid 7 on there) holds it now",
      ],
      [{ write: async () => ({ kind: "not-ours" }) }, "changed by another user"],
      [{ readLock: async () => theirs }, "destroy (pid 7 on there) holds it now"],
      [{ readLock: async () => ({ ...mine, generation: 4 }) }, "apply (pid 100 on here) holds it now"],
      [{ readLock: async () => "free" }, "changed by another user"],
      [{ readLock: async () => "unreadable" }, "changed by another user"],
      [{ proveLock: async () => "free" }, "it is free"],
      [{ proveLock: async () => theirs }, "destroy (pid 7 on there) holds it now"],
    ] as const) {
      const { open } = setUp(() => change as Partial<RemoteStore>);
      const session = open();
      expect(await problem(session.commit(start))).toMatchObject({
        code: "state.lock_lost",
        summary: expect.stringContaining(by),
      });
      expect((await problem(session.append([intent(1)], { durable: true })))?.code).toBe("state.lock_lost");
      expect((await problem(session.commit(start)))?.code).toBe("state.lock_lost");
    }
  });

  it("goes on where the lock is its own, or the server does not tell", async () => {
    for (const change of [
      { proveLock: async () => mine },
      { proveLock: async () => "unreadable" },
      { readLock: async () => mine },
    ]) {
      const { open } = setUp(() => change as Partial<RemoteStore>);
      const session = open();
      expect((await session.commit(start)).serial).toBe(1);
      expect((await session.commit(start)).serial).toBe(2);
    }
  });

  it("leaves a lock that is another's as it is", async () => {
    for (const [proof, freed] of [
      [mine, ["mine"]],
      [theirs, []],
      ["free", []],
    ] as const) {
      const { memory, open } = setUp(() => ({ proveLock: async () => proof }));
      const session = open();
      await session.commit(start).catch(() => undefined);
      await session.release();
      expect(memory.freed).toEqual(freed);
    }
  });

  it("looks whether a write without an answer arrived", async () => {
    for (const arrives of [true, false]) {
      let lost = 1;
      const bench = setUp((memory) => ({
        write: async (bytes) => {
          memory.writes += 1;
          if (lost === 0 || arrives) bench.put(bytes);
          if (lost === 0) return { kind: "written", version: memory.stored?.version ?? "" };
          lost -= 1;
          throw new UnansweredError("lost");
        },
      }));
      expect((await bench.open().commit(start)).serial).toBe(1);
      expect(bench.memory.writes).toBe(arrives ? 1 : 2);
      expect(bench.clock.slept).toEqual([10]);
      expect(bench.found().serial).toBe(1);
    }
  });

  it("writes again where two of its writes crossed, and is over where they always do", async () => {
    for (const [crossed, writes] of [
      [1, 2],
      [9, 3],
    ] as const) {
      const bench = setUp((memory) => ({
        write: async (bytes) => {
          memory.writes += 1;
          if (memory.writes <= crossed) return { kind: "changed" };
          return { kind: "written", version: bench.put(bytes) };
        },
      }));
      const committed = bench.open().commit(start);
      if (crossed === 1) expect((await committed).serial).toBe(1);
      else expect((await problem(committed))?.code).toBe("state.lock_lost");
      expect(bench.memory.writes).toBe(writes);
    }
  });

  it("is over where another state came before its own", async () => {
    const bench = setUp(() => ({
      write: async () => {
        bench.put(Buffer.from("another's"));
        throw new UnansweredError("lost");
      },
    }));
    expect((await problem(bench.open().commit(start)))?.code).toBe("state.lock_lost");
  });

  it("says that nothing could be written after its last attempt, and then asks once for each thing", async () => {
    const { memory, open } = setUp((memory) => ({
      write: async () => {
        memory.writes += 1;
        throw new UnansweredError("silent");
      },
    }));
    const session = open();
    expect(await problem(session.commit(start))).toMatchObject({
      code: "state.write_failed",
      summary: "cannot write s: silent",
    });
    expect(memory.writes).toBe(3);
    await problem(session.commit(start));
    expect(memory.writes).toBe(4);
  });

  it("refuses a state that is too large, and writes nothing of it", async () => {
    const { memory, open } = setUp();
    const session = open();
    const large = { ...start, outputs: { text: "x".repeat(32 * 1024 * 1024) } };
    expect(await problem(session.commit(large))).toMatchObject({
      code: "state.write_failed",
      summary: expect.stringContaining("larger than"),
    });
    expect(memory.writes).toBe(0);
    expect((await session.commit(start)).serial).toBe(1);
  });
});

describe("the removal of a remote state", () => {
  it("is not done where the store cannot, and takes what was written last where it can", async () => {
    const unable = setUp();
    unable.put(Buffer.from("before"));
    expect(await unable.open(6, 9).erase()).toBe(false);
    expect(unable.memory.stored).toBeDefined();
    const removed: string[] = [];
    const able = setUp((memory) => ({
      remove: async (version: string) => {
        removed.push(version);
        memory.stored = undefined;
        return true;
      },
    }));
    able.put(Buffer.from("before"));
    const session = able.open(6, 9);
    expect(await session.erase()).toBe(true);
    expect(removed).toEqual(["v1"]);
    await expect(session.commit(start)).rejects.toThrow("the state is removed");
  });
});
