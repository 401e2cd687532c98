import type { ResourceType } from "../model/resource-type";
import { Secret } from "../model/secret";
import { GeneratedSecret, type ResolvedValue } from "../model/value";
import type { ResolvedAttributes } from "./resolve";
import type { SecretPrints } from "./secret-prints";
import type { ResourceInstance } from "./subject";

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

/** Keys of fingerprints: that of now, and the one before it while keys are changed. */
export interface PrintKeys {
  readonly key?: Uint8Array;
  readonly previousKey?: Uint8Array;
}

/**
 * Fingerprints of a live secret, comparable with those of the declared one. A generated value is known by its length
 * alone: nobody wrote down what was made.
 */
export function printsOfRevealed(
  live: Secret,
  declared: ResolvedValue | undefined,
  at: Pick<ResourceInstance, "address" | "previousAddress">,
  keys: PrintKeys,
): SecretPrints {
  if (!(declared instanceof GeneratedSecret)) return printsOf(live, at, keys);
  const print = live.byteLength === declared.length ? `generate:${declared.length}` : "another";
  return { now: print, asRecorded: [print] };
}

function printsOf(
  secret: Secret,
  { address, previousAddress }: Pick<ResourceInstance, "address" | "previousAddress">,
  { key, previousKey }: PrintKeys,
): SecretPrints {
  if (!key) return { now: undefined, asRecorded: [] };
  const keys = previousKey ? [key, previousKey] : [key];
  return {
    now: secret.fingerprint(key, address),
    asRecorded: keys.map((one) => secret.fingerprint(one, previousAddress ?? address)),
  };
}

/**
 * Fingerprints of the declared secrets by path: of their text, or of how they are made up. A secret stands where its
 * type says so, or in a text that refers to one.
 */
export function fingerprintSecrets(
  instance: ResourceInstance,
  { resolved, templates }: ResolvedAttributes,
  keys: PrintKeys,
): ReadonlyMap<string, SecretPrints> {
  let prints: Map<string, SecretPrints> | undefined;
  const look = (path: string): void => {
    if (prints?.has(path)) return;
    const value = resolved.get(path);
    if (value instanceof GeneratedSecret) {
      const print = `generate:${value.length}`;
      prints ??= new Map();
      prints.set(path, { now: print, asRecorded: [print] });
    } else if (value instanceof Secret && keys.key) {
      prints ??= new Map();
      prints.set(path, printsOf(value, instance, keys));
    }
  };
  secretPaths(instance.type).forEach(look);
  templates.forEach((_value, path) => {
    look(path);
  });
  return prints ?? none;
}
