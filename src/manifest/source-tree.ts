import type { SourceRange } from "../diagnostics/diagnostic";
import type { TemplatePart } from "./template";

/** A YAML value with its place. Mappings are Maps, so that no key can reach a prototype. */
export type SourceNode = ScalarNode | ListNode | MapNode;

/** What a stack says besides the value. */
interface Marked {
  /** It comes from a secret and may stand in secret attributes only. */
  readonly isSensitive?: true;
}

export interface ScalarNode extends Marked {
  readonly kind: "scalar";
  readonly value: null | boolean | number | string;
  /** Text that is split already, by another syntax than that of a manifest; `value` then only tells its kind. */
  readonly parts?: readonly TemplatePart[];
  readonly range: SourceRange;
}

export interface ListNode extends Marked {
  readonly kind: "list";
  readonly items: readonly SourceNode[];
  readonly range: SourceRange;
}

export interface MapEntry {
  readonly key: string;
  readonly keyRange: SourceRange;
  readonly value: SourceNode;
}

export interface MapNode extends Marked {
  readonly kind: "map";
  readonly entries: ReadonlyMap<string, MapEntry>;
  readonly range: SourceRange;
}

export const isNull = (node: SourceNode): boolean => node.kind === "scalar" && node.value === null;

/** `a mapping`, `the number 3`: what was found where something else was expected. Never used for secrets. */
export function describeNode(node: SourceNode): string {
  if (node.kind === "map") return "a mapping";
  if (node.kind === "list") return "a list";
  if (node.value === null) return "nothing";
  if (typeof node.value === "string") return `the text ${quoteShort(node.value)}`;
  return typeof node.value === "number" ? `the number ${node.value}` : String(node.value);
}

/** The kind of a value alone, for values that must not be shown. */
export function describeKind(node: SourceNode): string {
  if (node.kind === "map") return "a mapping";
  if (node.kind === "list") return "a list";
  if (node.value === null) return "nothing";
  if (typeof node.value === "string") return "text";
  return typeof node.value === "number" ? "a number" : "true or false";
}

const shownLength = 80;

/** Text in quotes, cut after 80 characters. */
export const quoteShort = (text: string): string =>
  JSON.stringify(text.length > shownLength ? `${text.slice(0, shownLength)}…` : text);
