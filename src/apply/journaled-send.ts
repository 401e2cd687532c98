import { ApiError, isConflict, isUncertain } from "../api/api-error";
import type { ApiRequest, ApiResponse, Send } from "../api/request";
import type { Address } from "../model/address";
import { Secret } from "../model/secret";
import { sha256 } from "../model/sha256";
import type { Intent } from "../model/state";
import { isOlder, isoTime, timeNow } from "../model/time";
import { canonicalJson, type Plain } from "../model/value";
import type { RecoveryContext, Run } from "./run-context";
import type { SentRecord } from "./run-journal";

/** The shared part of the intents of a change, with the run that sends and records them. */
export interface JournaledWrites
  extends Pick<Intent, "address" | "type" | "name" | "parentId" | "takesEffect" | "madeWith" | "command"> {
  readonly run: Pick<Run, "send" | "reads" | "journal" | "record" | "retriableIntents" | "clock">;
  readonly secretKey: Uint8Array;
  readonly after: (answered: JournaledAnswer) => SentRecord;
}

export interface JournaledAnswer {
  readonly method: ApiRequest["method"];
  readonly id: string | undefined;
  /** Time at which the service created the resource of `id`, where the answer shows it. */
  readonly madeAt?: string;
  /** A deletion that has ended with its answer. */
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
    const resumed = writes.run.retriableIntents.filter((open) => open.key === intent.key);
    const attempts = writes.run.journal.openAt(writes.address).filter((open) => open.key === intent.key);
    const before = [...resumed, ...attempts];
    const earlier = new Set(before.map((open) => open.seq));
    const seq = await writes.run.journal.intend(intent);
    try {
      const hasTime = writes.run.reads.serviceTime() !== undefined;
      const since = hasTime ? writes.run.reads.timeAt(before.map(({ at }) => at).sort()[0]) : undefined;
      const asked = acceptingKnown(request, { since, isResumed: resumed.length > 0 });
      const keyed = { ...asked, address: writes.address, idempotencyKey: intent.key };
      const sent = () => writes.run.send(keyed, options);
      const answer = await (request.method === "POST" && resumed.length > 0 ? sendAgain(sent) : sent());
      const answered = answerOf(request, answer);
      const { id } = answered;
      // Without an id in the answer the created resource is unknown: the intent stays open.
      if (id !== undefined || request.method === "DELETE" || isRequested(answer)) {
        const outcome = { result: "done", status: answer.status, id } as const;
        await writes.run.journal.close([seq, ...earlier], outcome, writes.after(answered));
      }
      return answer;
    } catch (failure) {
      if (failure instanceof ApiError && isRefusal(failure)) {
        // Earlier attempts stay open: the refusal is of this attempt alone.
        await writes.run.journal.close([seq], { result: "refused", status: failure.status ?? 0 });
      }
      throw failure;
    }
  };
}

/**
 * Accepts an answer with a known id, if the resource was created since the key was first sent. Without an interrupted
 * run its id must not have been seen. Without a time only the result of an interrupted run is accepted.
 */
function acceptingKnown(
  request: ApiRequest,
  { since, isResumed }: { readonly since: string | undefined; readonly isResumed: boolean },
): ApiRequest {
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
  const { recording } = writes.after(answerOf(request, answer));
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
    madeWith: request.method === "POST" ? madeWith : undefined,
    at: timeNow(run),
  };
}

function answerOf({ method, about }: ApiRequest, answer: ApiResponse): JournaledAnswer {
  const { id, madeAt } = about?.(answer.body) ?? {};
  const hasEnded = (answer.body as { deleted?: unknown } | null)?.deleted === true;
  return { method, id, hasEnded, madeAt };
}

/** A cancellation makes nothing that has an id (interface, "Other shared shapes"). */
const isRequested = ({ body }: ApiResponse): boolean =>
  (body as { cancelRequested?: unknown } | null)?.cancelRequested === true;

/** Returns true if a failed write did not happen. A known key says that an earlier attempt did arrive. */
const isRefusal = ({ kind, code }: ApiError): boolean =>
  (kind === "refused" || kind === "unauthorized" || kind === "unavailable") &&
  !/^idempotency_/.test(code ?? "");

/** Sends a write, and again where its answer is uncertain: it can be repeated. */
export const sendTwice = <T>(send: () => Promise<T>): Promise<T> =>
  send().catch((failure: unknown) => (isUncertain(failure) ? sendAgain(send) : Promise.reject(failure)));

/** Repeats a write with an unknown result. A conflict may be with the first request, which may still go on. */
export const sendAgain = <T>(send: () => Promise<T>): Promise<T> =>
  send().catch((failure: unknown) => {
    if (!isConflict(failure)) throw failure;
    throw new ApiError(failure, { ...failure, message: failure.message, kind: "uncertain" });
  });

/** Receipts are kept for 24 h; an hour is left for clocks that differ. */
const keyLifetimeMs = 23 * 3_600_000;

/** Returns true if the service still has the receipt of `intent`, for this credential. */
export const isKeyValid = (
  context: Pick<RecoveryContext, "state" | "credential" | "clock" | "reads">,
  intent: Intent,
): boolean =>
  context.state.run?.credential === context.credential() &&
  Math.abs(Date.parse(timeNow(context)) - Date.parse(intent.at)) < keyLifetimeMs;

/** Returns the time of the first attempt of the next create, by the service's clock; undefined without that. */
export function firstSentAt(
  { reads, retriableIntents }: Pick<Run, "reads" | "retriableIntents">,
  address: Address,
): string | undefined {
  const now = isoTime(reads.serviceTime());
  const earlier = retriableIntents.filter((open) => open.address === address && open.method === "POST");
  return now && [now, ...earlier.map(({ at }) => at)].sort()[0];
}

/**
 * Returns the SHA-256 (hex) of a canonical body with each secret as its keyed fingerprint, and the body if it holds no
 * secret. `secretKey` keeps secrets from being guessed out of the journal.
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
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceSecrets(item, replace)]));
}

/** Returns the idempotency key of a write: 70 ASCII characters from run, address, step and body (DESIGN section 7). */
export function writeKey(runId: string, address: string, step: string, bodyDigest: string): string {
  return `rnv-1-${sha256([runId, address, step, bodyDigest].join("\0"))}`;
}
