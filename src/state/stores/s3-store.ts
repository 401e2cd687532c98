import type { WireResponse } from "../../api/transport";
import { type Diagnostic, DiagnosticsError, error, failure } from "../../diagnostics/diagnostic";
import type { ProcessEnvironment } from "../../model/text";
import { sha256 } from "../../model/text";
import { keptBackups } from "../backend";
import {
  decodeLock,
  encodeLock,
  isSameLock,
  type LockFile,
  lockInFile,
  lockUnreadable,
} from "../lock-record";
import { checkEndpoint, type StateAddress, stateTimeout } from "../state-address";
import {
  type RemoteStore,
  reading,
  remoteRefused,
  type StateServer,
  type StoredState,
  UnansweredError,
  type WriteAnswer,
  writing,
} from "./remote-store";

/** The location of an S3 state, and the credentials of its requests. */
export interface S3StateSettings {
  /** `s3://bucket/key`, for messages. */
  readonly location: string;
  /** URL of the state object; the lock and the backups are beside it. */
  readonly url: string;
  readonly region: string;
  /** For one whole exchange. */
  readonly timeoutMs: number;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

/**
 * Reads the settings of an S3 state: region and endpoint from its address, else from `AWS_*`; credentials from `AWS_*`.
 * Throws `DiagnosticsError`.
 */
export function s3StateSettings(
  address: StateAddress & { readonly kind: "s3" },
  environment: ProcessEnvironment,
): S3StateSettings {
  const setting = (name: string): string => environment[name]?.trim() ?? "";
  const region = address.region || setting("AWS_REGION") || setting("AWS_DEFAULT_REGION");
  const fromEnvironment = setting("AWS_ENDPOINT_URL_S3") || setting("AWS_ENDPOINT_URL");
  const endpoint = address.endpoint || fromEnvironment || undefined;
  const accessKeyId = setting("AWS_ACCESS_KEY_ID");
  const secretAccessKey = setting("AWS_SECRET_ACCESS_KEY");
  const wrong = endpoint === undefined ? undefined : checkEndpoint(endpoint, "the endpoint of the state");
  const diagnostics: Diagnostic[] = wrong === undefined ? [] : [wrong];
  if (region === "") diagnostics.push(missing("the region of the state", "AWS_REGION"));
  if (accessKeyId === "") diagnostics.push(missing("the access key of the state", "AWS_ACCESS_KEY_ID"));
  if (secretAccessKey === "")
    diagnostics.push(missing("the secret key of the state", "AWS_SECRET_ACCESS_KEY"));
  if (diagnostics.length > 0) throw new DiagnosticsError(diagnostics);
  return {
    location: `s3://${address.bucket}/${address.key}`,
    url: `${bucketUrlOf(address, region, endpoint)}${encodeKey(address.key)}`,
    region,
    timeoutMs: stateTimeout(environment),
    credentials: { accessKeyId, secretAccessKey, sessionToken: setting("AWS_SESSION_TOKEN") || undefined },
  };
}

const missing = (what: string, name: string): Diagnostic =>
  error("config.missing", `${name} is not set`, { detail: `It holds ${what}.`, hint: `export ${name}=…` });

/** Path style for other servers and for names with dots, which no certificate of AWS covers. */
function bucketUrlOf(
  { bucket }: StateAddress & { kind: "s3" },
  region: string,
  endpoint: string | undefined,
): string {
  if (endpoint !== undefined) return `${endpoint.replace(/\/+$/, "")}/${bucket}/`;
  const domain = `s3.${region}.amazonaws.com`;
  return bucket.includes(".") ? `https://${domain}/${bucket}/` : `https://${bucket}.${domain}/`;
}

const encodeKey = (key: string): string => key.split("/").map(encodePart).join("/");

const encodePart = (part: string): string =>
  encodeURIComponent(part).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

type Conditions = Readonly<Record<"if-match" | "if-none-match", string | undefined>>;

/** Objects of a bucket, by the suffix after the key of the state: `""`, `.lock`, `.backup.3`. */
interface Objects {
  get(suffix: string): Promise<StoredState | undefined>;
  /** Returns the new ETag; undefined when a condition was not met. */
  put(suffix: string, bytes: Uint8Array, conditions?: Partial<Conditions>): Promise<string | undefined>;
  /** As `put`, not repeated. Throws `UnansweredError`. */
  putOnce: Objects["put"];
  delete(suffix: string, conditions?: Partial<Conditions>): Promise<boolean>;
}

/** Keeps a state in S3 or a server that speaks its protocol, with conditional writes: `If-None-Match: *` and `If-Match`. */
export function createS3Store(settings: S3StateSettings, server: StateServer): RemoteStore {
  const { location } = settings;
  const objects = objectsOf(settings, server);
  const backup = (slot: number): string => `.backup.${slot}`;
  return {
    location,
    server,
    read: () => objects.get(""),
    async write(bytes, expected): Promise<WriteAnswer> {
      const condition = expected === undefined ? { "if-none-match": "*" } : { "if-match": expected };
      const version = await objects.putOnce("", bytes, condition);
      return version === undefined ? { kind: "changed" } : { kind: "written", version };
    },
    async remove(expected) {
      for (let slot = 0; slot < keptBackups; slot += 1) await objects.delete(backup(slot));
      return objects.delete("", { "if-match": expected });
    },
    locks: {
      ...lockInFile(lockObject(objects, location)),
      location,
      unreadable: lockUnreadable(
        `a lock on ${location}`,
        `make sure that no other run is going on, then delete the object ${location}.lock`,
      ),
    },
    backups: {
      name: (slot) => `${location}${backup(slot)}`,
      read: async (slot) => (await objects.get(backup(slot)))?.bytes,
      write: (slot, bytes) => objects.put(backup(slot), bytes),
    },
  };
}

/** The object beside the state that is its lock. */
const lockObject = (objects: Objects, location: string): LockFile => ({
  read: async () => decodeLock((await objects.get(".lock"))?.bytes),
  async create(record) {
    const put = () => objects.put(".lock", encodeLock(record), { "if-none-match": "*" });
    if ((await put()) === undefined) return false;
    // A server that ignores conditions would give the lock to everybody; asking again shows it.
    if ((await put()) !== undefined) throw unconditional(location);
    return true;
  },
  async replace(record, next) {
    const found = await objects.get(".lock");
    if (found === undefined || !isSameLock(decodeLock(found.bytes), record)) return false;
    if ((await objects.put(".lock", encodeLock(next), { "if-match": found.version })) !== undefined)
      return true;
    // The answer to an earlier attempt may have been lost.
    return isSameLock(decodeLock((await objects.get(".lock"))?.bytes), next);
  },
  async remove(record) {
    const found = await objects.get(".lock");
    if (found === undefined || !isSameLock(decodeLock(found.bytes), record)) return false;
    return objects.delete(".lock", { "if-match": found.version });
  },
});

const unconditional = (location: string): DiagnosticsError =>
  failure("config.invalid", `${location}: the server does not obey If-None-Match`, {
    detail: "Without conditional writes two runs could hold one lock.",
    hint: "use S3, or a server with conditional writes",
  });

type SendSigned = (
  method: string,
  url: string,
  conditions?: Partial<Conditions>,
  body?: Uint8Array,
) => Promise<WireResponse>;

/** Signs and sends requests to the server of a bucket. */
function signedRequests(settings: S3StateSettings, server: StateServer): SendSigned {
  /** Signing keys, by day. */
  const cache = new Map<string, ArrayBuffer>();
  return async (method, url, conditions = {}, body) => {
    // Loaded with the first request.
    const { AwsV4Signer } = await import("aws4fetch");
    const bytes = body === undefined ? undefined : new Uint8Array(body);
    const signer = new AwsV4Signer({
      ...settings.credentials,
      cache,
      service: "s3",
      region: settings.region,
      method,
      url,
      headers: {
        ...conditions,
        ...(bytes === undefined ? {} : { "content-type": "application/json" }),
        "x-amz-content-sha256": sha256(bytes ?? ""),
      },
      body: bytes,
    });
    const signed = await signer.sign();
    const headers = Object.fromEntries(signed.headers.entries());
    const answer = await server.send({ url: signed.url.href, method, headers, body });
    // Two conditional writes at once: S3 asks to try again.
    if (answer.status === 409) throw new UnansweredError("another write was going on (HTTP 409)");
    return answer;
  };
}

function objectsOf(settings: S3StateSettings, server: StateServer): Objects {
  const { location, url } = settings;
  const signed = signedRequests(settings, server);
  const send: SendSigned = async (method, suffix, conditions, body) => {
    const answer = await signed(method, `${url}${suffix}`, conditions, body);
    if (answer.status === 200 && method !== "DELETE" && answer.headers.etag === undefined)
      throw new UnansweredError("the answer has no ETag");
    return answer;
  };
  const putOnce: Objects["put"] = async (suffix, bytes, conditions) => {
    const { status, headers } = await send("PUT", suffix, conditions, bytes);
    const version = headers.etag;
    if (status === 200 && version !== undefined) return version;
    // 404: If-Match, and nothing is there any more.
    if (status === 412 || (status === 404 && conditions?.["if-match"] !== undefined)) return undefined;
    throw remoteRefused(writing(`${location}${suffix}`), status);
  };
  return {
    async get(suffix) {
      const purpose = reading(`${location}${suffix}`);
      const { status, headers, body } = await server.ask(purpose, () => send("GET", suffix));
      if (status === 404 && !body.includes("NoSuchBucket")) return undefined;
      const version = headers.etag;
      if (status === 200 && version !== undefined) return { bytes: Buffer.from(body), version };
      throw remoteRefused(purpose, status);
    },
    putOnce,
    put: (suffix, ...rest) => server.ask(writing(`${location}${suffix}`), () => putOnce(suffix, ...rest)),
    async delete(suffix, conditions) {
      const purpose = { ...writing(""), summary: `cannot delete ${location}${suffix}` };
      const { status } = await server.ask(purpose, () => send("DELETE", suffix, conditions));
      if (status === 200 || status === 204) return true;
      if (status === 412 || status === 404) return false;
      throw remoteRefused(purpose, status);
    },
  };
}

/** Keys that begin with `prefix`, of the bucket that holds `key`; all pages of them. Throws where one is not whole. */
export async function listS3Keys(
  settings: S3StateSettings,
  { key, prefix, name }: { readonly key: string; readonly prefix: string; readonly name: string },
  server: StateServer,
): Promise<readonly string[]> {
  const send = signedRequests(settings, server);
  const bucketUrl = settings.url.slice(0, -encodeKey(key).length);
  const listing = { ...reading(name), summary: `cannot list ${name}` };
  const keys: string[] = [];
  for (let token: string | undefined = ""; token !== undefined; ) {
    const query: string = [
      ...(token === "" ? [] : [`continuation-token=${encodePart(token)}`]),
      "encoding-type=url",
      "list-type=2",
      `prefix=${encodePart(prefix)}`,
    ].join("&");
    const page: ListPage = await server.ask(listing, async () => {
      const answer = await send("GET", `${bucketUrl}?${query}`);
      if (answer.status !== 200) throw remoteRefused(listing, answer.status);
      return pageIn(answer.body);
    });
    keys.push(...page.keys);
    token = page.next;
  }
  return keys;
}

interface ListPage {
  readonly keys: readonly string[];
  /** Absent on the last page. */
  readonly next: string | undefined;
}

function pageIn(body: string): ListPage {
  const keys = Array.from(body.matchAll(/<Key>([^<]*)<\/Key>/g), ([, key = ""]) => decodeURIComponent(key));
  const isWhole = /<\/ListBucketResult>\s*$/.test(body);
  const isLast = /<IsTruncated>false<\/IsTruncated>/.test(body);
  const next = isLast ? undefined : /<NextContinuationToken>([^<]+)<\/NextContinuationToken>/.exec(body)?.[1];
  // A list that is short would leave instances out, and an answer that is not one says nothing.
  if (!isWhole || (!isLast && next === undefined))
    throw new UnansweredError("the list of the bucket is not whole");
  return { keys, next };
}
