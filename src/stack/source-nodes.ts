import {
  type AwaitedPart,
  listNode,
  mapNode,
  type SourceNode,
  scalarNode,
  type TemplatePart,
} from "../declaration/tree";
import { sourceKeys } from "../declaration/type-index";
import { DiagnosticsError, type SourceRange } from "../diagnostics/diagnostic";
import type { Plain } from "../model/value";
import type { JsonNode } from "./json-node";
import {
  type Awaited,
  isListLike,
  isMapLike,
  isSensitive,
  type LaterValue,
  later,
  type Value,
  valueOfPlain,
} from "./language/expression-value";
import { invalid, StackProblem, unsupported } from "./language/problem";
import { type Owner, problemAt } from "./stack";

/** The text of a node that refers to nothing; undefined for another. */
export const knownText = (node: SourceNode): string | undefined =>
  node.kind === "scalar" && (node.parts ?? []).every(({ kind }) => kind === "text")
    ? String(node.value)
    : undefined;

export const referenceValue = (segments: readonly string[], source: string, range: SourceRange): LaterValue =>
  later({ kind: "reference", segments, source, range });

function plainOf(value: Value): Plain {
  if (isListLike(value)) return value.items.map(plainOf);
  if (isMapLike(value))
    return Object.fromEntries([...value.entries].map(([key, inner]) => [key, plainOf(inner)]));
  if (value.kind === "later") throw new Error("a value that is not known was taken for one that is");
  if (value.kind === "null") return null;
  return value.value;
}

/** A value as a node of a manifest, its parts at the ranges of `at`. Parts that come from a secret are marked. */
export function nodeOf(value: Value, at: JsonNode, owner: Owner): SourceNode {
  const node = bareNode(value, at, owner);
  return isSensitive(value) ? hidden({ ...node, isSensitive: true }) : node;
}

/** A marked text without the copy of its parts that messages show. */
const hidden = (node: SourceNode): SourceNode =>
  node.kind === "scalar" && typeof node.value === "string" ? { ...node, value: "" } : node;

function bareNode(value: Value, at: JsonNode, owner: Owner): SourceNode {
  if (isListLike(value))
    return listNode(
      value.items.map((item, i) => nodeOf(item, at.at(i), owner)),
      at.range,
    );
  if (isMapLike(value))
    return mapNode(
      [...value.entries].map(([key, inner]) => [key, nodeOf(inner, at.at(key), owner), at.at(key).keyRange]),
      at.range,
    );
  if (value.kind === "later") return laterNode(value, at, owner);
  if (value.kind === "null") return scalarNode(null, at.range);
  if (value.kind !== "string") return scalarNode(value.value, at.range);
  // Nothing of it is a reference or an expression of a manifest.
  return { ...scalarNode(value.value, at.range), parts: [{ kind: "text", text: value.value }] };
}

function laterNode(value: LaterValue, { range }: JsonNode, owner: Owner): SourceNode {
  const [only] = value.parts ?? [];
  if (value.parts?.length === 1 && typeof only === "object" && isNode(only)) return { ...only, range };
  const parts = value.parts?.map(
    (part): TemplatePart => (typeof part === "string" ? { kind: "text", text: part } : awaitedPart(part)),
  );
  if (parts !== undefined) return { kind: "scalar", value: shownText(parts), parts, range };
  const compute = (values: readonly Plain[]): Plain => {
    const found = new Map(value.awaits.map((one, i) => [one, valueOfPlain(values[i] as Plain)]));
    try {
      return plainOf(value.compute((awaited) => found.get(awaited) as Value));
    } catch (cause) {
      if (!(cause instanceof StackProblem)) throw cause;
      throw new DiagnosticsError([problemAt(cause, owner, range)]);
    }
  };
  const awaits = value.awaits.map(awaitedPart);
  const computed = { kind: "computed" as const, awaits, compute, source: "", range };
  return { kind: "scalar", value: "", parts: [computed], range };
}

const shownText = (parts: readonly TemplatePart[]): string =>
  parts.map((part) => (part.kind === "text" ? part.text : part.source)).join("");

const isNode = (awaited: Awaited): awaited is SourceNode =>
  awaited.kind === "scalar" || awaited.kind === "list" || awaited.kind === "map";

/** A secret by its source as a part of a text: only one of the environment can be one. */
function awaitedPart(awaited: Awaited): AwaitedPart {
  if (!isNode(awaited)) return awaited;
  const [entry] = awaited.kind === "map" ? [...awaited.entries.values()] : [];
  if (entry === undefined || !sourceKeys.includes(entry.key))
    throw invalid("a list or an object is not allowed inside text");
  if (entry.key !== "fromEnv" || entry.value.kind !== "scalar")
    throw unsupported(`text or a function around a secret that comes from ${entry.key}`);
  const name = String(entry.value.value);
  return { kind: "env", name, source: `\${env.${name}}`, range: awaited.range };
}
