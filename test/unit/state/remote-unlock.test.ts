import type { LockRecord } from "../../../src/state/lock-record";
import { emptyState } from "../../../src/state/recorded";
import { createRemoteBackend } from "../../../src/state/remote/remote-backend";
import { type RemoteStore, UnansweredError } from "../../../src/state/remote/remote-store";
import { encodeState } from "../../../src/state/state-text";
import { MemoryDisk } from "../../support/memory-disk";
import { holder, origin, stillClock } from "./fixtures";

const theirs: LockRecord = { ...holder("theirs", 7), generation: 4, process: {} };

/** A backend on a store that holds `theirs`, or what a test puts in its place. */
function setUp(change: Partial<RemoteStore> = {}, alive = true) {
  const asked: LockRecord[] = [];
  const freed: string[] = [];
  const store: RemoteStore = {
    location: "s",
    unlockHint: "do this",
    read: async () => undefined,
    write: async () => ({ kind: "changed" }),
    takeLock: async (record): Promise<LockRecord> => {
      asked.push(record);
      return theirs;
    },
    freeLock: async ({ id }) => freed.push(id) > 0,
    backups: { name: String, read: async () => undefined, write: async () => {} },
    ...change,
  };
  const clock = stillClock();
  const disk = new MemoryDisk();
  disk.put("/etc/machine-id", "m4chine");
  const backend = createRemoteBackend({
    ...origin,
    store,
    disk,
    retryPolicy: { clock, retries: 1, waitMinMs: 10, waitMaxMs: 20, totalMs: 60_000 },
    isAlive: () => alive,
    host: "here",
    pid: 100,
  });
  return { backend, asked, freed, clock };
}

const problem = async (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (cause) => cause.diagnostics?.[0],
  );

describe("a remote lock that is removed by its id", () => {
  const { generation: _, process: __, ...named } = theirs;

  it("is asked for in the name of force-unlock, where the store does not tell whose it is", async () => {
    const { backend, asked, freed } = setUp();
    expect(await backend.forceUnlock("theirs")).toEqual(named);
    expect(freed).toEqual(["theirs"]);
    expect(asked).toMatchObject([
      {
        ...{ command: "force-unlock", host: "here", pid: 100, since: "2026-01-01T00:01:00.000Z" },
        generation: 1,
      },
    ]);
  });

  it("is read where the store tells", async () => {
    for (const [found, unlocked] of [
      [theirs, named],
      ["free", undefined],
      ["unreadable", undefined],
    ] as const) {
      const { backend, asked, freed } = setUp({ readLock: async () => found });
      expect(await backend.forceUnlock("theirs")).toEqual(unlocked);
      expect(freed).toEqual(unlocked ? ["theirs"] : []);
      expect(asked).toEqual([]);
    }
  });

  it("is none of another id, none that the store keeps, and none that is free, which is given back", async () => {
    const other = setUp();
    expect(await other.backend.forceUnlock("other")).toBeUndefined();
    expect(other.freed).toEqual([]);
    expect(await setUp({ freeLock: async () => false }).backend.forceUnlock("theirs")).toBeUndefined();
    const free = setUp({ takeLock: async (record) => record });
    expect(await free.backend.forceUnlock("theirs")).toBeUndefined();
    expect(free.freed).toEqual([expect.stringMatching(/^force-unlock-here-100-/)]);
  });

  it("of a server that does not answer is an error", async () => {
    const silent = async () => {
      throw new UnansweredError("silent");
    };
    expect(await problem(setUp({ takeLock: silent }).backend.forceUnlock("theirs"))).toMatchObject({
      code: "state.write_failed",
      summary: "cannot write s: silent",
    });
    const refused = new Error("no");
    await expect(
      setUp({ freeLock: () => Promise.reject(refused) }).backend.forceUnlock("theirs"),
    ).rejects.toBe(refused);
  });
});

describe("a remote lock that somebody has", () => {
  const mine = holder("mine");

  it("is waited for as long as is said, and whoever waits is told for whom", async () => {
    const { backend, clock } = setUp();
    const seen: unknown[] = [];
    const wait = { onHeld: (by: unknown) => seen.push(by) };
    expect(await problem(backend.lock(mine, 700, wait))).toMatchObject({ code: "state.lock_held" });
    expect(clock.slept).toEqual([500, 200]);
    expect(seen).toEqual([theirs, theirs]);
  });

  it("that does not name its holder is told with how to remove it", async () => {
    const { backend } = setUp({ takeLock: async () => "unreadable" });
    expect(await problem(backend.lock(mine, 0))).toMatchObject({ code: "state.lock_held", hint: "do this" });
  });

  it("is taken over from the dead only, and only where the store can swap", async () => {
    const swapped: LockRecord[][] = [];
    const replaceLock = async (...pair: LockRecord[]) => swapped.push(pair) > 0;
    for (const [change, alive, code] of [
      [{ replaceLock }, false, undefined],
      [{ replaceLock }, true, "state.lock_held"],
      [{ replaceLock: async () => false }, false, "state.lock_held"],
      [{}, false, "state.lock_held"],
    ] as const)
      expect((await problem(setUp(change, alive).backend.lock(mine, 0)))?.code).toBe(code);
    expect(swapped).toMatchObject([[{ id: "theirs" }, { id: "mine", generation: 5 }]]);
    // The machine is named by a digest.
    expect(JSON.stringify(swapped)).not.toContain("m4chine");
    expect(swapped[0]?.[1]?.process.machine).toMatch(/^[0-9a-f]{64}$/);
  });

  it("is given back where nobody heard of it, and where the state cannot be read", async () => {
    const silent = async () => {
      throw new UnansweredError("silent");
    };
    const unheard = setUp({ takeLock: silent });
    expect((await problem(unheard.backend.lock(mine, 0)))?.code).toBe("state.write_failed");
    expect(unheard.freed).toEqual(["mine"]);
    const takeLock = async (record: LockRecord) => record;
    const unread = setUp({ takeLock, read: silent });
    expect((await problem(unread.backend.lock(mine, 0)))?.code).toBe("state.unreadable");
    expect(unread.freed).toEqual(["mine"]);
    const damaged = async () => ({ bytes: Buffer.from("{"), version: "v" });
    const unreadable = setUp({ takeLock, read: damaged });
    expect((await problem(unreadable.backend.lock(mine, 0)))?.code).toBe("state.unreadable");
    expect(unreadable.freed).toEqual(["mine"]);
    expect(await unreadable.backend.lock(mine, 0, { repair: true })).toMatchObject({ state: undefined });
    expect(unreadable.freed).toEqual(["mine"]);
  });
});

describe("the backups of a remote state", () => {
  it("are those that are there, the newest serial first, each by its name", async () => {
    const texts = [3, undefined, 9, 5].map(
      (serial) => serial && encodeState({ ...emptyState({ lineage: "line", ...origin }), serial }),
    );
    const read = async (slot: number) => (texts[slot] ? Buffer.from(String(texts[slot])) : undefined);
    const { backend } = setUp({ backups: { name: (slot) => `b${slot}`, read, write: async () => {} } });
    expect(await backend.backups()).toEqual(["b2", "b3", "b0"]);
    expect(await backend.readBackup("b3")).toBe(texts[3]);
    expect(await backend.readBackup("b1")).toBeUndefined();
    expect(await backend.readBackup("b10")).toBeUndefined();
    expect(await backend.readBackup("other")).toBeUndefined();
  });
});
