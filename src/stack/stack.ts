import type { DiagnosticCode, SourceRange } from "../diagnostics/diagnostic";
import { type Diagnostic, error, warning } from "../diagnostics/diagnostic";
import { suggest } from "../diagnostics/suggest";
import type { StackUnit } from "../manifest/context";
import { type Report, suggestedMisses } from "../manifest/findings";
import type { Trust } from "../manifest/trust";
import { generatedName, terraformPrefix, variableResource, variablesResource } from "../model/text";
import { isObject, type Json, type JsonLocation, type JsonObject, type StackDocument } from "./document";
import type { ExpressionProblem } from "./language/expression-value";
import type { StackType } from "./names";

/** A variable, local, output or data source of a stack. */
export interface StackEntry {
  readonly value: Json;
  readonly location: JsonLocation;
}

/** A `resource` block. */
export interface StackResource {
  readonly terraformType: string;
  readonly name: string;
  readonly body: JsonObject;
  readonly location: JsonLocation;
  /** `shop/api`; undefined in JSON that no construct wrote. */
  readonly constructPath: string | undefined;
  /** The block that it is a part of, `rnv_variables.settings`, where the block stands for several resources. */
  readonly partOf?: string;
}

/** A stack with its parts by name. */
export interface Stack {
  readonly document: StackDocument;
  /** The JSON as a whole. */
  readonly root: StackEntry;
  /** Its name in the app, or that of the file. */
  readonly name: string;
  /** Path of its construct: `eu/production`; its name where no app is read. */
  readonly constructPath: string;
  readonly resources: readonly StackResource[];
  readonly variables: ReadonlyMap<string, StackEntry>;
  readonly locals: ReadonlyMap<string, StackEntry>;
  readonly outputs: ReadonlyMap<string, StackEntry>;
  readonly data: ReadonlyMap<string, StackEntry>;
  /** The configurations of the provider as `provider` names them: `rnv`, or `rnv.ALIAS`. */
  readonly providers: ReadonlyMap<string, StackEntry>;
}

/** The stacks of a run in the order of their dependencies, with the types, environment and report for reading them. */
export interface StackContext {
  readonly stacks: readonly Stack[];
  /** Stacks that values may come from, each with a state of its own. */
  readonly others: readonly Stack[];
  /** The stack that is read alone, with the outputs of `others`; undefined where all are read as one. */
  readonly unit?: StackUnit | undefined;
  /** Resource types by their name in Terraform. */
  readonly types: ReadonlyMap<string, StackType>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly trust: Trust;
  /** Secrets are read; without that, variables may have no value. */
  readonly fillIn: boolean;
  readonly report: Report;
  /** Undeclared names, characters of locals and outputs each time that they are read, and steps of expressions. */
  readonly spent: { misses: number; characters: number; steps: number };
}

/** The stack and the value in which an expression is evaluated. */
export interface Scope {
  readonly context: StackContext;
  readonly stack: Stack;
  readonly location: JsonLocation;
  /** The text of the expression, `${…}`; empty for the value as a whole. */
  readonly source: string;
  /** The owner of the value, for reports. */
  readonly reader: { readonly owner: string; readonly address?: string };
  /** Locals and outputs that are being evaluated: a name that occurs in its own value is a cycle. */
  readonly busy: ReadonlySet<string>;
  /** What `self` stands for: `rnv_service.api`, or a data source; undefined where `self` has no meaning. */
  readonly self?: Self | undefined;
}

/** The block that `self` stands for. */
export interface Self {
  readonly isData: boolean;
  readonly terraformType: string;
  readonly name: string;
}

/** The range of an expression. */
export const rangeOf = ({ location, source }: Scope): SourceRange =>
  source === "" ? location : location.within(source);

/** The library's prefix of remote states that carry references across stacks. */
export const crossStackInput = "cross-stack-reference-input-";

/** The path of the construct that wrote a block, from its comment. */
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

/** Stops the reading of a value of a stack; the reader reports it with the location. */
export class StackProblem extends Error {
  constructor(
    readonly code: DiagnosticCode,
    message: string,
    readonly hint?: string,
    /** Its place; that of the whole value unless said. */
    readonly range?: SourceRange,
  ) {
    super(message);
  }
}

/** A problem of an expression as one of the stack. */
export function problemOf({ message, kind, hint }: ExpressionProblem, range?: SourceRange): StackProblem {
  if (kind === "unsupported")
    return new StackProblem("stack.unsupported", message, hint ?? useTerraform, range);
  const code = kind === "unknown" ? "stack.reference_unknown" : "stack.invalid_value";
  return new StackProblem(code, message, hint, range);
}

/** A feature of Terraform that rnv does not have. */
export const unsupported = (what: string): StackProblem =>
  new StackProblem("stack.unsupported", `${what} is not supported by rnv`, useTerraform);

/** A name that the stack does not declare. */
export function undeclared(
  what: string,
  name: string,
  known: Iterable<string>,
  { spent }: { readonly spent: { misses: number } },
): StackProblem {
  spent.misses += 1;
  const meant = spent.misses > suggestedMisses ? undefined : suggest(name, known);
  return new StackProblem(
    "stack.reference_unknown",
    `${what} is not declared`,
    meant === undefined ? undefined : `did you mean "${meant}"?`,
  );
}

/** `shop/api (rnv_service.api)`, or the name alone in JSON that no construct wrote. */
export function ownerOf({
  terraformType,
  name,
  constructPath,
}: Pick<StackResource, "terraformType" | "name" | "constructPath">): string {
  const terraform = `${terraformType}.${name}`;
  return constructPath === undefined ? terraform : `${constructPath} (${terraform})`;
}

/** The diagnostic of a problem of `owner`, a construct or a block. */
export const problemAt = (
  problem: StackProblem,
  owner: string,
  range: SourceRange,
  address?: string,
): Diagnostic =>
  error(problem.code, `${owner}: ${problem.message}`, {
    range: problem.range ?? range,
    ...(address === undefined ? {} : { address }),
    ...(problem.hint === undefined ? {} : { hint: problem.hint }),
  });

const knownBlocks = new Set(
  "// terraform provider resource data locals variable output moved import removed".split(" "),
);

/** The parts of a stack by name. A block that rnv cannot honour is reported, never passed over. */
export function readStack(
  document: StackDocument,
  fallback: { readonly name: string; readonly constructPath?: string | undefined },
  report: Report,
): Stack {
  const { value, root: location } = document;
  const root: StackEntry = { value, location };
  if (!isObject(value)) report(error("stack.invalid_value", "a stack is a JSON object", { range: location }));
  const body = isObject(value) ? value : {};
  const { stackName } = commentOf(body, "metadata") ?? {};
  const name = typeof stackName === "string" ? stackName : fallback.name;
  for (const key of Object.keys(body))
    if (!knownBlocks.has(key))
      report(problemAt(unsupported(`the block "${key}"`), name, location.at(key).keyRange));
  checkSettings(root, name, report);
  return {
    document,
    root,
    name,
    constructPath: fallback.constructPath ?? name,
    resources: blocksOf(root, "resource", 2).map(resourceOf).flatMap(variablesOfMap),
    variables: byLabel(blocksOf(root, "variable", 1)),
    outputs: byLabel(blocksOf(root, "output", 1)),
    locals: localsOf(root),
    data: byLabel(blocksOf(root, "data", 2)),
    providers: providersOf(root),
  };
}

interface Labelled extends StackEntry {
  readonly labels: readonly string[];
}

/** The blocks under `key` and so many labels. Terraform takes a list of objects wherever it takes an object. */
export function blocksOf(parent: StackEntry, key: string, labels: number): readonly Labelled[] {
  let level = isObject(parent.value) && parent.value[key] !== undefined ? member(parent, key, []) : [];
  for (let i = 0; i < labels; i += 1)
    level = level.flatMap((block) =>
      Object.keys(isObject(block.value) ? block.value : {}).flatMap((label) =>
        label === "//" ? [] : member(block, label, [...block.labels, label]),
      ),
    );
  return level;
}

function member(
  { value, location }: StackEntry,
  key: string,
  labels: readonly string[],
): readonly Labelled[] {
  const inner = (value as JsonObject)[key] as Json;
  const at = location.at(key);
  return Array.isArray(inner)
    ? inner.map((item: Json, i) => ({ value: item, location: at.at(i), labels }))
    : [{ value: inner, location: at, labels }];
}

/** The objects of nested blocks without labels. */
export const nestedBlocks = (
  parent: StackEntry,
  key: string,
): readonly { readonly value: JsonObject; readonly location: JsonLocation }[] =>
  blocksOf(parent, key, 0).flatMap(({ value, location }) => (isObject(value) ? [{ value, location }] : []));

const byLabel = (blocks: readonly Labelled[]): ReadonlyMap<string, StackEntry> =>
  new Map(blocks.map((block) => [block.labels.join("."), block]));

function providersOf(root: StackEntry): Stack["providers"] {
  const blocks = blocksOf(root, "provider", 1).filter(({ labels }) => labels[0] === terraformPrefix);
  return new Map(
    blocks.map((block) => {
      const alias = isObject(block.value) ? block.value.alias : undefined;
      return [typeof alias === "string" ? `${terraformPrefix}.${alias}` : terraformPrefix, block];
    }),
  );
}

function localsOf(root: StackEntry): ReadonlyMap<string, StackEntry> {
  const locals = new Map<string, StackEntry>();
  for (const { value, location } of nestedBlocks(root, "locals"))
    for (const [name, inner] of Object.entries(value))
      if (name !== "//") locals.set(name, { value: inner, location: location.at(name) });
  return locals;
}

function resourceOf({ labels, value, location }: Labelled): StackResource {
  const [terraformType = "", name = ""] = labels;
  const body = isObject(value) ? value : {};
  return { terraformType, name, body, location, constructPath: constructPathOf(body) };
}

/** A block of `rnv_variables` as the variables of its map, each under the address that it has in a manifest. */
function variablesOfMap(resource: StackResource): readonly StackResource[] {
  const { terraformType, name, body, location } = resource;
  if (terraformType !== variablesResource) return [resource];
  const service = /^\$\{rnv_service\.([\w-]+)\.id\}$/.exec(String(body.service_id))?.[1] ?? name;
  const { values, values_wo, values_wo_version: _version, [generatedName]: made, ...others } = body;
  const maps = Object.entries({ values, values_wo, [generatedName]: made }).filter(([, map]) =>
    isObject(map),
  );
  // What is one expression has no names yet: the type of the block stays, and is refused.
  if (maps.length === 0) return [resource];
  return maps.flatMap(([attribute, map]) =>
    Object.entries(map as JsonObject).map(([key, value]) => {
      const at = location.at(attribute).at(key);
      const field = attribute === generatedName ? generatedName : "value";
      return {
        terraformType: variableResource,
        name: `${service}__${key}`,
        body: { ...others, key, [field]: value },
        location: location.with({ [field]: at, key: at }),
        constructPath: resource.constructPath,
        partOf: `${terraformType}.${name}`,
      };
    }),
  );
}

/** Refuses other providers; warns of a remote backend, whose state rnv does not use. */
function checkSettings(root: StackEntry, name: string, report: Report): void {
  for (const { labels, location } of blocksOf(root, "provider", 1))
    if (labels[0] !== terraformPrefix)
      report(problemAt(unsupported(`the provider "${labels[0]}"`), name, location));
  for (const settings of nestedBlocks(root, "terraform")) {
    for (const { labels, location } of blocksOf(settings, "backend", 1))
      if (labels[0] !== "local") report(ownState(`the backend "${labels[0]}"`, name, location));
    if (settings.value.cloud !== undefined)
      report(ownState("the cloud block", name, settings.location.at("cloud").keyRange));
  }
}

const ownState = (block: string, name: string, range: SourceRange): Diagnostic =>
  warning("stack.unsupported", `${name}: ${block} is not used`, {
    range,
    detail: "rnv keeps a state of its own, named by RNV_STATE or --state.",
  });
