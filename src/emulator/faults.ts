import type { WireResponse } from "../api/transport";
import type { EmulatorStore } from "./store";

/**
 * What goes wrong with one request. *Commit* (the service does what was asked) and *answer* (the caller hears of
 * it) are separate steps: `before` and `after` say on which side of the commit the fault sits.
 */
export type Fault = FaultKind & {
  /** False: what is committed has no receipt. */
  readonly receipt?: boolean;
};

type FaultKind =
  /** The connection is refused: nothing reached the service. Over HTTP it is reset instead. */
  | { readonly kind: "refuse" | "reset-before" | "reset-after" }
  /** No answer within `afterMs` (default: at once in-process, never over HTTP). */
  | { readonly kind: "timeout-before" | "timeout-after"; readonly afterMs?: number }
  | {
      readonly kind: "status";
      readonly status: number;
      /** Default before. */
      readonly when?: "before" | "after";
      readonly code?: string;
      readonly message?: string;
      /** Seconds. */
      readonly retryAfter?: number;
    }
  /** Committed; the connection ends in the middle of the body, after `bytes` (default: half of it). */
  | { readonly kind: "truncate"; readonly bytes?: number }
  /** Committed; a whole answer that is not JSON, or is empty. */
  | { readonly kind: "malformed" | "empty" }
  /** A page of a proxy in place of the answer; `when` (default before) says whether it was committed. */
  | { readonly kind: "html"; readonly status?: number; readonly when?: "before" | "after" }
  /** `when` (default before) says whether it was committed. */
  | { readonly kind: "redirect"; readonly location?: string; readonly when?: "before" | "after" }
  /** The request arrives twice; the second answer is returned. */
  | { readonly kind: "twice" }
  /** A list as it was when it was last read. */
  | { readonly kind: "stale-list" }
  /** Committed; the answer is what `edit` makes of it. */
  | {
      readonly kind: "edited";
      readonly edit: (body: AnswerBody, store: EmulatorStore) => unknown;
    }
  /** Runs code just before or just after the commit, then continues with `then`, if any. */
  | {
      readonly kind: "hook";
      readonly when: "before" | "after";
      readonly run: (store: EmulatorStore) => void | Promise<void>;
      readonly then?: Fault;
    };

/** The body of an answer, parsed. */
export type AnswerBody = Readonly<Record<string, unknown>>;

export interface SeenRequest {
  readonly method: string;
  /** Below the base URL. */
  readonly path: string;
  readonly query: string;
  readonly body?: string;
  readonly idempotencyKey?: string;
}

/** The fault of a request; `index` counts requests from 0 since the plan was set. */
export type FaultPlan = (index: number, request: SeenRequest) => Fault | undefined;

/** The outcome of one exchange. */
export type Exchange =
  | { readonly kind: "answer"; readonly response: WireResponse }
  | {
      readonly kind: "broken";
      /** As Node names it. */
      readonly code: "ECONNREFUSED" | "ECONNRESET" | "ETIMEDOUT";
      /** The beginning of an answer that did not come to its end. */
      readonly partial?: { readonly response: WireResponse; readonly bytes: number };
      readonly hold?: { readonly afterMs?: number };
    };

/** The steps of one exchange that a fault may sit between. */
export interface Steps {
  /** Handles the request and commits it; `retain: false` loses its receipt. */
  commit(options?: { readonly retain: boolean }): WireResponse;
  error(status: number, code: string, message: string, headers?: Record<string, string>): WireResponse;
  /** The last answer to the same read, from before. */
  readonly remembered?: WireResponse;
  readonly store: EmulatorStore;
}

const answer = (response: WireResponse): Exchange => ({ kind: "answer", response });

/** Carries one exchange out under a fault. */
export async function exchangeUnder(fault: Fault | undefined, given: Steps): Promise<Exchange> {
  if (fault === undefined) return answer(given.commit());
  const steps: Steps =
    fault.receipt === false ? { ...given, commit: () => given.commit({ retain: false }) } : given;
  switch (fault.kind) {
    case "refuse":
      return { kind: "broken", code: "ECONNREFUSED" };
    case "reset-after":
      steps.commit();
      return { kind: "broken", code: "ECONNRESET" };
    case "reset-before":
      return { kind: "broken", code: "ECONNRESET" };
    case "timeout-after":
      steps.commit();
      return { kind: "broken", code: "ETIMEDOUT", hold: { afterMs: fault.afterMs } };
    case "timeout-before":
      return { kind: "broken", code: "ETIMEDOUT", hold: { afterMs: fault.afterMs } };
    case "truncate": {
      const response = steps.commit();
      const bytes = fault.bytes ?? Math.floor(Buffer.byteLength(response.body) / 2);
      return { kind: "broken", code: "ECONNRESET", partial: { response, bytes } };
    }
    case "hook":
      return underHook(fault, steps);
    case "status":
      return answer(statusAnswer(fault, steps));
    default:
      return answer(alteredAnswer(fault, steps));
  }
}

async function underHook(fault: Extract<Fault, { kind: "hook" }>, steps: Steps): Promise<Exchange> {
  if (fault.when === "before") await fault.run(steps.store);
  const exchange = await exchangeUnder(fault.then, steps);
  if (fault.when === "after") await fault.run(steps.store);
  return exchange;
}

function statusAnswer(fault: Extract<Fault, { kind: "status" }>, steps: Steps): WireResponse {
  if (fault.when === "after") steps.commit();
  return steps.error(
    fault.status,
    fault.code ?? (fault.status === 429 ? "rate_limited" : "fault"),
    fault.message ?? "A fault was injected",
    fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) },
  );
}

type Altering = Extract<
  Fault,
  { kind: "malformed" | "empty" | "html" | "redirect" | "twice" | "stale-list" | "edited" }
>;

function alteredAnswer(fault: Altering, steps: Steps): WireResponse {
  switch (fault.kind) {
    case "redirect": {
      if (fault.when === "after") steps.commit();
      const location = fault.location ?? "http://127.0.0.1:9/elsewhere";
      return { status: 302, headers: { location, "content-type": "text/html" }, body: "" };
    }
    case "html":
      if (fault.when === "after") steps.commit();
      return {
        status: fault.status ?? 502,
        headers: { "content-type": "text/html; charset=utf-8" },
        body: "<html><body><h1>Bad gateway</h1></body></html>",
      };
    case "malformed": {
      const response = steps.commit();
      return { ...response, body: response.body.slice(0, -1) };
    }
    case "empty":
      return { ...steps.commit(), body: "" };
    case "twice":
      steps.commit();
      return steps.commit();
    case "stale-list": {
      const response = steps.commit();
      return steps.remembered ?? response;
    }
    case "edited": {
      const response = steps.commit();
      const body = JSON.parse(response.body) as AnswerBody;
      return { ...response, body: JSON.stringify(fault.edit(body, steps.store)) };
    }
  }
}
