import * as z from "zod";
import { error, type SourceRange } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import { expression, expressionOf } from "../manifest/beside/policy-file";
import type { Block } from "../manifest/blocks";
import { type Address, parseAddress, typeOf } from "../model/address";
import {
  type Desired,
  type DesiredAttribute,
  type DesiredResource,
  defaultLifecycle,
  type Lifecycle,
} from "../model/desired";
import { append } from "../model/graph";
import { type ConditionKind, conditionKinds, type ResourceCondition } from "../model/policy";
import { uuidPattern } from "../model/text";
import type { Plain } from "../model/value";
import type { Report } from "./findings";
import type { ReadContext } from "./load-context";
import { reportUndeclared } from "./references";
import { type JudgedPart, judgeDocument, judgeEach, judgeFilled, judgeItems } from "./schema-issues";
import { isNull, type MapNode, mayHoldReferences, plainOfNode, quoteShort, type SourceNode } from "./tree";
import {
  freeKeys,
  isFreeKey,
  logicalName,
  openShape,
  orderKey,
  sensitiveKey,
  type TypeIndex,
  unknownField,
} from "./type-index";
import { readPlain, readValue } from "./values";

const importSchema = z
  .string()
  .regex(uuidPattern, "expected the ID (a UUID) of a live resource")
  .toLowerCase();

/** `import: <uuid>`: the id of the live resource to take over. */
export function readImport(block: Block, context: ReadContext): DesiredResource["importId"] {
  const node = block.meta?.get("import")?.value;
  if (node === undefined) return undefined;
  const { address } = block;
  const noReference = "import takes an id, not a reference";
  const written = readPlain(node, { address, attribute: "import", noReference }, context);
  if (written === undefined) return undefined;
  const subject = { nameOf: () => "import", address, code: "manifest.invalid_value" } as const;
  const id = judgeFilled(importSchema, written, { node, subject, report: context.report });
  return id === undefined ? undefined : { id, range: node.range };
}

/** Returns true if `sensitive: false` says that the value of a block is no secret. */
export function isOpenValue({ address, meta }: Block, { report }: ReadContext): boolean {
  const node = meta?.get(sensitiveKey)?.value;
  const subject = { nameOf: () => sensitiveKey, address };
  return node !== undefined && judgeDocument(z.boolean(), node, report, subject) === false;
}

const conditionsSchema = z.array(
  z.strictObject({
    condition: expression.describe("CEL; false fails it."),
    message: z.string().min(1).describe("What people read where it fails."),
  }),
);

export const lifecycleSchema = (archives: boolean) =>
  z
    .strictObject({
      preventDestroy: z.boolean().optional().describe("Refuse every plan that would delete it."),
      ignoreChanges: z
        .array(z.string())
        .optional()
        .describe("Attributes that are neither compared nor sent on update."),
      onRemove: z
        .enum(archives ? ["delete", "archive", "retain"] : ["delete", "retain"])
        .optional()
        .describe("What becomes of it when it is no longer declared."),
      precondition: conditionsSchema
        .optional()
        .describe("What must hold of it as planned; nothing is applied while one fails."),
      postcondition: conditionsSchema
        .optional()
        .describe("What must hold of it once an apply has settled; exit 7 while one fails."),
    })
    .meta({ patternProperties: freeKeys });

const lifecycles = { archived: lifecycleSchema(true), removed: lifecycleSchema(false) };

/** Reads the `lifecycle` block; what is not written keeps its default. */
export function readLifecycle(
  block: Block,
  context: ReadContext,
): Pick<DesiredResource, "lifecycle" | "conditions"> {
  const { address, placed } = block;
  const written = block.meta?.get("lifecycle")?.value;
  if (written === undefined || isNull(written)) return { lifecycle: defaultLifecycle };
  const node = written.kind === "map" ? filledIn(written, block, context) : written;
  const schema = placed.type.archives ? lifecycles.archived : lifecycles.removed;
  const judged = judgeEach(schema, node, context.report, {
    nameOf: (path) => ["lifecycle", ...path].join("."),
    address,
  });
  const { precondition: _, postcondition: __, ...rest } = judged;
  const lifecycle: Lifecycle = { ...defaultLifecycle, ...rest };
  checkIgnored(lifecycle.ignoreChanges, node, block, context);
  const conditions = conditionKinds.flatMap((kind) =>
    conditionsOf(kind, judged[kind] ?? [], listIn(node, kind)),
  );
  return { lifecycle, ...(conditions.length > 0 && { conditions }) };
}

function filledIn(node: MapNode, { address }: Block, context: ReadContext): MapNode {
  const entries = new Map(node.entries);
  for (const [key, entry] of node.entries) {
    const { value } = entry;
    if (value.kind !== "scalar" || !mayHoldReferences(value.value)) continue;
    const attribute = `lifecycle.${key}`;
    const noReference = `${attribute} is read by rnv only and cannot hold a reference`;
    const text = readPlain(value, { address, attribute, noReference }, context);
    const filled = text === "true" || text === "false" ? text === "true" : text;
    if (filled === undefined) entries.delete(key);
    else entries.set(key, { ...entry, value: { ...value, value: filled as string | boolean } });
  }
  return { ...node, entries };
}

/** What must hold of a resource, with the range of each condition in its list. */
const conditionsOf = (
  kind: ConditionKind,
  conditions: z.infer<typeof conditionsSchema>,
  items: readonly SourceNode[],
): readonly ResourceCondition[] =>
  conditions.map(({ condition, message }, i): ResourceCondition => {
    const item = items[i] as SourceNode;
    const written = item.kind === "map" ? item.entries.get("condition")?.value : undefined;
    return {
      ...{ kind, message, range: item.range },
      condition: expressionOf(written ?? item, condition),
    };
  });

const listIn = (node: SourceNode, key: string): readonly SourceNode[] => {
  const list = node.kind === "map" ? node.entries.get(key)?.value : undefined;
  return list?.kind === "list" ? list.items : [];
};

function checkIgnored(
  ignored: readonly string[],
  node: SourceNode,
  { address, placed }: Block,
  context: ReadContext,
): void {
  const { paths, groups, type } = placed;
  ignored.forEach((path, i) => {
    const { range } = listIn(node, "ignoreChanges")[i] as SourceNode;
    if (paths.has(path) || groups.has(path)) return;
    const [group = "", field = ""] = path.split(".");
    const further = openShape(placed, group, field);
    if (further?.path === path) {
      const meant = didYouMean(field, groups.get(group)?.keys() ?? []);
      context.report(unknownField(address, path, range, meant));
      return;
    }
    const summary = `${type.type} has no attribute ${quoteShort(path)} to ignore`;
    context.report(
      error("manifest.invalid_value", summary, {
        ...{ address, attribute: "lifecycle.ignoreChanges", range },
        hint: didYouMean(path, [...groups.keys(), ...paths.keys()]),
      }),
    );
  });
}

/** Keys of a manifest that hold no blocks. */
export const ownKeys: readonly string[] = ["version", "stages", "moved", "removed", "outputs"];

/** Checks the keys of one file's top level and its `version`, before files are merged. */
export function checkTopLevel(root: MapNode, index: TypeIndex, report: Report): void {
  const known = [...ownKeys, ...index.root.keys(), ...index.shared.keys()];
  const schema = z.strictObject({
    ...Object.fromEntries(known.map((key) => [key, z.unknown().optional()])),
    version: versionSchema.optional(),
  });
  const keys = [...root.entries.keys()].filter((key) => !isFreeKey(key));
  const version = root.entries.get("version")?.value;
  const value: Record<string, Plain> = Object.fromEntries(keys.map((key) => [key, null]));
  if (version !== undefined) value.version = plainOfNode(version, () => true);
  judgeFilled(schema, value, { node: root, subject: topLevel, report });
}

const topLevel: JudgedPart = {
  nameOf: ([key = "a manifest"]) => key,
  code: ({ path }) => (path.length === 0 ? "manifest.unknown_key" : "manifest.version"),
  hintFor: () => "write version: 1, or leave it out",
};

export const versionSchema = z
  .literal(1)
  .describe("Version of the manifest format. Optional; 1 is the only one.");

/** The block `outputs`, whose values may be references. */
export const outputsSchema = z
  .record(logicalName, z.unknown())
  .describe("Named values, often references, printed by `rnv output`.");

/** `outputs`: names to values; references are allowed, secrets are not. */
export function readOutputs(root: MapNode, context: ReadContext): Desired["outputs"] {
  const outputs = new Map<string, DesiredAttribute>();
  const node = root.entries.get("outputs")?.value;
  if (node === undefined || isNull(node)) return outputs;
  const named = judgeEach(outputsSchema, node, context.report, {
    nameOf: (path) => ["outputs", ...path].join("."),
  });
  for (const entry of node.kind === "map" ? node.entries.values() : []) {
    if (!Object.hasOwn(named, entry.key)) continue;
    const value = readValue(entry.value, { attribute: `outputs.${entry.key}` }, context);
    if (value !== undefined) outputs.set(entry.key, { value, range: entry.value.range });
  }
  return outputs;
}

/** An address of a known type, or of `type`. */
export const addressSchema = ({ byType }: Pick<TypeIndex, "byType">, type?: string) =>
  z
    .string()
    .refine(
      (text) => {
        const found = typeOf(parseAddress(text) ?? ("" as Address));
        return type === undefined ? byType.has(found) : found === type;
      },
      `expected ${type === undefined ? "an address" : `the address of a ${type},`} such as service.shop.api`,
    )
    .meta({ pattern: `^${type ?? "[a-z]+"}(\\.[A-Za-z0-9_][A-Za-z0-9_-]*)+$` });

export const moveSchema = (index: TypeIndex) =>
  z.strictObject({ from: addressSchema(index), to: addressSchema(index) });

export const removalSchema = (index: TypeIndex) => {
  const address = addressSchema(index);
  return z.union([address, z.strictObject({ address, consumers: z.literal(true) })]);
};

/** `moved`: where a recorded resource is declared now. */
export function readMoved(node: SourceNode | undefined, context: ReadContext): Desired["moved"] {
  const moved: { from: Address; to: Address; range: SourceRange }[] = [];
  const seen = new Set<string>();
  const found = judgeItems(moveSchema(context.index), "moved", node, context.report, {
    code: "manifest.moved",
    hintFor: () => "moved: [{ from: service.shop.web, to: service.shop.api }]",
  });
  for (const { item, at } of found) {
    const { range } = at;
    const [from, to] = [item.from as Address, item.to as Address];
    const refuse = (summary: string): void => context.report(error("manifest.moved", summary, { range }));
    if (typeOf(from) !== typeOf(to)) refuse(`${from} and ${to} are of different types`);
    else if (context.blocks.has(from)) refuse(`${from} is still declared`);
    else if (!context.blocks.has(to) && !context.isPartial) refuse(`${to} is not declared`);
    else if (seen.has(`from ${from}`) || seen.has(`to ${to}`)) refuse(`${from} or ${to} is moved twice`);
    else moved.push({ from, to, range });
    seen.add(`from ${from}`).add(`to ${to}`);
  }
  return moved;
}

/** `removed`: deletions confirmed by name, in the text that is reviewed. */
export function readRemoved(node: SourceNode | undefined, context: ReadContext): Desired["removed"] {
  const removed = new Map<Address, Desired["removed"][number]>();
  const found = judgeItems(removalSchema(context.index), "removed", node, context.report, {
    code: "manifest.removed",
    hintFor: () => "removed: [service.shop.worker]",
  });
  for (const { item, at } of found) {
    const { range } = at;
    const address = (typeof item === "string" ? item : item.address) as Address;
    const consumers = typeof item !== "string";
    if (context.blocks.has(address))
      context.report(
        error("manifest.removed", `${address} is declared and cannot be removed`, { address, range }),
      );
    else removed.set(address, { address, range, ...(consumers && { consumers }) });
  }
  return [...removed.values()];
}

/** `dependsOn: [service.shop.migrate]`: addresses of the type that the block has. */
export const orderSchema = (index: Pick<TypeIndex, "byType">, type: string) =>
  z
    .array(addressSchema(index, type))
    .describe(`Each ${type} that is created, deployed and settled before this one, and deleted after it.`);

/** Returns the declared addresses that `dependsOn` of a block names; the others are reported. */
export function readOrder({ address, meta, placed }: Block, context: ReadContext): readonly Address[] {
  const node = meta?.get(orderKey)?.value;
  // To make a schema for each block would take longer than to read the block.
  if (node === undefined) return [];
  const schema = addressSchema(context.index, placed.type.type);
  const named = judgeItems(schema, orderKey, node, context.report, { address });
  return named.flatMap(({ item, at: { range } }) => {
    const on = item as Address;
    if (on === address)
      context.report(
        error("manifest.reference_cycle", `${address} depends on itself`, {
          ...{ address, attribute: orderKey, range },
        }),
      );
    else if (context.blocks.has(on)) return [on];
    else reportUndeclared(on, placed, range, { address, attribute: orderKey }, context);
    return [];
  });
}

/**
 * Returns the resources, each waiting for the parts of those that its `dependsOn` names too, such as their deployment;
 * undefined where none names any.
 */
export function waitForParts(
  built: readonly { readonly resource: DesiredResource; readonly order: readonly Address[] }[],
  resources: ReadonlyMap<Address, DesiredResource>,
): ReadonlyMap<Address, DesiredResource> | undefined {
  const ordered = built.filter(({ order }) => order.length > 0);
  if (ordered.length === 0) return undefined;
  const parts = new Map<Address, Address[]>();
  for (const { address, parent } of resources.values()) if (parent) append(parts, parent, address);
  const waiting = new Map(resources);
  for (const { resource, order } of ordered) {
    const found = resources.get(resource.address) as DesiredResource;
    const further = order.flatMap((on) => parts.get(on) ?? []);
    waiting.set(found.address, { ...found, dependsOn: [...found.dependsOn, ...further] });
  }
  return waiting;
}
