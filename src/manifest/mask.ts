import { suggest } from "../diagnostics/suggest";
import { parseTemplate, type SourceNode } from "./tree";
import {
  besideCommand,
  isFreeKey,
  metaKeys,
  type PlacedType,
  sensitiveKey,
  sharingKeys,
  sourceKeys,
  type TypeIndex,
} from "./type-index";

/** The text of a file for code frames. Without a tree it could not be read, and with `failed` not as a whole. */
export function maskText(
  text: string,
  { root, failed }: { readonly root?: SourceNode; readonly failed: boolean },
  index: TypeIndex,
): string {
  const shown = root === undefined ? text : maskSecrets(text, root, index);
  return failed ? maskBroken(shown, index) : shown;
}

/**
 * The text of a file for code frames: every literal secret starred out, offsets and lines as they were. It goes by
 * keys alone, wherever they stand, and takes near misses (`variabels`) for secret too.
 */
function maskSecrets(text: string, root: SourceNode, index: TypeIndex): string {
  const words = secretWords(index);
  const ranges: [number, number][] = [];
  const seen = new Set<SourceNode>();
  const free: SourceNode[] = [];
  const visit = (node: SourceNode): void => {
    if (seen.has(node)) return;
    seen.add(node);
    if (node.kind === "scalar") return;
    if (node.kind === "list") {
      for (const item of node.items) visit(item);
      return;
    }
    node.entries.forEach(({ value }, key) => {
      if (isFreeKey(key)) free.push(value);
      else if (isSecretKey(key, words) || (value.kind !== "scalar" && words.blocks.has(key.toLowerCase())))
        maskBelow(value, text, words, index, ranges);
      else visit(value);
    });
  };
  visit(root);
  if (root.kind === "map") maskAddresses(root.entries.get("stages")?.value, text, ranges);
  // What an alias takes to an open place may be shown; what the rest is for is unknown.
  for (const node of free) maskBelow(node, text, words, index, ranges, seen);
  return star(text, ranges);
}

/** Stars out what may be a credential in addresses of states: a user with a password, and a query. */
function maskAddresses(node: SourceNode | undefined, text: string, ranges: [number, number][]): void {
  const seen = new Set<SourceNode>();
  const visit = (at: SourceNode): void => {
    if (seen.has(at)) return;
    seen.add(at);
    if (at.kind === "list") for (const item of at.items) visit(item);
    else if (at.kind === "map") for (const { value } of at.entries.values()) visit(value);
    else {
      const { start, end } = at.range;
      for (const [from, to] of credentialsIn(text.slice(start, end))) ranges.push([start + from, start + to]);
    }
  };
  if (node !== undefined) visit(node);
}

/** Offsets of a user with a password, and of a query, in text that holds an address. */
function credentialsIn(text: string): [number, number][] {
  const at = text.indexOf("://");
  if (at === -1) return [];
  const rest = text.slice(at + 3);
  const user = /^[^/?#\s]*@/.exec(rest)?.[0] ?? "";
  const query = rest.indexOf("?");
  return [
    ...(user === "" ? [] : ([[at + 3, at + 2 + user.length]] as [number, number][])),
    ...(query === -1 ? [] : ([[at + 4 + query, text.length]] as [number, number][])),
  ];
}

interface SecretWords {
  /** `variables`, `value`: below them everything is secret unless a word of `open` says otherwise. */
  readonly secret: ReadonlySet<string>;
  /** Words that people write for these, in lower case: a mapping or a list below them is taken for secret. */
  readonly blocks: ReadonlySet<string>;
  /** Keys whose values are no secrets. */
  readonly open: ReadonlySet<string>;
  readonly near: Map<string, boolean>;
}

function secretWords(index: TypeIndex): SecretWords {
  const secret = new Set<string>();
  const blocks = new Set<string>();
  const open = new Set<string>([...metaKeys, ...sourceKeys, sensitiveKey]);
  for (const placed of index.byType.values()) {
    const shapes = [...placed.attributes];
    if (!shapes.some(([, shape]) => shape.secret)) continue;
    if (placed.shorthand?.secret === true) {
      secret.add(placed.place.key);
      if (placed.place.shared !== undefined) secret.add(placed.place.shared.groups);
      for (const word of placed.place.alsoCalled ?? []) blocks.add(word.toLowerCase());
    }
    for (const [key, shape] of shapes) (shape.secret ? secret : open).add(key);
  }
  return { secret, blocks, open, near: knownWords(index) };
}

/** Known words are never near misses of others. */
function knownWords(index: TypeIndex): Map<string, boolean> {
  const near = new Map<string, boolean>();
  const add = (placed: PlacedType): void => {
    const { attributes, groups, place } = placed;
    for (const key of [...attributes.keys(), ...groups.keys(), place.key, ...sharingKeys(placed)])
      near.set(key, false);
    for (const group of placed.groups.values()) for (const key of group.keys()) near.set(key, false);
  };
  for (const placed of index.byType.values()) add(placed);
  return near;
}

function isSecretKey(key: string, words: SecretWords): boolean {
  if (words.secret.has(key)) return true;
  const known = words.near.get(key);
  if (known !== undefined) return known;
  const near = key.length <= 64 && suggest(key, words.secret) !== undefined;
  words.near.set(key, near);
  return near;
}

function maskBelow(
  node: SourceNode,
  text: string,
  words: SecretWords,
  index: TypeIndex,
  ranges: [number, number][],
  shown?: ReadonlySet<SourceNode>,
): void {
  const seen = new Set<SourceNode>();
  const visit = (at: SourceNode): void => {
    if (seen.has(at) || shown?.has(at)) return;
    seen.add(at);
    if (at.kind === "list") for (const item of at.items) visit(item);
    else if (at.kind === "scalar") maskScalar(at, text, index, ranges);
    else
      for (const { key, value } of at.entries.values()) {
        if (key === "fromCommand" && value.kind === "list")
          for (const item of value.items.slice(1)) visit(item);
        // Names of variables and places, which a message points at.
        else if (besideCommand.includes(key) && at.entries.has("fromCommand")) continue;
        else if (!words.open.has(key) || value.kind === "list") visit(value);
      }
  };
  visit(node);
}

/** References stay readable: they are names, and a mistake in one is shown. */
function maskScalar(
  node: Extract<SourceNode, { kind: "scalar" }>,
  text: string,
  index: TypeIndex,
  ranges: [number, number][],
): void {
  const { start, end } = node.range;
  let from = start;
  if (typeof node.value === "string") {
    for (const part of parseTemplate(node.value, (word) => index.byType.has(word))) {
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
      // Indentation stays: `maskBroken` goes by it.
      text
        .slice(Math.max(at, start), end)
        .replace(/^[ \t]+|[^\r\n]/gm, (found) => (found.trim() === "" ? found : "*")),
    );
    at = end;
  }
  pieces.push(text.slice(at));
  return pieces.join("");
}

/**
 * The text of a file that does not parse, by lines: everything after a key that opens secrets is starred out, down
 * to the next line that is not deeper. A quote left open may swallow what follows: then nothing more is shown.
 */
function maskBroken(text: string, index: TypeIndex): string {
  const words = secretWords(index);
  let depth = -1;
  return text
    .split("\n")
    .map((line) => {
      const indent = line.search(/[^ \t\r]/);
      // How deep a tab goes is anyone's guess, and often the very mistake.
      const isDeeper = indent === -1 || indent > depth || /^ *\t/.test(line);
      let shown = depth === Number.NEGATIVE_INFINITY || (depth !== -1 && isDeeper) ? 0 : -1;
      if (shown === -1) {
        shown = secretStart(line, words);
        depth = shown === -1 ? -1 : indent;
      }
      if (shown === -1) return /\bstate["']?[ \t]*:/.test(line) ? star(line, credentialsIn(line)) : line;
      const hidden = line.slice(shown);
      if (isOdd(hidden, '"') || isOdd(hidden, "'")) depth = Number.NEGATIVE_INFINITY;
      return line.slice(0, shown) + hidden.replace(/[^\r]/g, "*");
    })
    .join("\n");
}

const isOdd = (text: string, quote: string): boolean => text.split(quote).length % 2 === 0;

const opensSecrets = (key: string, rest: string, words: SecretWords): boolean =>
  isSecretKey(key, words) ||
  isFreeKey(key) ||
  (words.blocks.has(key.toLowerCase()) && /^[ \t]*(?:[\r#{[&|>]|$)/.test(rest));

/** Where the secrets of a line begin; -1 when no key of it opens any. */
function secretStart(line: string, words: SecretWords): number {
  // From the start of a word only: from each of its letters, a long word without a colon takes the square of its length.
  for (const found of line.matchAll(/(?<![A-Za-z0-9_-])["']?([A-Za-z0-9_-]+)["']?[ \t]*:/g))
    if (opensSecrets(found[1] as string, line.slice(found.index + found[0].length), words))
      return found.index + found[0].length;
  return -1;
}
