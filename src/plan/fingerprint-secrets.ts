import { Secret } from "../model/secret";
import { GeneratedSecret, type ResolvedValue } from "../model/value";
import type { Subject } from "./subject";

/** The fingerprints of one secret: of the declared value, and those that the same value may have been recorded with. */
export interface SecretPrints {
  readonly now: string | undefined;
  /** Under its recorded address; with the key of now and with the one before it. */
  readonly asRecorded: readonly string[];
}

const none: ReadonlyMap<string, SecretPrints> = new Map();

/** Fingerprints of the declared secrets by path: of their text, or of how they are made up. */
export function fingerprintSecrets(
  subject: Subject,
  resolved: ReadonlyMap<string, ResolvedValue>,
  { key, previousKey }: { readonly key?: Uint8Array; readonly previousKey?: Uint8Array },
): ReadonlyMap<string, SecretPrints> {
  let prints: Map<string, SecretPrints> | undefined;
  subject.desired?.attributes.forEach((declared, path) => {
    if (declared.value === null || typeof declared.value !== "object") return;
    const value = resolved.get(path);
    if (value instanceof GeneratedSecret) {
      const print = `generate:${value.length}`;
      prints ??= new Map();
      prints.set(path, { now: print, asRecorded: [print] });
    } else if (value instanceof Secret && key) {
      const recordedAt = subject.previousAddress ?? subject.address;
      const keys = previousKey ? [key, previousKey] : [key];
      prints ??= new Map();
      prints.set(path, {
        now: value.fingerprint(key, subject.address),
        asRecorded: keys.map((one) => value.fingerprint(one, recordedAt)),
      });
    }
  });
  return prints ?? none;
}
