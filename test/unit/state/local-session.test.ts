import type { JournalEntry } from "../../../src/model/state";
import { emptyState, replayJournal } from "../../../src/state/recorded";
import { diskError, MemoryDisk } from "../../support/memory-disk";
import { holder, intent, localBackend, origin, outcome, resourceEntry } from "./fixtures";

const path = "/s/state.json";

const setUp = () => {
  const disk = new MemoryDisk();
  const backend = (pid = 100) => localBackend({ path, disk, pid, isAlive: (other) => other === pid });
  /** A session on a state that has its first snapshot, which comes before any entry. */
  const begin = async (pid?: number) => {
    const session = await backend(pid).lock(holder("a", pid), 0);
    await session.commit(emptyState({ lineage: "line", ...origin }));
    return session;
  };
  return { disk, backend, begin };
};

describe("a session on a local state", () => {
  it("shares one write and one sync between appends that come together", async () => {
    const { disk, backend, begin } = setUp();
    const session = await begin();
    await session.append([intent(1)], { durable: true });
    const before = { syncs: disk.count("sync "), writes: disk.count("write ") };
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => session.append([intent(i + 2)], { durable: true })),
    );
    expect(disk.count("sync ") - before.syncs).toBe(1);
    // One may take the next piece of reserved space.
    expect(disk.count("write ") - before.writes).toBeLessThanOrEqual(2);
    expect((await backend().read())?.open).toHaveLength(51);
  });

  it("removes a state with all that lies beside it; where the power ends, nothing older is left", async () => {
    const emptied = async () => {
      const { disk, backend } = setUp();
      // The removal of the journal fails; the snapshot knows it.
      disk.fault = ({ name, path: at }) => {
        if (name === "remove" && at === `${path}.journal`) throw diskError("EIO");
        return undefined;
      };
      for (const entries of [[resourceEntry("service.a", "1")], []]) {
        const session = await backend().lock(holder(`w${entries.length}`), 0);
        await session.commit(session.state ?? emptyState({ lineage: "l", ...origin }));
        if (entries.length > 0) await session.append(entries, { durable: true });
        await session.commit(replayJournal(emptyState({ lineage: "l", ...origin }), entries));
        await session.release();
      }
      disk.fault = () => undefined;
      return { disk, session: await backend().lock(holder("e"), 0), before: disk.calls.length };
    };
    const { disk, session, before } = await emptied();
    expect(await session.erase()).toBe(true);
    const calls = disk.calls.length - before;
    await expect(session.commit(emptyState({ lineage: "l", ...origin }))).rejects.toThrow();
    await session.release();
    expect([...disk.names.keys()]).toEqual([]);
    for (let at = 0; at < calls; at += 1)
      for (const keeps of [() => true, () => false, ...[1, 2, 3].map((n) => () => (at * n) % 2 === 0)]) {
        const cut = await emptied();
        cut.disk.fault = ({ index }) => {
          if (index >= cut.before + at) throw diskError("POWER");
          return undefined;
        };
        await cut.session.erase().catch(() => undefined);
        const after = localBackend({ path, isAlive: () => false, disk: cut.disk.afterPowerCut(keeps) });
        expect({ at, resources: (await after.read())?.resources ?? {} }).toEqual({ at, resources: {} });
      }
  });

  it("refuses an intent on a full disk, and has kept room for the outcomes of those under way", async () => {
    const { disk, backend, begin } = setUp();
    const session = await begin();
    await session.append([intent(0)], { durable: true });
    disk.full = true;
    const taken = [0];
    for (let seq = 1; seq < 100; seq += 1) {
      const answer = await session.append([intent(seq)], { durable: true }).catch(() => "refused");
      if (answer === "refused") break;
      taken.push(seq);
    }
    expect(taken.length).toBeGreaterThan(1);
    expect(taken.length).toBeLessThan(100);
    for (const seq of taken)
      await session.append([outcome(seq), resourceEntry(`service.s${seq}`, `${seq}`)], { durable: false });
    const state = await backend().read();
    expect(state?.open).toEqual([]);
    expect(Object.keys(state?.resources ?? {})).toHaveLength(taken.length);
  });

  it("keeps what was written beyond the reserved space of an almost full disk", async () => {
    const { disk, backend, begin } = setUp();
    const session = await begin();
    await session.append([intent(1)], { durable: true });
    let isReserving = true;
    disk.fault = ({ name }) => {
      if (name !== "write" || !isReserving) return undefined;
      isReserving = false;
      throw diskError("ENOSPC");
    };
    const long = "x".repeat(300_000);
    await session.append([outcome(1), resourceEntry("service.s1", long)], { durable: false });
    await session.append([resourceEntry("service.s2", "2")], { durable: true });
    const state = await backend().read();
    expect(state?.open).toEqual([]);
    expect(state?.resources).toMatchObject({ "service.s1": { id: long }, "service.s2": { id: "2" } });
  });

  it("ignores a journal that comes back after its snapshot, and refuses a journal of another snapshot", async () => {
    const { disk, backend } = setUp();
    const session = await backend().lock(holder("a"), 0);
    const first = await session.commit(emptyState({ lineage: "line", ...origin }));
    const old = disk.text(path);
    await session.append([intent(1)], { durable: true });
    const journal = disk.text(`${path}.journal`);
    const second = await session.commit(replayJournal(first, [intent(1), outcome(1)]));
    const third = await session.commit(second);
    disk.put(`${path}.journal`, journal);
    expect(await backend().read()).toEqual(third);
    await session.release();
    const next = await backend().lock(holder("b"), 0);
    await next.append([intent(2)], { durable: true });
    disk.put(path, old);
    await expect(backend().read()).rejects.toThrow(/goes on from serial 3, but .* has serial 1/);
  });

  /** A run is suspended in front of the rename of a snapshot, and another takes its lock and writes `intent(2)`. */
  const suspended = async (entries: readonly JournalEntry[]) => {
    const { disk, backend, begin } = setUp();
    const slow = await begin();
    if (entries.length > 0) await slow.append(entries, { durable: true });
    let late = "";
    disk.fault = ({ name, path: to }) => {
      if (name !== "rename" || to !== path) return undefined;
      const scratch = [...disk.names.keys()].find((at) => at.startsWith(`${path}.`) && at.endsWith(".tmp"));
      late = disk.text(scratch ?? "");
      throw diskError("EIO");
    };
    await slow
      .commit(replayJournal({ ...emptyState({ lineage: "line", ...origin }), serial: 1 }, entries))
      .catch(() => undefined);
    disk.fault = () => undefined;
    await backend(200).forceUnlock("a");
    const other = await backend(200).lock(holder("other", 200), 0);
    await other.append([intent(2)], { durable: true });
    disk.put(path, late);
    return backend().read();
  };

  it("keeps a journal whose snapshot was overwritten by a holder that had lost the lock", async () => {
    await expect(suspended([])).rejects.toThrow(/state.json.journal goes on from serial 1/);
    expect((await suspended([intent(1)]))?.open.map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it("takes the journal of an earlier run in before it begins its own", async () => {
    const { disk, backend, begin } = setUp();
    const killed = await begin();
    await killed.append([intent(1)], { durable: true });
    await backend().forceUnlock("a");
    const next = await backend().lock(holder("next"), 0);
    expect(next.state?.open).toHaveLength(1);
    await next.append([intent(2)], { durable: true });
    expect(JSON.parse(disk.text(path))).toMatchObject({ serial: 2, open: [{ seq: 1 }] });
    expect((await backend().read())?.open.map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it.each([
    ["the journal", `${path}.journal`, [2, 1]],
    ["the snapshot", path, [1, 1]],
  ])(
    "is read as it was at one moment, though another run writes after %s was read",
    async (_, read, seen) => {
      const { disk, backend } = setUp();
      const session = await backend().lock(holder("a"), 0);
      const first = await session.commit(emptyState({ lineage: "line", ...origin }));
      await session.append([intent(7)], { durable: true });
      let meddle = true;
      const readFile = disk.read.bind(disk);
      disk.read = async (at, limit) => {
        const bytes = await readFile(at, limit);
        if (at === read && meddle) {
          meddle = false;
          const taken = await session.commit(replayJournal(first, [intent(7)]));
          await session.append([outcome(7)], { durable: true });
          expect(taken.serial).toBe(2);
        }
        return bytes;
      };
      const found = await backend().read();
      expect([found?.serial, found?.open.length]).toEqual(seen);
    },
  );

  it("keeps fields of the state that this version does not know", async () => {
    const { disk, backend } = setUp();
    const state = { ...emptyState({ lineage: "line", ...origin }), serial: 4, comment: "by hand" };
    disk.put(path, JSON.stringify(state));
    const session = await backend().lock(holder("a"), 0);
    if (session.state === undefined) throw new Error("no state");
    await session.commit(replayJournal(session.state, [intent(1)]));
    expect(JSON.parse(disk.text(path))).toMatchObject({ comment: "by hand", serial: 5 });
  });
});
