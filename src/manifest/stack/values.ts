import type { SourceRange } from "../../diagnostics/diagnostic";
import { canonicalJson, type Plain } from "../../model/value";
import type { MapEntry, ScalarNode, SourceNode, TemplatePart } from "../tree";
import { sourceKeys } from "../type-index";
import type { Json } from "./document";
import { StackProblem, unsupported } from "./stack";

/** The same node, marked as secret: it must not be shown. */
export const markSensitive = <Node extends SourceNode>(node: Node): Node => ({ ...node, isSensitive: true });

/** The same node, marked as secret when a node in it is. */
export const withMarkOf = <Node extends SourceNode>(inner: Iterable<SourceNode>, node: Node): Node =>
  [...inner].some(({ isSensitive }) => isSensitive) ? markSensitive(node) : node;

/** A list of nodes. */
export const listNode = (items: readonly SourceNode[], range: SourceRange): SourceNode =>
  withMarkOf(items, { kind: "list", items, range });

/** An object of nodes. */
export const mapNode = (entries: ReadonlyMap<string, MapEntry>, range: SourceRange): SourceNode =>
  withMarkOf(
    [...entries.values()].map(({ value }) => value),
    { kind: "map", entries, range },
  );

/** Text, of which nothing is a reference or an expression of a manifest. */
export const textNode = (text: string, range: SourceRange): ScalarNode => ({
  kind: "scalar",
  value: text,
  parts: [{ kind: "text", text }],
  range,
});

/** A reference to `segments`: an address, then an attribute. */
export const referenceNode = (
  segments: readonly string[],
  source: string,
  range: SourceRange,
): ScalarNode => ({
  kind: "scalar",
  value: source,
  parts: [{ kind: "reference", segments, source, range }],
  range,
});

/** Whether a part of a text is known only later: a reference, or the text of a secret. */
export const hasUnknownPart = (node: SourceNode): boolean =>
  node.kind === "scalar" && node.parts?.some(({ kind }) => kind !== "text") === true;

/** Whether a value that is no secret holds a reference. */
export function isMadeByApply(node: SourceNode): boolean {
  if (node.isSensitive) return false;
  if (node.kind === "list") return node.items.some(isMadeByApply);
  if (node.kind === "map") return [...node.entries.values()].some(({ value }) => isMadeByApply(value));
  return node.parts?.some(({ kind }) => kind === "reference") === true;
}

/** A known value as a node. */
export function plainNode(value: Plain, range: SourceRange): SourceNode {
  if (typeof value === "string") return textNode(value, range);
  if (value === null || typeof value !== "object") return { kind: "scalar", value, range };
  if (Array.isArray(value))
    return listNode(
      value.map((item: Plain) => plainNode(item, range)),
      range,
    );
  const entries = Object.entries(value).map(([key, inner]): [string, MapEntry] => [
    key,
    { key, keyRange: range, value: plainNode(inner, range) },
  ]);
  return mapNode(new Map(entries), range);
}

/** Joins nodes to a text, which is marked as secret when any of them is. */
export function joinNodes(nodes: readonly SourceNode[], separator: string, range: SourceRange): ScalarNode {
  const parts: TemplatePart[] = [];
  nodes.forEach((node, i) => {
    if (i > 0 && separator !== "") parts.push({ kind: "text", text: separator });
    for (const part of textParts(node)) parts.push(part);
  });
  const text = parts.map((part) => (part.kind === "text" ? part.text : part.source)).join("");
  return hidden(withMarkOf(nodes, { kind: "scalar", value: text, parts, range }));
}

/** A marked text without the copy of its parts that messages show. */
const hidden = (node: ScalarNode): ScalarNode => (node.isSensitive ? { ...node, value: "" } : node);

/** A value as parts of a text, as Terraform converts it. */
function textParts(node: SourceNode): readonly TemplatePart[] {
  if (node.kind === "scalar") {
    if (node.value === null)
      throw new StackProblem("manifest.invalid_value", "null cannot stand inside text");
    return node.parts ?? [{ kind: "text", text: String(node.value) }];
  }
  const [entry] = node.kind === "map" ? [...node.entries.values()] : [];
  if (entry === undefined || !sourceKeys.includes(entry.key))
    throw new StackProblem("manifest.invalid_type", "a list or an object cannot stand inside text");
  if (entry.key !== "fromEnv" || entry.value.kind !== "scalar")
    throw unsupported(`text around a secret that comes from ${entry.key}`);
  const name = String(entry.value.value);
  return [{ kind: "env", name, source: `\${env.${name}}`, range: node.range }];
}

/** A value without references and secrets whose text is still to come; throws `StackProblem` for one with them. */
function plainOf(node: SourceNode, purpose: string): Plain {
  if (node.kind === "list") return node.items.map((item) => plainOf(item, purpose));
  if (node.kind === "map")
    return Object.fromEntries(
      [...node.entries.values()].map(({ key, value }) => [key, plainOf(value, purpose)]),
    );
  if (typeof node.value !== "string") return node.value;
  return (node.parts ?? [{ kind: "text" as const, text: node.value }])
    .map((part) => {
      if (part.kind === "text") return part.text;
      throw unsupported(`${purpose} of a value that is not known while planning`);
    })
    .join("");
}

/** Calls one of the functions that the library writes for plain TypeScript. */
export function callFunction(name: string, args: readonly SourceNode[], range: SourceRange): SourceNode {
  const [first, ...others] = args;
  if (name === "sensitive" && first !== undefined && others.length === 0)
    return markSensitive({ ...first, range });
  if (name === "join" && first !== undefined && others.length > 0) {
    const items = others.flatMap((list) => {
      if (list.kind === "list") return list.items;
      throw new StackProblem("manifest.invalid_type", "join takes a separator and lists");
    });
    return hidden(withMarkOf(args, joinNodes(items, String(plainOf(first, "join")), range)));
  }
  if (name === "jsonencode" && first !== undefined && others.length === 0)
    return hidden(withMarkOf(args, textNode(jsonEncode(plainOf(first, "jsonencode")), range)));
  throw unsupported(`the function ${name}`);
}

/** JSON as Terraform's `jsonencode` writes it: sorted keys, no white space, HTML characters escaped. */
const jsonEncode = (value: Plain): string =>
  canonicalJson(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Text of the environment as a value of a variable's type; throws `StackProblem` for another text. */
export function valueOfType(text: string, type: string, origin: string): Json {
  if (type === "string" || type === "any") return text;
  if (type === "bool" && (text === "true" || text === "false")) return text === "true";
  if (type === "number" && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text)) return Number(text);
  if (type === "bool" || type === "number")
    throw new StackProblem("manifest.invalid_value", `${origin} is not a ${type}`);
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new StackProblem(
      "manifest.invalid_value",
      `${origin} does not hold JSON, as its type ${type} needs`,
    );
  }
}

/** A value of a variable in its type: a default of another simple type is converted, as Terraform does. */
export function convertNode(node: SourceNode, type: string): SourceNode {
  if (node.kind !== "scalar" || node.value === null) return node;
  const { value, range } = node;
  if (type === "string" && typeof value !== "string") return { ...node, value: String(value) };
  if ((type !== "number" && type !== "bool") || typeof value !== "string") return node;
  if (hasUnknownPart(node)) throw unsupported(`a reference in a variable of type ${type}`);
  const converted = valueOfType(value, type, "the default") as ScalarNode["value"];
  return { kind: "scalar", value: converted, range };
}
