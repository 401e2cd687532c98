import { emptyState } from "../../../src/state/recorded";
import { MemoryDisk } from "../../support/memory-disk";
import { holder, intent, localBackend, origin, problemOf, refusalOf, stillClock } from "./fixtures";

const path = "/s/state.json";

const setUp = (disk = new MemoryDisk(), alive: readonly number[] = [100, 200, 300]) => {
  const clock = stillClock();
  const backend = (pid: number, host = "here") =>
    localBackend({ path, disk, host, pid, isAlive: (other) => alive.includes(other), clock });
  return { disk, clock, backend };
};

const codeOf = async (call: Promise<unknown>) => (await problemOf(call))?.code;

/** The code of the refusal; undefined where the lock was taken. */
const codeIfRefused = (taken: Promise<unknown>) =>
  taken.then(
    () => undefined,
    () => codeOf(taken),
  );

const lockOf = (disk: MemoryDisk) => JSON.parse(disk.text(`${path}.lock`));

describe("the lock of a local state", () => {
  it("names its holder to whoever waits for it, with the line that removes it, and exits 6", async () => {
    const { backend } = setUp();
    await backend(100).lock(holder("abc", 100), 0);
    const refused = await refusalOf(backend(200).lock(holder("def", 200), 0));
    expect(refused.exitCode).toBe(6);
    expect(refused.diagnostics).toEqual([
      {
        severity: "error",
        code: "state.lock_held",
        summary: "the state is locked by apply (pid 100 on here), for 1m",
        detail: `Lock abc, taken 2026-01-01T00:00:00.000Z, in ${path}.lock.`,
        hint: expect.stringContaining("rnv force-unlock abc"),
      },
    ]);
  });

  it("is waited for up to the timeout, and no longer", async () => {
    const { backend, clock } = setUp();
    await backend(100).lock(holder("abc", 100), 0);
    expect(await codeOf(backend(200).lock(holder("def", 200), 5000))).toBe("state.lock_held");
    expect(clock.slept.reduce((sum, ms) => sum + ms, 0)).toBe(5000);
  });

  it("is given to a run that waits once it is released", async () => {
    const { backend, clock } = setUp();
    const first = await backend(100).lock(holder("abc", 100), 0);
    const sleep = clock.sleep;
    clock.sleep = async (milliseconds) => {
      await sleep(milliseconds);
      if (clock.slept.length === 3) await first.release();
    };
    const second = await backend(200).lock(holder("def", 200), 60_000);
    expect(clock.slept).toHaveLength(3);
    await second.release();
  });

  it("is taken over from a dead process of the same host, with a higher generation", async () => {
    const { backend, disk } = setUp(new MemoryDisk(), [200]);
    await backend(100).lock(holder("dead", 100), 0);
    const before = lockOf(disk).generation;
    await backend(200).lock(holder("next", 200), 0);
    expect(lockOf(disk)).toMatchObject({ id: "next", pid: 200 });
    expect(lockOf(disk).generation).toBeGreaterThan(before);
  });

  it("is not taken over from another host, whatever its pid and its age", async () => {
    const { backend } = setUp(new MemoryDisk(), [200]);
    await backend(100, "there").lock(
      { ...holder("dead", 100), host: "there", since: "2001-01-01T00:00:00Z" },
      0,
    );
    expect(await codeOf(backend(200).lock(holder("next", 200), 1000))).toBe("state.lock_held");
  });

  it("is not taken over from a living process, however old it is", async () => {
    const { backend } = setUp();
    await backend(100).lock({ ...holder("slow", 100), since: "2001-01-01T00:00:00Z" }, 0);
    expect(await codeOf(backend(200).lock(holder("next", 200), 1000))).toBe("state.lock_held");
  });

  const system = (
    disk: MemoryDisk,
    facts: { pid: number; started: number; boot?: string; machine?: string },
  ) => {
    disk.put(`/proc/${facts.pid}/stat`, `${facts.pid} (a (b) c) S ${"0 ".repeat(18)}${facts.started} 0 0`);
    disk.put("/proc/sys/kernel/random/boot_id", facts.boot ?? "boot-1");
    if (facts.machine) disk.put("/etc/machine-id", facts.machine);
  };

  it("is taken over when its pid belongs to a process that started later", async () => {
    const { backend, disk } = setUp();
    system(disk, { pid: 100, started: 5 });
    await backend(100).lock(holder("dead", 100), 0);
    expect(await codeOf(backend(200).lock(holder("next", 200), 0))).toBe("state.lock_held");
    system(disk, { pid: 100, started: 6 });
    await expect(backend(200).lock(holder("next", 200), 0)).resolves.toBeDefined();
  });

  it("is taken over after a restart of the machine, but not from a namesake", async () => {
    for (const [machine, code] of [
      ["m1", undefined],
      ["m2", "state.lock_held"],
      [undefined, "state.lock_held"],
    ] as const) {
      const { backend, disk } = setUp();
      system(disk, { pid: 100, started: 5, machine: machine && "m1" });
      await backend(100).lock(holder("dead", 100), 0);
      system(disk, { pid: 100, started: 5, boot: "boot-2", machine });
      const taken = backend(200).lock(holder("next", 200), 0);
      expect(await codeIfRefused(taken)).toBe(code);
    }
  });

  it("is not taken over from another container, whose processes are counted apart", async () => {
    for (const [ours, code] of [
      ["pid:[4026531836]", undefined],
      ["pid:[4026532999]", "state.lock_held"],
    ] as const) {
      // No process here has the PID of the holder.
      const { backend, disk } = setUp(new MemoryDisk(), [200]);
      system(disk, { pid: 200, started: 5, machine: "m1" });
      disk.links.set("/proc/self/ns/pid", "pid:[4026531836]");
      await backend(100).lock(holder("elsewhere", 100), 0);
      disk.links.set("/proc/self/ns/pid", ours);
      const taken = backend(200).lock(holder("next", 200), 0);
      expect(await codeIfRefused(taken)).toBe(code);
    }
  });

  it("is removed by the id of its holder only", async () => {
    const { backend, disk } = setUp();
    const held = holder("abc", 100);
    await backend(100).lock(held, 0);
    expect(await backend(200).forceUnlock("other")).toBeUndefined();
    expect(lockOf(disk).id).toBe("abc");
    expect(await backend(200).forceUnlock("abc")).toEqual(held);
    expect([...disk.names.keys()]).toEqual([]);
    expect(await backend(200).forceUnlock("abc")).toBeUndefined();
  });

  it("stops a holder that lost it, and nothing of the next holder is touched", async () => {
    const { backend, disk } = setUp();
    const first = await backend(100).lock(holder("first", 100), 0);
    await first.commit(emptyState({ lineage: "line", ...origin }));
    await first.append([intent(1)], { durable: true });
    await backend(200).forceUnlock("first");
    const second = await backend(200).lock(holder("second", 200), 0);
    await second.append([intent(2)], { durable: true });
    const files = new Map([...disk.names].map(([name, inode]) => [name, inode.content.toString("latin1")]));
    expect(await codeOf(first.append([intent(3)], { durable: true }))).toBe("state.lock_lost");
    expect(await codeOf(first.commit(emptyState({ lineage: "line", ...origin })))).toBe("state.lock_lost");
    await first.release();
    expect(new Map([...disk.names].map(([name, inode]) => [name, inode.content.toString("latin1")]))).toEqual(
      files,
    );
    expect((await backend(300).read())?.open.map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it("carries a generation above all that was written before, also after a release", async () => {
    const { backend, disk } = setUp();
    const generations: number[] = [];
    for (const id of ["a", "b", "c"]) {
      const session = await backend(100).lock(holder(id, 100), 0);
      await session.commit(session.state ?? emptyState({ lineage: "line", ...origin }));
      await session.release();
      generations.push(JSON.parse(disk.text(path)).writer.generation);
    }
    expect(generations).toEqual([1, 2, 3]);
  });

  it("says so when the lock file is not a lock, and never takes it over", async () => {
    const { backend, disk } = setUp();
    disk.put(`${path}.lock`, "garbage");
    const refused = await refusalOf(backend(100).lock(holder("abc", 100), 0));
    expect(refused.diagnostics[0]).toMatchObject({
      code: "state.lock_held",
      hint: expect.stringContaining(`remove ${path}.lock`),
    });
  });

  it("is changed only by force where another run is about to change it", async () => {
    for (const claim of [
      JSON.stringify({ format: "rnv-lock", generation: 1, ...holder("claim", 300) }),
      "{",
    ]) {
      // The holder is dead; someone who lives, or who cannot be named, is taking over.
      const { backend, disk } = setUp(new MemoryDisk(), [200, 300]);
      await backend(100).lock(holder("abc", 100), 0);
      disk.put(`${path}.lock.abc.claim`, claim);
      expect(await codeOf(backend(200).lock(holder("def", 200), 0))).toBe("state.lock_held");
      expect(lockOf(disk).id).toBe("abc");
      expect(await backend(200).forceUnlock("abc")).toMatchObject({ id: "abc" });
      expect([...disk.names.keys()]).toEqual([]);
    }
  });

  it("has no file named after an id that is no name of a file", async () => {
    for (const id of ["../../up", "a".repeat(65), "a b", ""]) {
      const { backend, disk } = setUp();
      const session = await backend(100).lock(holder(id, 100), 0);
      await session.commit(emptyState({ lineage: "line", ...origin }));
      await session.release();
      const written = disk.calls.map((call) => call.split(" ")[1] ?? "");
      expect(written.filter((name) => !/^\/s(\/[A-Za-z0-9_.-]{1,100})?$/.test(name))).toEqual([]);
      expect([...disk.names.keys()]).toEqual([path]);
    }
  });

  it("is given back when the state cannot be read", async () => {
    const { backend, disk } = setUp();
    disk.put(path, "{");
    expect(await codeOf(backend(100).lock(holder("abc", 100), 0))).toBe("state.unreadable");
    expect(disk.names.has(`${path}.lock`)).toBe(false);
  });
});
