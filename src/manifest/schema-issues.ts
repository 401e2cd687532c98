import type * as z from "zod";
import type { SourceRange } from "../diagnostics/diagnostic";
import { error } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import type { Address } from "../model/address";
import type { DesiredAttribute } from "../model/desired";
import { isPlain, type Plain } from "../model/value";
import type { Block } from "./blocks";
import type { Reading } from "./context";
import { hintForFlag } from "./findings";
import { describeNode, quoteShort, type SourceNode } from "./tree";

type Issue = z.core.$ZodIssue;

const expectedWords: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a mapping",
  record: "a mapping",
};

/**
 * Judges the plain values of a block by their schemas: each becomes what its schema makes of it; those that are refused
 * are reported and taken out of `attributes`.
 */
export function judgeValues(block: Block, attributes: Map<string, DesiredAttribute>, reading: Reading): void {
  const { placed, address } = block;
  const values: Record<string, Plain> = {};
  // Null resets an attribute, whatever its schema says.
  for (const [path, { value }] of attributes) if (value !== null && isPlain(value)) values[path] = value;
  const judged = placed.schema.safeParse(values);
  const again = judged.success
    ? judged
    : placed.schema.safeParse(fromEnvironment(values, judged.error, block));
  if (again.success) {
    for (const [path, value] of Object.entries(again.data)) {
      const attribute = attributes.get(path);
      if (attribute !== undefined && attribute.value !== value)
        attributes.set(path, { ...attribute, value: value as Plain });
    }
    return;
  }
  const refused = new Set(again.error.issues.map(({ path }) => path[0]));
  for (const path of refused) attributes.delete(path as string);
  const nodes = new Map(block.written.map(({ shape, entry }) => [shape.path, entry.value]));
  for (const issue of judged.error?.issues ?? []) {
    const [path] = issue.path as [string];
    const node = nodes.get(path) ?? { kind: "scalar", value: block.name, range: block.range };
    if (refused.has(path)) reportIssue(issue, path, node, address, reading);
  }
}

/** Reports what the schema of the attribute at `path` refuses, at the part of the value `node` it is about. */
function reportIssue(found: Issue, path: string, node: SourceNode, address: Address, reading: Reading): void {
  for (const issue of leaves(found)) {
    const at = nodeAt(node, issue.path.slice(1));
    const details = { address, attribute: path, range: at.range };
    const what = `${path} of ${address}`;
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys)
        reading.report(
          error("manifest.unknown_key", `${what} has no key ${quoteShort(key)}`, {
            ...details,
            range: keyRange(at, key),
          }),
        );
    } else if (issue.code === "invalid_type") {
      reading.report(
        error(
          "manifest.invalid_type",
          `${what} is ${expectedWords[issue.expected] ?? issue.expected}, found ${describeNode(at)}`,
          {
            ...details,
            ...quoteHint(issue.expected, at, reading),
            ...(issue.expected === "boolean" ? hintForFlag(at) : {}),
            ...(at === node ? placeHint(path, at, address, reading) : {}),
          },
        ),
      );
    } else {
      reading.report(
        error("manifest.invalid_value", `${what}: ${expectation(issue)}, found ${describeNode(at)}`, {
          ...details,
          ...choiceHint(issue, at),
        }),
      );
    }
  }
}

/** `environment: { A: b }`: a block of another name. */
function placeHint(path: string, node: SourceNode, address: Address, { blocks }: Reading): { hint?: string } {
  if (node.kind === "scalar") return {};
  for (const [key, { place }] of blocks.get(address)?.placed.children ?? [])
    if (place.alsoCalled?.includes(path)) return { hint: `did you mean "${key}"?` };
  return {};
}

/** What a value that must not be shown lacks: words of the schema only. */
export const expectations = (issues: readonly Issue[]): string =>
  issues.flatMap(leaves).map(expectation).join("; ");

/** For a union: the findings of the option that got furthest, else one that names all options. */
function leaves(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [issue];
  const options = issue.errors as Issue[][];
  const closest = options.find((option) =>
    option.some(
      (found) => found.path.length > 0 || (found.code !== "invalid_type" && found.code !== "invalid_value"),
    ),
  );
  if (closest === undefined) return [issue];
  return closest
    .map((found) => ({ ...found, path: [...issue.path, ...found.path] }) as Issue)
    .flatMap(leaves);
}

function expectation(issue: Issue): string {
  if (issue.code === "invalid_value") return `expected ${oneOf(issue.values)}`;
  if (issue.code === "invalid_type") return `expected ${expectedWords[issue.expected] ?? issue.expected}`;
  if (issue.code === "invalid_union" && issue.errors.length > 0)
    return (issue.errors as Issue[][]).map((option) => option.map(expectation).join(", ")).join(" or ");
  return issue.message
    .replace(/^(Invalid (input|string): |Too (small|big): )/, "")
    .replace(/^[A-Z]/, (letter) => letter.toLowerCase());
}

const oneOf = (values: readonly unknown[]): string =>
  values.length === 1
    ? JSON.stringify(values[0])
    : `one of ${values.map((value) => (typeof value === "bigint" ? String(value) : JSON.stringify(value))).join(", ")}`;

function choiceHint(issue: Issue, node: SourceNode): { hint?: string } {
  if (issue.code !== "invalid_value" || node.kind !== "scalar" || typeof node.value !== "string") return {};
  const hint = didYouMean(
    node.value,
    issue.values.filter((value) => typeof value === "string"),
  );
  return hint === undefined ? {} : { hint };
}

/** `1.10` where text is expected: the quotes keep it as written. */
function quoteHint(expected: string, node: SourceNode, reading: Reading): { hint?: string } {
  if (
    expected !== "string" ||
    node.kind !== "scalar" ||
    node.value === null ||
    typeof node.value === "string"
  )
    return {};
  const raw =
    reading.texts.get(node.range.file)?.slice(node.range.start, node.range.end) ?? String(node.value);
  return { hint: `quote it: ${quoteShort(raw)}` };
}

function nodeAt(node: SourceNode, path: readonly PropertyKey[]): SourceNode {
  let at = node;
  for (const step of path) {
    const next =
      at.kind === "map"
        ? at.entries.get(String(step))?.value
        : at.kind === "list" && typeof step === "number"
          ? at.items[step]
          : undefined;
    if (next === undefined) return at;
    at = next;
  }
  return at;
}

const keyRange = (node: SourceNode, key: string): SourceRange =>
  (node.kind === "map" ? node.entries.get(key)?.keyRange : undefined) ?? node.range;

/**
 * The values with those filled in from the environment as YAML would read them: `${env.REPLICAS}` in a numeric
 * attribute.
 */
function fromEnvironment(
  values: Readonly<Record<string, Plain>>,
  { issues }: z.ZodError,
  { written }: Block,
): Record<string, Plain> {
  const filledIn = { ...values };
  for (const { shape, entry } of written) {
    const value = values[shape.path];
    const isRefused = issues.some(({ path }) => path[0] === shape.path);
    const source = entry.value.kind === "scalar" ? entry.value.value : undefined;
    if (!isRefused || typeof value !== "string" || value === source) continue;
    if (value === "true" || value === "false") filledIn[shape.path] = value === "true";
    else if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value)) filledIn[shape.path] = Number(value);
  }
  return filledIn;
}
