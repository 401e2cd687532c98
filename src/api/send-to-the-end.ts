import type { Clock } from "../model/clock";
import { ApiError, type FailureKind } from "./api-error";
import { classify, type Outcome, type RetryReason, retryLimits, type Verdict } from "./classify";
import type { ConcealedTexts } from "./concealed-texts";
import type { GapSettings } from "./gaps";
import { GateTooLong, type Limiter, type Load, type Turn } from "./limiter";
import { type NoAnswer, noAnswerOf } from "./no-answer";
import type { PreparedRequest } from "./prepare";
import { type Answer, readAnswer } from "./read-answer";
import { type EchoSeen, otherRequest } from "./request-id";
import type { ApiResponse, SendOptions } from "./send";
import type { Transport, WireResponse } from "./transport";

/** A request that waits, for people who watch. Holds no text of requests or answers. */
export interface WaitEvent {
  readonly reason: string;
  readonly seconds: number;
  /** `createService`. */
  readonly operation: string;
}

/** What every request of one client shares. */
export interface Channel {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly limiter: Limiter;
  readonly deadlineMs: number;
  readonly gaps: GapSettings;
  /** For messages. */
  readonly host: string;
  readonly onWait: (event: WaitEvent) => void;
  readonly onSent: () => void;
  /** Takes the API key and the values of variables out of what the service says. */
  readonly concealed: ConcealedTexts;
  /** Whether request ids come back as they were sent. */
  readonly echo: EchoSeen;
}

const BACKOFF_MS = 500;
const BACKOFF_CAP_MS = 10_000;

interface Silence {
  readonly kind: "no-answer";
  readonly silence: NoAnswer;
  readonly thrown: unknown;
}

/** As it came. */
type Reply = { readonly kind: "response"; readonly response: WireResponse } | Silence;
/** As it was read. */
type Exchange = { readonly kind: "answer"; readonly answer: Answer } | Silence;

/** One request on its way: how often it was sent and what is known of it. */
class Journey {
  attempts = 0;
  deadline: number | undefined;
  /** An attempt of this write may have happened: nothing but success can still be certain. */
  uncertain = false;
  last: Exchange | undefined;
  /** How long the last 429 asked everyone to wait. */
  gateMs = 0;
  readonly #retries = new Map<RetryReason, number>();

  constructor(readonly prepared: PreparedRequest) {}

  /** Counts one more retry; false when there were enough. */
  mayRetry(reason: RetryReason): boolean {
    const count = (this.#retries.get(reason) ?? 0) + 1;
    this.#retries.set(reason, count);
    return count <= retryLimits[reason];
  }

  retriesSoFar(reason: RetryReason): number {
    return this.#retries.get(reason) ?? 0;
  }

  failure(kind: FailureKind, message: string, code?: string, cause?: unknown): ApiError {
    const { request, requestId, sensitive } = this.prepared;
    const answer = this.last?.kind === "answer" ? this.last.answer : undefined;
    const failureCode = code ?? answer?.code;
    const { proxy } = (this.last?.kind === "no-answer" && this.last.silence) || {};
    return new ApiError(
      {
        kind: this.uncertain && !/^idempotency_/.test(failureCode ?? "") ? "uncertain" : kind,
        operation: request.operation,
        method: request.method,
        path: request.path,
        address: request.address,
        status: answer?.status,
        code: failureCode,
        message,
        requestId: answer?.requestId ?? `${requestId}.${Math.max(1, this.attempts)}`,
        attempts: this.attempts,
        ...(proxy !== undefined && { hint: proxyHint }),
      },
      sensitive ? undefined : cause,
    );
  }
}

const proxyHint =
  "check HTTPS_PROXY (http://USER:PASSWORD@HOST:PORT where it asks who you are); hosts that need no proxy stand in NO_PROXY";

/** The code of an `ApiError` for a write that needs hosting while that is off: it did not happen. */
export const HOSTING_OFF = "hosting_off";

/**
 * Sends one request until it is answered for good; `whyOff` is asked once for the reason where hosting may be off.
 * Throws `ApiError`.
 */
export async function sendToTheEnd(
  channel: Channel,
  prepared: PreparedRequest,
  { signal, onDone }: SendOptions = {},
  whyOff?: () => Promise<string | undefined>,
): Promise<ApiResponse> {
  const journey = new Journey(prepared);
  for (;;) {
    const turn = await takeTurn(channel, journey, signal);
    const reply = await exchangeOnce(channel, journey, signal);
    if (reply.kind === "response" && isSuccess(reply.response)) {
      turn.end("clean");
      onDone?.();
    }
    const exchange = read(reply, channel, journey);
    journey.last = exchange;
    // Before the turn ends: whoever takes its place must find the gate closed.
    if (exchange.kind === "answer" && exchange.answer.status === 429)
      closeGate(channel, journey, exchange.answer);
    turn.end(loadOf(exchange));
    if (exchange.kind === "no-answer") throwIfNotOfTheNetwork(journey, exchange, signal);
    const verdict = classify(
      { method: prepared.request.method, hasKey: prepared.hasKey },
      outcomeOf(exchange),
    );
    if (verdict.kind === "done" && exchange.kind === "answer")
      return responseOf(journey, exchange.answer, prepared);
    const isFirst = journey.retriesSoFar("engine unavailable") === 0;
    if (whyOff && isFirst && verdict.kind === "retry" && verdict.reason === "engine unavailable") {
      const reason = await whyOff();
      if (reason !== undefined) throw journey.failure("unavailable", reason, HOSTING_OFF);
    }
    await continueOrThrow(channel, journey, exchange, verdict, signal);
  }
}

async function takeTurn(
  { limiter, clock, deadlineMs }: Channel,
  journey: Journey,
  signal: AbortSignal | undefined,
): Promise<Turn> {
  let turn: Turn;
  try {
    turn = await limiter.acquire({
      again: journey.attempts > 0,
      latestStart: (now) => journey.deadline ?? now + deadlineMs,
      signal,
    });
  } catch (reason) {
    if (reason instanceof GateTooLong)
      throw journey.failure("unavailable", `rate limited: ${reason.message}`, "rate_limited");
    throw interrupted(journey, reason);
  }
  journey.deadline ??= clock.elapsed() + deadlineMs;
  if (clock.elapsed() <= journey.deadline) return turn;
  turn.end("unclear");
  throw journey.failure("unavailable", `no place was free within ${Math.round(deadlineMs / 1000)} s`);
}

const interrupted = (journey: Journey, reason: unknown): ApiError =>
  journey.failure("unavailable", "interrupted", "aborted", reason);

async function exchangeOnce(
  { transport, onSent }: Channel,
  journey: Journey,
  signal: AbortSignal | undefined,
): Promise<Reply> {
  const { request, url, headers, body, requestId } = journey.prepared;
  journey.attempts += 1;
  onSent();
  try {
    const response = await transport.send({
      method: request.method,
      url,
      headers: { ...headers, "x-request-id": `${requestId}.${journey.attempts}` },
      body,
      signal: request.method === "GET" ? signal : undefined,
    });
    return { kind: "response", response };
  } catch (thrown) {
    return { kind: "no-answer", silence: noAnswerOf(thrown), thrown };
  }
}

const isSuccess = ({ status }: WireResponse): boolean => status >= 200 && status < 300;

function read(reply: Reply, { gaps, echo, concealed }: Channel, { prepared, attempts }: Journey): Exchange {
  if (reply.kind !== "response") return reply;
  const { request, sensitive, url, requestId } = prepared;
  const { response } = reply;
  const answer = readAnswer(response, { sensitive, mayBeList: request.mayBeList, gaps, url, concealed });
  const about = isSuccess(response) && answer.body !== undefined ? request.about?.(answer.body) : undefined;
  const other =
    otherRequest(answer, `${requestId}.${attempts}`, isSuccess(response), echo) ??
    (about?.mismatch && `the answer to ${request.operation} is about something else: ${about.mismatch}`);
  return { kind: "answer", answer: other === undefined ? answer : { ...answer, other, message: other } };
}

function throwIfNotOfTheNetwork(journey: Journey, exchange: Silence, signal: AbortSignal | undefined): void {
  if (exchange.silence.reason === "misused") throw exchange.thrown;
  if (signal?.aborted && journey.prepared.request.method === "GET") throw interrupted(journey, signal.reason);
}

const outcomeOf = (exchange: Exchange): Outcome =>
  exchange.kind === "answer"
    ? {
        kind: "answer",
        status: exchange.answer.status,
        code: exchange.answer.code,
        wellFormed: exchange.answer.body !== undefined,
        isOther: exchange.answer.other !== undefined,
      }
    : { kind: "no-answer", reason: exchange.silence.reason };

function loadOf(exchange: Exchange): Load {
  if (exchange.kind === "no-answer") return "unclear";
  const { status } = exchange.answer;
  if (status === 429 || status === 503) return "overloaded";
  return status >= 500 ? "unclear" : "clean";
}

function responseOf(journey: Journey, answer: Answer, { requestId }: PreparedRequest): ApiResponse {
  return {
    status: answer.status,
    body: answer.body,
    requestId: answer.requestId ?? `${requestId}.${journey.attempts}`,
    replayed: answer.replayed,
    attempts: journey.attempts,
  };
}

/** Waits for the next attempt, or throws what the request failed with. */
async function continueOrThrow(
  channel: Channel,
  journey: Journey,
  exchange: Exchange,
  verdict: Verdict,
  signal: AbortSignal | undefined,
): Promise<void> {
  const cause = exchange.kind === "no-answer" ? exchange.thrown : undefined;
  const message = messageOf(channel, exchange);
  const code = exchange.kind === "no-answer" ? exchange.silence.code : undefined;
  if (verdict.kind !== "retry")
    throw journey.failure(verdict.kind === "fail" ? verdict.failure : "malformed", message, code, cause);
  const isWrite = journey.prepared.request.method !== "GET";
  if (isWrite && verdict.otherwise === "uncertain") journey.uncertain = true;
  const giveUp = (): ApiError => journey.failure(verdict.otherwise, message, code, cause);
  if (!journey.mayRetry(verdict.reason)) throw giveUp();
  const wait =
    verdict.reason === "rate limited"
      ? journey.gateMs
      : backoffOf(channel, exchange, journey.retriesSoFar(verdict.reason));
  if (journey.deadline !== undefined && channel.clock.elapsed() + wait > journey.deadline) throw giveUp();
  channel.onWait({
    reason: verdict.reason,
    seconds: wait / 1000,
    operation: journey.prepared.request.operation,
  });
  // The limiter keeps the gate for everyone.
  if (verdict.reason === "rate limited") return;
  try {
    await channel.clock.sleep(wait, signal);
  } catch (reason) {
    throw interrupted(journey, reason);
  }
}

/** `Retry-After` in full; where there is none, 1 s, doubled with each 429 of this request up to 32 s. */
function closeGate({ clock, limiter }: Channel, journey: Journey, answer: Answer): void {
  const seconds = answer.retryAfterSeconds ?? 2 ** Math.min(journey.retriesSoFar("rate limited"), 5);
  journey.gateMs = seconds * 1000;
  limiter.closeUntil(clock.elapsed() + journey.gateMs);
}

/** Milliseconds: exponential with full jitter, never less than a `Retry-After`. */
function backoffOf({ random }: Channel, exchange: Exchange, retries: number): number {
  const ceiling = Math.min(BACKOFF_CAP_MS, BACKOFF_MS * 2 ** (retries - 1));
  const asked = exchange.kind === "answer" ? (exchange.answer.retryAfterSeconds ?? 0) : 0;
  return Math.max(random() * ceiling, asked * 1000);
}

function messageOf({ host }: Channel, exchange: Exchange): string {
  if (exchange.kind === "answer") return exchange.answer.message;
  const { reason, code = "no code", proxy, status } = exchange.silence;
  switch (reason) {
    case "not_sent":
      return proxy === undefined
        ? `cannot connect to ${host} (${code})`
        : `the proxy ${proxy} opens no way to ${host} (${code})`;
    case "refused_by_proxy":
      return `the proxy ${proxy} refuses the way to ${host} (HTTP ${status})`;
    case "unresolved":
      return `the host ${host} is not known (${code})`;
    case "certificate":
      return `the certificate of ${host} is not trusted (${code})`;
    case "too_large":
      return `the answer of ${host} is larger than rnv takes`;
    case "late":
      return `${host} did not answer in time`;
    default:
      return `the connection to ${host} ended before a whole answer came (${code})`;
  }
}
