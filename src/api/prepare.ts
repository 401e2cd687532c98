import type { Secret } from "../model/secret";
import { ApiError } from "./api-error";
import { newRequestId } from "./request-id";
import type { ApiRequest } from "./send";
import { serializeBody } from "./serialize-body";

/** Interface, "Limits". */
export const MAX_BODY_BYTES = 262_144;
const idempotencyKeyPattern = /^[!-~]{1,160}$/;

/** A request ready to be sent any number of times, each time with the same bytes. */
export interface PreparedRequest {
  readonly request: ApiRequest;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Each attempt adds its number. */
  readonly requestId: string;
  /** Sent twice, it happens once. */
  readonly hasKey: boolean;
  /** Marked so, or a secret was opened into its body. */
  readonly sensitive: boolean;
  /** Those that were opened into its body. */
  readonly secrets: readonly Secret[];
}

/**
 * Opens secrets, adds headers, checks what the caller promised. Throws `ApiError` (refused, `body_too_large`)
 * for a body over the limit, and a plain `Error` for a mistake of ours.
 */
export function prepare(
  request: ApiRequest,
  baseUrl: string,
  headers: Readonly<Record<string, string>>,
  random: () => number,
): PreparedRequest {
  assertPath(request);
  assertKey(request);
  const requestId = newRequestId(random);
  const body = request.body === undefined ? undefined : serializeBody(request.body);
  if (body !== undefined && body.bytes > MAX_BODY_BYTES) {
    throw new ApiError({
      kind: "refused",
      operation: request.operation,
      method: request.method,
      path: request.path,
      address: request.address,
      code: "body_too_large",
      message:
        `the body of ${request.operation}${request.address === undefined ? "" : ` for ${request.address}`} ` +
        `has ${body.bytes} bytes; the service takes at most ${MAX_BODY_BYTES}`,
      requestId,
      attempts: 0,
    });
  }
  const query = request.query === undefined ? "" : new URLSearchParams(request.query).toString();
  return {
    request,
    url: `${baseUrl}${request.path}${query === "" ? "" : `?${query}`}`,
    headers: {
      ...headers,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(request.idempotencyKey === undefined || request.omitsKey
        ? {}
        : { "idempotency-key": request.idempotencyKey }),
    },
    body: body?.text,
    requestId,
    hasKey: request.idempotencyKey !== undefined && !request.sentOnce,
    sensitive: request.sensitive === true || (body?.secrets.length ?? 0) > 0,
    secrets: body?.secrets ?? [],
  };
}

/** A path that a URL parser would rewrite could reach another endpoint. */
function assertPath({ operation, path }: ApiRequest): void {
  if (!/^(\/[A-Za-z0-9._~%!$&'()*+,;=:@-]+)+$/.test(path) || /\/\.{1,2}(\/|$)/.test(path))
    throw new Error(`${operation} has the path ${JSON.stringify(path)}`);
}

function assertKey({ operation, method, keyed, idempotencyKey }: ApiRequest): void {
  if (idempotencyKey === undefined) {
    if (keyed && method !== "GET")
      throw new Error(`${operation} is a keyed write without an idempotency key`);
    return;
  }
  if (!keyed || method === "GET") throw new Error(`${operation} takes no idempotency key`);
  if (!idempotencyKeyPattern.test(idempotencyKey))
    throw new Error(`${operation} has an idempotency key that the service would refuse`);
}
