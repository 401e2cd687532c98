import type { ById } from "../api/reads";
import { joinHints } from "../diagnostics/suggest";
import { canonicalId } from "../model/address";
import type { LiveResource, ReadResult } from "../model/live";
import type { CreateInput, Finding, ReadTarget, UpdateInput } from "../model/resource-operations";
import { canonicalJson, type Plain, plainEqual } from "../model/value";

/** A computed attribute that moves by itself, as with deployments and checks of health. */
export const moving = { stable: false, movesByItself: true } as const;

/** Returns the text at a path; undefined for null and for values that are not known yet. */
export function textAt(
  attributes: Pick<ReadonlyMap<string, unknown>, "get">,
  path: string,
): string | undefined {
  const value = attributes.get(path);
  return typeof value === "string" ? value : undefined;
}

/** Returns a warning about a value that is sent as it is written. */
export const doubtful = (attribute: string, summary: string, hint?: string): Finding => ({
  code: "manifest.unknown_value",
  attribute,
  summary,
  isWarning: true,
  hint: joinHints(hint, "it is sent as it is written"),
});

/** Warns of a name that cannot be read or typed. */
export function checkName(declared: Parameters<typeof textAt>[0], attribute: string): readonly Finding[] {
  const name = textAt(declared, attribute) ?? attribute;
  const isShown = /[^\p{Z}\p{Cc}\p{Cf}]/u.test(name);
  if (isShown && !/\p{Cc}/u.test(name)) return [];
  const fault = isShown ? "holds control characters" : "shows nothing";
  return [doubtful(attribute, `the ${attribute} ${JSON.stringify(name)} ${fault}`)];
}

export function foundAmong(
  [live, ...others]: readonly LiveResource[],
  missing: ReadResult = { kind: "absent" },
): ReadResult {
  if (live === undefined) return missing;
  if (others.length === 0) return { kind: "found", live };
  return { kind: "ambiguous", ids: [live, ...others].map(({ id }) => id) };
}

/** Returns attributes without those that the service left out or reported as null. */
export function present(fields: Readonly<Record<string, Plain | undefined>>): Map<string, Plain> {
  const isShown = (field: [string, Plain | undefined]): field is [string, Plain] =>
    (field[1] ?? null) !== null;
  return new Map(Object.entries(fields).filter(isShown));
}

/** Returns the id of the parent that a write names, else of the live parent. */
export function parentIdOf(input: CreateInput | UpdateInput, attribute: string): string {
  const id = textAt(input.attributes, attribute) ?? ("live" in input ? input.live?.parentId : undefined);
  if (id == null) throw new Error(`${input.address} has no ${attribute}`);
  return id;
}

/** Reads the parent of a resource. Without it the resource is missing: the service deletes the two together. */
export async function parentRecord<T>(
  { id, declared, parentId, parentIsLive }: ReadTarget,
  attribute: string,
  ask: (id: string) => Promise<ById<T>>,
) {
  const missing = { kind: id === undefined ? ("absent" as const) : ("gone" as const) };
  const known = declared.get(attribute) ?? parentId;
  if (typeof known !== "string") return missing;
  const read = await ask(known);
  if (read.kind === "unreadable") return { kind: "unchecked" as const, reason: read.reason };
  // A failed deletion is still shown, while the parent was found in this run.
  const record = read.kind === "found" ? read.value : parentIsLive ? read.deleting : undefined;
  return record === undefined ? missing : { kind: "found" as const, id: known, record, missing };
}

/** Equality of two lists whose order and repetitions mean nothing: paths, addresses. */
export function sameSet(a: Plain, b: Plain): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return plainEqual(a, b);
  const left = new Set(a.map(canonicalJson));
  const right = new Set(b.map(canonicalJson));
  return left.size === right.size && [...left].every((item) => right.has(item));
}

const sameIn =
  (formOf: (text: string) => string) =>
  (a: Plain, b: Plain): boolean =>
    typeof a === "string" && typeof b === "string" ? formOf(a) === formOf(b) : plainEqual(a, b);

export const sameColor = sameIn((color) => color.toLowerCase());

export const sameId = sameIn(canonicalId);

/** Equality of two texts without outer spaces and line ends. */
export const sameText = sameIn((text) => text.trim());

/** Equality of two directories without a trailing slash. */
export const sameDirectory = sameIn((path) => path.trim().replace(/(?<=.)\/+$/, ""));

/** Equality of two repository URLs: trailing slash, `.git` and the case of scheme and host do not count. */
export const sameRepository = sameIn(plainRepository);

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
