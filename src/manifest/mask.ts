import { suggest } from "../diagnostics/suggest";
import { type MapEntry, type MapNode, parseTemplate, type ScalarNode, type SourceNode } from "./tree";
import {
  type AttributeShape,
  besideCommand,
  blockKeys,
  holdsOthers,
  isFreeKey,
  ownKeys,
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
  /** Keys of blocks by type. */
  readonly keys: Map<PlacedType, ReadonlySet<string>>;
  readonly opensSecrets: ReturnType<typeof secretKeys>;
}

/** Marks the scalars of a manifest; those below free keys are in neither set. */
export function markSecrets(root: MapNode, index: TypeIndex): Marks {
  const marks: Marks = {
    ...{ shown: new Set(), hidden: new Set(), free: new Set(), keys: new Map() },
    opensSecrets: secretKeys(index),
  };
  for (const [key, entry] of root.entries) {
    const { value } = entry;
    const placed = index.root.get(key);
    const shared = index.shared.get(key);
    if (placed !== undefined) markPlace(value, placed, marks);
    else if (shared !== undefined)
      for (const group of valuesOf(value)) for (const one of valuesOf(group)) markBlock(one, shared, marks);
    else if (ownKeys.includes(key)) eachScalar(value, (scalar) => marks.shown.add(scalar));
    else markUnknown(entry, marks);
  }
  return marks;
}

/** Marks what is below a key that a block does not have: it may be a near miss of one that holds secrets. */
function markUnknown(entry: MapEntry, marks: Marks): void {
  const { key, value } = entry;
  const visit = (node: SourceNode): void => {
    if (node.kind === "scalar") marks.shown.add(node);
    else if (node.kind === "list") node.items.forEach(visit);
    else for (const inner of node.entries.values()) markUnknown(inner, marks);
  };
  if (isFreeKey(key)) marks.free.add(entry);
  else if (marks.opensSecrets(key, value.kind !== "scalar"))
    eachScalar(value, (scalar) => marks.hidden.add(scalar));
  else visit(value);
}

/** Stars out every value but those at places that hold no secret; offsets and lines stay as they were. */
function maskTree(text: string, root: MapNode, index: TypeIndex): string {
  const { shown, hidden } = markSecrets(root, index);
  const stages = root.entries.get("stages")?.value;
  const ranges: [number, number][] = [];
  eachScalar(root, (scalar) => {
    if (!shown.has(scalar) || hidden.has(scalar)) hideScalar(scalar, text, index, ranges);
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

function markPlace(node: SourceNode, placed: PlacedType, marks: Marks): void {
  if (placed.place.shape === "single") markBlock(node, placed, marks);
  else for (const block of valuesOf(node)) markBlock(block, placed, marks);
}

function markBlock(node: SourceNode, placed: PlacedType, marks: Marks): void {
  const show = (value: SourceNode): void => eachScalar(value, (scalar) => marks.shown.add(scalar));
  const hide = (value: SourceNode): void => eachScalar(value, (scalar) => marks.hidden.add(scalar));
  const { shorthand, children, groups, attributes } = placed;
  if (node.kind !== "map") {
    if (shorthand?.secret === true) hide(node);
    else show(node);
    return;
  }
  const beside = shorthand?.secret === true ? besideCommand : [];
  const known = marks.keys.get(placed) ?? new Set([...blockKeys(placed), ...beside]);
  marks.keys.set(placed, known);
  const sensitive = node.entries.get(sensitiveKey)?.value;
  const isOpen = sensitive?.kind === "scalar" && sensitive.value === false;
  for (const [key, entry] of node.entries) {
    const { value } = entry;
    const child = children.get(key);
    const group = groups.get(key);
    if (child !== undefined) markPlace(value, child, marks);
    else if (group !== undefined && value.kind === "map") {
      for (const [field, inner] of value.entries)
        if (group.has(field)) show(inner.value);
        else markUnknown(inner, marks);
    } else if (!known.has(key)) markUnknown(entry, marks);
    else if (attributes.get(key)?.secret === true && !isOpen) hide(value);
    else if (key === "fromCommand" && value.kind === "list") {
      value.items.slice(0, 1).forEach(show);
      value.items.slice(1).forEach(hide);
    } else if (mayShow(attributes.get(key), value)) show(value);
  }
}

/** Returns false for a mapping or a list in an attribute that takes none: another key was meant. */
const mayShow = (attribute: AttributeShape | undefined, value: SourceNode): boolean =>
  attribute === undefined || value.kind === "scalar" || holdsOthers(attribute.schema);

/** Hides a scalar but for its references: they are names, and a mistake in one is shown. */
function hideScalar(
  { range: { start, end }, value }: ScalarNode,
  text: string,
  index: TypeIndex,
  ranges: [number, number][],
): void {
  let from = start;
  if (typeof value === "string") {
    for (const part of parseTemplate(value, (word) => index.byType.has(word))) {
      if (part.kind !== "reference" && part.kind !== "env") continue;
      const at = text.indexOf(part.source, from);
      // Hidden by an escape, as others after it may be: to look for each would read the text once for each of them.
      if (at === -1 || at >= end) break;
      ranges.push([from, at]);
      from = at + part.source.length;
    }
  }
  ranges.push([from, end]);
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
  const types = [...index.byType.values()].filter(({ shorthand }) => shorthand?.secret === true);
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
