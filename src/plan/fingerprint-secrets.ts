import type { ResourceType } from "../model/resource-type";
import { Secret } from "../model/secret";
import { GeneratedSecret } from "../model/value";
import type { ResolvedAttributes } from "./resolve";
import type { Subject } from "./subject";

/** The fingerprints of one secret: of the declared value, and those that the same value may have been recorded with. */
export interface SecretPrints {
  readonly now: string | undefined;
  /** Under its recorded address; with the key of now and with the one before it. */
  readonly asRecorded: readonly string[];
}

const none: ReadonlyMap<string, SecretPrints> = new Map();

const pathsOf = new WeakMap<ResourceType, readonly string[]>();

/** Attributes of a type that hold secrets. */
export function secretPaths(type: ResourceType): readonly string[] {
  const known = pathsOf.get(type);
  if (known) return known;
  const paths = Object.keys(type.rules).filter((path) => type.rules[path]?.secret === true);
  pathsOf.set(type, paths);
  return paths;
}

/**
 * Fingerprints of the declared secrets by path: of their text, or of how they are made up. A secret stands where its
 * type says so, or in a text that refers to one.
 */
export function fingerprintSecrets(
  subject: Subject,
  { resolved, templates }: ResolvedAttributes,
  { key, previousKey }: { readonly key?: Uint8Array; readonly previousKey?: Uint8Array },
): ReadonlyMap<string, SecretPrints> {
  let prints: Map<string, SecretPrints> | undefined;
  const look = (path: string): void => {
    if (prints?.has(path)) return;
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
  };
  secretPaths(subject.type).forEach(look);
  templates.forEach((_value, path) => {
    look(path);
  });
  return prints ?? none;
}
