import type { Answer } from "./contract-service";

/**
 * The value of the header whose component is named IdempotencyReplayed; undefined where there is none. Its name on the
 * wire is not shown: any that says as much counts.
 */
export function replayHeaderOf({ headers }: Answer): string | undefined {
  for (const [name, value] of headers) if (/idempotenc.*replayed/i.test(name)) return value;
  return undefined;
}
