import type { SourceRange } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import type { Block, WrittenAttribute } from "../manifest/blocks";
import type { MapEntry, SourceNode } from "../manifest/tree";
import { type AttributeShape, openShape, schemaKinds, unknownField } from "../manifest/type-index";
import type { Address } from "../model/address";
import { camelCase, protectionAttribute, terraformPrefix } from "../model/text";
import { isObject, type Json, type JsonNode } from "./document";
import { numberText, parseNumber } from "./language/numbers";
import { StackProblem, unsupported } from "./language/problem";
import type { StackGroup, StackType } from "./names";
import type { BlockReader } from "./resolve";
import type { StackResource } from "./stack";

/** A resource that is being read. */
export interface ResourceSource {
  readonly resource: StackResource;
  readonly type: StackType;
  readonly address: Address;
  readonly reader: BlockReader;
}

/** Keys that Terraform has and rnv does not. */
export const terraformOnly = ["count", "for_each", "dynamic", "provisioner", "connection"];
const ownKeys = ["lifecycle", "depends_on", "provider", "triggers", "timeouts", protectionAttribute];

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
    at: JsonNode,
    as: (node: SourceNode) => SourceNode = (node) => node,
  ): void => {
    const read = reader.read(at);
    const found = read && as(read);
    isReadable &&= found !== undefined;
    if (found === undefined) return;
    const node = inKind(found, schemaKinds(shape.schema));
    if (node.isSensitive && !shape.secret)
      fail(unsupportedAs(shape, "is shown in plans and cannot hold a secret"), at);
    else written.push({ shape, entry: { key: shape.path, keyRange: at.keyRange, value: node } });
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
    else if (generated !== undefined)
      add(generated, at, (node) => ({
        kind: "map",
        range: at,
        entries: new Map([[key, entryAt(key, node, at)]]),
      }));
    else if (shape !== undefined) add(shape, at);
    else if (group === undefined)
      fail(unknownKey(key, [...type.attributes.keys(), ...type.groups.keys(), ...others]), at.keyRange);
    else if (isObject(at.value)) {
      for (const [field, node] of at.entries) {
        if (node.isAbsent) continue;
        const found = fieldNamed(field, node, group, source);
        if (found === undefined) fail(unknownKey(field, group.fields.keys()), node.keyRange);
        else add(found, node);
      }
    } else if (reader.read(at) === undefined) isReadable = false;
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

/** The field of a group; undefined for one that it does not have. A further field of an open group is noted. */
function fieldNamed(
  key: string,
  { keyRange }: JsonNode,
  { key: groupKey, fields }: StackGroup,
  { type, address, reader }: ResourceSource,
): AttributeShape | undefined {
  const known = fields.get(key);
  const further = known ?? openShape(type.placed, groupKey, camelCase(key));
  if (known === undefined && further !== undefined)
    reader.note(unknownField(address, further.path, keyRange, didYouMean(key, fields.keys()), key));
  return further;
}

export const unknownKey = (key: string, known: Iterable<string>): StackProblem =>
  new StackProblem(
    "stack.unknown_key",
    `there is no attribute ${JSON.stringify(key)}`,
    didYouMean(key, known),
  );

export const entryAt = (key: string, value: SourceNode, { keyRange }: JsonNode): MapEntry => ({
  key,
  keyRange,
  value,
});

/** Returns true if `deletion_protection` is set; refuses it where the type does not have it. */
export function protectionOf(block: JsonNode, isProtectable: boolean, { refuse }: BlockReader): boolean {
  const at = block.at(protectionAttribute);
  const value = at.value ?? false;
  if (value === false || (value === true && isProtectable)) return value;
  refuse(
    new StackProblem(
      "stack.invalid_value",
      isProtectable
        ? `${protectionAttribute} is true or false`
        : `nothing of this type has ${protectionAttribute}`,
    ),
    at,
  );
  return false;
}

/** Returns the problem of `triggers`: reasons besides those that rnv sees by itself. Undefined where there is none. */
export function triggersProblem(
  resource: StackResource,
  type: StackType,
  { stack, context: { types } }: BlockReader,
): StackProblem | undefined {
  const { value: triggers = null } = resource.block.at("triggers");
  if (triggers === null) return undefined;
  const parent = parentOf(resource, type);
  const isSeen = (name: string): boolean =>
    parent !== undefined &&
    (name === parent ||
      (stack.named.get(name) ?? []).some((other) => {
        const otherType = types.get(other.terraformType);
        return (
          otherType !== undefined &&
          type.placed.type.follows.includes(otherType.placed.type.type) &&
          parentOf(other, otherType) === parent
        );
      }));
  const reasons = isObject(triggers) ? Object.values(triggers) : [triggers];
  if (reasons.every((reason) => isAbout(reason, isSeen))) return undefined;
  return new StackProblem(
    "stack.unsupported",
    unsupported("triggers").message,
    `a ${type.placed.type.type} of rnv follows what it belongs to, and what lies beside it, without any; for other reasons run the stack with Terraform`,
  );
}

const named = new RegExp(`\\b${terraformPrefix}_\\w+\\.[\\w-]+`, "g");
const others = /\b(var|local|data|each|count|path|terraform|module)\./;

/** Whether a value is made of resources alone that are seen. */
function isAbout(value: Json, isSeen: (name: string) => boolean): boolean {
  const names = typeof value === "string" && !others.test(value) ? [...value.matchAll(named)] : [];
  return names.length > 0 && names.every(([name]) => isSeen(name));
}

/** The resource that holds a resource, `rnv_service.api`; undefined where none is declared. */
function parentOf({ block }: StackResource, { parents }: StackType): string | undefined {
  const [id] = [...parents.keys()].map((key) => block.at(key).value ?? null).filter((one) => one !== null);
  return typeof id === "string" ? id.match(named)?.[0] : undefined;
}
