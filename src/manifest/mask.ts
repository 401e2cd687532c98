import { suggest } from "../diagnostics/suggest";
import type { MapEntry, MapNode, ScalarNode, SourceNode } from "./tree";
import {
  besideCommand,
  blockKeys,
  isFreeKey,
  type PlacedType,
  sensitiveKey,
  type TypeIndex,
} from "./type-index";

/** The text of a file for code frames. Without a tree it could not be read, and with `failed` not as a whole. */
export const maskText = (
  text: string,
  { root, failed }: { readonly root?: MapNode; readonly failed: boolean },
  index: TypeIndex,
): string => {
  const shown = root === undefined ? text : maskTree(text, root, index);
  return failed ? maskBroken(shown, index) : shown;
};

/** What a manifest holds at which places. Where an alias takes a scalar to several, it may be in both sets. */
export interface Marks {
  /** Scalars at places that hold no secret. */
  readonly shown: Set<SourceNode>;
  /** Scalars at places of secrets. */
  readonly hidden: Set<SourceNode>;
  /** Entries with a free key. */
  readonly free: Set<MapEntry>;
}

/** Marks the scalars of a manifest by the keys above them; those below free keys are in neither set. */
export function markSecrets(root: MapNode, index: TypeIndex): Marks {
  const marks: Marks = { shown: new Set(), hidden: new Set(), free: new Set() };
  const types = [...index.byType.values()];
  const opensSecrets = secretKeys(index);
  const openKeys = new Set(types.filter(isSecretType).flatMap(keysWithoutSecret));
  const opensNames = new Set(
    types.filter(({ place }) => place.shape === "map").map(({ place }) => place.key),
  );
  const visit = (node: SourceNode, areNames: boolean): void => {
    if (node.kind === "scalar") marks.shown.add(node);
    else if (node.kind === "list") for (const item of node.items) visit(item, false);
    else
      for (const [key, entry] of node.entries) {
        const { value } = entry;
        if (areNames) visit(value, false);
        else if (isFreeKey(key)) marks.free.add(entry);
        else if (index.shared.has(key))
          for (const group of valuesOf(value)) markSecretsIn(group, openKeys, marks);
        else if (opensSecrets(key, value.kind !== "scalar")) markSecretsIn(value, openKeys, marks);
        else visit(value, opensNames.has(key));
      }
  };
  visit(root, false);
  return marks;
}

const isSecretType = ({ shorthand }: PlacedType): boolean => shorthand?.secret === true;

/** Keys of a block of one secret below which is no secret. */
const keysWithoutSecret = (placed: PlacedType): readonly string[] =>
  [...blockKeys(placed), ...besideCommand].filter((key) => placed.attributes.get(key)?.secret !== true);

/** Marks a mapping of names to secrets, each a text or a block, or a value in place of that mapping. */
function markSecretsIn(node: SourceNode, openKeys: ReadonlySet<string>, { shown, hidden }: Marks): void {
  const show = (value: SourceNode): void => eachScalar(value, (scalar) => shown.add(scalar));
  const hide = (value: SourceNode): void => eachScalar(value, (scalar) => hidden.add(scalar));
  for (const secret of valuesOf(node)) {
    if (secret.kind !== "map") {
      hide(secret);
      continue;
    }
    const sensitive = secret.entries.get(sensitiveKey)?.value;
    const isOpen = sensitive?.kind === "scalar" && sensitive.value === false;
    for (const [key, { value }] of secret.entries) {
      const isCommand = key === "fromCommand" && value.kind === "list";
      for (const [i, part] of (isCommand ? value.items : [value]).entries())
        if (openKeys.has(key) ? !isCommand || i === 0 : isOpen) show(part);
        else hide(part);
    }
  }
}

/** Stars out every value but those at places that hold no secret; offsets and lines stay as they were. */
function maskTree(text: string, root: MapNode, index: TypeIndex): string {
  const { shown, hidden } = markSecrets(root, index);
  const stages = root.entries.get("stages")?.value;
  const ranges: [number, number][] = [];
  eachScalar(root, (scalar) => {
    if (!shown.has(scalar) || hidden.has(scalar)) ranges.push([scalar.range.start, scalar.range.end]);
  });
  // Addresses of states may hold a user with a password, or a token in a query.
  for (const stage of stages === undefined ? [] : valuesOf(stages)) {
    const state = stage.kind === "map" ? stage.entries.get("state")?.value : undefined;
    if (state?.kind === "scalar" && /[@?]/.test(String(state.value)))
      ranges.push([state.range.start, state.range.end]);
  }
  return star(text, ranges);
}

const valuesOf = (node: SourceNode): readonly SourceNode[] =>
  node.kind === "map" ? [...node.entries.values()].map(({ value }) => value) : [node];

function eachScalar(node: SourceNode, visit: (scalar: ScalarNode) => void): void {
  if (node.kind === "scalar") visit(node);
  else if (node.kind === "list") for (const item of node.items) eachScalar(item, visit);
  else for (const { value } of node.entries.values()) eachScalar(value, visit);
}

export function star(text: string, ranges: readonly (readonly [number, number])[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    if (end <= at) continue;
    pieces.push(
      text.slice(at, Math.max(at, start)),
      // Blanks stay, as does indentation.
      text
        .slice(Math.max(at, start), end)
        .replace(/^[ \t]+|[^\r\n]/gm, (found) => (found.trim() === "" ? found : "*")),
    );
    at = end;
  }
  pieces.push(text.slice(at));
  return pieces.join("");
}

/** Returns true for a key below which a secret may be; `isBlock`: it opens a mapping or a list. */
function secretKeys(index: TypeIndex): (key: string, isBlock: boolean) => boolean {
  const types = [...index.byType.values()].filter(isSecretType);
  const secret = types.flatMap(({ place, shorthand }) =>
    [place.key, place.shared?.groups, shorthand?.path].filter((key) => key !== undefined),
  );
  const alsoCalled = types.flatMap(({ place }) => place.alsoCalled ?? []).map((word) => word.toLowerCase());
  // Known words are no near misses of others.
  const known = [...index.byType.values()].flatMap((placed) => [
    ...blockKeys(placed),
    ...[...placed.groups.values()].flatMap((group) => [...group.keys()]),
  ]);
  const found = new Map(known.map((key) => [key, secret.includes(key)]));
  return (key, isBlock) => {
    const isSecret = found.get(key) ?? (key.length <= 64 && suggest(key, secret) !== undefined);
    found.set(key, isSecret);
    return isSecret || isFreeKey(key) || (isBlock && alsoCalled.includes(key.toLowerCase()));
  };
}

const opensBlock = /^[ \t]*(?:[\r#{[&|>]|$)/;

/** A key anywhere in a line, looked for from the start of a word only: a long word without a colon is read once. */
const keyInLine = /(?<![A-Za-z0-9_-])["']?([A-Za-z0-9_-]+)["']?[ \t]*:/g;

/**
 * Stars out a text that does not parse by its lines: all that follows a key that opens secrets, down to the next line
 * that is not deeper. A quote left open may take in what follows: then nothing more is shown.
 */
function maskBroken(text: string, index: TypeIndex): string {
  const opensSecrets = secretKeys(index);
  const hide = (part: string): string => part.replace(/[^\r]/g, "*");
  /** Indentation of the key that opened secrets; nothing is open at infinity. */
  let depth = Number.POSITIVE_INFINITY;
  const maskLine = (line: string): string => {
    const indent = line.search(/[^ \t\r]/);
    // How deep a tab goes is unknown, and often the very mistake.
    const isDeeper = depth < Number.POSITIVE_INFINITY && (indent === -1 || /^ *\t/.test(line));
    if (indent > depth || isDeeper || depth === Number.NEGATIVE_INFINITY) return closeQuotes(line, 0);
    const start = [...line.matchAll(keyInLine)]
      .map((found) => ({ key: found[1] as string, end: found.index + found[0].length }))
      .find(({ key, end }) => opensSecrets(key, opensBlock.test(line.slice(end))))?.end;
    depth = start === undefined ? Number.POSITIVE_INFINITY : indent;
    if (start !== undefined) return closeQuotes(line, start);
    return line.replace(
      /(\bstate["']?[ \t]*:)(.*[@?].*)/,
      (_, key: string, rest: string) => key + hide(rest),
    );
  };
  const closeQuotes = (line: string, start: number): string => {
    const hidden = line.slice(start);
    if (['"', "'"].some((quote) => hidden.split(quote).length % 2 === 0)) depth = Number.NEGATIVE_INFINITY;
    return line.slice(0, start) + hide(hidden);
  };
  return text.split("\n").map(maskLine).join("\n");
}
