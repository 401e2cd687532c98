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
  let holdsSecret = false;
  // `this` is the object that holds the member: JSON.stringify has called toJSON on `value` by now.
  const text = JSON.stringify(body, function (this: unknown, key: string, value: unknown) {
    const raw = (this as Record<string, unknown>)[key];
    if (raw instanceof Secret) {
      holdsSecret = true;
      return openSecret(raw);
    }
    assertJson(key, raw);
    return value;
  });
  return { text, bytes: Buffer.byteLength(text), holdsSecret };
}

/** A reference or a generated secret that was never resolved must not leave as `{}`. */
function assertJson(key: string, value: unknown): void {
  if (typeof value === "number" && !Number.isFinite(value)) throw new Error(`"${key}" is not a JSON number`);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw new Error(`"${key}" of a request body is a ${prototype.constructor?.name ?? "foreign object"}`);
}
