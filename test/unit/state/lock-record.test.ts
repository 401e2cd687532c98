import type { Disk } from "../../../src/state/local/disk";
import {
  decodeLockText,
  encodeLock,
  identityOf,
  isDead,
  isSameLock,
  type LockRecord,
  lockHeld,
  lockLostAfterWrite,
  readLock,
} from "../../../src/state/lock-record";

/** A disk that holds these files, and the link of this process's namespace. */
const diskWith = (files: Readonly<Record<string, string>>, namespace?: string): Disk =>
  ({
    read: async (path: string) => {
      if (path === "/broken") throw new Error("EIO");
      const text = files[path];
      return text === undefined ? undefined : Buffer.from(text);
    },
    readLink: async () => {
      if (namespace === undefined) throw new Error("ENOENT");
      return namespace;
    },
  }) as unknown as Disk;

/** As Linux writes it: the command may hold spaces and brackets. */
const statOf = (started: string): string =>
  `7 (node) a) (b) S ${Array.from({ length: 18 }, () => "1").join(" ")} ${started} 99\n`;

const record = (more: Partial<LockRecord> = {}): LockRecord => ({
  ...{ id: "id", host: "here", pid: 7, command: "apply", since: "2026-01-01T00:00:00.000Z", generation: 3 },
  process: { machine: "m", boot: "b", namespace: "n", started: "500" },
  ...more,
});

describe("the text of a lock", () => {
  const written = (more: object): string => JSON.stringify({ format: "rnv-lock", ...record(), ...more });

  it("is read as it was written", () => {
    expect(decodeLockText(Buffer.from(encodeLock(record())).toString())).toEqual(record());
  });

  it("is none where any part of it is missing, of another kind, or too long", () => {
    for (const text of ["", "{", "null", "7", '"text"', "[]", "{}"])
      expect(decodeLockText(text)).toBeUndefined();
    for (const part of ["format", "id", "host", "command", "since", "pid", "generation"]) {
      expect(decodeLockText(written({ [part]: undefined }))).toBeUndefined();
      expect(decodeLockText(written({ [part]: {} }))).toBeUndefined();
    }
    for (const part of ["id", "host", "command", "since"]) {
      expect(decodeLockText(written({ [part]: "x".repeat(1001) }))).toBeUndefined();
      expect(decodeLockText(written({ [part]: "x".repeat(1000) }))).toBeDefined();
    }
    expect(decodeLockText(written({ pid: 1.5 }))).toBeUndefined();
  });

  it("may name no process", () => {
    for (const process of [null, undefined, "x", 7])
      expect(decodeLockText(written({ process }))?.process).toEqual({});
  });

  it("tells a free lock, a held one, and a file that is none", async () => {
    const disk = diskWith({ "/held": written({}), "/other": "text" });
    expect(await readLock(disk, "/none")).toBe("free");
    expect(await readLock(disk, "/other")).toBe("unreadable");
    expect(await readLock(disk, "/held")).toEqual(record());
    await expect(readLock(disk, "/broken")).rejects.toThrow("EIO");
  });

  it("is the same lock by its id and its generation", () => {
    expect(isSameLock(record(), record({ host: "elsewhere" }))).toBe(true);
    expect(isSameLock(record(), record({ id: "other" }))).toBe(false);
    expect(isSameLock(record(), record({ generation: 4 }))).toBe(false);
    expect(isSameLock("free", record())).toBe(false);
  });
});

describe("the identity of a process", () => {
  it("is its machine, its boot, its namespace and when it started", async () => {
    const files = {
      "/etc/machine-id": "m\n",
      "/proc/sys/kernel/random/boot_id": " b \n",
      "/proc/7/stat": statOf("500"),
    };
    expect(await identityOf(diskWith(files, "pid:[1]"), 7)).toEqual({
      // A digest: the name of the machine is not for those who read the lock.
      machine: expect.stringMatching(/^[0-9a-f]{64}$/),
      ...{ boot: "b", namespace: "pid:[1]", started: "500" },
    });
  });

  it("is unknown where the system does not say", async () => {
    expect(await identityOf(diskWith({ "/etc/machine-id": "\n" }), 7)).toEqual({});
  });
});

describe("a holder that has certainly ended", () => {
  const self = record({ id: "self", pid: 8 });
  const dead = (
    held: LockRecord,
    more: { readonly alive?: boolean; readonly started?: string; readonly self?: LockRecord } = {},
  ) =>
    isDead(
      diskWith(more.started === undefined ? {} : { "/proc/7/stat": statOf(more.started) }),
      held,
      more.self ?? self,
      () => more.alive ?? false,
    );
  const process = (more: object) => record({ process: { ...record().process, ...more } });

  it("is one of this host and this boot whose process is gone, or is a later one of the same number", async () => {
    expect(await dead(record())).toBe(true);
    expect(await dead(record(), { alive: true, started: "500" })).toBe(false);
    expect(await dead(record(), { alive: true, started: "501" })).toBe(true);
    expect(await dead(record(), { alive: true })).toBe(false);
    expect(await dead(process({ started: undefined }), { alive: true, started: "501" })).toBe(false);
  });

  it("is none of another host, of a machine of the same name, or of another container", async () => {
    expect(await dead(record({ host: "elsewhere" }))).toBe(false);
    expect(await dead(process({ machine: "other" }))).toBe(false);
    // Its pid counts in another namespace: that nobody has it here says nothing.
    expect(await dead(process({ namespace: "other" }))).toBe(false);
  });

  it("is one of an earlier boot of this very machine, whoever has its number now", async () => {
    expect(await dead(process({ boot: "before" }), { alive: true, started: "500" })).toBe(true);
    expect(await dead(process({ boot: "before", namespace: "other" }))).toBe(true);
    expect(await dead(process({ boot: "before", machine: undefined }))).toBe(false);
    const nameless = record({ process: { boot: "b" } });
    expect(await dead(process({ boot: "before" }), { self: nameless })).toBe(false);
  });

  it("is told by its number alone where nothing else is known", async () => {
    expect(await dead(record({ process: {} }))).toBe(true);
    expect(await dead(record({ process: {} }), { alive: true })).toBe(false);
    expect(await dead(process({ namespace: undefined }), { self: record({ process: {} }) })).toBe(true);
  });
});

describe("the error for a lock that somebody holds", () => {
  const now = Date.parse(record().since);
  const summary = (milliseconds: number, since = record().since) =>
    lockHeld(record({ since }), "the file", now + milliseconds).diagnostics[0]?.summary;

  it("names the holder, and for how long it has it", () => {
    expect(lockHeld(record(), "the file", now)).toMatchObject({
      exitCode: 6,
      diagnostics: [{ code: "state.lock_held", hint: expect.stringContaining("rnv force-unlock id") }],
    });
    expect(summary(0)).toContain("apply (pid 7 on here), for 0 s");
    expect(summary(-5000)).toContain("for 0 s");
    expect(summary(119_000)).toContain("for 119 s");
    expect(summary(120_000)).toContain("for 2 min");
    expect(summary(7_199_000)).toContain("for 120 min");
    expect(summary(7_200_000)).toContain("for 2 h");
    expect(summary(0, "soon")).toContain("for an unknown time");
  });

  it("names who has it after a write that was sent without it", () => {
    const told = (holder?: LockRecord) => lockLostAfterWrite("the state", holder).diagnostics[0];
    expect(told(record())).toMatchObject({
      code: "state.lock_lost",
      summary: expect.stringContaining("apply (pid 7 on here)"),
    });
    expect(told()?.summary).toContain("it is free");
    expect(told()?.detail).toContain("looks the same");
    expect(told(record())?.detail).not.toContain("looks the same");
  });
});
