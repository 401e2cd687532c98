import { DiagnosticsError, failure } from "../../diagnostics/diagnostic";
import type { ProcessEnvironment } from "../../model/target-location";
import { keptBackups } from "../backend";
import {
  decodeLock,
  encodeLock,
  generationIn,
  holderOf,
  type LockRecord,
  type LockStore,
  lockUnreadable,
} from "../lock-record";
import { checkEndpoint, type StateAddress, stateTimeout } from "../state-address";
import type { RemoteStore, StateServer, StoredState, WriteAnswer } from "./remote-store";
import { etagForms, type Objects, type S3StateSettings, s3Objects } from "./s3-objects";

const keyNames = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"] as const;

/**
 * Reads the settings of an S3 state: those of its address, else of `AWS_*`. The AWS SDK finds the others. Throws
 * `DiagnosticsError`.
 */
export function s3StateSettings(
  { kind: _kind, ...address }: StateAddress & { readonly kind: "s3" },
  environment: ProcessEnvironment,
): S3StateSettings {
  const setting = (name: string): string | undefined => environment[name]?.trim() || undefined;
  const endpoint = address.endpoint ?? setting("AWS_ENDPOINT_URL_S3") ?? setting("AWS_ENDPOINT_URL");
  const wrong = endpoint === undefined ? undefined : checkEndpoint(endpoint, "the endpoint of the state");
  if (wrong !== undefined) throw new DiagnosticsError([wrong]);
  const [accessKeyId, secretAccessKey, sessionToken] = keyNames.map(setting);
  for (const name of keyNames)
    if (/[^!-~]/.test(setting(name) ?? ""))
      throw failure("config.invalid", `${name} holds a space or a line break`, {
        hint: "set it again, in a line",
      });
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined) && address.profile === undefined)
    throw failure(
      "config.missing",
      `${accessKeyId ? keyNames[1] : keyNames[0]} is not set, and the other is`,
      { hint: "set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or neither of them and a profile" },
    );
  return {
    ...address,
    location: `s3://${address.bucket}/${address.key}`,
    region: address.region ?? setting("AWS_REGION") ?? setting("AWS_DEFAULT_REGION"),
    endpoint,
    pathStyle: address.pathStyle ?? endpoint !== undefined,
    profile: address.profile ?? setting("AWS_PROFILE"),
    timeoutMs: stateTimeout(environment),
    credentials:
      accessKeyId && secretAccessKey && address.profile === undefined
        ? { accessKeyId, secretAccessKey, sessionToken }
        : undefined,
  };
}

/** Keeps a state in S3 or a server that speaks its protocol, with conditional writes: `If-None-Match: *` and `If-Match`. */
export function createS3Store(settings: S3StateSettings, server: StateServer): RemoteStore {
  const { location } = settings;
  const objects = s3Objects(settings, server);
  const backup = (slot: number): string => `.backup.${slot}`;
  return {
    location,
    read: () => objects.get(""),
    server,
    crossed: unconditional(location, "If-Match"),
    async write(bytes, expected): Promise<WriteAnswer> {
      const condition = expected === undefined ? ({ IfNoneMatch: "*" } as const) : { IfMatch: expected };
      const version = await objects.put("", bytes, condition);
      return version === undefined ? { kind: "changed" } : { kind: "written", version };
    },
    async remove(expected) {
      for (let slot = 0; slot < keptBackups; slot += 1) await objects.delete(backup(slot));
      return objects.delete("", expected);
    },
    locks: s3Locks(objects, location),
    backups: {
      name: (slot) => `${location}${backup(slot)}`,
      read: async (slot) => (await objects.get(backup(slot)))?.bytes,
      write: (slot, bytes) => objects.put(backup(slot), bytes),
    },
  };
}

/**
 * The lock of a state in S3: an object beside the state. It is never deleted, because servers ignore the conditions of a
 * deletion. A lock that is free is a record that says so. No two records are equal, and so are no two ETags.
 */
function s3Locks(objects: Objects, location: string): LockStore {
  const read = () => objects.get(".lock");
  const swap = swapOver(objects, location);
  const swapOwn = async (from: LockRecord, next: (found: LockRecord) => Uint8Array): Promise<boolean> => {
    const stored = await read();
    const found = holderOf(decodeLock(stored?.bytes));
    return stored !== undefined && found?.id === from.id && swap(stored, next(found));
  };
  return {
    location,
    async takeLock(record) {
      for (let looks = 1; looks < 4; looks += 1) {
        const stored = await read();
        const found = decodeLock(stored?.bytes);
        if (found !== "free") return found;
        const start = stored ?? (await create(objects, record));
        const next = { ...record, generation: generationIn(stored?.bytes) + 1 };
        if (start && (await swap(start, encodeLock(next), { isNew: stored === undefined }))) return next;
      }
      return "unreadable";
    },
    replaceLock: (from, to) => swapOwn(from, () => encodeLock(to)),
    readLock: async () => decodeLock((await read())?.bytes),
    freeLock: (record, by = record) =>
      swapOwn(record, ({ generation }) => encodeLock({ ...by, generation, free: true })),
    unreadable: lockUnreadable(
      `a lock on ${location}`,
      `make sure that no other run is going on, then delete the object ${location}.lock`,
    ),
  };
}

/** Puts a free lock where there is none; undefined where there is a lock now. */
async function create(objects: Objects, record: LockRecord): Promise<StoredState | undefined> {
  const bytes = encodeLock({ ...record, generation: 0, free: true });
  const version = await objects.put(".lock", bytes, { IfNoneMatch: "*" });
  return version === undefined ? undefined : { bytes, version };
}

/** No content has this ETag. */
const wrongEtag = `"${"0".repeat(32)}"`;

/**
 * Returns a function that puts bytes in place of exactly the stored lock; false where another lock is there. The first call
 * proves that the server obeys conditions, in a form of ETag that it takes, and throws where it does not. Writes that must be
 * refused hold the stored bytes: an accepted write changes nothing.
 */
function swapOver(objects: Objects, location: string) {
  let isProven = false;
  return async (stored: StoredState, next: Uint8Array, { isNew } = { isNew: false }): Promise<boolean> => {
    const demandRefusal = async (condition: object, name: string): Promise<void> => {
      if ((await objects.put(".lock", stored.bytes, condition)) === undefined) return;
      if (isNew) await objects.delete(".lock");
      throw unconditional(location, name);
    };
    if (!isProven) await demandRefusal({ IfNoneMatch: "*" }, "If-None-Match");
    for (const form of isProven ? [objects.form] : etagForms) {
      objects.form = form;
      if (!isProven) await demandRefusal({ IfMatch: wrongEtag }, "If-Match");
      const put = await objects.put(".lock", next, { IfMatch: stored.version });
      // The answer to an earlier attempt may have been lost.
      const found = put === undefined ? await objects.get(".lock") : undefined;
      if (put !== undefined || Buffer.compare(found?.bytes ?? stored.bytes, next) === 0) {
        isProven = true;
        return true;
      }
      if (found?.version !== stored.version) return false;
    }
    if (isNew) await objects.delete(".lock");
    throw unconditional(location, "If-Match");
  };
}

/** Returns the error for a server that ignores a condition of a write, or refuses a write that meets it. */
const unconditional = (location: string, condition: string): DiagnosticsError =>
  failure("config.invalid", `${location}: the server does not obey ${condition}`, {
    detail: "Without conditional writes two runs could hold one lock.",
    hint: "use S3, or a server with conditional writes: docs/cli/state.md lists those that were tried",
  });
