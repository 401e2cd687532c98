import { error } from "../../diagnostics/diagnostic";
import type { Address } from "../../model/address";
import { dataSegments } from "../../model/data-source";
import type { DesiredAttribute, DesiredData } from "../../model/desired";
import { terraformPrefix } from "../../model/terraform-name";
import { Template } from "../../model/value";
import { readValue } from "../read-attribute";
import type { Reading } from "../reading";
import type { Dependant } from "../references";
import type { SourceNode } from "../source-tree";
import { isObject } from "./document";
import { isDataSource, lookedUpType, lookupKeys } from "./names";
import { type Reader, readerOf } from "./resolve";
import { dependsOnOf } from "./resources";
import {
  constructPathOf,
  crossStackInput,
  type Entry,
  type Program,
  problemAt,
  type Stack,
  StackProblem,
  unsupported,
} from "./stack";

/** A data source whose query has been worked out, but not read as values yet. */
export interface FoundData extends Omit<DesiredData, "query"> {
  readonly query: ReadonlyMap<string, SourceNode>;
}

/** Keys that say nothing of what is looked up. */
const ignored = ["//", "depends_on"];

/** The data sources of one stack. Those that rnv does not read are refused. */
export function readData(stack: Stack, program: Program): readonly FoundData[] {
  const found: FoundData[] = [];
  for (const [label, entry] of stack.data) {
    const [terraformType = "", name = ""] = label.split(".");
    if (label.startsWith(`terraform_remote_state.${crossStackInput}`)) continue;
    if (isDataSource(terraformType, program)) found.push(readOne(terraformType, name, entry, stack, program));
    else program.report(problemAt(unsupported(`the data source ${label}`), stack.name, entry.place.keyPlace));
  }
  return found;
}

function readOne(
  terraformType: string,
  name: string,
  { value, place }: Entry,
  stack: Stack,
  program: Program,
): FoundData {
  const body = isObject(value) ? value : {};
  const path = constructPathOf(body);
  const label = `data.${terraformType}.${name}`;
  const owner = path === undefined ? label : `${path} (${label})`;
  const address = dataSegments(stack.name, terraformType, name).join(".") as Address;
  const reader = readerOf(stack, program, owner, address);
  const placed = lookedUpType(terraformType, program);
  const keys = placed === undefined ? new Map<string, string>() : lookupKeys(placed);
  const query = new Map<string, SourceNode>();
  for (const [key, written] of Object.entries(body)) {
    const at = place.at(key);
    const attribute = keys.get(key);
    if (written === null || ignored.includes(key)) continue;
    if (key === "provider" && written === terraformPrefix) continue;
    if (attribute === undefined) reader.refuse(unsupported(key), at.keyPlace);
    else {
      const node = reader.read(written, at);
      if (node !== undefined && isUsable(node, key, reader)) query.set(attribute, node);
    }
  }
  const nameAttribute = placed?.type.nameAttribute;
  if (nameAttribute !== undefined && body.id == null && body[nameAttribute] == null)
    reader.refuse(
      new StackProblem("manifest.missing_key", `it needs an id or a ${nameAttribute}`),
      place.keyPlace,
    );
  return {
    address,
    owner,
    ...(placed === undefined ? {} : { type: placed.type.type }),
    query,
    dependsOn: dependsOnOf({ body, place }, stack, program, reader),
    range: place.keyPlace,
  };
}

function isUsable(node: SourceNode, key: string, reader: Reader): boolean {
  const isText = node.kind === "scalar" && typeof node.value === "string" && node.isSensitive !== true;
  if (!isText)
    reader.refuse(new StackProblem("manifest.invalid_value", `${key} is text that is no secret`), node.range);
  return isText;
}

/** The data source with the values that it is looked up by; mistakes in them are reported. */
export function buildData(found: FoundData, reading: Reading): DesiredData {
  const query = new Map<string, DesiredAttribute>();
  for (const [attribute, node] of found.query) {
    const value = readValue(node, { address: found.address, attribute }, reading);
    if (value === "")
      reading.report(
        error("manifest.invalid_value", `${found.owner}: ${attribute} is empty`, {
          address: found.address,
          attribute,
          range: node.range,
        }),
      );
    else if (value !== undefined) query.set(attribute, { value, range: node.range });
  }
  const dependsOn = found.dependsOn.filter((on) => {
    if (reading.blocks.has(on)) return true;
    reading.report(
      error("manifest.reference_unknown", `depends_on names ${on}, which is not declared`, {
        address: found.address,
        range: found.range,
      }),
    );
    return false;
  });
  return { ...found, query, dependsOn };
}

/** Data sources as parts of the graph: what they refer to comes first. */
export const dependants = (
  data: ReadonlyMap<Address, DesiredData>,
): readonly (readonly [Address, Dependant])[] =>
  [...data].map(([address, { query, dependsOn, range }]) => {
    const referred = [...query.values()].flatMap(({ value }) =>
      value instanceof Template ? value.references.map((reference) => reference.address) : [],
    );
    return [address, { attributes: query, dependsOn: [...new Set([...dependsOn, ...referred])], range }];
  });
