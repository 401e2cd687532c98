import { Secret } from "../model/secret";
import { GeneratedSecret, type ResolvedValue } from "../model/value";
import type { Subject } from "./subject";

/** The fingerprints of one secret: of the declared value, and of the same value under its recorded address. */
export interface SecretPrints {
  readonly now: string | undefined;
  readonly asRecorded: string | undefined;
}

/** Fingerprints of the declared secrets by path: of their text, or of how they are made up. */
export function fingerprintSecrets(
  subject: Subject,
  resolved: ReadonlyMap<string, ResolvedValue>,
  key: Uint8Array | undefined,
): ReadonlyMap<string, SecretPrints> {
  const prints = new Map<string, SecretPrints>();
  for (const [path, value] of resolved) {
    if (value instanceof GeneratedSecret) {
      const print = `generate:${value.length}`;
      prints.set(path, { now: print, asRecorded: print });
    } else if (value instanceof Secret && key) {
      const now = value.fingerprint(key, subject.address);
      const { previousAddress } = subject;
      prints.set(path, { now, asRecorded: previousAddress ? value.fingerprint(key, previousAddress) : now });
    }
  }
  return prints;
}
