import type { ZodType } from "zod";
import { ApiError } from "./api-error";
import type { ApiRequest, ApiResponse } from "./send";

/**
 * An answer's body checked by its wire schema; unknown fields stay. Throws `ApiError` (malformed) that names the
 * path in the body and what was expected there, never the value. `isWhole` tells of large bodies, faster than their
 * schema, that it would return them unchanged.
 */
export function parseAnswer<T>(
  schema: ZodType<T>,
  request: ApiRequest,
  response: ApiResponse,
  body: unknown = response.body,
  isWhole?: (body: unknown) => body is T,
): T {
  if (isWhole?.(body)) return body;
  const parsed = schema.safeParse(body, { jitless: isRare(schema) });
  if (parsed.success) return parsed.data;
  const [first, ...more] = parsed.error.issues;
  const path = first?.path.map(String).join(".") || "the body";
  const others = more.length === 0 ? "" : ` (and ${more.length} more)`;
  throw malformed(request, response, `${path}: ${first?.message ?? "not as documented"}${others}`);
}

const answers = new WeakMap<ZodType, number>();

/** zod writes a program for each object of a schema when it first meets one; a handful of answers never repays it. */
function isRare(schema: ZodType): boolean {
  const before = answers.get(schema) ?? 0;
  answers.set(schema, before + 1);
  return before < 8;
}

/** An answer that contradicts the interface although its parts have the right types. */
export function malformed(request: ApiRequest, response: ApiResponse, message: string): ApiError {
  const { operation, method, path, address } = request;
  const { status, requestId, attempts } = response;
  return new ApiError({
    kind: "malformed",
    ...{ operation, method, path, address, status, requestId, attempts },
    message: `the answer to ${operation} is not as documented: ${message}`,
  });
}
