import type { DiagnosticCode } from "../diagnostics/diagnostic";
import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { Clock } from "../model/time";
import { backoff } from "../model/time";
import { NoAnswer } from "./remote-exchange";

export interface Patience {
  readonly clock: Clock;
  /** How often a request is repeated. */
  readonly retries: number;
  readonly waitMinMs: number;
  readonly waitMaxMs: number;
  /** No request is repeated when its attempts have taken that long. */
  readonly totalMs: number;
}

/** An attempt at a request: the how manieth, and when the first of them began. */
export interface Attempt {
  readonly number: number;
  readonly startedAt: number;
}

/** Waits before the next attempt, longer each time; false when there is none left. */
export async function waitBeforeRetry(
  patience: Patience,
  { number: attempt, startedAt }: Attempt,
  failure: NoAnswer,
): Promise<boolean> {
  const isOver = patience.clock.elapsed() - startedAt >= patience.totalMs;
  if (attempt >= patience.retries || isOver) return false;
  const wait = backoff(attempt, patience.waitMinMs, patience.waitMaxMs);
  await patience.clock.sleep(Math.max(wait, failure.waitMs));
  return true;
}

/** Repeats what may be repeated, while no answer comes. Throws the last `NoAnswer`. */
export async function persist<T>(patience: Patience, request: () => Promise<T>): Promise<T> {
  const startedAt = patience.clock.elapsed();
  for (let number = 0; ; number += 1) {
    try {
      return await request();
    } catch (cause) {
      if (!(cause instanceof NoAnswer)) throw cause;
      if (!(await waitBeforeRetry(patience, { number, startedAt }, cause))) throw cause;
    }
  }
}

const unreachable = (code: DiagnosticCode, summary: string, detail: string | undefined, cause: unknown) => {
  if (!(cause instanceof NoAnswer)) return cause;
  const failure = new DiagnosticsError([
    error(code, `${summary}: ${cause.reason}`, {
      detail,
      hint: cause.isLate
        ? "check the server, or give it longer for each answer (RNV_STATE_TIMEOUT, in seconds); then run the same command again"
        : "check the address and the network, then run the same command again",
    }),
  ]);
  failure.cause = cause;
  return failure;
};

/** What to throw when a remote state could not be read; anything but `NoAnswer` passes unchanged. */
export const remoteUnread = (location: string, cause: unknown): unknown =>
  unreachable("state.unreadable", `cannot read ${location}`, undefined, cause);

/** What to throw when a remote state could not be written; anything but `NoAnswer` passes unchanged. */
export const remoteUnwritten = (location: string, cause: unknown): unknown =>
  unreachable(
    "state.write_failed",
    `cannot write ${location}`,
    "Whether the last write arrived is not known; the next run reads what stands there.",
    cause,
  );

const meanings: Readonly<Record<number, string>> = {
  401: "the credentials were not accepted",
  403: "the credentials are not allowed to do this",
  404: "there is nothing at this address",
  405: "the method is not allowed",
  413: "the state is too large for the server",
  501: "the server does not know the method",
};

/** What to throw when the server said no for good. */
export function remoteRefused(
  code: "state.unreadable" | "state.write_failed",
  what: string,
  status: number,
  hint?: string,
): DiagnosticsError {
  const redirect = status >= 300 && status < 400;
  const meaning = redirect
    ? "it redirects, and a state goes to the configured address only"
    : (meanings[status] ?? "it was refused");
  return new DiagnosticsError([
    error(code, `${what}: ${meaning} (HTTP ${status})`, {
      hint: hint ?? "check the address (RNV_STATE) and the credentials of the state",
    }),
  ]);
}
