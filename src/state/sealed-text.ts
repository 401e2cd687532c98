import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { encryptedFormat } from "./state-text";

/** A text encrypted with AES-256-GCM. `data` ends in the 16 bytes of the tag. */
export interface Sealed {
  /** Names the key without telling it. */
  readonly keyId: string;
  /** What a passphrase was stretched with: 16 random bytes, base64. Absent for another key, and in older files. */
  readonly salt?: string;
  /** 12 bytes, base64. */
  readonly nonce: string;
  /** Base64. */
  readonly data: string;
}

/** A key, how it is named, and what a passphrase was stretched with to get it. */
export interface NamedKey extends Pick<Sealed, "keyId" | "salt"> {
  readonly key: Uint8Array;
}

/** The file of an encrypted state. Lineage and serial stand in the clear, for servers that keep versions by them. */
export interface SealedState extends Sealed {
  readonly format: "rnv-state-encrypted";
  readonly version: 1;
  readonly lineage: string;
  readonly serial: number;
}

/** What stands in the journal of an encrypted state in place of each entry. */
export interface SealedEntry extends Sealed {
  readonly kind: "sealed";
}

const nonceLength = 12;
const tagLength = 16;

/** The key of the encryption: derived, so that fingerprints and ciphertext never share one. */
const derive = (key: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", key, "", "rnv state encryption 1", 32));

/** Encrypts a text; `bound` must be the same when it is opened. `nonce` must never repeat under one key. */
export function sealText(
  text: string,
  bound: string,
  { key, keyId, salt, nonce }: NamedKey & { readonly nonce: Uint8Array },
): Sealed {
  const cipher = createCipheriv("aes-256-gcm", derive(key), nonce).setAAD(Buffer.from(bound));
  const data = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  const named = salt === undefined ? { keyId } : { keyId, salt };
  return { ...named, nonce: Buffer.from(nonce).toString("base64"), data: data.toString("base64") };
}

/** The text of what `sealText` made; undefined when one bit of it, of `bound` or of the key is another. */
export function openSealed(sealed: Sealed, bound: string, key: Uint8Array): string | undefined {
  const nonce = Buffer.from(sealed.nonce, "base64");
  const data = Buffer.from(sealed.data, "base64");
  // Base64 has several spellings of the same bytes; only ours counts.
  const isOurs = nonce.toString("base64") === sealed.nonce && data.toString("base64") === sealed.data;
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

/** The document as an encrypted state, or undefined when something of it is missing. */
export function asSealedState(document: unknown): SealedState | undefined {
  const { format, version, lineage, serial } = document as Readonly<Record<string, unknown>>;
  const isWhole =
    version === 1 && typeof lineage === "string" && Number.isSafeInteger(serial) && isWholeSealed(document);
  return format === encryptedFormat && isWhole ? (document as SealedState) : undefined;
}

export const asSealedEntry = (value: unknown): SealedEntry | undefined =>
  (value as { kind?: unknown } | null)?.kind === "sealed" && isWholeSealed(value)
    ? (value as SealedEntry)
    : undefined;

function isWholeSealed(value: unknown): boolean {
  const { keyId, salt = "", nonce, data } = value as Readonly<Record<string, unknown>>;
  return [keyId, salt, nonce, data].every((part) => typeof part === "string");
}
