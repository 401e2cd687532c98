import { openSecret } from "../model/open-secret";
import { Secret } from "../model/secret";

export interface SerializedBody {
  readonly text: string;
  /** UTF-8. */
  readonly bytes: number;
  /** A `Secret` was opened into it. */
  readonly holdsSecret: boolean;
}

/** The one place where secrets are opened: JSON text of a body, each `Secret` replaced by its text. */
export function serializeBody(body: unknown): SerializedBody {
  const holdsSecret = checkMembers(body, "");
  const text = JSON.stringify(holdsSecret ? opened(body) : body);
  return { text, bytes: Buffer.byteLength(text), holdsSecret };
}

/** Whether there is a secret in it. A reference or a generated secret that was never resolved must not leave as `{}`. */
function checkMembers(value: unknown, key: string): boolean {
  if (typeof value === "number" && !Number.isFinite(value)) throw new Error(`"${key}" is not a JSON number`);
  if (typeof value !== "object" || value === null) return false;
  if (value instanceof Secret) return true;
  let holdsSecret = false;
  if (Array.isArray(value)) {
    for (const item of value) holdsSecret = checkMembers(item, key) || holdsSecret;
    return holdsSecret;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw new Error(`"${key}" of a request body is a ${prototype.constructor?.name ?? "foreign object"}`);
  for (const name of Object.keys(value))
    holdsSecret = checkMembers((value as Record<string, unknown>)[name], name) || holdsSecret;
  return holdsSecret;
}

function opened(value: unknown): unknown {
  if (value instanceof Secret) return openSecret(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(opened);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, opened(member)]));
}
