import type * as z from "zod";
import type { SourceRange } from "../diagnostics/diagnostic";
import { error } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import type { Address } from "../model/address";
import type { Plain } from "../model/value";
import type { ReadContext } from "./context";
import { hintForFlag, type Report } from "./findings";
import { describeNode, type MapNode, plainOfNode, quoteShort, type SourceNode } from "./tree";
import { type AttributeShape, isFreeKey } from "./type-index";

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
 * Returns the value of an attribute as its schema makes it of `value`; undefined where the schema refuses it, which is
 * reported at the part of `node` it is about.
 */
export function judgeValue(
  shape: Pick<AttributeShape, "path" | "schema">,
  value: Plain,
  node: SourceNode,
  address: Address,
  context: ReadContext,
): Plain | undefined {
  const judged = shape.schema.safeParse(value);
  if (judged.success) return judged.data as Plain;
  const filledIn = fromEnvironment(node, value);
  const again = filledIn === undefined ? undefined : shape.schema.safeParse(filledIn);
  if (again?.success) return again.data as Plain;
  reportIssues(judged.error.issues, shape.path, node, address, context);
  return undefined;
}

/** Reports what the schema of the attribute at `path` refuses. */
function reportIssues(
  issues: readonly Issue[],
  path: string,
  node: SourceNode,
  address: Address,
  context: ReadContext,
): void {
  for (const issue of issues.flatMap(leaves)) {
    const at = nodeAt(node, issue.path);
    const details = { address, attribute: path, range: at.range };
    const what = `${path} of ${address}`;
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys)
        context.report(
          error("manifest.unknown_key", `${what} has no key ${quoteShort(key)}`, {
            ...details,
            range: keyRange(at, key),
          }),
        );
    } else if (isMissing(issue, node)) {
      const summary = `${what} lacks ${String(issue.path.at(-1))}`;
      context.report(error("manifest.missing_key", summary, details));
    } else if (issue.code === "invalid_type") {
      context.report(
        error(
          "manifest.invalid_type",
          `${address}: ${path} must be ${expectedWords[issue.expected] ?? issue.expected}, not ${describeNode(at)}`,
          {
            ...details,
            ...quoteHint(issue.expected, at, context),
            ...(issue.expected === "boolean" ? hintForFlag(at) : {}),
            ...(at === node ? placeHint(path, at, address, context) : {}),
          },
        ),
      );
    } else {
      context.report(
        error("manifest.invalid_value", `${what}: ${expectation(issue)}, found ${describeNode(at)}`, {
          ...details,
          ...choiceHint(issue, at),
        }),
      );
    }
  }
}

/**
 * Returns a whole document as its schema makes it of the tree, without its free keys; undefined where the schema refuses
 * it, which is reported at the part that it is about.
 */
export function judgeDocument<Document>(
  schema: z.ZodType<Document>,
  root: MapNode,
  report: Report,
): Document | undefined {
  const judged = schema.safeParse(plainOfNode(root, (key) => !isFreeKey(key)));
  if (judged.success) return judged.data;
  for (const issue of judged.error.issues.flatMap(leaves)) reportInDocument(issue, root, schema, report);
  return undefined;
}

/** The keys that the schema of a document knows at a path. */
function keysAt(schema: z.ZodType, path: Issue["path"]): readonly string[] {
  const { type, innerType, shape, valueType, options } = schema.def as {
    readonly type: string;
    readonly innerType?: z.ZodType;
    readonly shape?: Readonly<Record<string, z.ZodType>>;
    readonly valueType?: z.ZodType;
    readonly options?: readonly z.ZodType[];
  };
  if (innerType !== undefined) return keysAt(innerType, path);
  if (type === "union") return (options ?? []).flatMap((option) => keysAt(option, path));
  const [key, ...rest] = path;
  if (key === undefined) return Object.keys(shape ?? {});
  const inner = shape?.[String(key)] ?? valueType ?? (schema.def as { readonly element?: z.ZodType }).element;
  return inner === undefined ? [] : keysAt(inner, rest);
}

/** What is wrong with it is that it is not there. */
function isMissing({ path }: Issue, root: SourceNode): boolean {
  const parent = nodeAt(root, path.slice(0, -1));
  return parent.kind === "map" && path.length > 0 && !parent.entries.has(String(path.at(-1)));
}

function reportInDocument(issue: Issue, root: MapNode, schema: z.ZodType, report: Report): void {
  const at = nodeAt(root, issue.path);
  const where = issue.path.map(String).join(".");
  const known = (issue as { readonly keys?: readonly string[] }).keys ?? [];
  if (issue.code === "unrecognized_keys") {
    for (const key of known)
      report(
        error("manifest.unknown_key", `${where === "" ? "the file" : where} has no key ${quoteShort(key)}`, {
          range: keyRange(at, key),
          hint: didYouMean(key, keysAt(schema, issue.path)),
        }),
      );
    return;
  }
  const parent = nodeAt(root, issue.path.slice(0, -1));
  const key = String(issue.path.at(-1) ?? "");
  if (isMissing(issue, root))
    report(
      error("manifest.missing_key", `${where} is missing: ${expectation(issue)}`, { range: parent.range }),
    );
  else if (issue.code === "invalid_key")
    report(
      error("manifest.invalid_name", `${quoteShort(key)}: ${expectations(issue.issues as Issue[])}`, {
        range: keyRange(parent, key),
      }),
    );
  else {
    const code = issue.code === "invalid_type" ? "manifest.invalid_type" : "manifest.invalid_value";
    const summary = `${where === "" ? "the file" : where}: ${expectation(issue)}, found ${describeNode(at)}`;
    report(error(code, summary, { range: at.range, ...choiceHint(issue, at) }));
  }
}

/** `environment: { A: b }`: a block of another name. */
function placeHint(
  path: string,
  node: SourceNode,
  address: Address,
  { blocks }: ReadContext,
): { hint?: string } {
  if (node.kind === "scalar") return {};
  for (const [key, { place }] of blocks.get(address)?.placed.children ?? [])
    if (place.alsoCalled?.includes(path)) return { hint: `did you mean "${key}"?` };
  return {};
}

/** Describes the issues of a value that must not be shown, in words of the schema only. */
export const expectations = (issues: readonly Issue[]): string =>
  issues.flatMap(leaves).map(expectation).join("; ");

/** Returns an issue itself. For a union: the findings of the option that got furthest, else one that names all options. */
export function leaves(issue: Issue): Issue[] {
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

/** `1.10` where text is expected: the quotes keep it as written. `"2"` where a number is: they make it text. */
function quoteHint(expected: string, node: SourceNode, context: ReadContext): { hint?: string } {
  const isNumber = node.kind === "scalar" && /^-?\d+(\.\d+)?$/.test(String(node.value));
  if ((expected === "number" || expected === "int") && isNumber && typeof node.value === "string")
    return { hint: `write ${node.value} without quotes` };
  if (
    expected !== "string" ||
    node.kind !== "scalar" ||
    node.value === null ||
    typeof node.value === "string"
  )
    return {};
  const raw =
    context.texts.get(node.range.file)?.slice(node.range.start, node.range.end) ?? String(node.value);
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

/** `${env.REPLICAS}` in a numeric attribute: the text that came from the environment, as YAML would read it. */
function fromEnvironment(node: SourceNode, value: Plain): number | boolean | undefined {
  const written = node.kind === "scalar" ? node.value : undefined;
  if (typeof value !== "string" || value === written) return undefined;
  if (value === "true" || value === "false") return value === "true";
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value) ? Number(value) : undefined;
}
