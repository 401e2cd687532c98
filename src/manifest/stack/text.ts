import type { SourceRange } from "../../diagnostics/diagnostic";
import type { Plain } from "../../model/value";
import type { ScalarNode, SourceNode } from "../source-tree";
import type { TemplatePart } from "../template";
import { sourceKeys } from "../type-index";
import { StackProblem, unsupported } from "./stack";

/** The same node, marked as one that must not be shown. */
export const markSensitive = <Node extends SourceNode>(node: Node): Node => ({ ...node, isSensitive: true });

/** Nodes as one text; a mark of one of them is a mark of all. */
export function joinNodes(nodes: readonly SourceNode[], separator: string, range: SourceRange): ScalarNode {
  const parts: TemplatePart[] = [];
  nodes.forEach((node, i) => {
    if (i > 0 && separator !== "") parts.push({ kind: "text", text: separator });
    for (const part of textParts(node)) parts.push(part);
  });
  const isMarked = nodes.some((node) => node.isSensitive === true);
  const text = parts.map((part) => (part.kind === "text" ? part.text : part.source)).join("");
  const joined: ScalarNode = { kind: "scalar", value: isMarked ? "" : text, parts, range };
  return isMarked ? markSensitive(joined) : joined;
}

/** A value as parts of a text, as Terraform converts it. */
export function textParts(node: SourceNode): readonly TemplatePart[] {
  if (node.kind === "scalar") {
    if (node.value === null)
      throw new StackProblem("manifest.invalid_value", "null cannot stand inside text");
    return node.parts ?? [{ kind: "text", text: String(node.value) }];
  }
  const [entry] = node.kind === "map" ? [...node.entries.values()] : [];
  if (entry === undefined || !sourceKeys.includes(entry.key))
    throw new StackProblem("manifest.invalid_type", "a list or an object cannot stand inside text");
  if (entry.key !== "fromEnv" || entry.value.kind !== "scalar")
    throw unsupported(
      `text around a secret that comes ${entry.key === "generate" ? "from generate" : `from ${entry.key}`}`,
    );
  const name = String(entry.value.value);
  return [{ kind: "env", name, source: `\${env.${name}}`, range: node.range }];
}

/** A value without references and secrets whose text is still to come. */
export function plainOf(node: SourceNode, purpose: string): Plain {
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

/** The functions that the library writes for plain TypeScript. */
export function callFunction(name: string, args: readonly SourceNode[], range: SourceRange): SourceNode {
  const [first, ...others] = args;
  if (name === "sensitive" && first !== undefined && others.length === 0)
    return markSensitive({ ...first, range });
  if (name === "join" && first !== undefined && others.length > 0) {
    const items = others.flatMap((list) => {
      if (list.kind === "list") return list.items;
      throw new StackProblem("manifest.invalid_type", "join takes a separator and lists");
    });
    const joined = joinNodes(items, String(plainOf(first, "join")), range);
    return args.some((node) => node.isSensitive) ? markSensitive({ ...joined, value: "" }) : joined;
  }
  if (name === "jsonencode" && first !== undefined && others.length === 0) {
    const text = jsonEncode(plainOf(first, "jsonencode"));
    const isMarked = first.isSensitive === true;
    const encoded: ScalarNode = {
      kind: "scalar",
      value: isMarked ? "" : text,
      parts: [{ kind: "text", text }],
      range,
    };
    return isMarked ? markSensitive(encoded) : encoded;
  }
  throw unsupported(`the function ${name}`);
}

const escaped: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** JSON as Terraform's `jsonencode` writes it: sorted keys, no white space, HTML characters escaped. */
export const jsonEncode = (value: Plain): string =>
  JSON.stringify(sorted(value)).replace(/[<>&\u2028\u2029]/g, (character) => escaped[character] as string);

function sorted(value: Plain): Plain {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(sorted);
  const object = value as Record<string, Plain>;
  return Object.fromEntries(
    Object.keys(object)
      .sort()
      .map((key) => [key, sorted(object[key] as Plain)]),
  );
}
