import type { SourceRange } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import type { Block, WrittenAttribute } from "../manifest/blocks";
import type { MapEntry, SourceNode } from "../manifest/tree";
import { type AttributeShape, openShape, schemaKinds, unknownField } from "../manifest/type-index";
import type { Address } from "../model/address";
import { camelCase } from "../model/text";
import { bindingKeys } from "./bindings";
import { isObject, type Json, type JsonLocation } from "./document";
import { numberText, parseNumber } from "./language/numbers";
import type { StackGroup, StackType } from "./names";
import type { BlockReader } from "./resolve";
import { type StackEntry, StackProblem, type StackResource } from "./stack";

/** A resource that is being read. */
export interface ResourceSource {
  readonly resource: StackResource;
  readonly type: StackType;
  readonly address: Address;
  readonly reader: BlockReader;
}

/** Keys that Terraform has and rnv does not. */
export const terraformOnly = ["count", "for_each", "dynamic", "provisioner", "connection"];
const ownKeys = ["//", "lifecycle", "depends_on", "provider", "triggers", "timeouts"];

/** Reads the attributes; `isReadable` is false when an attribute could not be read. */
export function readAttributes(source: ResourceSource): Pick<Block, "written" | "isReadable"> {
  const written: WrittenAttribute[] = [];
  let isReadable = true;
  const { resource, type, reader } = source;
  const fail = (problem: StackProblem, range: SourceRange): void => {
    isReadable = false;
    reader.refuse(problem, range);
  };
  const add = (
    shape: AttributeShape,
    value: Json,
    location: JsonLocation,
    as: (node: SourceNode) => SourceNode = (node) => node,
  ): void => {
    const read = reader.read(value, location);
    const found = read && as(read);
    isReadable &&= found !== undefined;
    if (found === undefined) return;
    const node = inKind(found, schemaKinds(shape.schema));
    if (node.isSensitive && !shape.secret)
      fail(unsupportedAs(shape, "is shown in plans and cannot hold a secret"), location);
    else written.push({ shape, entry: { key: shape.path, keyRange: location.keyRange, value: node } });
  };
  const others = [...ownKeys, ...terraformOnly, ...bindingKeys, ...type.parents.keys()];
  for (const [key, value] of Object.entries(resource.body)) {
    const at = resource.location.at(key);
    const generated = type.generated.get(key);
    const shape = type.attributes.get(key) ?? generated;
    const group = type.groups.get(key);
    // Terraform takes null for an attribute that is left out.
    if (value === null || others.includes(key) || type.versions.has(key)) continue;
    if (shape !== undefined && written.some((earlier) => earlier.shape === shape))
      fail(unsupportedAs(shape, "is written twice: stored, write-only or made up"), at.keyRange);
    else if (generated !== undefined)
      add(generated, value, at, (node) => ({
        ...{ kind: "map", range: at },
        entries: new Map([[key, entryAt(key, node, at)]]),
      }));
    else if (shape !== undefined) add(shape, value, at);
    else if (group === undefined)
      fail(unknownKey(key, [...type.attributes.keys(), ...type.groups.keys(), ...others]), at.keyRange);
    else if (isObject(value)) {
      for (const field of fieldsOf(value, at, group, source)) {
        if (field.shape === undefined)
          fail(unknownKey(field.key, group.fields.keys()), field.location.keyRange);
        else add(field.shape, field.value, field.location);
      }
    } else if (reader.read(value, at) === undefined) isReadable = false;
    else fail(new StackProblem("stack.invalid_value", `${key} is an object of fields`), at);
  }
  return { written, isReadable };
}

const unsupportedAs = ({ path }: AttributeShape, why: string): StackProblem =>
  new StackProblem("stack.unsupported", `${path} ${why}`);

const textOf = (value: number | boolean): string =>
  typeof value === "number" ? numberText(value) : String(value);

/** A number or a flag that is given as text, or text as one of them, as Terraform takes it. */
function inKind(node: SourceNode, kinds: readonly string[]): SourceNode {
  if (node.kind !== "scalar" || node.value === null || kinds.includes(typeof node.value)) return node;
  const { value, range } = node;
  if (typeof value !== "string")
    return kinds.includes("string") ? { kind: "scalar", value: textOf(value), range } : node;
  if (node.isSensitive || node.parts?.some(({ kind }) => kind !== "text")) return node;
  if (kinds.includes("boolean") && (value === "true" || value === "false"))
    return { kind: "scalar", value: value === "true", range };
  const parsed = kinds.includes("number") ? parseNumber(value) : undefined;
  return parsed === undefined ? node : { kind: "scalar", value: parsed, range };
}

interface GroupField extends StackEntry {
  readonly key: string;
  /** Undefined for a field that the group does not have. */
  readonly shape: AttributeShape | undefined;
}

/** The fields that are written in a group; a further field of an open group is noted. */
function fieldsOf(
  body: { readonly [key: string]: Json },
  location: JsonLocation,
  { key: groupKey, fields }: StackGroup,
  { type, address, reader }: ResourceSource,
): readonly GroupField[] {
  return Object.entries(body).flatMap(([key, value]) => {
    if (value === null || key === "//") return [];
    const at = location.at(key);
    const known = fields.get(key);
    const further = known ?? openShape(type.placed, groupKey, camelCase(key));
    if (known === undefined && further !== undefined)
      reader.note(unknownField(address, further.path, at.keyRange, didYouMean(key, fields.keys()), key));
    return [{ key, value, location: at, shape: further }];
  });
}

export const unknownKey = (key: string, known: Iterable<string>): StackProblem =>
  new StackProblem(
    "stack.unknown_key",
    `there is no attribute ${JSON.stringify(key)}`,
    didYouMean(key, known),
  );

export const entryAt = (key: string, value: SourceNode, { keyRange }: JsonLocation): MapEntry => ({
  key,
  keyRange,
  value,
});
