import type { WireResponse } from "../api/transport";
import type { EmulatorStore } from "./store";

/**
 * A failure of one request. *Commit* (the service carries it out) and *answer* (the caller is notified) are separate
 * steps. The fault happens `before` or `after` the commit.
 */
export type Fault = FaultKind & {
  /** False: the commit has no receipt. */
  readonly receipt?: boolean;
};

export type FaultKind =
  /** The connection is refused: nothing reached the service. Over HTTP it is reset instead. */
  | { readonly kind: "refuse" | "reset-before" | "reset-after" }
  /** No answer: at once in-process, never over HTTP. */
  | { readonly kind: "timeout-before" | "timeout-after" }
  /** Committed; the connection ends in the middle of the body. */
  | { readonly kind: "truncate" }
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
  /** A page of a proxy in place of the answer; `when` (default before) says whether it was committed. */
  | { readonly kind: "html"; readonly status?: number; readonly when?: "before" | "after" }
  /** `when` (default before) says whether it was committed. */
  | { readonly kind: "redirect"; readonly location?: string; readonly when?: "before" | "after" }
  /** Committed; a whole answer that is not JSON, or is empty. */
  | { readonly kind: "malformed" | "empty" }
  /** The request arrives twice; the second answer is returned. */
  | { readonly kind: "twice" }
  /** Committed; `edit` changes the answer. */
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

export type AnswerBody = Readonly<Record<string, unknown>>;

export interface SeenRequest {
  readonly method: string;
  /** Below the base URL. */
  readonly path: string;
  /** Without `?`. */
  readonly query: string;
  readonly body?: string;
  readonly idempotencyKey?: string;
}

/** The fault of a request; `index` counts requests from 0 since the plan was set. */
export type FaultPlan = (index: number, request: SeenRequest) => Fault | undefined;

export type Exchange =
  | { readonly kind: "answer"; readonly response: WireResponse }
  | {
      readonly kind: "broken";
      /** Node's code. The caller waits for a timeout. */
      readonly code: "ECONNREFUSED" | "ECONNRESET" | "ETIMEDOUT";
      /** An answer that breaks off in the middle. */
      readonly partial?: WireResponse;
    };

/** The steps of one exchange that a fault may sit between. */
export interface ExchangeSteps {
  /** Handles the request and commits it; `retain: false` loses its receipt. */
  commit(options?: { readonly retain: boolean }): WireResponse;
  error(status: number, code: string, message: string, headers?: Record<string, string>): WireResponse;
  readonly store: EmulatorStore;
}

export async function exchangeUnder(fault: Fault | undefined, steps: ExchangeSteps): Promise<Exchange> {
  if (fault === undefined) return { kind: "answer", response: steps.commit() };
  if (fault.kind === "hook") return underHook(fault, steps);
  const commit = (): WireResponse => steps.commit({ retain: fault.receipt !== false });
  const isAfter = fault.kind.endsWith("-after") || ("when" in fault && fault.when === "after");
  if (isAfter || fault.kind === "twice") commit();
  switch (fault.kind) {
    case "refuse":
      return { kind: "broken", code: "ECONNREFUSED" };
    case "reset-before":
    case "reset-after":
      return { kind: "broken", code: "ECONNRESET" };
    case "timeout-before":
    case "timeout-after":
      return { kind: "broken", code: "ETIMEDOUT" };
    case "truncate":
      return { kind: "broken", code: "ECONNRESET", partial: commit() };
    default:
      return { kind: "answer", response: alteredAnswer(fault, commit, steps) };
  }
}

async function underHook(fault: Extract<Fault, { kind: "hook" }>, steps: ExchangeSteps): Promise<Exchange> {
  if (fault.when === "before") await fault.run(steps.store);
  const exchange = await exchangeUnder(fault.then, steps);
  if (fault.when === "after") await fault.run(steps.store);
  return exchange;
}

export const proxyPage = {
  headers: { "content-type": "text/html; charset=utf-8" },
  body: "<html><body><h1>Bad gateway</h1></body></html>",
};

type Altering = Extract<
  Fault,
  { kind: "status" | "html" | "redirect" | "malformed" | "empty" | "twice" | "edited" }
>;

function alteredAnswer(fault: Altering, commit: () => WireResponse, steps: ExchangeSteps): WireResponse {
  switch (fault.kind) {
    case "status": {
      const { status, message = "A fault was injected", retryAfter } = fault;
      const { code = status === 429 ? "rate_limited" : "fault" } = fault;
      const headers: Record<string, string> =
        retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
      return steps.error(status, code, message, headers);
    }
    case "redirect": {
      const location = fault.location ?? "http://127.0.0.1:9/elsewhere";
      return { status: 302, headers: { location, "content-type": "text/html" }, body: "" };
    }
    case "html":
      return { status: fault.status ?? 502, ...proxyPage };
  }
  const response = commit();
  const { body } = response;
  if (fault.kind === "twice") return response;
  if (fault.kind !== "edited") return { ...response, body: fault.kind === "empty" ? "" : body.slice(0, -1) };
  const edited = fault.edit(JSON.parse(body) as AnswerBody, steps.store);
  return { ...response, body: JSON.stringify(edited) };
}
