import { error } from "../diagnostics/diagnostic";
import type { ReadContext } from "../manifest/context";
import type { Dependant } from "../manifest/references";
import type { ScalarNode, SourceNode } from "../manifest/tree";
import { readValue } from "../manifest/values";
import type { Address } from "../model/address";
import { dataSegments } from "../model/data-source";
import type { DesiredAttribute, DesiredData } from "../model/desired";
import { conditionKinds } from "../model/policy";
import { snakeCase } from "../model/text";
import { referredAddresses } from "../model/value";
import { type FoundCondition, readConditions } from "./conditions";
import type { JsonNode } from "./document";
import { invalid, missingKey, unsupported } from "./language/problem";
import type { DataType } from "./names";
import { type BlockReader, readerOf, refuseOthers } from "./resolve";
import { dependsOnOf, readProvider, withoutRepetition } from "./resources";
import {
  constructPathOf,
  crossStackInput,
  nestedBlocks,
  ownerOf,
  problemAt,
  type Stack,
  type StackContext,
} from "./stack";

/** A data source with the nodes that it is looked up by, which are not read as values yet. */
export interface FoundData extends Omit<DesiredData, "query"> {
  readonly query: ReadonlyMap<string, SourceNode>;
  readonly conditions: readonly FoundCondition[];
}

/** The data sources of a stack. One of a type that rnv does not read is refused. */
export function readData(stack: Stack, context: StackContext): readonly FoundData[] {
  return [...stack.data].flatMap(([label, entry]) => {
    const [terraformType = "", name = ""] = label.split(".");
    if (label.startsWith(`terraform_remote_state.${crossStackInput}`)) return [];
    const dataType = context.dataTypes.get(terraformType);
    if (dataType !== undefined) return [readSource(terraformType, name, entry, dataType, stack, context)];
    context.report(problemAt(unsupported(`the data source ${label}`), { owner: stack.name }, entry.keyRange));
    return [];
  });
}

function readSource(
  terraformType: string,
  name: string,
  entry: JsonNode,
  dataType: DataType,
  stack: Stack,
  context: StackContext,
): FoundData {
  const { type, listing } = dataType;
  const constructPath = constructPathOf(entry);
  const owner = ownerOf({ terraformType: `data.${terraformType}`, name, constructPath });
  const address = dataSegments(stack.name, terraformType, name).join(".") as Address;
  const reader = readerOf(stack, context, { owner, address });
  const query = readQuery(entry, dataType, reader);
  for (const [key, { isNeeded }] of Object.entries(listing?.query ?? {}))
    if (isNeeded && entry.at(snakeCase(key)).isAbsent)
      reader.refuse(missingKey(`it needs ${snakeCase(key)}`), entry.keyRange);
  readProvider(entry, reader);
  if (type?.nameKey !== undefined && entry.at("id").isAbsent && entry.at(type.nameKey).isAbsent)
    reader.refuse(missingKey(`it needs an id or a ${type.nameKey}`), entry.keyRange);
  // A lookup has no use for the other members of a lifecycle.
  for (const block of nestedBlocks(entry, "lifecycle"))
    refuseOthers(block, conditionKinds, "lifecycle", reader);
  return {
    address,
    owner,
    ...(type !== undefined && { type: type.placed.type.type }),
    ...(listing !== undefined && { listing: terraformType }),
    query,
    dependsOn: dependsOnOf(entry, reader),
    conditions: readConditions(entry, address, reader, { isData: true, terraformType, name }),
    range: entry.keyRange,
  };
}

/** The values that a data source is looked up by, by their name in rnv: its id, its name, the id of its parent. */
function readQuery(
  entry: JsonNode,
  { query: names, listing }: DataType,
  reader: BlockReader,
): FoundData["query"] {
  const query = new Map<string, SourceNode>();
  for (const [key, at] of entry.entries) {
    const attribute = names.get(key);
    if (at.isAbsent || ["depends_on", "provider", "lifecycle"].includes(key)) continue;
    if (attribute === undefined) {
      reader.refuse(withoutRepetition(key), at.keyRange);
      continue;
    }
    const node = reader.read(at);
    if (node === undefined) continue;
    const wanted = listing?.query[attribute]?.type ?? "string";
    if (node.kind === "scalar" && typeof node.value === wanted && !node.isSensitive && isListable(key, node))
      query.set(attribute, node);
    else reader.refuse(invalid(`${key} is ${queryWords[wanted]}`), node.range);
  }
  return query;
}

const queryWords = { string: "text that is no secret", number: "a whole number from 1 to 200" } as const;

/** Whether a page of the service can be that long (interface, "Limits"). */
const isListable = (key: string, { value }: ScalarNode): boolean =>
  key !== "limit" || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 200);

/** The data source with the values that it is looked up by; problems of them are reported. */
export function buildData(found: FoundData, reading: ReadContext): DesiredData {
  const { address, owner, range } = found;
  const query = new Map<string, DesiredAttribute>();
  for (const [attribute, node] of found.query) {
    const value = readValue(node, { address, attribute }, reading);
    if (value === "")
      reading.report(
        error("stack.invalid_value", `${owner}: ${attribute} is empty`, {
          address,
          attribute,
          range: node.range,
        }),
      );
    else if (value !== undefined) query.set(attribute, { value, range: node.range });
  }
  const dependsOn = declaredOf(found.dependsOn, { address, range }, reading);
  return { ...found, query, dependsOn };
}

/** The addresses of `depends_on` that are declared; each of the others is reported as an error of `from`. */
export function declaredOf(
  dependsOn: readonly Address[],
  from: Pick<DesiredData, "address" | "range">,
  { blocks, report }: ReadContext,
): readonly Address[] {
  return dependsOn.filter((on) => {
    if (blocks.has(on)) return true;
    const summary = `depends_on names ${on}, which is not declared`;
    report(error("stack.reference_unknown", summary, { address: from.address, range: from.range }));
    return false;
  });
}

/** Data sources as nodes of the graph, each after what it refers to. */
export const dependants = (data: Iterable<DesiredData>): readonly (readonly [Address, Dependant])[] =>
  [...data].map(({ address, query, dependsOn, range }) => {
    const referred = [...query.values()].flatMap(({ value }) => referredAddresses(value));
    return [address, { attributes: query, dependsOn: [...new Set([...dependsOn, ...referred])], range }];
  });
