import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeDisk } from "../../../src/state/local/node-disk";

const folder = mkdtempSync(join(tmpdir(), "rnv-disk-"));
const text = async (path: string, limit = 1000) => {
  const bytes = await nodeDisk.read(path, limit);
  return bytes && Buffer.from(bytes).toString();
};

describe("the disk of this machine", () => {
  it("writes where it is told, and tells of a sync that failed", async () => {
    const path = join(folder, "written");
    const file = await nodeDisk.create(path);
    await file.write(Buffer.from("ab"), 0);
    await file.write(Buffer.from("cd"), 1);
    await file.sync();
    await file.close();
    expect(await text(path)).toBe("acd");
    await expect(Promise.resolve(file.sync())).rejects.toMatchObject({ code: "EBADF" });
    await expect(nodeDisk.create(path)).rejects.toMatchObject({ code: "EEXIST" });
  });

  it("reads a whole file or nothing", async () => {
    const path = join(folder, "whole");
    writeFileSync(path, "x".repeat(10));
    expect(await text(path, 10)).toBe("x".repeat(10));
    await expect(nodeDisk.read(path, 9)).rejects.toMatchObject({ code: "EFBIG" });
    expect(await text(join(folder, "none"))).toBeUndefined();
    writeFileSync(path, "");
    expect(await text(path)).toBe("");
    await expect(nodeDisk.read(folder, 10)).rejects.toMatchObject({ code: "EISDIR" });
  });

  it("says whether there was something to remove", async () => {
    const path = join(folder, "removed");
    writeFileSync(path, "x");
    expect([await nodeDisk.remove(path), await nodeDisk.remove(path)]).toEqual([true, false]);
  });

  it("tells of a folder that cannot be synced", async () => {
    await nodeDisk.makeFolder(join(folder, "made/deep"));
    await expect(nodeDisk.syncFolder(join(folder, "made/deep"))).resolves.toBeUndefined();
    await expect(nodeDisk.syncFolder(join(folder, "none"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});
