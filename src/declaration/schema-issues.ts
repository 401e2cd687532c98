import type * as z from "zod";
import { type DiagnosticCode, error, type SourceRange } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import type { Address } from "../model/address";
import type { Plain } from "../model/value";
import type { Block } from "./declared-block";
import { hintForFlag, listKeys, type Report } from "./findings";
import type { LoadContext } from "./load-context";
import {
  describeKind,
  describeNode,
  entriesIn,
  isNull,
  plainOfNode,
  quoteShort,
  type SourceNode,
} from "./tree";
import { type AttributeShape, type BlockType, isFreeKey } from "./type-index";

export type Issue = z.core.$ZodIssue;

const expectedWords: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a mapping",
  record: "a mapping",
};

export interface JudgedPart {
  readonly nameOf: (path: readonly string[]) => string;
  readonly address?: Address;
  /** The code of every mistake in it; else each kind of mistake has its own. */
  readonly code?: DiagnosticCode | ((issue: Issue) => DiagnosticCode);
  /** Describes the value that was found; by its kind alone where it may be a secret. */
  readonly describe?: (node: SourceNode) => string;
  readonly hintFor?: (issue: Issue, at: SourceNode) => string | undefined;
}

/** Parses `value` by the schema of an attribute; undefined after a refusal, which is reported at its part of `node`. */
export function judgeValue(
  shape: Pick<AttributeShape, "path" | "schema">,
  value: Plain,
  node: SourceNode,
  { blockType, address }: Pick<Block, "blockType" | "address">,
  { report }: Pick<LoadContext, "report">,
): Plain | undefined {
  const filledIn = fromEnvironment(node, value);
  for (const candidate of filledIn === undefined ? [value] : [value, filledIn]) {
    const judged = shape.schema.safeParse(candidate);
    if (judged.success) return judged.data as Plain;
  }
  const { path } = shape;
  const subject: JudgedPart = {
    nameOf: (inner) => [path, ...inner].join("."),
    address,
    hintFor: (issue, at) =>
      quoteHint(issue, at) ?? (at === node ? childHint(path, at, blockType) : undefined),
  };
  return judgeFilled(shape.schema, value, { node, subject, report }) as Plain | undefined;
}

/** Parses a tree without its free keys; undefined after a refusal, which is reported at its part of the tree. */
export function judgeDocument<Document>(
  schema: z.ZodType<Document>,
  node: SourceNode,
  report: Report,
  subject: JudgedPart = {
    nameOf: (path) => (path.length === 0 ? "the file" : path.join(".")),
    describe: describeKind,
  },
): Document | undefined {
  return judgeFilled(
    schema,
    plainOfNode(node, (key) => !isFreeKey(key)),
    { node, subject, report },
  );
}

/** Parses `value`, the tree of `node` with the environment filled in. */
export function judgeFilled<Document>(
  schema: z.ZodType<Document>,
  value: Plain,
  target: ReportTarget,
): Document | undefined {
  const judged = schema.safeParse(value, listKnownKeys);
  if (judged.success) return judged.data;
  for (const issue of judged.error.issues.flatMap(leafIssues)) reportIssue(issue, target);
  return undefined;
}

/** Judges each key of a mapping by itself: a mistake in one takes nothing from the others. */
export function judgeEach<Document extends object>(
  schema: z.ZodType<Document>,
  node: SourceNode,
  report: Report,
  subject: JudgedPart,
): Partial<Document> {
  if (node.kind !== "map") return judgeDocument(schema, node, report, subject) ?? {};
  const parts = [...node.entries].map((entry) =>
    judgeDocument(schema, { ...node, entries: new Map([entry]) }, report, subject),
  );
  return Object.assign({}, ...parts);
}

/** Judges each item of a list by itself; those that the schema refuses are left out. */
export function judgeItems<Item>(
  schema: z.ZodType<Item>,
  key: string,
  node: SourceNode | undefined,
  report: Report,
  about: Omit<JudgedPart, "nameOf">,
): readonly { readonly item: Item; readonly at: SourceNode }[] {
  if (node === undefined || isNull(node)) return [];
  const subjectOf = (...index: readonly string[]): JudgedPart => ({
    ...about,
    nameOf: (path) => [key, ...index, ...path].join("."),
  });
  if (node.kind !== "list") judgeDocument(schema.array(), node, report, subjectOf());
  const items = node.kind === "list" ? node.items : [];
  return items.flatMap((at, i) => {
    const item = judgeDocument(schema, at, report, subjectOf(String(i)));
    return item === undefined ? [] : [{ item, at }];
  });
}

interface ReportTarget {
  readonly node: SourceNode;
  readonly subject: JudgedPart;
  readonly report: Report;
}

function reportIssue(issue: Issue, { node, subject, report }: ReportTarget): void {
  const { nameOf, address, code, describe = describeNode } = subject;
  const path = issue.path.map(String);
  const about = address === undefined ? {} : { address, attribute: nameOf(path) };
  const refuse = (kind: DiagnosticCode, range: SourceRange, summary: string, hint?: string): void =>
    report(
      error((typeof code === "function" ? code(issue) : code) ?? kind, summary, { ...about, range, hint }),
    );
  const at = nodeAt(node, issue.path);
  const parent = nodeAt(node, issue.path.slice(0, -1));
  const key = path.at(-1) ?? "";
  const prefix = address === undefined ? "" : `${address}: `;
  const rule = requirements([issue]);
  const hint = choiceHint(issue, at) ?? subject.hintFor?.(issue, at);
  if (issue.code === "unrecognized_keys") {
    const known = issue.message.split(" ");
    for (const unknown of issue.keys) {
      const isValue = subject.describe !== undefined && isNull(nodeAt(at, [unknown]));
      const summary = `${prefix}${nameOf(path)} has no key ${isValue ? "of this name" : quoteShort(unknown)}`;
      const meant = didYouMean(unknown, known) ?? listKeys(known);
      refuse("manifest.unknown_key", keyRange(at, unknown), summary, meant);
    }
  } else if (issue.code === "invalid_key") {
    const summary = `${quoteShort(key)}${requirements(issue.issues as Issue[])}`;
    refuse("manifest.invalid_name", keyRange(parent, key), summary);
  } else if (path.length > 0 && parent.kind === "map" && !parent.entries.has(key)) {
    const summary = `${prefix}${nameOf(path.slice(0, -1))} lacks ${key}${rule.replace(/^ /, ", which ")}`;
    refuse("manifest.missing_key", at.range, summary, hint);
  } else {
    const isTold = issue.code === "invalid_type" || subject.describe === undefined;
    const found = isTold && rule.startsWith(" must be") ? `, not ${describe(at)}` : "";
    const kind = issue.code === "invalid_type" ? "manifest.invalid_type" : "manifest.invalid_value";
    refuse(kind, at.range, `${prefix}${nameOf(path)}${rule}${found}`, hint);
  }
}

/** Puts the known keys of a mapping into the message of an issue about an unknown key. */
const listKnownKeys: z.core.ParseContext<z.core.$ZodIssue> = {
  error: (issue) =>
    issue.code === "unrecognized_keys"
      ? Object.keys((issue.inst as z.ZodObject).shape ?? {}).join(" ")
      : undefined,
};

/** `environment: { A: b }`: a block of another name. */
function childHint(path: string, node: SourceNode, { children }: BlockType): string | undefined {
  if (node.kind === "scalar") return undefined;
  const meant = [...children.values()].find(({ form }) => form.alsoCalled?.includes(path));
  return meant && `did you mean "${meant.form.key}"?`;
}

export const expectations = (issues: readonly Issue[]): string =>
  issues.flatMap(leafIssues).map(expectation).join("; ").replaceAll(" or expected ", " or ");

/** ` must be a number`, `: it holds a secret`: the rules that a value breaks, after its name. */
export const requirements = (issues: readonly Issue[]): string =>
  `: ${expectations(issues)}`.replace(/^: expected (?:(?:number|int) to be )?/, " must be ");

/** Returns an issue itself; of a union the findings of the option that got furthest, where there is such an option. */
export function leafIssues(issue: Issue): Issue[] {
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
    .flatMap(leafIssues);
}

function expectation(issue: Issue): string {
  if (issue.code === "invalid_value") return `expected ${oneOf(issue.values)}`;
  if (issue.code === "invalid_type") return `expected ${expectedWords[issue.expected] ?? issue.expected}`;
  if (issue.code === "invalid_union" && issue.errors.length > 0)
    return (issue.errors as Issue[][]).map((option) => option.map(expectation).join(", ")).join(" or ");
  return issue.message
    .replace(/^(Invalid (input|string): |Too (small|big): )/, "")
    .replace("string to have >=1 characters", "text that is not empty")
    .replace("array to have >=1 items", "a list that is not empty")
    .replace(/^[A-Z]/, (letter) => letter.toLowerCase());
}

const oneOf = (values: readonly unknown[]): string =>
  `${values.length === 1 ? "" : "one of "}${values.map((value) => JSON.stringify(value)).join(", ")}`;

function choiceHint(issue: Issue, node: SourceNode): string | undefined {
  if (issue.code === "invalid_type" && issue.expected === "boolean") return hintForFlag(node);
  if (issue.code !== "invalid_value" || node.kind !== "scalar" || typeof node.value !== "string")
    return undefined;
  return didYouMean(
    node.value,
    issue.values.filter((value) => typeof value === "string"),
  );
}

/** `1.10` where text is expected: the quotes keep it as written. `"2"` where a number is: they make it text. */
function quoteHint(issue: Issue, node: SourceNode): string | undefined {
  if (node.kind !== "scalar" || node.value === null) return undefined;
  const rule = expectation(issue);
  if (typeof node.value === "string") {
    const isNumber = /^-?\d+(\.\d+)?$/.test(node.value) && /expected a (whole )?number/.test(rule);
    return isNumber ? `write ${node.value} without quotes` : undefined;
  }
  const { source, start, end } = node.range;
  return rule.includes("expected text")
    ? `quote it: ${quoteShort(source?.text?.slice(start, end) ?? String(node.value))}`
    : undefined;
}

function nodeAt(node: SourceNode, path: readonly PropertyKey[]): SourceNode {
  let at = node;
  for (const step of path) {
    const next =
      at.kind === "list" && typeof step === "number"
        ? at.items[step]
        : entriesIn(at).get(String(step))?.value;
    if (next === undefined) return at;
    at = next;
  }
  return at;
}

const keyRange = (node: SourceNode, key: string): SourceRange =>
  entriesIn(node).get(key)?.keyRange ?? node.range;

/** `${env.REPLICAS}` in a numeric attribute: the text that came from the environment, as YAML would read it. */
function fromEnvironment(node: SourceNode, value: Plain): number | boolean | undefined {
  const written = node.kind === "scalar" ? node.value : undefined;
  if (typeof value !== "string" || value === written) return undefined;
  if (value === "true" || value === "false") return value === "true";
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value) ? Number(value) : undefined;
}
