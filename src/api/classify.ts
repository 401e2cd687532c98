import type { FailureKind } from "./api-error";
import type { NoAnswerReason } from "./no-answer";

/** What classification looks at: never the status alone (DESIGN section 7). */
export interface Classified {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** An `Idempotency-Key` goes with it: sent twice, it happens once. */
  readonly hasKey: boolean;
}

export type Outcome =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly code?: string;
      /** The body is a JSON object. */
      readonly wellFormed: boolean;
      /** It answers another request, or is about something else than was asked. */
      readonly isOther?: boolean;
    }
  | { readonly kind: "no-answer"; readonly reason: NoAnswerReason };

export type RetryReason =
  | "not connected"
  | "host not found"
  | "no whole answer"
  | "no answer in time"
  | "gateway error"
  | "server error"
  | "engine unavailable"
  | "rate limited"
  | "unreadable answer"
  | "answer about something else";

export type Verdict =
  | { readonly kind: "done" }
  | { readonly kind: "fail"; readonly failure: FailureKind }
  /** `otherwise`: what the request failed with once it may not be sent again. */
  | { readonly kind: "retry"; readonly reason: RetryReason; readonly otherwise: FailureKind };

/** How often one request is sent again for each reason. A rate limit is bounded by the deadline alone. */
export const retryLimits: Readonly<Record<RetryReason, number>> = {
  "not connected": 5,
  "host not found": 1,
  "no whole answer": 5,
  // Each costs the whole time that one answer may take.
  "no answer in time": 2,
  "gateway error": 5,
  "server error": 3,
  "engine unavailable": 6,
  "rate limited": Number.POSITIVE_INFINITY,
  "unreadable answer": 2,
  "answer about something else": 2,
};

const fail = (failure: FailureKind): Verdict => ({ kind: "fail", failure });
const retry = (reason: RetryReason, otherwise: FailureKind): Verdict => ({
  kind: "retry",
  reason,
  otherwise,
});

/** What to do after one exchange. An `uncertain` write may have happened. */
export function classify(request: Classified, outcome: Outcome): Verdict {
  return outcome.kind === "answer"
    ? classifyAnswer(request, outcome)
    : classifySilence(request, outcome.reason);
}

function classifySilence(request: Classified, reason: NoAnswerReason): Verdict {
  const isRead = request.method === "GET";
  switch (reason) {
    case "not_sent":
      return retry("not connected", "unavailable");
    case "unresolved":
      return retry("host not found", "unavailable");
    case "certificate":
    case "refused_by_proxy":
    case "misused":
      return fail("unavailable");
    case "too_large":
      return fail(isRead ? "malformed" : "uncertain");
    case "broken":
      return uncertain(request, "no whole answer", "unavailable");
    case "late":
      return uncertain(request, "no answer in time", "unavailable");
  }
}

function classifyAnswer(
  request: Classified,
  { status, code, wellFormed, isOther }: Extract<Outcome, { kind: "answer" }>,
): Verdict {
  if (isOther) return uncertain(request, "answer about something else", "malformed");
  if (status >= 200 && status < 300)
    return wellFormed ? { kind: "done" } : uncertain(request, "unreadable answer", "malformed");
  if (status === 401) return fail("unauthorized");
  if (status === 429) return retry("rate limited", "unavailable");
  if (status === 409 && code === "engine_unavailable") return retry("engine unavailable", "unavailable");
  if (status === 408 || status === 502 || status === 503 || status === 504)
    return uncertain(request, "gateway error", "unavailable");
  if ((status >= 400 && status < 500) || keepsMethod.has(status)) return fail("refused");
  // After a 500 the caller reads first and then sends the same key again; so too after a redirect that may be what a
  // form is answered with once it has been taken (303, and 302 as it is used).
  if (request.method !== "GET") return fail("uncertain");
  return status >= 500 ? retry("server error", "unavailable") : fail("refused");
}

/** Redirects that ask for the same request elsewhere: nobody has carried it out (RFC 9110, 15.4.8 and 15.4.9). */
const keepsMethod: ReadonlySet<number> = new Set([307, 308]);

function uncertain(request: Classified, reason: RetryReason, readFailure: FailureKind): Verdict {
  if (request.method === "GET") return retry(reason, readFailure);
  return request.hasKey ? retry(reason, "uncertain") : fail("uncertain");
}
