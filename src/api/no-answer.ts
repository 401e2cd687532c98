/**
 * Why a transport rejected. `not_sent`: the request certainly never left. `unresolved`: neither did it, the host
 * has no address. `refused_by_proxy`: neither did it, and asking again changes nothing. `broken`: it may have arrived.
 * `late`: so too, and nobody answered in time. `misused`: our own mistake.
 */
export type NoAnswerReason =
  | "not_sent"
  | "unresolved"
  | "refused_by_proxy"
  | "certificate"
  | "too_large"
  | "misused"
  | "late"
  | "broken";

export interface NoAnswer {
  readonly reason: NoAnswerReason;
  /** System or library code such as `ECONNREFUSED`; undefined when the error has none. */
  readonly code?: string;
  /** Host and port of the proxy that opened no way. */
  readonly proxy?: string;
  /** What the proxy answered, where it refused. */
  readonly status?: number;
}

const notSent = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "EAI_AGAIN",
]);
const misused = new Set([
  "ERR_INVALID_ARG_TYPE",
  "ERR_INVALID_CHAR",
  "ERR_INVALID_URL",
  "ERR_UNESCAPED_CHARACTERS",
]);
const certificate =
  /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|UNABLE_TO_(GET|VERIFY|DECRYPT|DECODE)_|HOSTNAME_MISMATCH)/;

interface SystemError {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly cause?: unknown;
  readonly proxy?: unknown;
  readonly status?: unknown;
}

/** Reads the code of a transport's error or of its causes. Anything not known to be harmless is `broken`. */
export function noAnswerOf(thrown: unknown): NoAnswer {
  const { proxy, code: told, status } = (thrown ?? {}) as SystemError;
  // No tunnel stood: nothing of the request went on.
  if (typeof proxy === "string" && typeof told === "string") {
    const isFinal = told === "PROXY_REFUSED" && typeof status === "number";
    return {
      reason: isFinal ? "refused_by_proxy" : "not_sent",
      code: told,
      proxy,
      ...(isFinal && { status }),
    };
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

function reasonOf(code: string, syscall: unknown): NoAnswerReason | undefined {
  if (code === "ENOTFOUND") return "unresolved";
  if (notSent.has(code) || syscall === "connect" || syscall === "getaddrinfo") return "not_sent";
  if (code === "ANSWER_TOO_LARGE") return "too_large";
  if (code === "ANSWER_LATE") return "late";
  if (misused.has(code)) return "misused";
  return certificate.test(code) ? "certificate" : undefined;
}
