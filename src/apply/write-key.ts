import { sha256 } from "../model/digest";
import { Secret } from "../model/secret";
import { canonicalJson, type Plain } from "../model/value";

export interface BodyDigest {
  /** SHA-256, hex, of the canonical body; every secret in it stands as its keyed fingerprint. */
  readonly digest: string;
  /** The body itself, unless it holds a secret. */
  readonly body?: Plain;
}

/** Digest of a request body. `secretKey` keeps secrets from being guessed out of the journal. */
export function digestBody(body: unknown, secretKey: Uint8Array, address: string): BodyDigest {
  let holdsSecret = false;
  const keyed = replaceSecrets(body ?? null, (secret) => {
    holdsSecret = true;
    return { fingerprint: secret.fingerprint(secretKey, address) };
  });
  const digest = sha256(canonicalJson(keyed));
  return holdsSecret ? { digest } : { digest, body: keyed };
}

function replaceSecrets(value: unknown, replace: (secret: Secret) => Plain): Plain {
  if (value === null || typeof value !== "object") return value as Plain;
  if (value instanceof Secret) return replace(value);
  if (Array.isArray(value)) return value.map((item) => replaceSecrets(item, replace));
  const members: [string, Plain][] = [];
  for (const [key, member] of Object.entries(value))
    if (member !== undefined) members.push([key, replaceSecrets(member, replace)]);
  return Object.fromEntries(members);
}

/**
 * The idempotency key of one write: the same for the same run, address, step and body, and never for anything
 * else (DESIGN section 7). 70 visible ASCII characters.
 */
export function writeKey(runId: string, address: string, step: string, bodyDigest: string): string {
  const digest = sha256([runId, address, step, bodyDigest].join("\0"));
  return `rnv-1-${digest}`;
}
