import { hintForMiss, type Report } from "../declaration/findings";
import type { LoadContext } from "../declaration/load-context";
import type { StackUnit } from "../declaration/load-request";
import { type Diagnostic, error, type SourceRange, warning } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { groupBy } from "../model/collections";
import { generatedName, terraformPrefix, variablesResource } from "../model/terraform-names";
import type { JsonNode } from "./json-node";
import { type StackProblem, unknownReference, unsupported } from "./language/problem";
import { addressOfResource, type DataType, type StackType } from "./stack-types";

export interface StackResource {
  readonly terraformType: string;
  readonly name: string;
  /** Undefined for a type that rnv does not have. */
  readonly type: StackType | undefined;
  readonly address: Address | undefined;
  readonly block: JsonNode;
  /** `shop/api`; undefined in JSON that no construct wrote. */
  readonly constructPath: string | undefined;
  /** The block that it is a part of, `rnv_variables.settings`, where the block stands for several resources. */
  readonly partOf?: string;
}

export interface Stack {
  readonly root: JsonNode;
  /** Its name in the app, or that of the file. */
  readonly name: string;
  /** Path of its construct: `eu/production`; its name where no app is read. */
  readonly constructPath: string;
  readonly resources: readonly StackResource[];
  /** The resources of a name, `rnv_service.api`; those of a map, `rnv_variables.settings`. */
  readonly named: ReadonlyMap<string, readonly StackResource[]>;
  readonly variables: ReadonlyMap<string, JsonNode>;
  readonly locals: ReadonlyMap<string, JsonNode>;
  readonly outputs: ReadonlyMap<string, JsonNode>;
  readonly data: ReadonlyMap<string, JsonNode>;
  /** The configurations of the provider as `provider` names them: `rnv`, or `rnv.ALIAS`. */
  readonly providers: ReadonlyMap<string, JsonNode>;
}

export interface StackContext {
  readonly stack: Stack;
  readonly others: readonly Stack[];
  readonly unit?: StackUnit | undefined;
  readonly types: ReadonlyMap<string, StackType>;
  readonly dataTypes: ReadonlyMap<string, DataType>;
  /** The declared blocks, as far as they are read, and the environment. */
  readonly reading: LoadContext;
  readonly report: Report;
  readonly spent: { steps: number };
  /** The constructs of resources and data sources by address, for findings about them. */
  readonly owners: Map<string, string>;
}

export interface Scope {
  readonly context: StackContext;
  readonly stack: Stack;
  readonly node: JsonNode;
  readonly reader: Owner;
  /** Named values that are being evaluated: a name that occurs in its own value is a cycle. */
  readonly busy: Set<string>;
}

/** The construct and the resource that a problem of a value names. */
export interface Owner {
  readonly owner: string;
  readonly address?: Address | undefined;
}

/** The steps into a name: `.a`, `[0]`. */
export type Steps = readonly (string | number)[];

/** The library's prefix of remote states that carry references across stacks. */
export const crossStackInput = "cross-stack-reference-input-";

/** The path of the construct that wrote a block, from its comment. */
export function constructPathOf(block: JsonNode): string | undefined {
  const path = commentOf(block, "metadata").at("path").value;
  return typeof path === "string" ? path : undefined;
}

/** A part of the comment of a block, which Terraform does not read. */
export const commentOf = (block: JsonNode, key: string): JsonNode => block.at("//").at(key);

export function undeclared(
  what: string,
  name: string,
  known: Iterable<string>,
  { reading: { misses } }: StackContext,
): StackProblem {
  const hint = hintForMiss(misses, name, () => known);
  return unknownReference(`${what} is not declared`, hint);
}

/** `shop/api`, or `rnv_service.api` in JSON that no construct wrote. */
export const ownerOf = ({
  terraformType,
  name,
  constructPath = `${terraformType}.${name}`,
}: Pick<StackResource, "terraformType" | "name" | "constructPath">): string => constructPath;

export const problemAt = (
  { code, message, hint, at }: StackProblem,
  { owner, address }: Owner,
  range: SourceRange,
): Diagnostic => error(code, `${owner}: ${message}`, { range: at ?? range, address, hint, construct: owner });

const knownBlocks = new Set(
  "// terraform provider resource data locals variable output moved import removed".split(" "),
);

/** The parts of a stack by name. A block that rnv cannot honour is reported, never passed over. */
export function readStack(
  root: JsonNode,
  { unit: name, constructPath }: { readonly unit: string; readonly constructPath: string },
  types: StackContext["types"],
  report: Report,
): Stack {
  if (!root.isObject) report(error("stack.invalid_value", "a stack is a JSON object", { range: root.range }));
  for (const [key, block] of root.entries)
    if (!knownBlocks.has(key))
      report(problemAt(unsupported(`the block "${key}"`), { owner: name }, block.keyRange));
  checkSettings(root, name, report);
  const resources = blocksOf(root, "resource", 2).flatMap((labelled) => resourcesOf(labelled, types));
  const named = groupBy(resources, (one) => one.partOf ?? `${one.terraformType}.${one.name}`);
  return {
    root,
    name,
    constructPath,
    resources,
    named,
    variables: byLabel(blocksOf(root, "variable", 1)),
    outputs: byLabel(blocksOf(root, "output", 1)),
    locals: new Map(nestedBlocks(root, "locals").flatMap(({ entries }) => entries)),
    data: byLabel(blocksOf(root, "data", 2)),
    providers: providersOf(root),
  };
}

interface Labelled {
  readonly labels: readonly string[];
  readonly block: JsonNode;
}

/** The blocks under `key` and so many labels. Terraform takes a list of objects wherever it takes an object. */
function blocksOf(parent: JsonNode, key: string, labels: number): readonly Labelled[] {
  let level: readonly Labelled[] = parent.at(key).items.map((block) => ({ block, labels: [] }));
  for (let i = 0; i < labels; i += 1)
    level = level.flatMap(({ block, labels: outer }) =>
      block.entries.flatMap(([label, inner]) =>
        inner.items.map((item) => ({ block: item, labels: [...outer, label] })),
      ),
    );
  return level;
}

export const nestedBlocks = (parent: JsonNode, key: string): readonly JsonNode[] =>
  parent.at(key).items.filter(({ isObject }) => isObject);

const byLabel = (blocks: readonly Labelled[]): ReadonlyMap<string, JsonNode> =>
  new Map(blocks.map(({ labels, block }) => [labels.join("."), block]));

function providersOf(root: JsonNode): Stack["providers"] {
  const blocks = blocksOf(root, "provider", 1).filter(({ labels }) => labels[0] === terraformPrefix);
  return new Map(
    blocks.map(({ block }) => {
      const alias = block.at("alias").value;
      return [typeof alias === "string" ? `${terraformPrefix}.${alias}` : terraformPrefix, block];
    }),
  );
}

/** The resources of a block: of `rnv_variables` those of its map, each under the address that it has in a manifest. */
function resourcesOf({ labels, block }: Labelled, types: StackContext["types"]): readonly StackResource[] {
  const [terraformType = "", name = ""] = labels;
  const maps = ["values", "values_wo", generatedName].filter((key) => block.at(key).isObject);
  // A map that is one expression has no names yet: the type of the block stays, and is refused.
  if (terraformType !== variablesResource || maps.length === 0)
    return [resourceOf(terraformType, name, block, types)];
  const service = /^\$\{rnv_service\.([\w-]+)\.id\}$/.exec(String(block.at("service_id").value))?.[1] ?? name;
  const own = ["values", "values_wo", "values_wo_version", generatedName];
  const others = [...block.members].filter(([key]) => !own.includes(key));
  return maps.flatMap((attribute) =>
    block.at(attribute).entries.map(([key, value]) => {
      const valueKey = attribute === generatedName ? generatedName : "value";
      const variable = block.holding(new Map([...others, ["key", value.holding(key)], [valueKey, value]]));
      const partOf = `${terraformType}.${name}`;
      return { ...resourceOf(`${terraformPrefix}_variable`, `${service}__${key}`, variable, types), partOf };
    }),
  );
}

function resourceOf(
  terraformType: string,
  name: string,
  block: JsonNode,
  types: StackContext["types"],
): StackResource {
  const type = types.get(terraformType);
  const address = type && addressOfResource(type, name);
  return { terraformType, name, type, address, block, constructPath: constructPathOf(block) };
}

/** Refuses other providers; warns of a remote backend, whose state rnv does not use. */
function checkSettings(root: JsonNode, name: string, report: Report): void {
  for (const { labels, block } of blocksOf(root, "provider", 1))
    if (labels[0] !== terraformPrefix)
      report(problemAt(otherProvider(labels[0] ?? ""), { owner: name }, block.range));
  for (const settings of nestedBlocks(root, "terraform"))
    for (const key of ["backend", "cloud"]) {
      const at = settings.at(key);
      if (!at.isAbsent && !at.has("local"))
        report(
          warning("stack.unsupported", `${name}: the ${key} is not used`, {
            range: at.keyRange,
            detail: "rnv keeps a state of its own, named by RNV_STATE or --state.",
          }),
        );
    }
}

const otherProvider = (name: string): StackProblem =>
  unsupported(
    `the provider "${name}"`,
    "leave this stack to Terraform, and name those that rnv runs: rnv plan 'shop-*'",
  );
