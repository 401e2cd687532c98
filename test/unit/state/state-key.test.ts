import { createHash } from "node:crypto";
import { chmodSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { checkStateKey, keyIdOf, loadStateKey } from "../../../src/state/key";
import { emptyState } from "../../../src/state/recorded";
import { MemoryDisk } from "../../support/memory-disk";
import { newFolder } from "../../support/temp-folder";
import { origin } from "./fixtures";

const path = "/s/state.key";
const bytes = Buffer.alloc(32, 7);
let drawn = 0;
const randomBytes = (length: number) => Buffer.alloc(length, ++drawn);
const load = (value: string | undefined, disk = new MemoryDisk(), create = false) =>
  loadStateKey({ environment: { RNV_STATE_KEY: value }, path, create, disk, randomBytes });

describe("the fingerprint key", () => {
  it("is read from the environment as hex, base64 or base64url", async () => {
    for (const form of [bytes.toString("hex"), bytes.toString("base64"), bytes.toString("base64url")])
      expect(Buffer.from((await load(form)).key ?? [])).toEqual(bytes);
  });

  it("is read beside the key before it while keys are changed", async () => {
    const [now, before] = [bytes.toString("hex"), Buffer.alloc(32, 9)];
    const environment = { RNV_STATE_KEY: now, RNV_STATE_KEY_PREVIOUS: before.toString("hex") };
    const source = { environment, path, create: false, disk: new MemoryDisk(), randomBytes };
    expect(await loadStateKey(source)).toMatchObject({
      ...{ keyId: keyIdOf(bytes), previous: { keyId: keyIdOf(before) } },
    });
    expect((await load(now)).previous).toBeUndefined();
  });

  it("is stretched from a passphrase, always the same way", async () => {
    const [one, two, other] = await Promise.all(
      ["correct horse battery", "correct horse battery", "correct horse batterz"].map((text) => load(text)),
    );
    expect(one?.key).toHaveLength(32);
    expect(one?.keyId).toBe(two?.keyId);
    expect(one?.keyId).not.toBe(other?.keyId);
    expect(Buffer.from(one?.key ?? [])).not.toEqual(
      createHash("sha256").update("correct horse battery").digest(),
    );
  });

  it("differs by workspace where it comes from a passphrase, and is the same everywhere where it is random", async () => {
    const loadIn = (salt: string, value: string) =>
      loadStateKey({ environment: { RNV_STATE_KEY: value }, path, create: false, randomBytes, salt });
    const [one, same, other] = await Promise.all(
      ["one", "ONE", "other"].map((salt) => loadIn(salt, "correct horse battery")),
    );
    expect(one?.keyId).toBe(same?.keyId);
    expect(one?.keyId).not.toBe(other?.keyId);
    const raw = "a1".repeat(32);
    expect((await loadIn("one", raw)).keyId).toBe((await loadIn("other", raw)).keyId);
  });

  it("is refused when it is short, without showing it", async () => {
    const { key, diagnostics } = await load("hunter2hunter2");
    expect(key).toBeUndefined();
    expect(diagnostics[0]?.code).toBe("config.invalid");
    expect(JSON.stringify(diagnostics)).not.toContain("hunter2");
  });

  it("is a passphrase from sixteen characters on, white space around it left out", async () => {
    expect((await load("a".repeat(15))).key).toBeUndefined();
    expect((await load(` ${"a".repeat(15)} `)).key).toBeUndefined();
    expect((await load("a".repeat(16))).key).toHaveLength(32);
    expect((await load(` ${bytes.toString("hex").toUpperCase()}\n`)).keyId).toBe(keyIdOf(bytes));
    expect(await load("  ")).toEqual({ diagnostics: [] });
  });

  it("is an error of reading where the disk fails, or of writing where it is to be created", async () => {
    const disk = new MemoryDisk();
    disk.read = () => Promise.reject(Object.assign(new Error("x"), { code: "EIO" }));
    expect((await load(undefined, disk)).diagnostics).toMatchObject([{ code: "state.unreadable" }]);
    expect((await load(undefined, disk, true)).diagnostics).toMatchObject([{ code: "state.write_failed" }]);
  });

  it("is the same for two runs that create it at once", async () => {
    const disk = new MemoryDisk();
    const [one, two] = await Promise.all([load(undefined, disk, true), load(undefined, disk, true)]);
    expect(one.keyId).toBeDefined();
    expect(one.keyId).toBe(two.keyId);
    expect([...disk.names.keys()]).toEqual([path]);
    expect(
      (
        await load(
          undefined,
          disk.afterPowerCut(() => false),
        )
      ).keyId,
    ).toBe(one.keyId);
  });

  it("is taken from a faster run, never replaced", async () => {
    const disk = new MemoryDisk();
    let faster: string | undefined;
    disk.makeFolder = async () => {
      disk.makeFolder = async () => undefined;
      faster = (await load(undefined, disk, true)).keyId;
    };
    const slower = await load(undefined, disk, true);
    expect(faster).toBeDefined();
    expect(slower.keyId).toBe(faster);
  });

  it("is not replaced when its file holds something else", async () => {
    const disk = new MemoryDisk();
    disk.put(path, "oops");
    expect((await load(undefined, disk, true)).diagnostics[0]?.code).toBe("state.key_missing");
    expect(disk.text(path)).toBe("oops");
  });

  it("is that of the state itself, else the key that states share; a key that is given replaces none", async () => {
    const disk = new MemoryDisk();
    const source = { environment: {}, disk, randomBytes, path: "/s/web/state.key", shared: path };
    const made = await loadStateKey({ ...source, create: true });
    expect(disk.text(path)).toBe(`${Buffer.from(made.key ?? []).toString("hex")}\n`);
    expect(await loadStateKey({ ...source, path: "/s/jobs/state.key", create: true })).toEqual(made);
    expect(await loadStateKey({ ...source, create: bytes })).toMatchObject({ keyId: keyIdOf(bytes) });
    expect(await loadStateKey({ ...source, create: false })).toMatchObject({ keyId: keyIdOf(bytes) });
    const other = await loadStateKey({ ...source, create: Buffer.alloc(32, 9) });
    expect(other).toMatchObject({ keyId: keyIdOf(bytes) });
    expect(await loadStateKey({ ...source, path, create: false })).toEqual(made);
  });

  it("lies in a file of mode 0600, and a file that others can read is warned about", async () => {
    const folder = newFolder("key");
    const source = { environment: {}, path: join(folder, ".rnv", "state.key"), create: true, randomBytes };
    const made = await loadStateKey(source);
    expect(made.diagnostics).toEqual([]);
    expect(statSync(source.path).mode & 0o777).toBe(0o600);
    expect(readFileSync(source.path, "utf8")).toMatch(/^[0-9a-f]{64}\n$/);
    chmodSync(source.path, 0o644);
    const found = await loadStateKey(source);
    expect(found.keyId).toBe(made.keyId);
    expect(found.diagnostics[0]).toMatchObject({ severity: "warning", code: "config.insecure" });
  });

  it("must be the key that the state names", () => {
    const state = emptyState({ lineage: "line", ...origin });
    expect(checkStateKey(state, undefined)).toBeUndefined();
    const keyed = { ...state, keyId: keyIdOf(bytes) };
    expect(checkStateKey(keyed, bytes)).toBeUndefined();
    expect(checkStateKey(keyed, undefined)?.code).toBe("state.key_missing");
    expect(checkStateKey(keyed, Buffer.alloc(32, 8))?.code).toBe("state.key_mismatch");
    expect(checkStateKey(keyed, Buffer.alloc(32, 8), keyIdOf(bytes))).toBeUndefined();
    expect(checkStateKey(keyed, Buffer.alloc(32, 8), "other")?.code).toBe("state.key_mismatch");
    // The one before alone is no key to write with.
    expect(checkStateKey(keyed, undefined, keyIdOf(bytes))?.code).toBe("state.key_missing");
  });
});
