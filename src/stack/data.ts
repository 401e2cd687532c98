import { error } from "../diagnostics/diagnostic";
import type { Dependant } from "../manifest/references";
import type { ScalarNode } from "../manifest/tree";
import { readValue } from "../manifest/values";
import type { Address } from "../model/address";
import { dataSegments } from "../model/data-source";
import type { DesiredAttribute, DesiredCondition, DesiredData } from "../model/desired";
import { conditionKinds } from "../model/policy";
import { snakeCase } from "../model/text";
import { referredAddresses } from "../model/value";
import { readConditions } from "./conditions";
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
  type Self,
  type StackContext,
} from "./stack";

/** A data source with its conditions. */
export interface FoundData {
  readonly data: DesiredData;
  readonly conditions: readonly DesiredCondition[];
}

/** The data sources of a stack; problems of the values that they are looked up by are reported. */
export function readData(context: StackContext): readonly FoundData[] {
  const { stack } = context;
  return [...stack.data].flatMap(([label, entry]) => {
    const [terraformType = "", name = ""] = label.split(".");
    if (label.startsWith(`terraform_remote_state.${crossStackInput}`)) return [];
    if (context.dataTypes.has(terraformType))
      return [readSource({ terraformType, name, isData: true }, entry, context)];
    context.report(problemAt(unsupported(`the data source ${label}`), { owner: stack.name }, entry.keyRange));
    return [];
  });
}

function readSource(self: Self, entry: JsonNode, context: StackContext): FoundData {
  const { terraformType, name } = self;
  const { type, listing } = context.dataTypes.get(terraformType) as DataType;
  const owner = ownerOf({
    terraformType: `data.${terraformType}`,
    name,
    constructPath: constructPathOf(entry),
  });
  const address = dataSegments(context.stack.name, terraformType, name).join(".") as Address;
  const reader = readerOf(context, { owner, address });
  const query = readQuery(entry, terraformType, address, reader);
  for (const [key, { isNeeded }] of Object.entries(listing?.query ?? {}))
    if (isNeeded && entry.at(snakeCase(key)).isAbsent)
      reader.refuse(missingKey(`it needs ${snakeCase(key)}`), entry.keyRange);
  readProvider(entry, reader);
  if (type?.nameKey !== undefined && entry.at("id").isAbsent && entry.at(type.nameKey).isAbsent)
    reader.refuse(missingKey(`it needs an id or a ${type.nameKey}`), entry.keyRange);
  // A lookup has no use for the other members of a lifecycle.
  for (const block of nestedBlocks(entry, "lifecycle"))
    refuseOthers(block, conditionKinds, "lifecycle", reader);
  const range = entry.keyRange;
  const data = {
    address,
    owner,
    ...(type !== undefined && { type: type.placed.type.type }),
    ...(listing !== undefined && { listing: terraformType }),
    query,
    dependsOn: dependsOnOf(entry, { address, range }, reader),
    range,
  };
  return { data, conditions: readConditions(entry, address, reader, self) };
}

/** The values that a data source is looked up by, by their name in rnv: its id, its name, the id of its parent. */
function readQuery(
  entry: JsonNode,
  terraformType: string,
  address: Address,
  reader: BlockReader,
): DesiredData["query"] {
  const { dataTypes, reading } = reader.context;
  const { query: names, listing } = dataTypes.get(terraformType) as DataType;
  const query = new Map<string, DesiredAttribute>();
  for (const [key, at] of entry.entries) {
    const attribute = names.get(key);
    if (at.isAbsent || ["depends_on", "provider", "lifecycle"].includes(key)) continue;
    if (attribute === undefined) {
      reader.refuse(withoutRepetition(key), at.keyRange);
      continue;
    }
    const node = reader.read(at);
    if (node === undefined) continue;
    const { range } = node;
    const wanted = listing?.query[attribute]?.type ?? "string";
    const isTyped = node.kind === "scalar" && typeof node.value === wanted && !node.isSensitive;
    if (!isTyped || !isListable(key, node)) {
      reader.refuse(invalid(`${key} is ${queryWords[wanted]}`), range);
      continue;
    }
    const value = readValue(node, { address, attribute }, reading);
    const summary = `${reader.owner}: ${attribute} is empty`;
    if (value === "") reading.report(error("stack.invalid_value", summary, { address, attribute, range }));
    else if (value !== undefined) query.set(attribute, { value, range });
  }
  return query;
}

const queryWords = { string: "text that is no secret", number: "a whole number from 1 to 200" } as const;

/** Whether a page of the service can be that long (interface, "Limits"). */
const isListable = (key: string, { value }: ScalarNode): boolean =>
  key !== "limit" || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 200);

/** Data sources as nodes of the graph, each after what it refers to. */
export const dependants = (data: Iterable<DesiredData>): readonly (readonly [Address, Dependant])[] =>
  [...data].map(({ address, query, dependsOn, range }) => {
    const referred = [...query.values()].flatMap(({ value }) => referredAddresses(value));
    return [address, { attributes: query, dependsOn: [...new Set([...dependsOn, ...referred])], range }];
  });
