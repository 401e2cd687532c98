import type { Plain } from "../model/value";
import { canonicalJson, plainEqual } from "../model/value";

/** Equality of two lists whose order and repetitions mean nothing: paths, addresses. */
export function sameSet(a: Plain, b: Plain): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return plainEqual(a, b);
  if (plainEqual(a, b)) return true;
  const left = new Set(a.map(canonicalJson));
  const right = new Set(b.map(canonicalJson));
  return left.size === right.size && [...left].every((item) => right.has(item));
}

/** Equality of two colors: upper and lower case are one. */
export const sameColor = (a: Plain, b: Plain): boolean =>
  typeof a === "string" && typeof b === "string" ? a.toLowerCase() === b.toLowerCase() : plainEqual(a, b);

/** Equality of two repository URLs: trailing slash, `.git` and the case of scheme and host do not count. */
export function sameRepository(a: Plain, b: Plain): boolean {
  return typeof a === "string" && typeof b === "string"
    ? plainRepository(a) === plainRepository(b)
    : plainEqual(a, b);
}

function plainRepository(url: string): string {
  const bare = url
    .trim()
    .replace(/\/+$/, "")
    .replace(/\.git$/, "");
  const parts = /^([a-z][a-z0-9+.-]*:\/\/)?((?:[^/@]*@)?)([^/:@]+)([:/].*)?$/i.exec(bare);
  if (parts === null) return bare;
  const [, scheme = "", user = "", host = "", rest = ""] = parts;
  // Without a scheme or a user it is no address but a bare path, where case counts.
  return scheme === "" && user === "" ? bare : scheme.toLowerCase() + user + host.toLowerCase() + rest;
}
