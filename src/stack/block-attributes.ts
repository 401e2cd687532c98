import type { Block, WrittenAttribute } from "../declaration/declared-block";
import { entryNode, mapNode } from "../declaration/tree";
import { type AttributeShape, openShape, schemaKinds, unknownField } from "../declaration/type-index";
import type { SourceRange } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import type { Address } from "../model/address";
import { camelCase, protectionAttribute } from "../model/terraform-names";
import type { JsonNode } from "./document";
import { invalid, refused, StackProblem } from "./language/problem";
import type { StackGroup, StackType } from "./names";
import type { BlockReader } from "./resolve";
import type { StackResource } from "./stack";

export interface ResourceSource {
  readonly resource: StackResource;
  readonly type: StackType;
  readonly address: Address;
  readonly reader: BlockReader;
}

export const terraformOnly = ["count", "for_each", "dynamic", "provisioner", "connection"];
const ownKeys = ["lifecycle", "depends_on", "provider", "triggers", "timeouts", protectionAttribute];

export function readAttributes(source: ResourceSource): Pick<Block, "written" | "isReadable"> {
  const written: WrittenAttribute[] = [];
  let isReadable = true;
  const { resource, type, reader } = source;
  const fail = (problem: StackProblem, range: SourceRange): void => {
    isReadable = false;
    reader.refuse(problem, range);
  };
  const add = (shape: AttributeShape, at: JsonNode, generated?: string): void => {
    const node = reader.read(at, schemaKinds(shape.schema));
    if (node === undefined) isReadable = false;
    else if (node.isSensitive && !shape.secret)
      fail(unsupportedAs(shape, "is shown in plans and cannot hold a secret"), at.range);
    else {
      const value = generated === undefined ? node : mapNode([[generated, node, at.keyRange]], at.range);
      written.push({ shape, entry: entryNode(shape.path, value, at.keyRange) });
    }
  };
  const others = [...ownKeys, ...terraformOnly, ...type.parents.keys()];
  for (const [key, at] of resource.block.entries) {
    const generated = type.generated.get(key);
    const shape = type.attributes.get(key) ?? generated;
    const group = type.groups.get(key);
    // Terraform takes null for an attribute that is left out.
    if (at.isAbsent || others.includes(key) || type.versions.has(key)) continue;
    if (shape !== undefined && written.some((earlier) => earlier.shape === shape))
      fail(unsupportedAs(shape, "is written twice: stored, write-only or made up"), at.keyRange);
    else if (shape !== undefined) add(shape, at, generated && key);
    else if (group === undefined)
      fail(unknownKey(key, [...type.attributes.keys(), ...type.groups.keys(), ...others]), at.keyRange);
    else if (at.isObject) {
      for (const [field, node] of at.entries) {
        if (node.isAbsent) continue;
        const found = fieldNamed(field, node, group, source);
        if (found === undefined) fail(unknownKey(field, group.fields.keys()), node.keyRange);
        else add(found, node);
      }
    } else if (reader.read(at) === undefined) isReadable = false;
    else fail(invalid(`${key} is an object of fields`), at.range);
  }
  return { written, isReadable };
}

const unsupportedAs = ({ path }: AttributeShape, why: string): StackProblem => refused(`${path} ${why}`);

/** The field of a group; undefined for an unknown field. A further field of an open group is noted. */
function fieldNamed(
  key: string,
  { keyRange }: JsonNode,
  { key: groupKey, fields }: StackGroup,
  { type, address, reader }: ResourceSource,
): AttributeShape | undefined {
  const known = fields.get(key);
  const further = known ?? openShape(type.blockType, groupKey, camelCase(key));
  if (known === undefined && further !== undefined)
    reader.note(unknownField(address, further.path, keyRange, didYouMean(key, fields.keys()), { name: key }));
  return further;
}

export const unknownKey = (key: string, known: Iterable<string>): StackProblem =>
  new StackProblem(
    "stack.unknown_key",
    `there is no attribute ${JSON.stringify(key)}`,
    didYouMean(key, known),
  );

/** Returns true if `deletion_protection` is set; refuses it where the type does not have it. */
export function protectionOf(at: JsonNode, isProtectable: boolean, reader: BlockReader): boolean {
  const node = at.isAbsent ? undefined : reader.read(at, ["boolean"]);
  const value = node?.kind === "scalar" ? node.value : undefined;
  if (node === undefined || value === false) return false;
  if (value === true && isProtectable) return true;
  const summary = isProtectable
    ? `${protectionAttribute} is true or false`
    : `nothing of this type has ${protectionAttribute}`;
  reader.refuse(invalid(summary), at.range);
  return false;
}
