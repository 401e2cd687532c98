import type { SourceRange } from "../diagnostics/diagnostic";
import { isLogicalName } from "../model/address";
import type { AbsentParts } from "../model/desired";
import type { Plain } from "../model/value";
import { holdsSecret } from "./secret-texts";

/** A YAML value with its range. Mappings are Maps, so that no key can reach a prototype. */
export type SourceNode = ScalarNode | ListNode | MapNode;

interface MarkedNode {
  /** It comes from a secret and may stand in secret attributes only. */
  readonly isSensitive?: true;
}

export interface ScalarNode extends MarkedNode {
  readonly kind: "scalar";
  readonly value: null | boolean | number | string;
  /** Text that is split already, by another syntax than that of a manifest; `value` then only tells its kind. */
  readonly parts?: readonly TemplatePart[];
  readonly source?: "dotenv";
  readonly range: SourceRange;
}

export interface ListNode extends MarkedNode {
  readonly kind: "list";
  readonly items: readonly SourceNode[];
  readonly range: SourceRange;
}

export interface MapEntry {
  readonly key: string;
  readonly keyRange: SourceRange;
  readonly value: SourceNode;
  /** A null that has removed the value of this key in an earlier file. */
  readonly hasRemoved?: true;
  /** The groups and files that bring it, as written. */
  readonly from?: string;
}

export interface MapNode extends MarkedNode {
  readonly kind: "map";
  readonly entries: ReadonlyMap<string, MapEntry>;
  readonly absent?: AbsentParts | undefined;
  readonly range: SourceRange;
}

export const scalarNode = (value: ScalarNode["value"], range: SourceRange): ScalarNode => ({
  kind: "scalar",
  value,
  range,
});

export const listNode = (items: readonly SourceNode[], range: SourceRange): ListNode => ({
  kind: "list",
  items,
  range,
});

/** A mapping whose keys are at the ranges of their values, unless an entry says where its key is. */
export const mapNode = (
  entries: Iterable<readonly [key: string, value: SourceNode, keyRange?: SourceRange]>,
  range: SourceRange,
): MapNode => ({
  kind: "map",
  entries: new Map([...entries].map(([key, value, keyRange]) => [key, entryNode(key, value, keyRange)])),
  range,
});

export const entryNode = (key: string, value: SourceNode, keyRange = value.range): MapEntry => ({
  key,
  keyRange,
  value,
});

/** The entries of a mapping; none of any other value. */
export const entriesIn = (node: SourceNode | undefined): MapNode["entries"] =>
  node?.kind === "map" ? node.entries : noEntries;

const noEntries: MapNode["entries"] = new Map();

export const isNull = (node: SourceNode): boolean => node.kind === "scalar" && node.value === null;

/** The mapping with its values changed; the same node where nothing changes. */
export function mapValues(node: MapNode, change: (value: SourceNode, key: string) => SourceNode): MapNode {
  let entries: Map<string, MapEntry> | undefined;
  for (const [key, entry] of node.entries) {
    const value = change(entry.value, key);
    if (value === entry.value) continue;
    entries ??= new Map(node.entries);
    entries.set(key, { ...entry, value });
  }
  return entries === undefined ? node : { ...node, entries };
}

/** Describes a value that was found in place of another: `a mapping`, `the number 3`. Never used for secrets. */
export function describeNode(node: SourceNode): string {
  if (node.kind !== "scalar" || node.value === null) return describeKind(node);
  if (typeof node.value === "string") return `the text ${quoteShort(node.value)}`;
  return typeof node.value === "number" ? `the number ${node.value}` : String(node.value);
}

export function describeKind(node: SourceNode): string {
  if (node.kind !== "scalar") return node.kind === "map" ? "a mapping" : "a list";
  if (node.value === null) return "nothing";
  if (typeof node.value === "string") return "text";
  return typeof node.value === "number" ? "a number" : "true or false";
}

/** The tree as plain data, as far as `keeps` says yes to its keys. */
export function plainOfNode(node: SourceNode, keeps: (key: string) => boolean): Plain {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map((item) => plainOfNode(item, keeps));
  return Object.fromEntries(
    [...node.entries.values()]
      .filter(({ key }) => keeps(key))
      .map(({ key, value }) => [key, plainOfNode(value, keeps)]),
  );
}

const shownLength = 80;

/** Quotes a text for a message, unless it holds a secret. */
export const quoteShort = (text: string): string =>
  JSON.stringify(
    holdsSecret(text) ? "…" : text.length > shownLength ? `${text.slice(0, shownLength)}…` : text,
  );

interface SourceText {
  readonly source: string;
  /** Its range in a stack; in a manifest it has that of the whole text. */
  readonly range?: SourceRange;
}

export interface EnvironmentPart {
  readonly kind: "env";
  readonly name: string;
  /** It may be a part of a password that holds a `$`: no message shows it while no such variable is set. */
  readonly isGuess?: true;
  /** Stands in for a variable that is unset or empty. */
  readonly fallback?: string;
  readonly mayBeEmpty?: true;
}

type ReferencePart = { readonly kind: "reference"; readonly segments: readonly string[] } & SourceText;

/** A part that is known only later: an attribute of another resource, or a text of the environment that is a secret. */
export type AwaitedPart = (EnvironmentPart & SourceText) | ReferencePart;

export type TemplatePart =
  | { readonly kind: "text"; readonly text: string }
  | AwaitedPart
  /** The result of functions of a stack, as a whole value. */
  | ({
      readonly kind: "computed";
      readonly awaits: readonly AwaitedPart[];
      /** Takes the values of `awaits` in their order. Throws `DiagnosticsError`. */
      readonly compute: (values: readonly Plain[]) => Plain;
    } & SourceText)
  /** Neither; `source` may be part of a secret. */
  | { readonly kind: "invalid"; readonly source: string };

const environmentExpression = /^env\.([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

/** Splits text at `${…}`; `$${` is a literal `${`. `isType` tells which words may open a reference. */
export function parseTemplate(text: string, isType: (word: string) => boolean): readonly TemplatePart[] {
  if (!text.includes("${")) return [{ kind: "text", text }];
  const parts: TemplatePart[] = [];
  let literal = "";
  for (const [piece] of text.matchAll(/\$\$\{|\$\{[^}]*\}?|[^$]+|\$/g)) {
    if (!piece.startsWith("${")) {
      literal += piece === "$${" ? "${" : piece;
      continue;
    }
    if (literal !== "") parts.push({ kind: "text", text: literal });
    literal = "";
    parts.push(expressionPart(piece, isType));
  }
  if (literal !== "" || parts.length === 0) parts.push({ kind: "text", text: literal });
  return parts;
}

function expressionPart(source: string, isType: (word: string) => boolean): TemplatePart {
  if (!source.endsWith("}")) return { kind: "invalid", source };
  const expression = source.slice(2, -1).trim();
  const [, name, fallback] = environmentExpression.exec(expression) ?? [];
  if (name !== undefined && !mayHoldReferences(fallback)) return { kind: "env", name, fallback, source };
  const segments = expression.split(".");
  const isReference = segments.length >= 3 && isType(segments[0] as string) && segments.every(isLogicalName);
  return isReference ? { kind: "reference", segments, source } : { kind: "invalid", source };
}

/** Text that reads back as itself: the inverse of the `$${` escape. */
export const escapeTemplate = (text: string): string => text.replaceAll("${", () => "$${");

export const mayHoldReferences = (value: unknown): boolean =>
  typeof value === "string" && value.includes("${");

export const partsOf = (node: MapNode | ListNode): readonly (readonly [key: string, part: SourceNode])[] =>
  node.kind === "list"
    ? node.items.map((item, i) => [String(i), item])
    : [...node.entries.values()].map(({ key, value }) => [key, value]);
