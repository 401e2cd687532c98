import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import * as z from "zod";
import { DiagnosticsError, failure, hasErrors } from "../diagnostics/diagnostic";
import type { State } from "../model/state";
import {
  encodeState,
  newer,
  type ParsedState,
  parseObject,
  parseState,
  stateIn,
  type TextWriter,
  unreadable,
} from "./encode";
import { isPassphrase, keyFromEnvironment } from "./key";

const encrypted = z.object({
  /** Names the key without telling it. */
  keyId: z.string(),
  /** Salt of a passphrase: 16 random bytes, base64. Absent for other keys. */
  salt: z.string().optional(),
  /** 12 bytes, base64. */
  nonce: z.string(),
  /** Base64; ends in the 16 bytes of the tag. */
  data: z.string(),
});
export type Encrypted = Readonly<z.infer<typeof encrypted>>;

/** The file of an encrypted state. Lineage and serial stand in the clear, for servers that keep versions by them. */
const encryptedState = encrypted.extend({
  format: z.literal("rnv-state-encrypted"),
  version: z.literal(1),
  lineage: z.string(),
  serial: z.int(),
});
type EncryptedState = Readonly<z.infer<typeof encryptedState>>;

/** Stands in the journal of an encrypted state in place of each entry. */
const encryptedEntry = encrypted.extend({ kind: z.literal("sealed") });
export type EncryptedEntry = Readonly<z.infer<typeof encryptedEntry>>;

export const asEncryptedEntry = (value: unknown): EncryptedEntry | undefined =>
  encryptedEntry.safeParse(value).data;

/** A key with its name, and the salt of the passphrase that it comes from. */
interface NamedKey extends Pick<Encrypted, "keyId" | "salt"> {
  readonly key: Uint8Array;
}

const nonceLength = 12;
const tagLength = 16;

/** Derives the key of the encryption, so that fingerprints and ciphertext never share a key. */
const derive = (key: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", key, "", "rnv state encryption 1", 32));

/** Encrypts a text; `bound` must be the same when it is opened. `nonce` must never repeat under one key. */
function encryptText(
  text: string,
  bound: string,
  { key, keyId, salt, nonce }: NamedKey & { readonly nonce: Uint8Array },
): Encrypted {
  const cipher = createCipheriv("aes-256-gcm", derive(key), nonce).setAAD(Buffer.from(bound));
  const data = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return { keyId, salt, nonce: Buffer.from(nonce).toString("base64"), data: data.toString("base64") };
}

/** Decrypts a text of `encryptText`; undefined when a bit of it, of `bound` or of the key differs. */
function decryptText(ciphertext: Encrypted, bound: string, key: Uint8Array): string | undefined {
  const nonce = Buffer.from(ciphertext.nonce, "base64");
  const data = Buffer.from(ciphertext.data, "base64");
  // Base64 has several spellings of the same bytes; only ours counts.
  const isOurs = nonce.toString("base64") === ciphertext.nonce && data.toString("base64") === ciphertext.data;
  if (!isOurs || nonce.length !== nonceLength || data.length < tagLength) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", derive(key), nonce, { authTagLength: tagLength })
    .setAAD(Buffer.from(bound))
    .setAuthTag(data.subarray(data.length - tagLength));
  try {
    const text = [decipher.update(data.subarray(0, data.length - tagLength)), decipher.final()];
    return Buffer.concat(text).toString("utf8");
  } catch {
    return undefined;
  }
}

/**
 * Encrypts and decrypts states (AES-256-GCM). `RNV_STATE_ENCRYPTION=1` encrypts from the next write on, `0` writes in
 * the clear; without it a state keeps its form. The key is `RNV_STATE_KEY`; a state under `RNV_STATE_KEY_PREVIOUS` is
 * still read. A passphrase is stretched with the salt of the text that it decrypts; a state under a new key gets its own.
 */
export class StateCipher {
  /** By variable and salt: stretching a passphrase is slow. */
  readonly #keys = new Map<string, Promise<NamedKey | undefined>>();
  #salt: string | undefined;
  #hasOpenedOlder = false;

  constructor(
    private readonly environment: Readonly<Record<string, string | undefined>>,
    private readonly randomBytes: (length: number) => Uint8Array,
  ) {}

  /** Returns true if the next write is encrypted; unset, as the stored state is. Throws when the setting is unclear. */
  encrypts(isEncrypted: boolean): boolean {
    const wish = this.environment.RNV_STATE_ENCRYPTION?.trim() ?? "";
    if (wish === "") return isEncrypted;
    if (wish === "1" || wish === "0") return wish === "1";
    throw failure("config.invalid", "RNV_STATE_ENCRYPTION is neither 1 nor 0", {
      hint: "1 encrypts the state with RNV_STATE_KEY, 0 writes it in the clear; unset leaves it as it is",
    });
  }

  /** Returns true if the stored state would be written in another form, or under another key. */
  isOutdated(isEncrypted: boolean): boolean {
    return this.encrypts(isEncrypted) !== isEncrypted || (isEncrypted && this.#hasOpenedOlder);
  }

  /** Returns a function that encrypts texts under the current key. Throws when there is none. */
  async encrypter(): Promise<(text: string, bound: string) => Encrypted> {
    if (isPassphrase(this.environment.RNV_STATE_KEY))
      this.#salt ??= Buffer.from(this.randomBytes(saltLength)).toString("base64");
    const current = await this.#keyOf("RNV_STATE_KEY", this.#salt);
    if (current === undefined) throw keyMissing("the state is to be encrypted");
    return (text, bound) => encryptText(text, bound, { ...current, nonce: this.randomBytes(12) });
  }

  /** Returns a function that decrypts texts; undefined for a text that was changed. Throws when no key fits. */
  async decrypter(
    { keyId, salt }: Pick<Encrypted, "keyId" | "salt">,
    name: string,
  ): Promise<(ciphertext: Encrypted, bound: string) => string | undefined> {
    const current = this.#keyOf("RNV_STATE_KEY", salt);
    const keys = await Promise.all([current, this.#keyOf("RNV_STATE_KEY_PREVIOUS", salt)]);
    const found = keys.find((key) => key?.keyId === keyId);
    if (found !== undefined && found === keys[0]) this.#salt = salt;
    else this.#hasOpenedOlder ||= found !== undefined;
    if (found !== undefined) return (ciphertext, bound) => decryptText(ciphertext, bound, found.key);
    const have = keys.flatMap((key) => key?.keyId ?? []);
    if (have.length === 0) throw keyMissing(`${name} is encrypted with key ${keyId}`);
    const summary = `${name} is encrypted with key ${keyId}, the key here is ${have.join(" or ")}`;
    throw failure("state.key_mismatch", summary, {
      hint: "set RNV_STATE_KEY to the key of the state; after a change of keys, RNV_STATE_KEY_PREVIOUS to the old one",
    });
  }

  async encode(state: State, writer: TextWriter | undefined, encrypted: boolean): Promise<string> {
    const text = encodeState(state, writer);
    if (!encrypted) return text;
    const encrypt = await this.encrypter();
    const head = {
      format: "rnv-state-encrypted",
      version: 1,
      lineage: state.lineage,
      serial: state.serial,
    } as const;
    const ciphertext: EncryptedState = { ...head, ...encrypt(text, boundTo(head)) };
    return `${JSON.stringify(ciphertext, null, 2)}\n`;
  }

  async parse(text: string, name: string): Promise<ParsedState> {
    const document = parseObject(text, name);
    if (document.format !== "rnv-state-encrypted") return stateIn(document, name);
    if (document.version !== 1) throw newer(name);
    const ciphertext = encryptedState.safeParse(document).data;
    if (ciphertext === undefined) throw unreadable(name, "a part of it is missing");
    const open = await this.decrypter(ciphertext, name);
    const opened = open(ciphertext, boundTo(ciphertext));
    if (opened === undefined) throw unreadable(name, "it was changed after it was encrypted");
    return { ...parseState(opened, name), encrypted: true };
  }

  #keyOf(variable: KeyVariable, salt: string | undefined): Promise<NamedKey | undefined> {
    const name = `${variable} ${salt ?? ""}`;
    const key = this.#keys.get(name) ?? this.#load(variable, salt);
    this.#keys.set(name, key);
    return key;
  }

  async #load(variable: KeyVariable, salt: string | undefined): Promise<NamedKey | undefined> {
    const loaded = await keyFromEnvironment(this.environment, variable, Buffer.from(salt ?? "", "base64"));
    if (loaded === undefined) return undefined;
    if (hasErrors(loaded.diagnostics)) throw new DiagnosticsError(loaded.diagnostics);
    const { key, keyId } = loaded;
    return key && keyId ? { key, keyId, salt } : undefined;
  }
}

const saltLength = 16;

type KeyVariable = "RNV_STATE_KEY" | "RNV_STATE_KEY_PREVIOUS";

const boundTo = ({ format, version, lineage, serial }: Omit<EncryptedState, keyof Encrypted>): string =>
  `${format} ${version} ${serial} ${lineage}`;

const keyMissing = (why: string): DiagnosticsError =>
  failure("state.key_missing", `${why}, and RNV_STATE_KEY is not set`, {
    hint: "set RNV_STATE_KEY to the key of the state; a key file beside the state protects nothing and is not used for this",
  });
