import { failure } from "../diagnostics/diagnostic";
import { remedy } from "../diagnostics/remedies";
import { openSecret } from "../model/open-secret";
import { Secret } from "../model/secret";
import { ApiError } from "./api-error";
import type { ApiRequest } from "./request";

/** A request ready to be sent any number of times, each time with the same bytes. */
export interface PreparedRequest {
  readonly request: ApiRequest;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** A repeated attempt adds its number. */
  readonly requestId: string;
  /** Marked so, or a secret was opened into its body. */
  readonly sensitive: boolean;
  readonly secrets: readonly Secret[];
}

/**
 * Opens secrets and adds headers. Throws `ApiError` (refused, `body_too_large`) for a body over the limit, and a plain
 * `Error` for a mistake of ours.
 */
export function prepareRequest(
  request: ApiRequest,
  target: Pick<PreparedRequest, "headers"> & { readonly baseUrl: string; readonly maxBodyBytes: number },
  requestId: string,
): PreparedRequest {
  const { baseUrl, headers, maxBodyBytes } = target;
  if (request.keyed && request.idempotencyKey === undefined)
    throw new Error(`${request.operation} is a keyed write without an idempotency key`);
  const body = request.body === undefined ? undefined : serializeBody(request.body);
  const bytes = Buffer.byteLength(body?.text ?? "");
  if (bytes > maxBodyBytes) {
    const message = `the request has ${bytes} bytes; the platform takes at most ${maxBodyBytes}`;
    throw new ApiError(request, { kind: "refused", requestId, code: "body_too_large", message });
  }
  const query = request.query === undefined ? "" : new URLSearchParams(request.query).toString();
  const sent: Record<string, string> = { ...headers };
  if (body !== undefined) sent["content-type"] = "application/json";
  if (request.idempotencyKey !== undefined && !request.omitsKey)
    sent["idempotency-key"] = request.idempotencyKey;
  return {
    request,
    url: `${baseUrl}${request.path}${query === "" ? "" : `?${query}`}`,
    headers: sent,
    body: body?.text,
    requestId,
    sensitive: request.sensitive === true || (body?.secrets.length ?? 0) > 0,
    secrets: body?.secrets ?? [],
  };
}

/** Returns the `Authorization` header. Throws `DiagnosticsError` for a key that no header can carry. */
export function authorizationWith(apiKey: Secret): string {
  const key = openSecret(apiKey);
  if (/^[!-~]+$/.test(key)) return `Bearer ${key}`;
  throw failure("config.invalid", "the API key is empty or holds characters that no header can carry", {
    ...remedy("key.form"),
  });
}

/**
 * Returns the JSON text of a body, each `Secret` replaced by its text, and these secrets. A reference or a generated secret
 * that was never resolved must not leave as `{}`.
 */
function serializeBody(body: unknown) {
  const secrets: Secret[] = [];
  // `JSON.stringify` asks a value for its `toJSON` first; `this` still holds the value itself.
  function opened(this: Readonly<Record<string, unknown>>, key: string, written: unknown): unknown {
    const value = this[key];
    if (typeof value === "number" && !Number.isFinite(value))
      throw new Error(`"${key}" is not a JSON number`);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return written;
    if (value instanceof Secret) {
      secrets.push(value);
      return openSecret(value);
    }
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null)
      throw new Error(`"${key}" of a request body is a ${prototype.constructor?.name ?? "foreign object"}`);
    return written;
  }
  return { text: JSON.stringify(body, opened), secrets };
}
