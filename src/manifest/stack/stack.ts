import type { DiagnosticCode, SourceRange } from "../../diagnostics/diagnostic";
import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import { suggest } from "../../diagnostics/suggest";
import { terraformPrefix } from "../../model/terraform-name";
import { type Report, suggestedMisses } from "../findings";
import type { SourceNode } from "../source-tree";
import type { PlacedType } from "../type-index";
import { isObject, type Json, type JsonObject, type Place, type StackDocument } from "./document";

/** One named thing of a stack: a variable, a local, an output. */
export interface Entry {
  readonly value: Json;
  readonly place: Place;
}

/** One `resource` of a stack. */
export interface StackResource {
  readonly terraformType: string;
  readonly name: string;
  readonly body: JsonObject;
  readonly place: Place;
  /** `shop/api`; undefined in JSON that no construct wrote. */
  readonly constructPath?: string;
}

/** One stack as its JSON declares it, with the parts by name. */
export interface Stack {
  readonly document: StackDocument;
  /** Path of its construct, or the name of the file. */
  readonly name: string;
  readonly resources: readonly StackResource[];
  readonly variables: ReadonlyMap<string, Entry>;
  readonly locals: ReadonlyMap<string, Entry>;
  readonly outputs: ReadonlyMap<string, Entry>;
  readonly data: ReadonlyMap<string, Entry>;
}

/** Everything that is read in one run: the stacks in the order of their dependencies. */
export interface Program {
  readonly stacks: readonly Stack[];
  /** Resource types by their name in Terraform. */
  readonly types: ReadonlyMap<string, PlacedType>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Secrets are read; without that, variables may have no value. */
  readonly fillIn: boolean;
  readonly report: (diagnostic: Diagnostic) => void;
  /** Names that are not declared, and characters of locals and outputs that were read, each time they were. */
  readonly spent: { misses: number; characters: number };
}

/** Where an expression stands: the value that it is part of, and its text. */
export interface Site {
  readonly stack: Stack;
  readonly place: Place;
  /** `${…}`; empty when the value as a whole is meant. */
  readonly source: string;
  /** Locals and outputs that are being looked up: one that meets itself is a cycle. */
  readonly busy: ReadonlySet<string>;
}

export const rangeOf = ({ place, source }: Site): SourceRange =>
  source === "" ? place : place.within(source);

/** Works a JSON value out; handed down to what looks names up. */
export type ReadJson = (value: Json, site: Site, program: Program) => SourceNode;

/** The prefix of what the library declares for references across stacks. */
export const crossStackOutput = "cross-stack-output-";
export const crossStackInput = "cross-stack-reference-input-";

/** `//`.`metadata`.`path`: where the construct stands in the program. */
export function constructPathOf(body: JsonObject): string | undefined {
  const metadata = commentOf(body, "metadata");
  return typeof metadata?.path === "string" ? metadata.path : undefined;
}

/** A part of the comment of a block, which Terraform does not read. */
export function commentOf(body: JsonObject, key: string): JsonObject | undefined {
  const comment = body["//"];
  const part = isObject(comment) ? comment[key] : undefined;
  return isObject(part) ? part : undefined;
}

const useTerraform =
  "rnv reads what constructs of plain TypeScript synthesize; for this, run the stack with Terraform: the package is a Terraform provider too";

/** What stops one value of a stack from being read; the reader reports it where it stands. */
export class StackProblem extends Error {
  constructor(
    readonly code: DiagnosticCode,
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}

/** Something of Terraform that rnv does not have. */
export const unsupported = (what: string): StackProblem =>
  new StackProblem("manifest.unsupported", `${what} is not supported by rnv`, useTerraform);

/** A name that stands nowhere in the stack. */
export function undeclared(
  what: string,
  name: string,
  known: Iterable<string>,
  { spent }: { readonly spent: { misses: number } },
): StackProblem {
  spent.misses += 1;
  const meant = spent.misses > suggestedMisses ? undefined : suggest(name, known);
  return new StackProblem(
    "manifest.reference_unknown",
    `${what} is not declared`,
    meant === undefined ? undefined : `did you mean "${meant}"?`,
  );
}

/** The diagnostic of a problem, under the path of the construct that it lies in. */
export const problemAt = (
  problem: StackProblem,
  owner: string,
  range: SourceRange,
  address?: string,
): Diagnostic =>
  error(problem.code, `${owner}: ${problem.message}`, {
    range,
    ...(address === undefined ? {} : { address }),
    ...(problem.hint === undefined ? {} : { hint: problem.hint }),
  });

/** Top-level blocks that hold named blocks. */
const namedBlocks = ["variable", "output"] as const;
const knownBlocks = new Set([
  "//",
  "terraform",
  "provider",
  "resource",
  "data",
  "locals",
  "moved",
  "import",
  "removed",
  ...namedBlocks,
]);

/** The parts of one stack by name. What rnv cannot honour is reported, never passed over. */
export function readStack(document: StackDocument, fallbackName: string, report: Report): Stack {
  const { root } = document;
  const body = isObject(document.value) ? document.value : {};
  if (!isObject(document.value))
    report(error("manifest.invalid_type", "a stack is a JSON object", { range: root }));
  const name = stackName(body) ?? fallbackName;
  for (const key of Object.keys(body))
    if (!knownBlocks.has(key))
      report(problemAt(unsupported(`the block "${key}"`), name, root.at(key).keyPlace));
  const blocks = (key: string) => labelled(body, root, key, 1);
  const stack: Stack = {
    document,
    name,
    resources: labelled(body, root, "resource", 2).map(resourceOf),
    variables: entriesOf(blocks("variable")),
    outputs: entriesOf(blocks("output")),
    locals: localsOf(body, root),
    data: new Map(labelled(body, root, "data", 2).map((one) => [one.labels.join("."), one])),
  };
  for (const { labels, value, place } of blocks("variable"))
    if (isObject(value) && value.validation !== undefined)
      report(
        problemAt(unsupported("validation"), `${name}: var.${labels[0]}`, place.at("validation").keyPlace),
      );
  checkSettings(body, root, name, report);
  return stack;
}

/** The name of the stack's construct, from the comment at the top. */
function stackName(body: JsonObject): string | undefined {
  const comment = body["//"];
  const metadata = isObject(comment) ? comment.metadata : undefined;
  return isObject(metadata) && typeof metadata.stackName === "string" ? metadata.stackName : undefined;
}

export interface Labelled extends Entry {
  readonly labels: readonly string[];
}

/** Blocks under so many labels; Terraform takes a list of objects wherever it takes an object. */
export function labelled(body: JsonObject, root: Place, key: string, labels: number): readonly Labelled[] {
  let level: readonly Labelled[] = body[key] === undefined ? [] : objects(body[key], root.at(key), []);
  for (let i = 0; i < labels; i += 1)
    level = level.flatMap((one) =>
      Object.entries(isObject(one.value) ? one.value : {}).flatMap(([label, value]) =>
        label === "//" ? [] : objects(value, one.place.at(label), [...one.labels, label]),
      ),
    );
  return level;
}

const objects = (value: Json, place: Place, labels: readonly string[]): readonly Labelled[] =>
  Array.isArray(value)
    ? value.map((item: Json, i) => ({ value: item, place: place.at(i), labels }))
    : [{ value, place, labels }];

const entriesOf = (blocks: readonly Labelled[]): ReadonlyMap<string, Entry> =>
  new Map(blocks.map((one) => [one.labels[0] as string, one]));

function localsOf(body: JsonObject, root: Place): ReadonlyMap<string, Entry> {
  const locals = new Map<string, Entry>();
  for (const { value, place } of labelled(body, root, "locals", 0))
    for (const [name, one] of Object.entries(isObject(value) ? value : {}))
      if (name !== "//") locals.set(name, { value: one, place: place.at(name) });
  return locals;
}

function resourceOf({ labels, value, place }: Labelled): StackResource {
  const [terraformType, name] = labels as readonly [string, string];
  const body = isObject(value) ? value : {};
  const constructPath = constructPathOf(body);
  return { terraformType, name, body, place, ...(constructPath === undefined ? {} : { constructPath }) };
}

/** Other providers and remote backends would mean work for Terraform. */
function checkSettings(body: JsonObject, root: Place, name: string, report: Report): void {
  for (const { labels, place } of labelled(body, root, "provider", 1))
    if (labels[0] !== terraformPrefix)
      report(problemAt(unsupported(`the provider "${labels[0]}"`), name, place));
  const settings = labelled(body, root, "terraform", 0);
  for (const { value, place } of settings) {
    if (!isObject(value)) continue;
    for (const { labels, place: at } of labelled(value, place, "backend", 1))
      if (labels[0] !== "local") report(ownState(`the backend "${labels[0]}"`, name, at));
    if (value.cloud !== undefined) report(ownState("the cloud block", name, place.at("cloud").keyPlace));
  }
}

const ownState = (what: string, name: string, range: SourceRange) =>
  warning("manifest.unsupported", `${name}: ${what} is not used`, {
    range,
    detail: "rnv keeps a state of its own, named by RNV_STATE or --state.",
  });
