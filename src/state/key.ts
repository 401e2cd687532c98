import { scrypt } from "node:crypto";
import { dirname } from "node:path";
import { type Diagnostic, error, warning } from "../diagnostics/diagnostic";
import { sha256 } from "../model/sha256";
import type { State } from "../model/state";
import { type Disk, placeNew, readFailed, syncFolderOf, writeFailed } from "./disk";
import { nodeDisk } from "./node-disk";

export interface StateKeySource {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly path: string;
  /** The key file of all states of the folder, read where this state has none of its own. */
  readonly shared?: string | undefined;
  /** Makes a key file when there is no key at all, shared where it can be. A key that is given is kept for this state alone. */
  readonly create: boolean | Uint8Array;
  /** Salt of a passphrase: the id of the workspace. */
  readonly salt?: string;
  readonly disk?: Disk;
  readonly randomBytes: (length: number) => Uint8Array;
}

export interface LoadedStateKey {
  readonly key?: Uint8Array;
  readonly keyId?: string;
  /** `RNV_STATE_KEY_PREVIOUS`, while keys are changed. */
  readonly previous?: { readonly key: Uint8Array; readonly keyId: string };
  readonly diagnostics: readonly Diagnostic[];
}

const keyLength = 32;
const shortestPassphrase = 16;
const largestKeyFile = 4096;

/**
 * Loads the key of secret fingerprints: `RNV_STATE_KEY`, else the key file, created with mode 0600 when `create` is
 * set. The variable has 64 hex digits, base64 of 32 bytes, or a passphrase of at least 16 characters (scrypt). During a
 * change of keys, `RNV_STATE_KEY_PREVIOUS` holds the old key; the first whole apply converts the state.
 */
export async function loadStateKey(source: StateKeySource): Promise<LoadedStateKey> {
  const current = await loadCurrentKey(source);
  const before = await keyFromEnvironment(source.environment, "RNV_STATE_KEY_PREVIOUS", saltOf(source));
  const diagnostics = [...current.diagnostics, ...(before?.diagnostics ?? [])];
  const { key, keyId } = before ?? {};
  return { ...current, diagnostics, previous: key && keyId ? { key, keyId } : undefined };
}

const saltOf = ({ salt = "" }: StateKeySource): Uint8Array =>
  Buffer.from(`rnv state key 2 ${salt.toLowerCase()}`);

async function loadCurrentKey(source: StateKeySource): Promise<LoadedStateKey> {
  const given = await keyFromEnvironment(source.environment, "RNV_STATE_KEY", saltOf(source));
  if (given !== undefined) return given;
  try {
    const { create, path, shared } = source;
    const isGiven = typeof create !== "boolean";
    const own = await readKeyFile(source, path);
    const read = own ?? (shared && !isGiven ? await readKeyFile(source, shared) : undefined);
    if (read !== undefined || !create) return read ?? { diagnostics: [] };
    const made = isGiven ? path : (shared ?? path);
    await createKeyFile(source, made);
    // The file may hold the key of another run that was faster.
    return (await readKeyFile(source, made)) ?? { diagnostics: [noKeyIn(made)] };
  } catch (cause) {
    const failure = source.create ? writeFailed(source.path, cause) : readFailed(source.path, cause);
    return { diagnostics: failure.diagnostics };
  }
}

/** Loads the key that a variable of the environment holds, a passphrase stretched with `salt`; undefined when not set. */
export async function keyFromEnvironment(
  environment: StateKeySource["environment"],
  variable: "RNV_STATE_KEY" | "RNV_STATE_KEY_PREVIOUS",
  salt: Uint8Array,
): Promise<LoadedStateKey | undefined> {
  const text = environment[variable]?.trim();
  if (!text) return undefined;
  const raw = rawKey(text);
  if (raw !== undefined) return loaded(raw);
  if (text.length >= shortestPassphrase) return loaded(await stretch(text, salt));
  return {
    diagnostics: [
      error("config.invalid", `${variable} is too short to be a key`, {
        hint: `use 64 hex digits (openssl rand -hex 32), base64 of 32 bytes, or at least ${shortestPassphrase} characters`,
      }),
    ],
  };
}

/** Returns true if a key is written as a passphrase. Other keys are random, and no salt makes them harder to guess. */
export const isPassphrase = (text: string | undefined): boolean =>
  text !== undefined && rawKey(text.trim()) === undefined;

/** First 16 hex digits of the SHA-256 of a key: names it in the state without telling it. */
export const keyIdOf = (key: Uint8Array): string => sha256(key).slice(0, 16);

/** Returns the error for a state that was fingerprinted with a key that is not at hand; undefined when it fits. */
export function checkStateKey(
  state: State,
  key: Uint8Array | undefined,
  previousKeyId?: string,
): Diagnostic | undefined {
  if (state.keyId === null || (key !== undefined && state.keyId === previousKeyId)) return undefined;
  const hint =
    "set RNV_STATE_KEY, or put state.key beside the state, as it was when the state was written, or the old key as RNV_STATE_KEY_PREVIOUS beside a new one; if it is lost: rnv state rm each variable, then rnv apply --adopt, which writes their values again";
  if (key === undefined)
    return error(
      "state.key_missing",
      `the state was written with key ${state.keyId}, which is missing here`,
      { detail: "Without it rnv cannot see whether a secret changed.", hint },
    );
  const keyId = keyIdOf(key);
  if (keyId === state.keyId) return undefined;
  const summary = `the state was written with key ${state.keyId}, the key here is ${keyId}`;
  return error("state.key_mismatch", summary, {
    detail: "With another key every secret would look changed.",
    hint,
  });
}

const loaded = (key: Uint8Array, diagnostics: readonly Diagnostic[] = []): LoadedStateKey => ({
  key,
  keyId: keyIdOf(key),
  diagnostics,
});

function rawKey(text: string): Uint8Array | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, "hex");
  if (/^[A-Za-z0-9+/]{43}=?$/.test(text)) return Buffer.from(text, "base64");
  if (/^[A-Za-z0-9_-]{43}=?$/.test(text)) return Buffer.from(text, "base64url");
  return undefined;
}

/** Stretches a passphrase, so that guessing it from a fingerprint in a leaked state is slow. */
const stretch = (passphrase: string, salt: Uint8Array): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    scrypt(passphrase, salt, keyLength, { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 }, (cause, key) =>
      cause ? reject(cause) : resolve(key),
    );
  });

async function readKeyFile(
  { disk = nodeDisk }: StateKeySource,
  path: string,
): Promise<LoadedStateKey | undefined> {
  const bytes = await disk.read(path, largestKeyFile);
  if (bytes === undefined) return undefined;
  const key = rawKey(Buffer.from(bytes).toString("utf8").trim());
  if (key === undefined) return { diagnostics: [noKeyIn(path)] };
  const mode = (await disk.mode(path)) ?? 0o600;
  return loaded(
    key,
    mode & 0o077
      ? [warning("config.insecure", `${path} can be read by others`, { hint: `chmod 600 ${path}` })]
      : [],
  );
}

const noKeyIn = (path: string): Diagnostic =>
  error("state.key_missing", `${path} does not hold a key`, {
    hint: "restore it from a copy, or set RNV_STATE_KEY; if the state names no key yet, remove the file",
  });

async function createKeyFile(
  { disk = nodeDisk, create, randomBytes }: StateKeySource,
  path: string,
): Promise<void> {
  const key = typeof create === "boolean" ? randomBytes(keyLength) : create;
  const text = Buffer.from(`${Buffer.from(key).toString("hex")}\n`);
  const scratch = `${path}.${Buffer.from(randomBytes(8)).toString("hex")}.tmp`;
  await disk.makeFolder(dirname(path));
  // A key file that exists by now is that of another run, which was faster.
  await placeNew(disk, path, text, scratch);
  await syncFolderOf(disk, path);
}
