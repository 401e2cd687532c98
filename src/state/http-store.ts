import { createHash } from "node:crypto";
import type { Transport, WireResponse } from "../api/transport";
import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import { sha256 } from "../model/text";
import type { HttpStateSettings } from "./http-settings";
import { decodeLockText, encodeLock, type LockRecord } from "./lock-record";
import { exchange, NoAnswer } from "./remote-exchange";
import { remoteRefused } from "./remote-failure";
import type {
  BackupSlots,
  LockAnswer,
  LockProof,
  RemoteStore,
  StoredState,
  WriteAnswer,
} from "./remote-store";
import { shownAddress } from "./state-address";

type Reply = (body?: Uint8Array) => Promise<WireResponse>;

/**
 * Terraform's HTTP state protocol: GET and POST of the state, LOCK and UNLOCK with the holder as JSON, `?ID=` of the
 * lock on every write. GitLab and Gitea speak it.
 */
export function createHttpStore(
  settings: HttpStateSettings,
  transport: Transport,
  backups: BackupSlots,
): RemoteStore {
  const location = shownAddress(settings.url);
  const call = (method: string, url: string): Reply => {
    const { authorization } = settings;
    return (body) => {
      const headers = {
        accept: "application/json",
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined ? {} : { "content-type": "application/json", "content-md5": md5(body) }),
      };
      return exchange(transport, { url, method, headers, body });
    };
  };
  const lock = () => call(settings.lockMethod, settings.lockUrl);
  const unlock = () => call(settings.unlockMethod, settings.unlockUrl);
  const read = () => readState(call("GET", settings.url), location);
  return {
    location,
    backups,
    unlockHint: "remove the lock on the server; where its id is known: rnv force-unlock ID",
    read,
    async write(bytes, expected, lock) {
      // The protocol has no conditional write: the server checks the lock, and this the content.
      if ((await read())?.version !== expected) return { kind: "changed" };
      const url = new URL(settings.url);
      url.searchParams.set("ID", lock.id);
      return writeState(call(settings.updateMethod, url.href), bytes, location);
    },
    takeLock: (record) => takeLock(lock(), record, location),
    proveLock: (record) => proveLock({ lock: lock(), unlock: unlock() }, record, location),
    freeLock: (record) => freeLock(unlock(), record, location),
  };
}

async function readState(get: Reply, location: string): Promise<StoredState | undefined> {
  const { status, headers, body: text } = await get();
  const body = Buffer.from(text);
  if (status === 204 || status === 404 || (status === 200 && body.length === 0)) return undefined;
  if (status !== 200) throw remoteRefused("state.unreadable", `cannot read ${location}`, status);
  const sum = headers["content-md5"];
  if (sum !== undefined && sum !== md5(body)) throw new NoAnswer("the state was damaged on its way");
  return { bytes: body, version: versionOf(body) };
}

async function writeState(post: Reply, bytes: Uint8Array, location: string): Promise<WriteAnswer> {
  const { status, body } = await post(bytes);
  if ([200, 201, 204].includes(status)) return { kind: "written", version: versionOf(bytes) };
  if (status === 409 || status === 423) return { kind: "not-ours", holder: holderOf(body) };
  // GitLab: a version with this serial is there already; reading tells whose it is.
  if (status === 412 || status === 422) return { kind: "changed" };
  throw remoteRefused("state.write_failed", `cannot write ${location}`, status);
}

async function takeLock(lock: Reply, record: LockRecord, location: string): Promise<LockAnswer> {
  const { status, body } = await lock(lockText(record, location));
  if (status === 200 || status === 201 || status === 204) return { kind: "taken" };
  if (status === 409 || status === 423) {
    const holder = holderOf(body);
    return holder?.id === record.id ? { kind: "taken" } : { kind: "held", record: holder };
  }
  if (status === 404 || status === 405 || status === 501) throw noLocking(location, status);
  throw remoteRefused("state.write_failed", `cannot lock ${location}`, status);
}

/**
 * The protocol has no way to look at a lock, but who asks for one that is held is told whose it is. Asked under an id
 * of its own, as some servers give a lock to its holder again; one that was free is given back.
 */
async function proveLock(
  { lock, unlock }: { readonly lock: Reply; readonly unlock: Reply },
  record: LockRecord,
  location: string,
): Promise<LockProof> {
  const asking: LockRecord = { ...record, id: `${record.id}-proof` };
  const { status, body } = await lock(lockText(asking, location));
  const isRefused = status === 409 || status === 423;
  if (!isRefused && ![200, 201, 204].includes(status))
    throw remoteRefused("state.write_failed", `cannot tell who holds the lock on ${location}`, status);
  const holder = isRefused ? holderOf(body) : asking;
  if (holder === undefined) return "untold";
  if (holder.id === record.id) return "ours";
  if (holder.id !== asking.id) return holder;
  await freeLock(unlock, asking, location);
  return "free";
}

async function freeLock(unlock: Reply, record: LockRecord, location: string): Promise<boolean> {
  const { status } = await unlock(lockText(record, location));
  if (status === 200 || status === 204) return true;
  if (status === 404 || status === 409 || status === 423) return false;
  throw remoteRefused("state.write_failed", `cannot unlock ${location}`, status);
}

const noLocking = (location: string, status: number): DiagnosticsError =>
  new DiagnosticsError([
    error("config.invalid", `${location} cannot be locked (HTTP ${status})`, {
      detail: "Without a lock two runs could write one state at the same time.",
      hint: "set RNV_STATE_HTTP_LOCK_ADDRESS, _LOCK_METHOD, _UNLOCK_ADDRESS and _UNLOCK_METHOD to what the server offers",
    }),
  ]);

/** Terraform's lock info; `Info` holds the whole record, for servers that give back what they were given. */
const lockText = (record: LockRecord, location: string): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      ID: record.id,
      Operation: record.command,
      Info: Buffer.from(encodeLock(record)).toString("utf8"),
      Who: `pid ${record.pid}@${record.host}`,
      Version: "rnv",
      Created: record.since,
      Path: location,
    }),
  );

/** The holder that a server names; one that was not written here has no process. */
function holderOf(body: string): LockRecord | undefined {
  let info: Readonly<Record<string, unknown>>;
  try {
    info = JSON.parse(body) ?? {};
  } catch {
    return undefined;
  }
  const text = (name: string): string => {
    const value = info[name];
    return typeof value === "string" ? value.slice(0, 1000) : "";
  };
  const id = text("ID");
  if (id === "") return undefined;
  const own = decodeLockText(text("Info"));
  if (own?.id === id) return own;
  const [, pid, host] = /^pid (\d{1,10})@(.*)$/s.exec(text("Who")) ?? [];
  return {
    id,
    host: host ?? (text("Who") || "an unknown host"),
    pid: Number(pid ?? 0),
    command: text("Operation") || "another run",
    since: text("Created"),
    generation: 1,
    process: {},
  };
}

const md5 = (bytes: Uint8Array): string => createHash("md5").update(bytes).digest("base64");
const versionOf = (bytes: Uint8Array): string => sha256(bytes);
