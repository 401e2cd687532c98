import { DiagnosticsError } from "../../../src/diagnostics/diagnostic";
import { LocalLock, swapLock } from "../../../src/state/local/local-lock";
import { encodeLock, type LockRecord } from "../../../src/state/lock-record";
import { diskError, MemoryDisk } from "../../support/memory-disk";
import { holder, stillClock } from "./fixtures";

const path = "/s/lock";
const recordOf = (id: string, generation = 1): LockRecord => ({ ...holder(id), generation, process: {} });
const setUp = (alive = true) => {
  const disk = new MemoryDisk();
  const port = { disk, path, isAlive: () => alive, clock: stillClock() };
  const mine = recordOf("mine");
  disk.put(path, encodeLock(mine));
  return { disk, port, mine, lock: new LocalLock(port, mine) };
};
const found = (disk: MemoryDisk) => (disk.names.has(path) ? JSON.parse(disk.text(path)) : undefined);

const problem = async (work: Promise<unknown>) => {
  const cause = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (!(cause instanceof DiagnosticsError)) throw new Error(`no diagnostic: ${cause}`);
  return cause.diagnostics[0];
};

describe("a lock that this run holds", () => {
  it("is its own until it is removed or another's, whom it names", async () => {
    const { disk, lock } = setUp();
    await expect(lock.check()).resolves.toBeUndefined();
    disk.put(path, encodeLock({ ...recordOf("next"), pid: 7, host: "there", command: "destroy" }));
    expect(await problem(lock.check())).toMatchObject({
      code: "state.lock_lost",
      summary: expect.stringContaining("destroy (pid 7 on there) holds it now"),
    });
    disk.put(path, encodeLock(recordOf("mine", 2)));
    expect((await problem(lock.check()))?.code).toBe("state.lock_lost");
    disk.names.delete(path);
    expect((await problem(lock.check()))?.summary).toContain("the lock file was removed");
  });

  it("that cannot be read is neither", async () => {
    const { disk, lock } = setUp();
    disk.read = () => Promise.reject(diskError("EIO"));
    expect((await problem(lock.check()))?.code).toBe("state.unreadable");
  });

  it("raises its generation, and never lowers it", async () => {
    const { disk, lock } = setUp();
    await lock.raise(5);
    expect([lock.record.generation, found(disk).generation]).toEqual([5, 5]);
    await lock.check();
    await lock.raise(5);
    await lock.raise(2);
    expect([lock.record.generation, found(disk).generation]).toEqual([5, 5]);
    expect([...disk.names.keys()]).toEqual([path]);
  });

  it("that is lost is not raised, and not released", async () => {
    const { disk, lock } = setUp();
    disk.put(path, encodeLock(recordOf("next")));
    expect((await problem(lock.raise(5)))?.code).toBe("state.lock_lost");
    await lock.release();
    expect([lock.record.generation, found(disk).id]).toEqual([1, "next"]);
  });

  it("is released by itself", async () => {
    const { disk, lock } = setUp();
    await lock.release();
    expect([...disk.names.keys()]).toEqual([]);
    await expect(lock.release()).resolves.toBeUndefined();
  });
});

describe("one lock in place of another", () => {
  it("is put where the expected one stands, and nowhere else", async () => {
    for (const [expected, isSwapped] of [
      [recordOf("mine"), true],
      [recordOf("mine", 2), false],
      [recordOf("other"), false],
    ] as const) {
      const { disk, port } = setUp();
      expect(await swapLock(port, recordOf("me"), { path, expected, next: recordOf("me") })).toBe(isSwapped);
      expect(found(disk).id).toBe(isSwapped ? "me" : "mine");
      expect([...disk.names.keys()]).toEqual([path]);
    }
  });

  it("goes over a claim whose maker died, and not over one of the living", async () => {
    for (const alive of [false, true]) {
      const { disk, port, mine } = setUp(alive);
      disk.put(`${path}.mine.claim`, encodeLock(recordOf("claim-of-another")));
      const change = { path, expected: mine, next: recordOf("me") };
      expect(await swapLock(port, recordOf("me"), change)).toBe(!alive);
      expect(found(disk).id).toBe(alive ? "mine" : "me");
    }
  });

  it("goes over a claim that this very holder could not remove", async () => {
    const { disk, port, mine } = setUp();
    disk.fault = ({ name, path: at }) => {
      if (name === "remove" && at.endsWith(".claim")) throw diskError("EIO");
      if (name === "rename") throw diskError("EIO");
      return undefined;
    };
    const change = { path, expected: mine, next: recordOf("me") };
    await expect(swapLock(port, recordOf("me"), change)).rejects.toMatchObject({ code: "EIO" });
    expect(disk.names.has(`${path}.mine.claim`)).toBe(true);
    disk.fault = () => undefined;
    expect(await swapLock(port, recordOf("me"), change)).toBe(true);
    expect(found(disk).id).toBe("me");
    expect(disk.names.has(`${path}.mine.claim`)).toBe(false);
  });
});
