import { backoff, type Clock, durationText } from "../model/time";
import { ApiError, type FailureKind } from "./api-error";
import type { GapSettings } from "./gaps";
import type { PreparedRequest } from "./prepare-request";
import { type Load, type RateLimiter, type Release, RetryAfterTooLong } from "./rate-limiter";
import { type Answer, readAnswer } from "./read-answer";
import type { Redactor } from "./redactor";
import type { ApiRequest, ApiResponse } from "./request";
import {
  readTransportError,
  type Transport,
  type TransportError,
  type TransportErrorReason,
  transportErrorText,
  type WireResponse,
} from "./transport";

/** A request that waits, for people who watch. Holds no text of requests or answers. */
export interface WaitEvent {
  readonly reason: string;
  readonly seconds: number;
  /** `createService`. */
  readonly operation: string;
}

export interface RetryContext {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Numbers in [0, 1), for jitter. */
  readonly random: () => number;
  readonly limiter: RateLimiter;
  /**
   * From the first time a request is sent until the last time it may be sent again; 300,000 unless said. One
   * exchange is bounded by the transport. Waiting in the queue does not count.
   */
  readonly deadlineMs: number;
  readonly gaps: GapSettings;
  readonly host: string;
  readonly onWait: (event: WaitEvent) => void;
  readonly onAnswer: (headers: WireResponse["headers"]) => void;
  /** Takes the API key and the values of variables out of the service's texts. */
  readonly redactor: Redactor;
}

type Answered = { readonly kind: "answer" } & Answer;
type Unanswered = { readonly kind: "no-answer"; readonly thrown: unknown } & TransportError;
type AttemptResult = Answered | Unanswered;

const proxyHint =
  "check HTTPS_PROXY (http://USER:PASSWORD@HOST:PORT where it asks who you are); list hosts that bypass the proxy in NO_PROXY";

export class RequestAttempts {
  #sent = 0;
  #deadline: number | undefined;
  /** An attempt of this write may have happened: nothing but success can still be certain. */
  #isUncertain = false;
  #last: AttemptResult | undefined;
  /** Milliseconds that the last 429 asked everyone to wait. */
  #pauseMs = 0;
  readonly #retries: RetryCounts;

  constructor(
    private readonly context: RetryContext,
    private readonly prepared: PreparedRequest,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.#retries = new RetryCounts(context.random);
  }

  /** Sends the request until it is answered for good. Throws `ApiError`. */
  async send(): Promise<ApiResponse> {
    const { method } = this.prepared.request;
    for (;;) {
      const release = await this.#acquire();
      const exchange = await this.#exchange();
      this.#last = exchange;
      // Before the permit is given back: the next request must find the pause.
      if (exchange.kind === "answer" && exchange.status === 429) this.#pauseAll(exchange);
      release(loadOf(exchange));
      if (exchange.kind === "no-answer" && exchange.reason === "misused") throw exchange.thrown;
      if (exchange.kind === "no-answer" && method === "GET" && this.signal?.aborted)
        throw this.#interrupted(this.signal.reason);
      const verdict = classify(method, exchange);
      if (verdict.kind === "fail") throw this.#failed(verdict.failure);
      if (verdict.kind === "done") {
        // Only an answer ends a request well.
        const { status, body, requestId } = exchange as Answered;
        const attempts = this.#sent;
        return { status, body, attempts, requestId: requestId ?? this.#attemptId() };
      }
      await this.#waitForRetry(verdict);
    }
  }

  async #acquire(): Promise<Release> {
    const { limiter, clock, deadlineMs } = this.context;
    const release = await limiter
      .acquire({
        isRetry: this.#sent > 0,
        latestStart: (now) => this.#deadline ?? now + deadlineMs,
        signal: this.signal,
      })
      .catch((reason: unknown) => {
        if (!(reason instanceof RetryAfterTooLong)) throw this.#interrupted(reason);
        throw this.#failure("unavailable", `rate limited: ${reason.message}`, "rate_limited");
      });
    this.#deadline ??= clock.elapsed() + deadlineMs;
    if (clock.elapsed() <= this.#deadline) return release;
    release("unclear");
    throw this.#failure("unavailable", `no place was free within ${Math.round(deadlineMs / 1000)} s`);
  }

  async #exchange(): Promise<AttemptResult> {
    const { request, url, headers, body } = this.prepared;
    const { transport, onAnswer } = this.context;
    this.#sent += 1;
    let response: WireResponse;
    try {
      response = await transport.send({
        method: request.method,
        url,
        headers: { ...headers, "x-request-id": this.#attemptId() },
        body,
        signal: request.method === "GET" ? this.signal : undefined,
      });
    } catch (thrown) {
      return { kind: "no-answer", ...readTransportError(thrown), thrown };
    }
    onAnswer(response.headers);
    const answer = { kind: "answer", ...readAnswer(response, this.prepared, this.context) } as const;
    const isSuccess = answer.status >= 200 && answer.status < 300;
    const about = isSuccess && answer.wellFormed ? request.about?.(answer.body) : undefined;
    if (about?.mismatch === undefined) return answer;
    const message = `the answer is about another resource: ${about.mismatch}`;
    return { ...answer, wellFormed: false, message };
  }

  /** Pauses all requests as `Retry-After` says; where there is none for 1 s, doubled with each 429 up to 32 s. */
  #pauseAll({ retryAfterSeconds }: Answer): void {
    const { limiter, clock } = this.context;
    const seconds = retryAfterSeconds ?? backoff(this.#retries.of("rate limited"), 1, 32);
    this.#pauseMs = seconds * 1000;
    limiter.pauseUntil(clock.elapsed() + this.#pauseMs);
  }

  /** Waits before the next attempt. Throws where there is none left, or no time for it. */
  async #waitForRetry({ reason, otherwise }: Verdict & { readonly kind: "retry" }): Promise<void> {
    const { clock, onWait } = this.context;
    const { method, operation } = this.prepared.request;
    if (method !== "GET" && otherwise === "uncertain") this.#isUncertain = true;
    const last = this.#last?.kind === "answer" ? this.#last : undefined;
    const asked = last?.retryAfterSeconds ?? 0;
    const pause = this.#retries.next(reason, asked * 1000);
    if (pause === undefined) throw this.#failed(otherwise);
    const wait = reason === "rate limited" ? this.#pauseMs : pause;
    if (this.#deadline !== undefined && clock.elapsed() + wait > this.#deadline) {
      if (!last || asked === 0) throw this.#failed(otherwise);
      const text = `${last.message}: the platform asks to wait ${durationText(asked * 1000)}`;
      throw this.#failure(otherwise, text);
    }
    onWait({ reason, seconds: wait / 1000, operation });
    // The limiter keeps the pause for everyone.
    if (reason === "rate limited") return;
    await clock.sleep(wait, this.signal).catch((cause: unknown) => {
      throw this.#interrupted(cause);
    });
  }

  /** Returns the `X-Request-ID` of the attempt, counted from 1: `rnv-RUN-7`, then `rnv-RUN-7.2`. */
  #attemptId(): string {
    const { requestId } = this.prepared;
    return this.#sent < 2 ? requestId : `${requestId}.${this.#sent}`;
  }

  #interrupted(reason: unknown): ApiError {
    const when = this.#sent === 0 ? " before it was sent" : "";
    return this.#failure("unavailable", `interrupted${when}`, "aborted", reason);
  }

  #failed(kind: FailureKind): ApiError {
    const last = this.#last;
    if (last?.kind !== "no-answer") return this.#failure(kind, last?.message ?? "");
    const { clock, deadlineMs, host } = this.context;
    const spent = durationText(clock.elapsed() - (this.#deadline ?? 0) + deadlineMs);
    const tries = this.#sent < 2 ? "" : ` (${this.#sent} attempts in ${spent})`;
    return this.#failure(kind, `${transportErrorText(host, last)}${tries}`, last.code, last.thrown);
  }

  #failure(kind: FailureKind, message: string, code?: string, cause?: unknown): ApiError {
    const { request, sensitive } = this.prepared;
    const answer = this.#last?.kind === "answer" ? this.#last : undefined;
    const proxy = this.#last?.kind === "no-answer" ? this.#last.proxy : undefined;
    const failureCode = code ?? answer?.code;
    return new ApiError(
      request,
      {
        message,
        kind: this.#isUncertain && !/^idempotency_/.test(failureCode ?? "") ? "uncertain" : kind,
        status: answer?.status,
        code: failureCode,
        requestId: answer?.requestId ?? this.#attemptId(),
        attempts: this.#sent,
        hint: proxy && proxyHint,
      },
      sensitive ? undefined : cause,
    );
  }
}

function loadOf(exchange: AttemptResult): Load {
  if (exchange.kind === "no-answer") return "unclear";
  const { status } = exchange;
  if (status === 429 || status === 503) return "overloaded";
  return status >= 500 ? "unclear" : "clean";
}

type Method = ApiRequest["method"];

export type RetryOutcome =
  | Pick<Answered, "kind" | "status" | "code" | "wellFormed">
  | Pick<Unanswered, "kind" | "reason">;

export type Verdict =
  | { readonly kind: "done" }
  | { readonly kind: "fail"; readonly failure: FailureKind }
  /** `otherwise`: the kind of failure once the request may not be sent again. */
  | { readonly kind: "retry"; readonly reason: RetryReason; readonly otherwise: FailureKind };

/** Most repetitions of a request for each reason. A rate limit is bounded by the deadline alone. */
const retryLimits = {
  "not connected": 5,
  "host not found": 1,
  "no whole answer": 5,
  // Each repetition waits for the whole time of an answer.
  "no answer in time": 2,
  "gateway error": 5,
  "server error": 3,
  "engine unavailable": 6,
  "rate limited": Number.POSITIVE_INFINITY,
  "unreadable answer": 2,
} as const;

export type RetryReason = keyof typeof retryLimits;

export class RetryCounts {
  readonly #counts = new Map<RetryReason, number>();

  constructor(
    private readonly random: () => number,
    private readonly most = Number.POSITIVE_INFINITY,
  ) {}

  of(reason: RetryReason): number {
    return this.#counts.get(reason) ?? 0;
  }

  /**
   * Counts a retry. Returns the milliseconds before it: exponential with full jitter, never less than `askedMs`, the
   * `Retry-After`. Undefined where the request may not be sent again.
   */
  next(reason: RetryReason, askedMs: number): number | undefined {
    const count = this.of(reason) + 1;
    this.#counts.set(reason, count);
    if (count > Math.min(retryLimits[reason], this.most)) return undefined;
    return Math.max(this.random() * backoff(count - 1, 500, 10_000), askedMs);
  }
}

const fail = (failure: FailureKind): Verdict => ({ kind: "fail", failure });
const retry = (reason: RetryReason, otherwise: FailureKind): Verdict => ({
  kind: "retry",
  reason,
  otherwise,
});

/**
 * Decides the next step after an exchange, never by the status of the answer alone (DESIGN section 7). An `uncertain` write
 * may have happened.
 */
export function classify(method: Method, outcome: RetryOutcome): Verdict {
  return outcome.kind === "answer"
    ? classifyAnswer(method, outcome)
    : unansweredVerdicts[outcome.reason](method);
}

const unansweredVerdicts: Readonly<Record<TransportErrorReason, (method: Method) => Verdict>> = {
  not_sent: () => retry("not connected", "unavailable"),
  unresolved: () => retry("host not found", "unavailable"),
  certificate: () => fail("unavailable"),
  refused_by_proxy: () => fail("unavailable"),
  misused: () => fail("unavailable"),
  too_large: (method) => fail(method === "GET" ? "malformed" : "uncertain"),
  broken: (method) => retryUnlessUncertain(method, "no whole answer", "unavailable"),
  late: (method) => retryUnlessUncertain(method, "no answer in time", "unavailable"),
};

function classifyAnswer(
  method: Method,
  { status, code, wellFormed }: RetryOutcome & { readonly kind: "answer" },
): Verdict {
  if (status >= 200 && status < 300)
    return wellFormed ? { kind: "done" } : retryUnlessUncertain(method, "unreadable answer", "malformed");
  if (status === 401) return fail("unauthorized");
  if (status === 429) return retry("rate limited", "unavailable");
  if (status === 409 && code === "engine_unavailable") return retry("engine unavailable", "unavailable");
  if (status === 408 || status === 502 || status === 503 || status === 504)
    return retryUnlessUncertain(method, "gateway error", "unavailable");
  // 307 and 308 ask for the same request elsewhere: not carried out (RFC 9110, 15.4.8 and 15.4.9).
  if ((status >= 400 && status < 500) || status === 307 || status === 308) return fail("refused");
  // After a 500 the caller reads first and then sends the same key again. A redirect (303, and 302 as it is used) may
  // answer a form that was accepted.
  if (method !== "GET") return fail("uncertain");
  return status >= 500 ? retry("server error", "unavailable") : fail("refused");
}

/** Repeats requests that have the same effect twice. Before a POST is sent again, its resource is looked for. */
function retryUnlessUncertain(method: Method, reason: RetryReason, readFailure: FailureKind): Verdict {
  if (method === "POST") return fail("uncertain");
  return retry(reason, method === "GET" ? readFailure : "uncertain");
}
