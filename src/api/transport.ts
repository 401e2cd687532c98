import { isoTime } from "../model/time";

/** Stands for the embedded platform: the name is never looked up, and no request leaves the process. */
export const embeddedUrl = "https://embedded.invalid/api/v1";

/** A request as it goes over HTTP: headers lower-case, the body as text. */
export interface WireRequest {
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The same body where it was parsed already; its readers leave it as it is. */
  readonly json?: unknown;
}

/** Matches a text that may have the key `__proto__`, also where letters of it are escaped. */
const mayHavePrototype = /__proto__|\\u00(5f|6f|7[024])/i;

/** Matches an id with capital letters, which the service may write so in some answers only. No value or name is an id. */
const capitalId =
  /"(?=[\da-f-]*[A-F])(?<!"(?:value|name)"\s*:\s*")[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}"/g;

/**
 * Parses JSON, with ids in lower case and without keys named `__proto__`, which could change the prototype of a copy.
 * Returns undefined for other text: the parser's own message would quote it.
 */
export function parseJson(text: string): unknown {
  const drop = (key: string, value: unknown): unknown => (key === "__proto__" ? undefined : value);
  const json = text.replace(capitalId, (id) => id.toLowerCase());
  try {
    return JSON.parse(json, mayHavePrototype.test(text) ? drop : undefined);
  } catch {
    return undefined;
  }
}

/**
 * Carries requests: over sockets, or to the emulator in-process. Rejects when no whole answer came; never follows a
 * redirect, never retries.
 */
export interface Transport {
  send(request: WireRequest): Promise<WireResponse>;
  close(): Promise<void>;
}

/**
 * Why a transport rejected. `not_sent`: the request certainly never left. `unresolved`: neither did it, the host
 * has no address. `refused_by_proxy`: neither did it, and asking again changes nothing. `broken`: it may have arrived.
 * `late`: so too, and no answer came in time. `misused`: our own mistake.
 */
export type TransportErrorReason =
  | "not_sent"
  | "unresolved"
  | "refused_by_proxy"
  | "certificate"
  | "too_large"
  | "misused"
  | "late"
  | "broken";

export interface TransportError {
  readonly reason: TransportErrorReason;
  /** System or library code such as `ECONNREFUSED`; undefined when the error has none. */
  readonly code?: string;
  /** Host and port of the proxy that opened no way. */
  readonly proxy?: string;
  /** Status that the proxy answered with, where it refused. */
  readonly status?: number;
}

const notSent = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EAI_AGAIN)$/;
const misused = /^ERR_(INVALID_ARG_TYPE|INVALID_CHAR|INVALID_URL|UNESCAPED_CHARACTERS)$/;
const certificate =
  /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|UNABLE_TO_(GET|VERIFY|DECRYPT|DECODE)_|HOSTNAME_MISMATCH)/;

interface SystemError {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly cause?: unknown;
  readonly proxy?: unknown;
  readonly status?: unknown;
}

/** Reads the code of a transport's rejection or of its causes. Anything not known to be harmless is `broken`. */
export function readTransportError(thrown: unknown): TransportError {
  const { proxy, code: systemCode, status } = (thrown ?? {}) as SystemError;
  // No tunnel stood: nothing of the request went on.
  if (typeof proxy === "string" && typeof systemCode === "string") {
    if (systemCode === "PROXY_REFUSED" && typeof status === "number")
      return { reason: "refused_by_proxy", code: systemCode, proxy, status };
    return { reason: "not_sent", code: systemCode, proxy };
  }
  let code: string | undefined;
  let current = thrown;
  for (let depth = 0; depth < 5 && current !== null && typeof current === "object"; depth += 1) {
    const { code: found, syscall, cause } = current as SystemError;
    // Anything else could be text of the exchange.
    if (typeof found === "string" && /^[A-Z][A-Z0-9_]{0,63}$/.test(found)) {
      code ??= found;
      const reason = reasonOf(found, syscall);
      if (reason !== undefined) return { reason, code: found };
    }
    current = cause;
  }
  return { reason: "broken", code };
}

function reasonOf(code: string, syscall: unknown): TransportErrorReason | undefined {
  if (code === "ENOTFOUND") return "unresolved";
  if (notSent.test(code) || syscall === "connect" || syscall === "getaddrinfo") return "not_sent";
  if (code === "ANSWER_TOO_LARGE") return "too_large";
  if (code === "ANSWER_LATE") return "late";
  if (misused.test(code)) return "misused";
  return certificate.test(code) ? "certificate" : undefined;
}

/** Thirty years: longer than any request waits. */
const longestWaitSeconds = 999_999_999;
const fixedDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Reads `Retry-After`: whole seconds, at least 1 (interface, "Errors"). A gateway may write a fraction, or a date, which
 * counts from the answer's own `Date`. Undefined where the header is missing or cannot be read.
 */
export function readRetryAfter(headers: WireResponse["headers"]): number | undefined {
  const asked = headers["retry-after"]?.trim();
  if (asked === undefined) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(asked) ? Number(asked) : (timeOf(asked) - timeOf(headers.date)) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(longestWaitSeconds, Math.max(1, Math.ceil(seconds)));
}

/** Reads the `Date` of an answer, milliseconds since the epoch; undefined where the header is missing or cannot be read. */
export function readDate(headers: WireResponse["headers"]): number | undefined {
  const time = timeOf(headers.date);
  return Number.isNaN(time) ? undefined : time;
}

export interface Deprecation {
  /** When it ends, `2027-01-31`. */
  readonly endsOn?: string;
  readonly link?: string;
}

const noticeLink = /<(https?:\/\/[^<>\s"]{1,300})>[^,]*\brel="?(?:deprecation|sunset|successor-version)\b/i;

/** Reads `Deprecation`, `Sunset` and their `Link` (RFC 9745, RFC 8594); undefined where an answer has neither. */
export function readDeprecation(headers: WireResponse["headers"]): Deprecation | undefined {
  const { deprecation, sunset, link = "" } = headers;
  if (deprecation === undefined && sunset === undefined) return undefined;
  const end = timeOf(sunset);
  const [, page] = noticeLink.exec(link) ?? [];
  return { endsOn: Number.isNaN(end) ? undefined : isoTime(end)?.slice(0, 10), link: page };
}

const timeOf = (date = ""): number => (fixedDate.test(date) ? Date.parse(date) : Number.NaN);

/** Returns why a request to `host` got no answer: `cannot connect to api.example.com: connection refused`. */
export function transportErrorText(
  host: string,
  { reason, code = "no code", proxy, status }: TransportError,
): string {
  const cause = code === "ECONNREFUSED" ? "connection refused" : code;
  switch (reason) {
    case "not_sent":
      return proxy === undefined
        ? `cannot connect to ${host}: ${cause}`
        : `cannot connect to ${host} through the proxy ${proxy}: ${cause}`;
    case "refused_by_proxy":
      return `cannot connect to ${host}: the proxy ${proxy} refused (HTTP ${status})`;
    case "unresolved":
      return `cannot connect to ${host}: host not found`;
    case "certificate":
      // The server may not speak TLS at all: then no certificate is to blame.
      return code.startsWith("ERR_SSL_")
        ? `cannot connect to ${host} with TLS (${code})`
        : `cannot connect to ${host}: its certificate is not trusted (${code})`;
    case "too_large":
      return `the answer of ${host} is larger than rnv takes`;
    case "late":
      return `${host} did not answer in time`;
    default:
      return `the connection to ${host} ended before a whole answer came (${code})`;
  }
}
