import { type Diagnostic, DiagnosticsError, error, hasErrors } from "../diagnostics/diagnostic";
import type { State } from "../model/state";
import {
  asSealedState,
  type NamedKey,
  openSealed,
  type Sealed,
  type SealedState,
  sealText,
} from "./sealed-text";
import { isPassphrase, keyFromEnvironment } from "./state-key";
import { encodeState, type ParsedState, parseState, type Writer } from "./state-text";

/**
 * Encrypts and opens states (AES-256-GCM). `RNV_STATE_ENCRYPTION=1` encrypts what is written from then on, `0` writes
 * in the clear; without it a state stays as it is. The key is `RNV_STATE_KEY`; what was written with
 * `RNV_STATE_KEY_PREVIOUS` is still read. A passphrase is stretched with the salt of what it opens; what is written
 * under a new key, or had none yet, gets one of its own.
 */
export class StateCipher {
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #randomBytes: (length: number) => Uint8Array;
  /** By variable and salt: to stretch a passphrase takes its time. */
  readonly #keys = new Map<string, Promise<NamedKey | undefined>>();
  /** Of what the current key has opened. */
  #salt: string | undefined;
  #hasOpenedOlder = false;

  constructor(
    environment: Readonly<Record<string, string | undefined>>,
    randomBytes: (length: number) => Uint8Array,
  ) {
    this.#environment = environment;
    this.#randomBytes = randomBytes;
  }

  /** Whether to encrypt what is written, given whether what stands there is encrypted. Throws when the wish is unclear. */
  encrypts(isEncrypted: boolean): boolean {
    const wish = this.#environment.RNV_STATE_ENCRYPTION?.trim() ?? "";
    if (wish === "") return isEncrypted;
    if (wish === "1" || wish === "0") return wish === "1";
    throw new DiagnosticsError([
      error("config.invalid", "RNV_STATE_ENCRYPTION is neither 1 nor 0", {
        hint: "1 encrypts the state with RNV_STATE_KEY, 0 writes it in the clear; unset leaves it as it is",
      }),
    ]);
  }

  /** Whether what stands there, encrypted or not, would be written in another form, or under another key. */
  isOutdated(isEncrypted: boolean): boolean {
    return this.encrypts(isEncrypted) !== isEncrypted || (isEncrypted && this.#hasOpenedOlder);
  }

  /** Encrypts texts under the current key. Throws when there is none. */
  async sealer(): Promise<(text: string, bound: string) => Sealed> {
    if (isPassphrase(this.#environment.RNV_STATE_KEY))
      this.#salt ??= Buffer.from(this.#randomBytes(saltLength)).toString("base64");
    const current = await this.#keyOf("RNV_STATE_KEY", this.#salt);
    if (current === undefined) throw new DiagnosticsError([keyMissing("the state is to be encrypted")]);
    return (text, bound) => sealText(text, bound, { ...current, nonce: this.#randomBytes(12) });
  }

  /** Opens texts under the current or the previous key; undefined for what neither opens. Throws when no key fits. */
  async opener(
    { keyId, salt }: Pick<Sealed, "keyId" | "salt">,
    name: string,
  ): Promise<(sealed: Sealed, bound: string) => string | undefined> {
    const current = this.#keyOf("RNV_STATE_KEY", salt);
    const keys = await Promise.all([current, this.#keyOf("RNV_STATE_KEY_PREVIOUS", salt)]);
    const found = keys.find((key) => key?.keyId === keyId);
    const isCurrent = found !== undefined && found === keys[0];
    const isSalted = salt !== undefined || !isPassphrase(this.#environment.RNV_STATE_KEY);
    if (isCurrent && isSalted) this.#salt = salt;
    this.#hasOpenedOlder ||= found !== undefined && !(isCurrent && isSalted);
    if (found !== undefined) return (sealed, bound) => openSealed(sealed, bound, found.key);
    const have = keys.flatMap((key) => key?.keyId ?? []);
    if (have.length === 0) throw new DiagnosticsError([keyMissing(`${name} is encrypted with key ${keyId}`)]);
    throw new DiagnosticsError([
      error(
        "state.key_mismatch",
        `${name} is encrypted with key ${keyId}, the key here is ${have.join(" or ")}`,
        {
          hint: "set RNV_STATE_KEY to the key of the state; after a change of keys, RNV_STATE_KEY_PREVIOUS to the old one",
        },
      ),
    ]);
  }

  /** The text of a state file, encrypted when asked. */
  async encode(state: State, writer: Writer | undefined, encrypted: boolean): Promise<string> {
    const text = encodeState(state, writer);
    if (!encrypted) return text;
    const seal = await this.sealer();
    const head = {
      format: "rnv-state-encrypted",
      version: 1,
      lineage: state.lineage,
      serial: state.serial,
    } as const;
    const sealed: SealedState = { ...head, ...seal(text, boundTo(head)) };
    return `${JSON.stringify(sealed, null, 2)}\n`;
  }

  /** As `parseState`, encrypted or not. Throws only where the key is missing. */
  async parse(text: string, name: string): Promise<ParsedState & { readonly encrypted: boolean }> {
    const parsed = parseState(text, name);
    const document = parsed.state === undefined ? parsed.sealed : undefined;
    if (document === undefined) return { ...parsed, encrypted: false };
    const unreadable = (why: string) => ({
      diagnostics: [error("state.unreadable", `${name} cannot be read: ${why}`)],
      encrypted: true,
    });
    const sealed = asSealedState(document);
    if (sealed === undefined)
      return (document as { version?: unknown }).version === 1
        ? unreadable("a part of it is missing")
        : { diagnostics: [newer(name)], encrypted: true };
    const open = await this.opener(sealed, name);
    const opened = open(sealed, boundTo(sealed));
    if (opened === undefined) return unreadable("it was changed after it was encrypted");
    return { ...parseState(opened, name), encrypted: true };
  }

  #keyOf(variable: KeyVariable, salt: string | undefined): Promise<NamedKey | undefined> {
    const name = `${variable} ${salt ?? ""}`;
    const key = this.#keys.get(name) ?? this.#load(variable, salt);
    this.#keys.set(name, key);
    return key;
  }

  async #load(variable: KeyVariable, salt: string | undefined): Promise<NamedKey | undefined> {
    const loaded = await keyFromEnvironment(
      this.#environment,
      variable,
      salt === undefined ? undefined : Buffer.from(salt, "base64"),
    );
    if (loaded === undefined) return undefined;
    if (hasErrors(loaded.diagnostics)) throw new DiagnosticsError(loaded.diagnostics);
    const { key, keyId } = loaded;
    return key && keyId ? { key, keyId, ...(salt !== undefined && { salt }) } : undefined;
  }
}

type KeyVariable = "RNV_STATE_KEY" | "RNV_STATE_KEY_PREVIOUS";

const saltLength = 16;

const boundTo = ({ format, version, lineage, serial }: Omit<SealedState, keyof Sealed>): string =>
  `${format} ${version} ${serial} ${lineage}`;

/** For callers that were given no environment: opens nothing, and writes in the clear. */
export const noCipher = new StateCipher({}, () => new Uint8Array());

const keyMissing = (why: string): Diagnostic =>
  error("state.key_missing", `${why}, and RNV_STATE_KEY is not set`, {
    hint: "set RNV_STATE_KEY to the key of the state; a key file beside the state protects nothing and is not used for this",
  });

const newer = (name: string): Diagnostic =>
  error("state.newer", `${name} was written by a newer version of rnv`, { hint: "upgrade rnv" });
