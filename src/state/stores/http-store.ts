import { createHash } from "node:crypto";
import type { HttpTransportOptions } from "../../api/http-transport";
import { parseJson, type WireRequest } from "../../api/transport";
import { type Diagnostic, DiagnosticsError, error, failure } from "../../diagnostics/diagnostic";
import { sha256 } from "../../model/sha256";
import type { ProcessEnvironment } from "../../model/target-location";
import {
  decodeLock,
  encodeLock,
  type FoundLock,
  holderOf,
  type LockRecord,
  lockUnreadable,
} from "../lock-record";
import { checkEndpoint, shownAddress, stateTimeout } from "../state-address";
import {
  changing,
  type RemoteStore,
  reading,
  remoteRefused,
  type StateServer,
  type StoredState,
  UnansweredError,
  type WriteAnswer,
  writing,
} from "./remote-store";

/** Settings of Terraform's HTTP state protocol for a server. */
export interface HttpStateSettings {
  readonly url: string;
  readonly updateMethod: string;
  readonly lockUrl: string;
  readonly lockMethod: string;
  readonly unlockUrl: string;
  readonly unlockMethod: string;
  /** Value of the Authorization header; undefined without credentials. */
  readonly authorization?: string;
  /** Client certificate and certificate authorities, in PEM form. */
  readonly tls: Pick<HttpTransportOptions, "ca" | "certificate">;
  /** For one whole exchange. */
  readonly timeoutMs: number;
  readonly retries: number;
}

/**
 * Reads the settings of the state at `url`: each `RNV_STATE_HTTP_X` wins over Terraform's `TF_HTTP_X`. Lock addresses of
 * Terraform count only where `TF_HTTP_ADDRESS` is the same state: another state's lock protects nothing here. Throws
 * `DiagnosticsError`.
 */
export function httpStateSettings(url: string, environment: ProcessEnvironment): HttpStateSettings {
  const own = (name: string): string => environment[`RNV_STATE_HTTP_${name}`]?.trim() ?? "";
  const terraform = (name: string): string => environment[`TF_HTTP_${name}`]?.trim() ?? "";
  const isSameState = terraform("ADDRESS") === "" || terraform("ADDRESS") === url;
  const setting = (name: string): string => own(name) || terraform(name);
  const ofThisState = (name: string): string => own(name) || (isSameState ? terraform(name) : "");
  const usual = usualLock(url);
  const lockUrl = ofThisState("LOCK_ADDRESS") || usual.url;
  const settings: HttpStateSettings = {
    url,
    updateMethod: (setting("UPDATE_METHOD") || "POST").toUpperCase(),
    lockUrl,
    lockMethod: (ofThisState("LOCK_METHOD") || usual.lock).toUpperCase(),
    unlockUrl: ofThisState("UNLOCK_ADDRESS") || lockUrl,
    unlockMethod: (ofThisState("UNLOCK_METHOD") || usual.unlock).toUpperCase(),
    authorization: basicAuthorization(setting("USERNAME"), environment),
    tls: tlsOf(setting),
    timeoutMs: stateTimeout(environment),
    retries: /^\d{1,4}$/.test(setting("RETRY_MAX")) ? Number(setting("RETRY_MAX")) : 4,
  };
  const nameOf = (name: string): string => `${own(name) === "" ? "TF_HTTP_" : "RNV_STATE_HTTP_"}${name}`;
  const diagnostics = [...checkAddresses(settings), ...checkCertificate(setting, nameOf)];
  if (diagnostics.length > 0) throw new DiagnosticsError(diagnostics);
  return settings;
}

/** GitLab and Gitea keep the lock beside the state; other servers answer LOCK and UNLOCK at the state's own address. */
function usualLock(url: string): { url: string; lock: string; unlock: string } {
  const { pathname } = new URL(url);
  const isForge =
    /\/api\/v4\/projects\/[^/]+\/terraform\/state\/[^/]+$/.test(pathname) ||
    /\/api\/packages\/[^/]+\/terraform\/state\/[^/]+$/.test(pathname);
  if (!isForge) return { url, lock: "LOCK", unlock: "UNLOCK" };
  const lock = new URL(url);
  lock.pathname = `${pathname}/lock`;
  return { url: lock.href, lock: "POST", unlock: "DELETE" };
}

/** Returns the header; the password is kept nowhere else. */
function basicAuthorization(username: string, environment: ProcessEnvironment): string | undefined {
  const password = environment.RNV_STATE_HTTP_PASSWORD || environment.TF_HTTP_PASSWORD || "";
  if (username === "" && password === "") return undefined;
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** Reads certificates as Terraform does: the texts themselves, not files. */
function tlsOf(setting: (name: string) => string): HttpStateSettings["tls"] {
  const [cert, key] = [setting("CLIENT_CERTIFICATE_PEM"), setting("CLIENT_PRIVATE_KEY_PEM")];
  const ca = setting("CLIENT_CA_CERTIFICATE_PEM");
  return { ca: ca || undefined, certificate: cert && key ? { cert, key } : undefined };
}

function checkAddresses({ updateMethod, lockMethod, unlockMethod, ...settings }: HttpStateSettings) {
  const urls = [settings.lockUrl, settings.unlockUrl];
  const isMethod = (method: string): boolean => /^[A-Z]{1,20}$/.test(method);
  const wrong = urls.flatMap((url) => checkEndpoint(url, "the address of the state's lock") ?? []);
  if ([updateMethod, lockMethod, unlockMethod].every(isMethod)) return wrong;
  const hint = "look at RNV_STATE_HTTP_UPDATE_METHOD, _LOCK_METHOD and _UNLOCK_METHOD";
  return [...wrong, error("config.invalid", "a method of the state is not an HTTP method", { hint })];
}

/** Half a client certificate would be passed over in silence. `nameOf` returns the variable that a setting was read from. */
function checkCertificate(setting: (name: string) => string, nameOf: (name: string) => string): Diagnostic[] {
  const pair = ["CLIENT_CERTIFICATE_PEM", "CLIENT_PRIVATE_KEY_PEM"];
  const given = pair.filter((name) => setting(name) !== "");
  if (given.length !== 1) return [];
  const summary = "a client certificate of the state needs its private key, and the other way round";
  const detail = `Of the two only ${given.map(nameOf)} is set.`;
  const hint = `set both ${pair.map((name) => `RNV_STATE_HTTP_${name}`).join(" and ")}, or neither`;
  return [error("config.invalid", summary, { detail, hint })];
}

/**
 * Terraform's HTTP state protocol: GET and POST of the state, LOCK and UNLOCK with the holder as JSON, `?ID=` of the
 * lock on every write. GitLab and Gitea speak it.
 */
export function createHttpStore(settings: HttpStateSettings, server: StateServer): RemoteStore {
  const location = shownAddress(settings.url);
  const { read, write, lock, unlock } = callsOf(settings, server, location);
  /** The protocol cannot read a lock, but a refusal to lock names the holder. A lock that was free is given back. */
  const probeLock = async (asking: LockRecord): Promise<FoundLock> => {
    const found = await lock(asking);
    if (found !== asking) return found;
    await unlock(asking);
    return "free";
  };
  return {
    location,
    read,
    server,
    crossed: new UnansweredError("another write was going on"),
    // The protocol has no conditional write: the server checks the lock, and this the content.
    write: async (bytes, expected, { id }) =>
      (await read())?.version === expected ? write(bytes, id) : { kind: "changed" },
    locks: {
      location,
      takeLock: lock,
      freeLock: unlock,
      async findLock(id, self) {
        const found = await probeLock(self);
        // A server that says only that it is held compares the id itself.
        if (found !== "unreadable") return holderOf(found);
        return { ...self, id, host: "an unknown host", pid: 0, command: "another run", process: {} };
      },
      unreadable: lockUnreadable(
        `a lock on ${location}`,
        "remove the lock on the server; where its id is known: rnv force-unlock ID",
      ),
    },
    probeLock,
  };
}

const isDone = (status: number): boolean => [200, 201, 204].includes(status);
/** The lock is another's, or not held. */
const isConflict = (status: number): boolean => status === 409 || status === 423;

/** The four calls of the protocol, with the meaning of their answers. */
function callsOf(settings: HttpStateSettings, server: StateServer, location: string) {
  const { authorization } = settings;
  const send = (method: string, url: string, body?: Uint8Array, more?: WireRequest["headers"]) => {
    const headers: Record<string, string> = { ...more, accept: "application/json" };
    if (authorization !== undefined) headers.authorization = authorization;
    if (body !== undefined) {
      headers["content-type"] = "application/json";
      headers["content-md5"] = md5(body);
    }
    return server.send({ url, method, headers, body: body && Buffer.from(body).toString("utf8") });
  };
  const [locking, unlocking] = [changing("lock", location), changing("unlock", location)];
  return {
    async read(): Promise<StoredState | undefined> {
      const { status, body } = await server.ask(reading(location), async () => {
        const answer = await send("GET", settings.url);
        const sum = answer.headers["content-md5"];
        if (answer.status === 200 && answer.body !== "" && sum !== undefined && sum !== md5(answer.body))
          throw new UnansweredError("the state was damaged on its way");
        return answer;
      });
      if (status === 204 || status === 404 || (status === 200 && body === "")) return undefined;
      if (status !== 200) throw remoteRefused(reading(location), status);
      return { bytes: Buffer.from(body), version: sha256(body) };
    },
    async write(bytes: Uint8Array, lockId: string): Promise<WriteAnswer> {
      const url = new URL(settings.url);
      url.searchParams.set("ID", lockId);
      const { status, body } = await send(settings.updateMethod, url.href, bytes);
      if (isDone(status)) return { kind: "written", version: sha256(bytes) };
      if (isConflict(status)) return { kind: "not-ours", holder: holderIn(body) };
      // GitLab: a version with this serial is there already; reading tells whose it is.
      if (status === 412 || status === 422) return { kind: "changed" };
      throw remoteRefused(writing(location), status);
    },
    async lock(record: LockRecord): Promise<LockRecord | "unreadable"> {
      const text = lockText(record, location);
      const { status, headers, body } = await server.ask(locking, () =>
        send(settings.lockMethod, settings.lockUrl, text),
      );
      const token = headers["lock-token"];
      if (token !== undefined) {
        const unlocking = send(settings.unlockMethod, settings.unlockUrl, undefined, { "lock-token": token });
        await unlocking.catch(() => undefined);
        throw webDav(location, status);
      }
      if (isDone(status)) return record;
      if (isConflict(status)) {
        const holder = holderIn(body);
        return holder?.id === record.id ? record : (holder ?? "unreadable");
      }
      if (status === 404 || status === 405 || status === 501) throw noLocking(location, status);
      throw remoteRefused(locking, status);
    },
    async unlock(record: LockRecord): Promise<boolean> {
      const text = lockText(record, location);
      const { status } = await server.ask(unlocking, () =>
        send(settings.unlockMethod, settings.unlockUrl, text),
      );
      if (isDone(status)) return true;
      if (status === 404 || isConflict(status)) return false;
      throw remoteRefused(unlocking, status);
    },
  };
}

const noLocking = (location: string, status: number): DiagnosticsError =>
  failure("config.invalid", `${location} cannot be locked (HTTP ${status})`, {
    detail: "Without a lock two runs could write one state at the same time.",
    hint: "set RNV_STATE_HTTP_LOCK_ADDRESS, _LOCK_METHOD, _UNLOCK_ADDRESS and _UNLOCK_METHOD to what the server offers",
  });

/** Returns the error for a server that answered LOCK as WebDAV does (RFC 4918). */
const webDav = (location: string, status: number): DiagnosticsError =>
  failure("config.invalid", `${location} is a WebDAV server, not one of Terraform's HTTP protocol`, {
    detail: status === 201 ? `Its answer to LOCK was an empty file: delete ${location}.` : undefined,
    hint: "use a server of that protocol, s3:// or a path",
  });

/** Writes Terraform's lock info; `Info` holds the whole record, for servers that return it unchanged. */
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

/** Reads the holder that a server names; a holder other than rnv has no process. */
function holderIn(body: string): LockRecord | undefined {
  const info = (parseJson(body) ?? {}) as Readonly<Record<string, unknown>>;
  const text = (name: string): string => {
    const value = info[name];
    return typeof value === "string" ? value.slice(0, 1000) : "";
  };
  const id = text("ID");
  if (id === "") return undefined;
  const own = holderOf(decodeLock(Buffer.from(text("Info"))));
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

const md5 = (bytes: Uint8Array | string): string => createHash("md5").update(bytes).digest("base64");
