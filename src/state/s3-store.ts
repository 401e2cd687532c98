import type { Transport, WireResponse } from "../api/transport";
import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import { sha256 } from "../model/text";
import { decodeLockText, encodeLock, isSameLock, type LockRecord } from "./lock-record";
import { exchange, NoAnswer } from "./remote-exchange";
import { remoteRefused } from "./remote-failure";
import type { LockAnswer, RemoteStore, StoredState, WriteAnswer } from "./remote-store";
import type { S3StateSettings } from "./s3-settings";

type Conditions = Readonly<Record<"if-match" | "if-none-match", string | undefined>>;

/** Objects of one bucket, by what follows the key of the state: `""`, `.lock`, `.backup.3`. */
interface Objects {
  get(suffix: string): Promise<StoredState | undefined>;
  /** The new ETag; undefined when a condition was not met. */
  put(suffix: string, bytes: Uint8Array, conditions?: Partial<Conditions>): Promise<string | undefined>;
  delete(suffix: string, conditions?: Partial<Conditions>): Promise<boolean>;
}

/** A state in S3 or in a server that speaks its protocol, with conditional writes: `If-None-Match: *` and `If-Match`. */
export function createS3Store(settings: S3StateSettings, transport: Transport): RemoteStore {
  const { location } = settings;
  const objects = objectsOf(settings, transport);
  const backup = (slot: number): string => `.backup.${slot}`;
  return {
    location,
    unlockHint: `make sure that no other run is going on, then delete the object ${location}.lock`,
    read: () => objects.get(""),
    async write(bytes, expected): Promise<WriteAnswer> {
      const condition = expected === undefined ? { "if-none-match": "*" } : { "if-match": expected };
      const version = await objects.put("", bytes, condition);
      return version === undefined ? { kind: "changed" } : { kind: "written", version };
    },
    takeLock: (record) => takeLock(objects, record, location),
    async replaceLock(from, to) {
      const found = await objects.get(".lock");
      const record = found && decodeLockText(textOf(found));
      if (found === undefined || record === undefined) return false;
      // An answer to an earlier attempt may have been lost.
      if (isSameLock(record, to)) return true;
      if (!isSameLock(record, from)) return false;
      return (await objects.put(".lock", encodeLock(to), { "if-match": found.version })) !== undefined;
    },
    async readLock() {
      const found = await objects.get(".lock");
      return found === undefined ? "free" : (decodeLockText(textOf(found)) ?? "unreadable");
    },
    async freeLock(record) {
      const found = await objects.get(".lock");
      const held = found && decodeLockText(textOf(found));
      if (found === undefined || held === undefined || !isSameLock(held, record)) return false;
      return objects.delete(".lock", { "if-match": found.version });
    },
    backups: {
      name: (slot) => `${location}${backup(slot)}`,
      read: async (slot) => (await objects.get(backup(slot)))?.bytes,
      write: async (slot, bytes) => {
        await objects.put(backup(slot), bytes);
      },
    },
  };
}

const textOf = ({ bytes }: StoredState): string => Buffer.from(bytes).toString("utf8");

async function takeLock(objects: Objects, record: LockRecord, location: string): Promise<LockAnswer> {
  const bytes = encodeLock(record);
  const taken = (await objects.put(".lock", bytes, { "if-none-match": "*" })) !== undefined;
  if (!taken) {
    const found = await objects.get(".lock");
    if (found === undefined) throw new NoAnswer("the lock was released just now");
    const held = decodeLockText(textOf(found));
    return held !== undefined && isSameLock(held, record)
      ? { kind: "taken" }
      : { kind: "held", record: held };
  }
  // A server that passes over conditions would give one lock to everybody; asking again shows it.
  if ((await objects.put(".lock", bytes, { "if-none-match": "*" })) !== undefined)
    throw unconditional(location);
  return { kind: "taken" };
}

const unconditional = (location: string): DiagnosticsError =>
  new DiagnosticsError([
    error("config.invalid", `${location}: the server does not obey If-None-Match`, {
      detail: "Without conditional writes two runs could hold one lock.",
      hint: "use S3, or a server with conditional writes",
    }),
  ]);

function objectsOf(settings: S3StateSettings, transport: Transport): Objects {
  const { location } = settings;
  /** Signing keys, by day. */
  const cache = new Map<string, ArrayBuffer>();
  const send = async (
    method: string,
    suffix: string,
    conditions: Partial<Conditions> = {},
    body?: Uint8Array,
  ): Promise<WireResponse> => {
    // Loaded with the first request.
    const { AwsV4Signer } = await import("aws4fetch");
    const bytes = body === undefined ? undefined : new Uint8Array(body);
    const signer = new AwsV4Signer({
      ...settings.credentials,
      cache,
      service: "s3",
      region: settings.region,
      method,
      url: `${settings.url}${suffix}`,
      headers: {
        ...conditions,
        ...(bytes === undefined ? {} : { "content-type": "application/json" }),
        "x-amz-content-sha256": sha256(bytes ?? ""),
      },
      body: bytes,
    });
    const signed = await signer.sign();
    const headers = Object.fromEntries(signed.headers.entries());
    const answer = await exchange(transport, { url: signed.url.href, method, headers, body });
    // Two conditional writes at once: S3 asks to try again.
    if (answer.status === 409) throw new NoAnswer("another write was going on (HTTP 409)");
    if (answer.status === 200 && method !== "DELETE" && answer.headers.etag === undefined)
      throw new NoAnswer("the answer has no ETag");
    return answer;
  };
  return {
    async get(suffix) {
      const { status, headers, body } = await send("GET", suffix);
      if (status === 404 && !body.includes("NoSuchBucket")) return undefined;
      const version = headers.etag;
      if (status === 200 && version !== undefined) return { bytes: Buffer.from(body), version };
      throw remoteRefused("state.unreadable", `cannot read ${location}${suffix}`, status);
    },
    async put(suffix, bytes, conditions) {
      const { status, headers } = await send("PUT", suffix, conditions, bytes);
      const version = headers.etag;
      if (status === 200 && version !== undefined) return version;
      // 404: If-Match, and nothing is there any more.
      if (status === 412 || (status === 404 && conditions?.["if-match"] !== undefined)) return undefined;
      throw remoteRefused("state.write_failed", `cannot write ${location}${suffix}`, status);
    },
    async delete(suffix, conditions) {
      const { status } = await send("DELETE", suffix, conditions);
      if (status === 200 || status === 204) return true;
      if (status === 412 || status === 404) return false;
      throw remoteRefused("state.write_failed", `cannot delete ${location}${suffix}`, status);
    },
  };
}
