import * as z from "zod";
import { didYouMean } from "../diagnostics/suggest";
import { type Address, canonicalId, uuidPattern } from "../model/address";
import { groupBy } from "../model/collections";
import { type DesiredResource, defaultLifecycle, type Lifecycle, type OnRemove } from "../model/desired";
import {
  type ConditionKind,
  conditionKinds,
  type PolicyExpression,
  type ResourceCondition,
} from "../model/policy";
import type { Block } from "./declared-block";
import { type LoadContext, refuse } from "./load-context";
import { readPlain } from "./read-value";
import { addressSchema, reportUndeclared } from "./references";
import { judgeDocument, judgeEach, judgeFilled, judgeItems } from "./schema-issues";
import { entriesIn, isNull, type MapNode, mayHoldReferences, quoteShort, type SourceNode } from "./tree";
import { freeKeys, openShape, orderKey, sensitiveKey, type TypeIndex, unknownField } from "./type-index";

export const importId = z
  .string()
  .regex(uuidPattern, "expected the ID (a UUID) of a live resource")
  .toLowerCase();
const importNames = z.string().min(1, "expected an ID, or names: PROJECT/SERVICE").transform(canonicalId);

/** `import: <uuid>`: the id of the live resource to take over; in a stack also names. */
export function readImport(block: Block, context: LoadContext): DesiredResource["importId"] {
  const node = block.meta?.get("import")?.value;
  if (node === undefined) return undefined;
  const { address } = block;
  const noReference = "import takes an id, not a reference";
  const written = readPlain(node, { context, address, attribute: "import", noReference });
  if (written === undefined) return undefined;
  const subject = { nameOf: () => "import", address, code: "manifest.invalid_value" } as const;
  const schema = context.importsByName ? importNames : importId;
  const id = judgeFilled(schema, written, { node, subject, report: context.report });
  return id === undefined ? undefined : { id, range: node.range };
}

/** Returns true if `sensitive: false` says that the value of a block is no secret. */
export function isOpenValue({ address, meta }: Block, { report }: LoadContext): boolean {
  const node = meta?.get(sensitiveKey)?.value;
  const subject = { nameOf: () => sensitiveKey, address };
  return node !== undefined && judgeDocument(z.boolean(), node, report, subject) === false;
}

/** Characters; CEL is read in one piece. */
const longest = 4000;

export const expression = z.string().min(1, "expected an expression of CEL").max(longest);

const conditionsSchema = z.array(
  z.strictObject({
    condition: expression.describe("CEL; false fails it."),
    message: z.string().min(1).describe("What people read where it fails."),
  }),
);

const lifecycleSchema = (removals: readonly OnRemove[]) =>
  z
    .strictObject({
      preventDestroy: z.boolean().optional().describe("Refuse every plan that would delete it."),
      ignoreChanges: z
        .array(z.string())
        .optional()
        .describe("Attributes that are neither compared nor sent on update."),
      onRemove: z.enum(removals).optional().describe("What becomes of it when it is no longer declared."),
      precondition: conditionsSchema
        .optional()
        .describe("What must hold of it as planned; nothing is applied while one fails."),
      postcondition: conditionsSchema
        .optional()
        .describe("What must hold of it once an apply has settled; exit 7 while one fails."),
    })
    .meta({ patternProperties: freeKeys });

export const lifecycleSchemas = {
  archivable: lifecycleSchema(["delete", "archive", "retain"]),
  other: lifecycleSchema(["delete", "retain"]),
};

export function readLifecycle(
  block: Block,
  context: LoadContext,
): Pick<DesiredResource, "lifecycle" | "conditions"> {
  const { address, blockType } = block;
  const written = block.meta?.get("lifecycle")?.value;
  if (written === undefined || isNull(written)) return { lifecycle: defaultLifecycle };
  const node = written.kind === "map" ? filledIn(written, block, context) : written;
  const schema = lifecycleSchemas[blockType.type.archives ? "archivable" : "other"];
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
  return { lifecycle, conditions: conditions.length > 0 ? conditions : undefined };
}

function filledIn(node: MapNode, { address }: Block, context: LoadContext): MapNode {
  const entries = new Map(node.entries);
  for (const [key, entry] of node.entries) {
    const { value } = entry;
    if (value.kind !== "scalar" || !mayHoldReferences(value.value)) continue;
    const attribute = `lifecycle.${key}`;
    const noReference = `${attribute} is read by rnv only and cannot hold a reference`;
    const text = readPlain(value, { context, address, attribute, noReference });
    const filled = text === "true" || text === "false" ? text === "true" : text;
    if (filled === undefined) entries.delete(key);
    else entries.set(key, { ...entry, value: { ...value, value: filled as string | boolean } });
  }
  return { ...node, entries };
}

const conditionsOf = (
  kind: ConditionKind,
  conditions: z.infer<typeof conditionsSchema>,
  items: readonly SourceNode[],
): readonly ResourceCondition[] =>
  conditions.map(({ condition, message }, i): ResourceCondition => {
    const item = items[i] as SourceNode;
    const written = entriesIn(item).get("condition")?.value;
    return { kind, message, range: item.range, condition: expressionOf(written ?? item, condition) };
  });

const listIn = (node: SourceNode, key: string): readonly SourceNode[] => {
  const list = entriesIn(node).get(key)?.value;
  return list?.kind === "list" ? list.items : [];
};

function checkIgnored(
  ignored: readonly string[],
  node: SourceNode,
  { address, blockType }: Block,
  context: LoadContext,
): void {
  const { paths, groups, type } = blockType;
  ignored.forEach((path, i) => {
    const { range } = listIn(node, "ignoreChanges")[i] as SourceNode;
    if (paths.has(path) || groups.has(path)) return;
    const [group = "", field = ""] = path.split(".");
    const further = openShape(blockType, group, field);
    if (further?.path === path) {
      const meant = didYouMean(field, groups.get(group)?.keys() ?? []);
      context.report(unknownField(address, path, range, meant));
      return;
    }
    const summary = `${type.type} has no attribute ${quoteShort(path)} to ignore`;
    const hint = didYouMean(path, [...groups.keys(), ...paths.keys()]);
    refuse({ context, address, attribute: "lifecycle.ignoreChanges" }, range, {
      code: "manifest.invalid_value",
      summary,
      hint,
    });
  });
}

/** `dependsOn: [service.shop.migrate]`: addresses of the type that the block has. */
export const orderSchema = (index: Pick<TypeIndex, "byType">, type: string) =>
  z
    .array(addressSchema(index, type))
    .describe(`Each ${type} that is created, deployed and settled before this one, and deleted after it.`);

export function readOrder({ address, meta, blockType }: Block, context: LoadContext): readonly Address[] {
  const node = meta?.get(orderKey)?.value;
  // To make a schema for each block would take longer than to read the block.
  if (node === undefined) return [];
  const schema = addressSchema(context.index, blockType.type.type);
  const named = judgeItems(schema, orderKey, node, context.report, { address });
  const location = { context, address, attribute: orderKey };
  return named.flatMap(({ item, at: { range } }) => {
    const on = item as Address;
    const summary = `${address} depends on itself`;
    if (on === address) refuse(location, range, { code: "manifest.reference_cycle", summary });
    else if (context.blocks.has(on)) return [on];
    else reportUndeclared(on, blockType, range, location);
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
  const parts = groupBy(resources.values(), ({ parent }) => parent);
  const waiting = new Map(resources);
  for (const { resource, order } of ordered) {
    const found = resources.get(resource.address) as DesiredResource;
    const further = order.flatMap((on) => parts.get(on) ?? []).map(({ address }) => address);
    waiting.set(found.address, { ...found, dependsOn: [...found.dependsOn, ...further] });
  }
  return waiting;
}

/** The expression that a scalar of a file holds. A text that stands in the file as it is keeps its offsets. */
export function expressionOf({ range }: SourceNode, text: string): PolicyExpression {
  const at = range.source?.text?.slice(range.start, range.end).indexOf(text) ?? -1;
  return { text, range, start: at === -1 ? undefined : range.start + at };
}
