import { DiagnosticsError } from "../../../src/diagnostics/diagnostic";
import { noCipher, StateCipher } from "../../../src/state/cipher";
import { keyIdOf } from "../../../src/state/key";
import { emptyState } from "../../../src/state/recorded";
import { origin } from "./fixtures";

const key = "a1".repeat(32);
const other = "b2".repeat(32);
const state = { ...emptyState({ lineage: "line", ...origin }), serial: 4 };
let drawn = 0;
const cipherOf = (environment: Readonly<Record<string, string>>) =>
  new StateCipher(environment, (length) => new Uint8Array(length).fill(++drawn));
const keyed = cipherOf({ RNV_STATE_KEY: key });

const codeOf = async (work: () => unknown): Promise<unknown> => {
  try {
    await work();
    return undefined;
  } catch (cause) {
    if (!(cause instanceof DiagnosticsError)) throw cause;
    return cause.diagnostics[0]?.code;
  }
};

describe("the wish to encrypt a state", () => {
  it.each([
    [undefined, true, true],
    [undefined, false, false],
    ["", true, true],
    [" 1 ", false, true],
    ["1", true, true],
    ["0", true, false],
    ["0", false, false],
  ])("%j, where it is encrypted: %s, writes it encrypted: %s", (wish, is, becomes) => {
    const cipher = cipherOf(wish === undefined ? {} : { RNV_STATE_ENCRYPTION: wish });
    expect(cipher.encrypts(is)).toBe(becomes);
    expect(cipher.isOutdated(is)).toBe(is !== becomes);
  });

  it.each(["true", "10", "2", "-"])("is unclear as %s", async (wish) => {
    expect(await codeOf(() => cipherOf({ RNV_STATE_ENCRYPTION: wish }).encrypts(true))).toBe(
      "config.invalid",
    );
  });
});

describe("the text of an encrypted state", () => {
  const text = keyed.encode(state, undefined, true);
  const changed = async (change: object) => JSON.stringify({ ...JSON.parse(await text), ...change });
  const parsedBy = async (cipher: StateCipher, given: string) => {
    const { encrypted, diagnostics, state: found } = await cipher.parse(given, "it");
    return { encrypted, codes: diagnostics.map(({ code }) => code), found };
  };

  it("is what it was, with its key", async () => {
    expect(await parsedBy(keyed, await text)).toEqual({ encrypted: true, codes: [], found: state });
    expect(keyed.isOutdated(true)).toBe(false);
    expect(keyed.isOutdated(false)).toBe(false);
    const { keyId, salt } = JSON.parse(await text);
    expect([keyId, salt]).toEqual([keyIdOf(Buffer.from(key, "hex")), undefined]);
    expect((await text).endsWith("}\n")).toBe(true);
  });

  it("never has one nonce twice", async () => {
    const again = await keyed.encode(state, undefined, true);
    expect(JSON.parse(again).nonce).not.toBe(JSON.parse(await text).nonce);
    const encrypt = await keyed.encrypter();
    expect(encrypt("a", "b").nonce).not.toBe(encrypt("a", "b").nonce);
  });

  it("in the clear is what any cipher reads and writes", async () => {
    const clear = await noCipher.encode(state, { generation: 2, journals: [] }, false);
    for (const cipher of [noCipher, keyed])
      expect(await parsedBy(cipher, clear)).toEqual({ encrypted: false, codes: [], found: state });
    expect(await parsedBy(noCipher, "{")).toMatchObject({ encrypted: false, codes: ["state.unreadable"] });
  });

  it.each([
    ["another lineage", { lineage: "other" }, "state.unreadable"],
    ["another serial", { serial: 5 }, "state.unreadable"],
    ["a lineage that is none", { lineage: 7 }, "state.unreadable"],
    ["a serial that is none", { serial: "4" }, "state.unreadable"],
    ["no nonce", { nonce: undefined }, "state.unreadable"],
    ["a short nonce", { nonce: "AAAA" }, "state.unreadable"],
    ["no data", { data: null }, "state.unreadable"],
    ["data without a tag", { data: "AAAA" }, "state.unreadable"],
    ["a salt that is none", { salt: 1 }, "state.unreadable"],
    ["no key", { keyId: undefined }, "state.unreadable"],
    ["a newer version", { version: 2 }, "state.newer"],
    ["no version", { version: undefined }, "state.newer"],
  ])("with %s is refused", async (_, change, code) => {
    expect(await parsedBy(keyed, await changed(change))).toEqual({
      ...{ encrypted: true, codes: [code], found: undefined },
    });
  });

  it("spelled in another way is refused", async () => {
    const { data, nonce } = JSON.parse(await text);
    for (const change of [{ data: `${data}\n` }, { nonce: `${nonce}=` }])
      expect((await parsedBy(keyed, await changed(change))).codes).toEqual(["state.unreadable"]);
  });

  it("asks for its key where there is none, and says where there is another", async () => {
    const read = (environment: Readonly<Record<string, string>>) => async () =>
      cipherOf(environment).parse(await text, "it");
    expect(await codeOf(read({}))).toBe("state.key_missing");
    expect(await codeOf(read({ RNV_STATE_KEY: other }))).toBe("state.key_mismatch");
    expect(await codeOf(read({ RNV_STATE_KEY_PREVIOUS: other }))).toBe("state.key_mismatch");
    expect(await codeOf(read({ RNV_STATE_KEY: "short" }))).toBe("config.invalid");
    expect(await codeOf(read({ RNV_STATE_KEY_PREVIOUS: key }))).toBeUndefined();
    expect(await codeOf(() => cipherOf({}).encode(state, undefined, true))).toBe("state.key_missing");
  });

  it("under the key before is written anew under the one of now", async () => {
    const cipher = cipherOf({ RNV_STATE_KEY: other, RNV_STATE_KEY_PREVIOUS: key });
    expect(cipher.isOutdated(true)).toBe(false);
    await cipher.parse(await text, "it");
    expect(cipher.isOutdated(true)).toBe(true);
    expect(cipher.isOutdated(false)).toBe(false);
    const next = JSON.parse(await cipher.encode(state, undefined, true));
    expect(next.keyId).toBe(keyIdOf(Buffer.from(other, "hex")));
    // What is under the key of now comes after: the older one is still to be written anew.
    await cipher.parse(JSON.stringify(next), "it");
    expect(cipher.isOutdated(true)).toBe(true);
  });
});
