import { openSecret } from "../model/open-secret";
import { Secret } from "../model/secret";

export interface SerializedBody {
  readonly text: string;
  /** UTF-8. */
  readonly bytes: number;
  /** Those that were opened into it. */
  readonly secrets: readonly Secret[];
}

/** The one place where secrets are opened: JSON text of a body, each `Secret` replaced by its text. */
export function serializeBody(body: unknown): SerializedBody {
  const secrets: Secret[] = [];
  checkMembers(body, "", secrets);
  const text = JSON.stringify(secrets.length > 0 ? opened(body) : body);
  return { text, bytes: Buffer.byteLength(text), secrets };
}

/** Collects the secrets in it. A reference or a generated secret that was never resolved must not leave as `{}`. */
function checkMembers(value: unknown, key: string, secrets: Secret[]): void {
  if (typeof value === "number" && !Number.isFinite(value)) throw new Error(`"${key}" is not a JSON number`);
  if (typeof value !== "object" || value === null) return;
  if (value instanceof Secret) {
    secrets.push(value);
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value) checkMembers(item, key, secrets);
    return;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw new Error(`"${key}" of a request body is a ${prototype.constructor?.name ?? "foreign object"}`);
  for (const name of Object.keys(value))
    checkMembers((value as Record<string, unknown>)[name], name, secrets);
}

function opened(value: unknown): unknown {
  if (value instanceof Secret) return openSecret(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(opened);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, opened(member)]));
}
