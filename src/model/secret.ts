import { createHmac } from "node:crypto";
import { openSecret, secretTexts } from "./open-secret";

const MASK = "(sensitive)";

/**
 * A value that is never printed, stored or logged. Its text leaves only through `openSecret`, in `src/api`.
 * `toString`, `toJSON` and `util.inspect` all show `(sensitive)`.
 */
export class Secret {
  constructor(text: string) {
    secretTexts.set(this, text);
  }

  /** Joins literal text and secrets into one secret: `postgres://user:${password}@host`. */
  static join(parts: readonly (string | Secret)[]): Secret {
    return new Secret(parts.map((part) => (typeof part === "string" ? part : openSecret(part))).join(""));
  }

  /**
   * HMAC-SHA-256 over address and value, hex. The key stays outside the state, so that the state alone does
   * not let anyone test guesses.
   */
  fingerprint(key: Uint8Array, address: string): string {
    return createHmac("sha256", key).update(address).update("\0").update(openSecret(this)).digest("hex");
  }

  /** HMAC-SHA-256 of a text with this secret as the key, hex. */
  sign(text: string): string {
    return createHmac("sha256", openSecret(this)).update(text).digest("hex");
  }

  toString(): string {
    return MASK;
  }
  toJSON(): string {
    return MASK;
  }
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return MASK;
  }
}
