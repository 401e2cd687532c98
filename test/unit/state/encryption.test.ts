import { randomBytes } from "node:crypto";
import { DiagnosticsError } from "../../../src/diagnostics/diagnostic";
import { StateCipher } from "../../../src/state/cipher";
import { emptyState } from "../../../src/state/recorded";
import { MemoryDisk } from "../../support/memory-disk";
import { holder, intent, localBackend, origin, outcome, problemOf, resourceEntry } from "./fixtures";

const path = "/s/state.json";
const key = "a1".repeat(32);
const otherKey = "b2".repeat(32);
const start = emptyState({ lineage: "line", ...origin });

const setUp = () => {
  const disk = new MemoryDisk();
  const backend = (environment: Readonly<Record<string, string>>) =>
    localBackend({ disk, isAlive: () => false, cipher: new StateCipher(environment, randomBytes) });
  const textOf = async (file: string) => Buffer.from((await disk.read(file, 1e9)) ?? []).toString("utf8");
  const write = async (environment: Readonly<Record<string, string>>) => {
    const session = await backend(environment).lock(holder("a"), 0);
    if (session.state === undefined) await session.commit(start);
    await session.append([intent(1), outcome(1), resourceEntry("service.api", "api")], { durable: true });
    await session.commit({
      ...(session.state ?? { ...start, serial: 1 }),
      outputs: { url: "https://canary.test" },
    });
    await session.release();
  };
  return { disk, backend, textOf, write };
};

const on = { RNV_STATE_ENCRYPTION: "1", RNV_STATE_KEY: key };

describe("a state encrypted at rest", () => {
  it("shows nothing but lineage and serial, and is read with its key", async () => {
    const { backend, textOf, write } = setUp();
    await write(on);
    const text = await textOf(path);
    expect(text).not.toMatch(/canary|resources|outputs|workspaceId/);
    expect(JSON.parse(text)).toMatchObject({ format: "rnv-state-encrypted", lineage: "line", serial: 2 });
    expect((await backend({ RNV_STATE_KEY: key }).read())?.outputs).toEqual({ url: "https://canary.test" });
  });

  it("has a journal that shows nothing either, and a crash loses none of it", async () => {
    const { backend, textOf, write } = setUp();
    await write(on);
    const killed = await backend(on).lock(holder("b"), 0);
    await killed.append([intent(7), resourceEntry("service.canary", "canary")], { durable: true });
    expect(await textOf(`${path}.journal`)).not.toMatch(/canary|createService|key-7/);
    const state = await backend(on).read();
    expect(state?.open).toMatchObject([{ seq: 7 }]);
    expect(Object.keys(state?.resources ?? {})).toContain("service.canary");
    expect((await problemOf(backend({}).read()))?.code).toBe("state.key_missing");
  });

  it("stays encrypted without being asked again, and is written in the clear when asked to", async () => {
    const { textOf, write } = setUp();
    await write(on);
    await write({ RNV_STATE_KEY: key });
    expect(await textOf(path)).toContain("rnv-state-encrypted");
    await write({ RNV_STATE_KEY: key, RNV_STATE_ENCRYPTION: "0" });
    expect(await textOf(path)).toContain('"format": "rnv-state"');
  });

  it("is not begun without a key, and not for a wish that is unclear", async () => {
    const { write } = setUp();
    expect((await problemOf(write({ RNV_STATE_ENCRYPTION: "1" })))?.code).toBe("state.key_missing");
    expect((await problemOf(write({ RNV_STATE_ENCRYPTION: "yes", RNV_STATE_KEY: key })))?.code).toBe(
      "config.invalid",
    );
  });

  it("goes over to another key while the previous key is at hand, backups included", async () => {
    const { backend, textOf, write } = setUp();
    await write(on);
    expect((await problemOf(write({ RNV_STATE_KEY: otherKey })))?.code).toBe("state.key_mismatch");
    const rotating = { RNV_STATE_KEY: otherKey, RNV_STATE_KEY_PREVIOUS: key };
    await write(rotating);
    expect((await backend({ RNV_STATE_KEY: otherKey }).read())?.serial).toBe(3);
    expect((await problemOf(backend({ RNV_STATE_KEY: key }).read()))?.code).toBe("state.key_mismatch");
    const [newest = ""] = await backend(rotating).backups();
    expect(await backend(rotating).parse(await textOf(newest), newest)).toMatchObject({
      state: { serial: 2 },
    });
  });

  it("is refused after any one bit of it was changed", async () => {
    const { backend, textOf, write } = setUp();
    await write(on);
    const text = await textOf(path);
    const whole = Buffer.from(text);
    const cipher = backend(on);
    for (let at = 0; at < whole.length; at += 1) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      const found = await cipher.parse(changed.toString("utf8"), "changed").catch((cause: unknown) => cause);
      // White space of the JSON around it is not part of it.
      if (!(found instanceof DiagnosticsError))
        expect(JSON.parse(changed.toString())).toEqual(JSON.parse(text));
    }
  });
});

describe("a passphrase", () => {
  const passphrase = { RNV_STATE_KEY: "correct horse battery staple" };
  const sealed = { ...passphrase, RNV_STATE_ENCRYPTION: "1" };
  const saltOf = (text: string): unknown => JSON.parse(text).salt;

  it("is stretched with a salt that each state has of its own and keeps, and its journal bears", async () => {
    const [one, other] = [setUp(), setUp()];
    await one.write(sealed);
    await other.write(sealed);
    const salt = saltOf(await one.textOf(path));
    expect(Buffer.from(String(salt), "base64")).toHaveLength(16);
    expect(saltOf(await other.textOf(path))).not.toBe(salt);
    await one.write(sealed);
    expect(saltOf(await one.textOf(path))).toBe(salt);
    const killed = await one.backend(sealed).lock(holder("b"), 0);
    await killed.append([intent(7)], { durable: true });
    expect(await one.textOf(`${path}.journal`)).toContain(`"salt":"${salt}"`);
    expect((await one.backend(passphrase).read())?.open).toMatchObject([{ seq: 7 }]);
  });

  it("gets a new salt with a new key, and no key that is random has a salt", async () => {
    const { backend, textOf, write } = setUp();
    await write(sealed);
    const salt = saltOf(await textOf(path));
    const next = {
      RNV_STATE_KEY: "another horse battery staple",
      RNV_STATE_KEY_PREVIOUS: passphrase.RNV_STATE_KEY,
    };
    const session = await backend(next).lock(holder("c"), 0);
    expect(session.isFormOutdated).toBe(true);
    await session.release();
    await write(next);
    expect(saltOf(await textOf(path))).toMatch(/==$/);
    expect(saltOf(await textOf(path))).not.toBe(salt);
    await write({ RNV_STATE_KEY: key, RNV_STATE_KEY_PREVIOUS: next.RNV_STATE_KEY });
    expect(saltOf(await textOf(path))).toBeUndefined();
  });
});
