import { ApiError, isUncertain } from "../api/api-error";
import type { ApiRequest, ApiResponse, Send } from "../api/send";
import type { Address } from "../model/address";
import { Secret } from "../model/secret";
import { sha256 } from "../model/sha256";
import type { Intent } from "../model/state";
import { isOlder, isoTime, timeNow } from "../model/time";
import { canonicalJson, type Plain } from "../model/value";
import type { RecoveryContext, Run } from "./run";
import type { SentRecord } from "./run-journal";

/** The part that all intents of one change share, and what sends and records its writes. */
export interface JournaledWrites
  extends Pick<Intent, "address" | "type" | "name" | "parentId" | "takesEffect" | "madeWith" | "command"> {
  readonly run: Pick<Run, "send" | "reads" | "journal" | "record" | "retriableIntents" | "clock">;
  readonly secretKey: Uint8Array;
  /** Returns the record that an answered write leaves. */
  readonly after: (answered: JournaledAnswer) => SentRecord;
}

export interface JournaledAnswer {
  readonly method: ApiRequest["method"];
  readonly id: string | undefined;
  /** When the service made what bears it, where the answer tells. */
  readonly madeAt?: string;
  /** Of a deletion: it has ended with its answer. */
  readonly hasEnded: boolean;
}

/**
 * `send` for the writes of one change: each gets its key, a durable intent before its first byte and an outcome
 * after its answer. An answer that says nothing certain leaves the intent open.
 */
export function journaledSend(writes: JournaledWrites): Send {
  return async (request, options) => {
    if (request.method === "GET") return writes.run.send({ ...request, address: writes.address }, options);
    if (!request.keyed) return sendUnkeyed(writes, request, options);
    const intent = intentOf(writes, request);
    const carried = writes.run.retriableIntents.filter((open) => open.key === intent.key);
    const attempts = writes.run.journal.openAt(writes.address).filter((open) => open.key === intent.key);
    const before = [...carried, ...attempts];
    const earlier = new Set(before.map((open) => open.seq));
    const seq = await writes.run.journal.intend(intent);
    try {
      const hasTime = writes.run.reads.serviceTime() !== undefined;
      const since = hasTime ? writes.run.reads.timeAt(before.map(({ at }) => at).sort()[0]) : undefined;
      const asked = acceptingKnown(request, since, carried.length > 0);
      const keyed = { ...asked, address: writes.address, idempotencyKey: intent.key };
      const answer = await writes.run.send(keyed, options);
      const answered = answeredBy(request, answer);
      const { id } = answered;
      // An answer without an id does not say what was made: the intent stays open until that is found out.
      if (id !== undefined || request.method === "DELETE" || isRequested(answer)) {
        const outcome = { result: "done", status: answer.status, id } as const;
        await writes.run.journal.close([seq, ...earlier], outcome, writes.after(answered));
      }
      return answer;
    } catch (failure) {
      if (failure instanceof ApiError && isRefusal(failure)) {
        // A refusal of this attempt says nothing of those before it.
        await writes.run.journal.close([seq], { result: "refused", status: failure.status ?? 0 });
      }
      throw failure;
    }
  };
}

/**
 * What was made under the same key `since` it was first sent is ours, but its id may have been seen before only where an
 * interrupted run sent it. Without a time that run's is ours.
 */
function acceptingKnown(request: ApiRequest, since: string | undefined, isResumed: boolean): ApiRequest {
  const { about } = request;
  if (!about) return request;
  const accepting: typeof about = (body) => {
    const found = about(body);
    const { isKnown, createdAt } = found;
    const isRecent = createdAt === undefined || since === undefined ? isResumed : !isOlder(createdAt, since);
    const isOurs = isRecent && (isResumed || isKnown === "age");
    return isKnown && isOurs ? { ...found, mismatch: undefined } : found;
  };
  return { ...request, about: accepting };
}

async function sendUnkeyed(writes: JournaledWrites, request: ApiRequest, options: Parameters<Send>[1]) {
  const answer = await writes.run.send({ ...request, address: writes.address }, options);
  const { recording } = writes.after(answeredBy(request, answer));
  if (recording) await writes.run.journal.record(recording.address, recording.resource);
  return answer;
}

function intentOf(
  { run, secretKey, madeWith, after: _after, ...shared }: JournaledWrites,
  request: ApiRequest,
): Omit<Intent, "seq"> {
  const { address } = shared;
  const { digest, body } = digestBody(request.body, secretKey, address);
  const step = `${request.operation} ${request.path}`;
  const retriable = run.retriableIntents.find(
    (open) =>
      open.address === address &&
      open.operation === request.operation &&
      open.path === request.path &&
      open.bodyDigest === digest,
  );
  const key = retriable?.key ?? writeKey(run.record.id, address, step, digest);
  return {
    ...shared,
    runId: retriable?.runId ?? run.record.id,
    operation: request.operation,
    method: request.method,
    path: request.path,
    key,
    bodyDigest: digest,
    body,
    ...(madeWith && request.method === "POST" ? { madeWith } : {}),
    at: timeNow(run),
  };
}

function answeredBy({ method, about }: ApiRequest, answer: ApiResponse): JournaledAnswer {
  const { id, madeAt } = about?.(answer.body) ?? {};
  const hasEnded = (answer.body as { deleted?: unknown } | null)?.deleted === true;
  return { method, id, hasEnded, madeAt };
}

/** A cancellation makes nothing that has an id (interface, "Other shared shapes"). */
const isRequested = ({ body }: ApiResponse): boolean =>
  (body as { cancelRequested?: unknown } | null)?.cancelRequested === true;

/** Whether a write that failed did not happen. A key that the service knows already says that an attempt of it, or of another write, did arrive. */
const isRefusal = ({ kind, code }: ApiError): boolean =>
  (kind === "refused" || kind === "unauthorized" || kind === "unavailable") &&
  !/^idempotency_/.test(code ?? "");

/** Sends a write, and again where its answer is uncertain: it can be repeated. */
export const sendTwice = <T>(send: () => Promise<T>): Promise<T> =>
  send().catch((failure: unknown) => (isUncertain(failure) ? send() : Promise.reject(failure)));

/** Receipts are kept for 24 h; an hour is left for clocks that differ. */
const keyLifetimeMs = 23 * 3_600_000;

/** Returns whether the service still knows the key of `intent`, and this credential may use it. */
export const keyStillCounts = (
  context: Pick<RecoveryContext, "state" | "credential" | "clock" | "reads">,
  intent: Intent,
): boolean =>
  context.state.run?.credential === context.credential() &&
  Math.abs(Date.parse(timeNow(context)) - Date.parse(intent.at)) < keyLifetimeMs;

/**
 * Returns when the next request for `address` is first sent, or was by an interrupted run, by the service's clock;
 * undefined where that tells no time.
 */
export function firstSentAt(
  { reads, retriableIntents }: Pick<Run, "reads" | "retriableIntents">,
  address: Address,
): string | undefined {
  const now = isoTime(reads.serviceTime());
  const earlier = retriableIntents.filter((open) => open.address === address && open.method === "POST");
  return now && [now, ...earlier.map(({ at }) => at)].sort()[0];
}

/**
 * Returns the SHA-256 (hex) of a canonical body with each secret as its keyed fingerprint, and the body if it holds no secret.
 * `secretKey` keeps secrets from being guessed out of the journal.
 */
export function digestBody(body: unknown, secretKey: Uint8Array, address: string) {
  let holdsSecret = false;
  const keyed = replaceSecrets(body ?? null, (secret) => {
    holdsSecret = true;
    return { fingerprint: secret.fingerprint(secretKey, address) };
  });
  const digest = sha256(canonicalJson(keyed));
  return holdsSecret ? { digest } : { digest, body: keyed };
}

function replaceSecrets(value: unknown, replace: (secret: Secret) => Plain): Plain {
  if (value === null || typeof value !== "object") return value as Plain;
  if (value instanceof Secret) return replace(value);
  if (Array.isArray(value)) return value.map((item) => replaceSecrets(item, replace));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replaceSecrets(one, replace)]));
}

/**
 * The idempotency key of one write: the same for the same run, address, step and body, and never for anything
 * else (DESIGN section 7). 70 visible ASCII characters.
 */
export function writeKey(runId: string, address: string, step: string, bodyDigest: string): string {
  return `rnv-1-${sha256([runId, address, step, bodyDigest].join("\0"))}`;
}
