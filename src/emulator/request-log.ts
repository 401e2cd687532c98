import type { WireRequest } from "../api/transport";

/** One request as it arrived. Holds no credential and no variable value. */
export interface LoggedRequest {
  readonly method: string;
  /** Below the base URL. */
  readonly path: string;
  /** Without `?`. */
  readonly query: string;
  /** As answered; 0 when the connection broke instead. */
  readonly status: number;
  /** Without `authorization` and `cookie`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed when it was JSON. */
  readonly body: unknown;
  readonly idempotencyKey?: string;
  readonly requestId: string;
  /** Kind of the fault that it met. */
  readonly fault?: string;
}

const hiddenHeaders = ["authorization", "cookie", "x-csrftoken"];

export const shownHeaders = (headers: WireRequest["headers"]): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hiddenHeaders.includes(name)));

/** The body of a log entry; the value of a variable is masked, also in a body that does not parse. */
export function shownBody(path: string, body: string | undefined): unknown {
  if (body === undefined || body === "") return undefined;
  const isSecret = /\/variables(\/|$)/.test(path);
  try {
    const value: unknown = JSON.parse(body);
    if (!isSecret || value === null || typeof value !== "object") return isSecret ? "(sensitive)" : value;
    return "value" in value ? { ...value, value: "(sensitive)" } : value;
  } catch {
    return isSecret ? "(sensitive)" : body;
  }
}
