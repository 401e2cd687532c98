import { DiagnosticsError } from "../../../src/diagnostics/diagnostic";
import {
  diskCode,
  filesOf,
  listBackups,
  placeNew,
  prepareSnapshot,
  readFailed,
  removeState,
  writeFailed,
  writeFully,
  writeNew,
} from "../../../src/state/local/disk";
import { diskError, MemoryDisk } from "../../support/memory-disk";

describe("a failed call of the disk", () => {
  it("has its code where it has one", () => {
    expect([diskError("EIO"), { code: 7 }, {}, null, undefined, "EIO"].map(diskCode)).toEqual([
      "EIO",
      ...Array(5).fill(undefined),
    ]);
  });

  it.each([
    ["ENOSPC", "no space left"],
    ["EDQUOT", "quota"],
    ["EIO", "reported an error"],
    ["EROFS", "read-only"],
    ["EACCES", "permission denied"],
    ["EPERM", "permission denied"],
    ["EPERM", "without hard links"],
    ["ENOTSUP", "no hard links"],
    ["EISDIR", "not a file"],
    ["ENOTDIR", "not a folder"],
    ["EFBIG", "too large"],
    ["EXDEV", "the disk refused"],
  ])("is told by what %s means", (code, meaning) => {
    const cause = diskError(code);
    for (const [failed, word, name] of [
      [writeFailed, "write", "state.write_failed"],
      [readFailed, "read", "state.unreadable"],
    ] as const) {
      const failure = failed("/s", cause);
      expect(failure.cause).toBe(cause);
      expect(failure.diagnostics[0]?.code).toBe(name);
      expect(failure.diagnostics[0]?.summary).toMatch(
        new RegExp(`^cannot ${word} /s: .*${meaning}.*${code}`),
      );
    }
  });

  it("without a code is told by its own words, and a diagnostic is left as it is", () => {
    expect(writeFailed("/s", new Error("gone")).diagnostics[0]?.summary).toBe("cannot write /s: gone");
    expect(readFailed("/s", "gone").diagnostics[0]?.summary).toBe("cannot read /s: gone");
    const known = new DiagnosticsError([]);
    expect([writeFailed("/s", known), readFailed("/s", known)]).toEqual([known, known]);
  });
});

describe("a file that is written", () => {
  it("is written on where a write was short, and given up where nothing more goes in", async () => {
    const written: [number, string][] = [];
    let most = 2;
    const file = {
      sync: async () => {},
      close: async () => {},
      write: async (bytes: Uint8Array, position: number) => {
        written.push([position, Buffer.from(bytes).toString()]);
        return Math.min(most, bytes.length);
      },
    };
    await writeFully(file, Buffer.from("abcde"), 10);
    expect(written).toEqual([
      [10, "abcde"],
      [12, "cde"],
      [14, "e"],
    ]);
    most = 0;
    await expect(writeFully(file, Buffer.from("a"), 0)).rejects.toMatchObject({ code: "ENOSPC" });
    await expect(writeFully(file, new Uint8Array(), 0)).resolves.toBeUndefined();
  });

  it("takes the place of what a run left under its name, and leaves nothing where it fails", async () => {
    const disk = new MemoryDisk();
    disk.put("/a", "left");
    await writeNew(disk, "/a", Buffer.from("new"));
    expect(disk.text("/a")).toBe("new");
    expect(disk.afterPowerCut(() => false).text("/a")).not.toBe("new");
    disk.fault = ({ name }) => {
      if (name === "sync") throw diskError("EIO");
      return undefined;
    };
    await expect(writeNew(disk, "/a", Buffer.from("x"))).rejects.toMatchObject({ code: "EIO" });
    expect(disk.names.has("/a")).toBe(false);
  });

  const place = (disk: MemoryDisk) => placeNew(disk, "/a", Buffer.from("mine"), "/a.tmp");

  it("is placed where nothing stands, and nowhere else", async () => {
    const disk = new MemoryDisk();
    expect(await place(disk)).toBe(true);
    expect([...disk.names.keys()]).toEqual(["/a"]);
    await disk.syncFolder("/");
    expect(disk.afterPowerCut(() => false).text("/a")).toBe("mine");
    disk.put("/a", "theirs");
    expect(await place(disk)).toBe(false);
    expect(disk.text("/a")).toBe("theirs");
    expect([...disk.names.keys()]).toEqual(["/a"]);
  });

  it.each(["EIO", "EPERM", "ENOTSUP"])("is not placed where the link fails with %s", async (code) => {
    const disk = new MemoryDisk();
    disk.fault = ({ name }) => {
      if (name === "link") throw diskError(code);
      return undefined;
    };
    await expect(place(disk)).rejects.toMatchObject({ code });
    expect([...disk.names.keys()]).toEqual([]);
  });
});

describe("the backups beside a state", () => {
  const files = filesOf("/s/state.json");
  const backup = (n: number) => `/s/state.json.backup.${n}`;

  it("stand beside it, as do its journal and its lock", () => {
    expect(files).toEqual({
      snapshot: "/s/state.json",
      journal: "/s/state.json.journal",
      lock: "/s/state.json.lock",
    });
  });

  it("move up as far as the first gap", async () => {
    const disk = new MemoryDisk();
    disk.put("/s/state.json", "now");
    for (const n of [1, 2, 4]) disk.put(backup(n), String(n));
    await prepareSnapshot(disk, files, "/s/scratch", Buffer.from("next"));
    expect([1, 2, 3, 4].map((n) => disk.text(backup(n)))).toEqual(["now", "1", "2", "4"]);
    expect([disk.text("/s/state.json"), disk.text("/s/scratch")]).toEqual(["now", "next"]);
    expect(await listBackups(disk, files)).toEqual([1, 2, 3, 4].map(backup));
  });

  it("are none before the second snapshot, and none where the disk fails", async () => {
    const disk = new MemoryDisk();
    await prepareSnapshot(disk, files, "/s/scratch", Buffer.from("first"));
    expect(await listBackups(disk, files)).toEqual([]);
    disk.put("/s/state.json", "now");
    disk.fault = ({ name }) => {
      if (name === "link") throw diskError("EIO");
      return undefined;
    };
    await expect(prepareSnapshot(disk, files, "/s/scratch", Buffer.from("x"))).rejects.toMatchObject({
      code: "EIO",
    });
  });
});

it("removes a state with its snapshot last, once the rest is gone for good", async () => {
  const disk = new MemoryDisk();
  const files = filesOf("/d/state.json");
  for (const path of [files.snapshot, files.journal, `${files.snapshot}.backup.1`]) disk.put(path, "x");
  await removeState(disk, files);
  expect([...disk.names.keys()]).toEqual([]);
  const isSync = (call: string) => /sync/i.test(call);
  const order = disk.calls.filter((call) => /^remove/.test(call) || isSync(call));
  const last = order.indexOf(`remove ${files.snapshot}`);
  expect(order.slice(0, last).some(isSync)).toBe(true);
  expect(order.slice(last + 1).some(isSync)).toBe(true);
  expect(order.findIndex(isSync)).toBe(order.filter((call) => /^remove/.test(call)).length - 1);
});
