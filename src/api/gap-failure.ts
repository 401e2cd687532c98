import { ApiError, GAP_OFF } from "./api-error";
import { assignment, gapVariable } from "./gap-settings";
import { type Gap, type GapName, type GapSettings, gaps } from "./gaps";
import type { ApiRequest } from "./send";

/**
 * The failure of a request that rests on a gap, with a hint that names the assumption and the settings that say
 * otherwise, where the answer may mean that the assumption does not hold; any other failure as it is.
 */
export function underGap(failure: unknown, name: GapName, otherwise = ""): unknown {
  if (!(failure instanceof ApiError) || failure.hint !== undefined) return failure;
  const { kind, status, code } = failure;
  const isUnexpected =
    kind === "malformed" || status === 400 || status === 404 || status === 405 || status === 422;
  if (!isUnexpected || code === "body_too_large") return failure;
  // A refused key says nothing of the rest.
  const hint = /idempotenc/i.test(`${code} ${failure.message}`)
    ? hintOf("keys on undocumented routes", "")
    : hintOf(name, otherwise);
  return new ApiError({ ...failure, message: failure.message, hint }, failure.cause);
}

function hintOf(name: GapName, otherwise: string): string {
  const { assumption, settings } = gaps.find((one): boolean => one.name === name) as Gap;
  const choices = settings.map(({ key, example }) => assignment(gapVariable(key), example));
  return (
    `${otherwise}rnv assumes, because the service's documents do not show it, that ${assumption}` +
    (choices.length === 0 ? "" : `; if that is otherwise, say so: ${choices.join(" or ")}`)
  );
}

/** Returns the failure for a route that a setting turned off: no request is made. */
export function turnedOff(
  { operation: name, method, path, address }: Pick<ApiRequest, "operation" | "method" | "path" | "address">,
  setting: keyof GapSettings,
): ApiError {
  return new ApiError({
    kind: "refused",
    ...{ operation: name, method, path, address },
    code: GAP_OFF,
    message: `${name} is turned off by ${gapVariable(setting)}; use the dashboard of the service`,
    requestId: "",
    attempts: 0,
  });
}
