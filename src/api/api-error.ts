import { type Diagnostic, type DiagnosticCode, DiagnosticsError, error } from "../diagnostics/diagnostic";
import { remedy } from "../diagnostics/remedies";

/**
 * The meaning of a failed request for the caller. `refused`: the service said no, nothing happened.
 * `uncertain`: it may have happened. `unavailable`: it did not happen, later it may work.
 */
export type FailureKind = "refused" | "uncertain" | "unavailable" | "unauthorized" | "malformed";

/** The code of an `ApiError` for a route that a setting of `gaps.ts` turned off: nothing was sent. */
export const GAP_OFF = "gap_off";

/** A request that failed for good. Thrown by `Send`; turned into a diagnostic by `diagnosticOf`. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  declare readonly kind: FailureKind;
  declare readonly operation: string;
  declare readonly method: string;
  declare readonly path: string;
  declare readonly address?: string;
  /** Absent when no answer came. */
  declare readonly status?: number;
  /** Error code of the body: `idempotency_conflict`. */
  declare readonly code?: string;
  declare readonly requestId: string;
  declare readonly attempts: number;
  /** Advice that is better than that for the status. */
  declare readonly hint?: string;

  /**
   * The message is that of the body, else the status text; never from a sensitive request. A failure without `attempts` is
   * one before the request was sent.
   */
  constructor(
    { operation, method, path, address }: RequestName,
    { message, ...failure }: Pick<ApiError, "kind" | "message"> & Partial<ApiError>,
    cause?: unknown,
  ) {
    super(message, { cause });
    Object.assign(this, { operation, method, path, address, requestId: "", attempts: 0 }, failure);
  }
}

type RequestName = Pick<ApiError, "operation" | "method" | "path" | "address">;

/** Returns true if a failed write may have happened: no answer came, or the answer is uncertain. */
export const isUncertain = (failure: unknown): failure is ApiError =>
  failure instanceof ApiError && (failure.kind === "uncertain" || failure.kind === "malformed");

/** Returns true if the service refused a write because of its existing resources, not because of the request. */
export const isConflict = (failure: unknown): failure is ApiError =>
  failure instanceof ApiError &&
  failure.kind === "refused" &&
  failure.status === 409 &&
  !/^(idempotency_|engine_)/.test(failure.code ?? "");

/** The route is missing (405), or a setting turned it off. */
export const isNoRoute = (failure: unknown): boolean =>
  failure instanceof ApiError && (failure.status === 405 || failure.code === GAP_OFF);

/** Returns undefined where the service answers 404, or has no such route: 405, or a setting turned it off. */
export async function unlessAbsent<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (failure) {
    if (failure instanceof ApiError && (failure.status === 404 || isNoRoute(failure))) return undefined;
    throw failure;
  }
}

/**
 * Turns a failed request for a resource, or a line of the manifest, into a diagnostic. Anything but an `ApiError` or
 * `DiagnosticsError` is a bug of ours.
 */
export function diagnosticOf(
  failure: unknown,
  context: Pick<Diagnostic, "address" | "range"> = {},
): Diagnostic {
  if (failure instanceof DiagnosticsError && failure.diagnostics[0] !== undefined)
    return { ...context, ...failure.diagnostics[0] };
  if (!(failure instanceof ApiError)) {
    const text = failure instanceof Error ? `${failure.name}: ${failure.message}` : String(failure);
    return error("internal.bug", `this is a bug in rnv: ${text}`, {
      ...context,
      detail: failure instanceof Error ? failure.stack?.split("\n").slice(1, 6).join("\n") : undefined,
      hint: "please report it with the command that you ran",
    });
  }
  const [code, advice] = adviceFor(failure);
  const preferred = failure.hint ?? advice;
  const next = typeof preferred === "string" ? { hint: preferred } : preferred;
  const address = context.address ?? failure.address;
  const about = address === undefined ? "" : `${address}: `;
  return error(code, `${about}${summaryOf(failure)}`, {
    ...context,
    address,
    detail: detailOf(failure),
    ...next,
    requestId: failure.requestId || undefined,
  });
}

function summaryOf({ kind, code, operation, status, message }: ApiError): string {
  const words = operationWords(operation);
  const end = kind === "uncertain" ? "may have succeeded" : "was not finished";
  if (code === "aborted") return `interrupted: the request to ${words} ${end}`;
  if (kind === "uncertain") return `the request to ${words} ${end}: ${message}`;
  // Without an answer the message names the server and the cause.
  if (kind === "unavailable" && status === undefined) return message;
  return `cannot ${words}: ${kind === "unauthorized" ? "access denied: " : ""}${message}`;
}

/** Returns an operation as words after "cannot": `createService` is `create the service`, `catalog` read the catalog. */
function operationWords(operation: string): string {
  if (operation.includes(" ") || operation === "rollBack") return operation.replace("B", " b");
  const [verb, noun] = operation.split(/(?=[A-Z])(.*)/s);
  const words = (noun ?? operation).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();
  if (verb === "list") return `list ${words}`;
  return `${noun === undefined || verb === "get" ? "read" : verb} the ${words}`;
}

function detailOf({ method, path, status, code, attempts }: ApiError): string {
  const answer = [status === undefined ? "no answer" : `status ${status}`, code].filter(Boolean).join(" ");
  const times = attempts > 1 ? `, sent ${attempts} times` : "";
  return `${method} ${path}: ${answer}${times}`;
}

type Advice = readonly [code: DiagnosticCode, next?: string | Pick<Diagnostic, "hint" | "remedy">];

const adviceByCode: Readonly<Record<string, Advice>> = {
  aborted: ["apply.interrupted", "run the command again to continue"],
  body_too_large: [
    "apply.body_too_large",
    "make the value smaller; the platform accepts at most 262144 bytes a request",
  ],
  ANSWER_LATE: ["api.unavailable", remedy("service.slow")],
  rate_limited: ["api.rate_limited", "wait as long as the platform asks, then run the command again"],
  engine_unavailable: [
    "api.unavailable",
    "hosting is off or not ready: look in the dashboard, and run the command again later",
  ],
  idempotency_conflict: [
    "api.conflict",
    "the same key was used for another body; look at the resource in the dashboard first",
  ],
  idempotency_legacy_conflict: [
    "api.conflict",
    "look at the service's latest deployment; do not start another one before",
  ],
  canvas_revision_conflict: ["api.conflict", "someone else saved the layout; run the command again"],
  canvas_invalid_node: ["api.refused", "a placed node is not on the canvas; run the command again"],
  canvas_too_large: [
    "api.refused",
    "the platform lists at most 2000 services and 10000 references of a project; spread them over several",
  ],
};

const adviceByStatus: Readonly<Record<number, Advice>> = {
  401: ["api.unauthorized", remedy("key.renew")],
  403: [
    "api.forbidden",
    "the key needs the write scope, and its owner the role, a verified email and MFA where the workspace asks for it",
  ],
  404: ["api.not_found", remedy("workspace.check")],
  405: ["api.refused", remedy("address.route")],
  409: ["api.conflict", remedy("live.look")],
  413: ["api.refused", "the request is larger than the platform takes (262144 bytes)"],
  429: ["api.rate_limited", "wait as long as the platform asks, then run the command again"],
};

function adviceFor({ kind, method, status = 0, code = "" }: ApiError): Advice {
  if (kind === "uncertain") return ["apply.uncertain", remedy("write.look")];
  if (kind === "malformed") return ["api.malformed", remedy("address.service")];
  // A code is text of the service: only our own names count.
  const known = Object.hasOwn(adviceByCode, code) ? adviceByCode[code] : undefined;
  if (known !== undefined) return known;
  if (status === 403 && method === "GET")
    return ["api.forbidden", "this key cannot read the workspace: check its workspace and role"];
  const byStatus = adviceByStatus[status];
  if (byStatus !== undefined) return byStatus;
  if (kind === "unavailable") return ["api.unavailable", remedy("address.network")];
  return ["api.refused", status >= 300 && status < 400 ? remedy("address.moved") : undefined];
}
