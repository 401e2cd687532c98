import type { Address } from "../../model/address";
import type { LiveResource } from "../../model/live";
import { Secret } from "../../model/secret";
import type { Attributes } from "../../model/value";
import { type Plain, type ResolvedValue, Unknown } from "../../model/value";
import type { Binding, ManagedType } from "../schema/managed-type";
import { fromJson } from "./from-json";
import {
  asObject,
  holdsUnknown,
  type TerraformObject,
  type TerraformValue,
  toPlain,
} from "./terraform-value";

/** The value at a place of a whole value; null where a block above it is missing. */
export function valueAt(whole: TerraformObject, steps: readonly string[]): TerraformValue {
  let value: TerraformValue = whole;
  for (const step of steps) value = asObject(value)?.[step] ?? null;
  return value;
}

/** A copy whose places may be set: its blocks are copies too. */
export function draftOf(type: ManagedType, whole: TerraformObject): Record<string, TerraformValue> {
  const draft: Record<string, TerraformValue> = { ...whole };
  for (const { name } of type.schema.block.groups) {
    const block = asObject(draft[name] ?? null);
    if (block !== undefined) draft[name] = { ...block };
  }
  return draft;
}

/** Sets the value at a place of a draft; a block that is missing is made. */
export function setValue(
  draft: Record<string, TerraformValue>,
  steps: readonly string[],
  value: TerraformValue,
): void {
  let within = draft;
  for (const step of steps.slice(0, -1)) {
    within[step] ??= {};
    within = within[step] as Record<string, TerraformValue>;
  }
  within[steps.at(-1) ?? ""] = value;
}

const noReferences = new Unknown([]);

/** What a configuration declares, by attribute path; null declares nothing. Secrets are not among it. */
export function declaredIn(type: ManagedType, config: TerraformObject): Map<string, Plain | Unknown> {
  const declared = new Map<string, Plain | Unknown>();
  for (const { path, steps } of type.declared) {
    const value = valueAt(config, steps);
    if (value !== null) declared.set(path, holdsUnknown(value) ? noReferences : toPlain(value));
  }
  for (const { steps, rule } of type.computed) {
    if (rule.pinnedBy === undefined || declared.has(rule.pinnedBy)) continue;
    const value = valueAt(config, steps);
    if (value !== null) declared.set(rule.pinnedBy, holdsUnknown(value) ? noReferences : toPlain(value));
  }
  return declared;
}

/** Only what is known of a resolved declaration. */
export const knownOf = (declared: ReadonlyMap<string, ResolvedValue>): Map<string, Plain> =>
  new Map([...declared].filter((entry): entry is [string, Plain] => !(entry[1] instanceof Unknown)));

/** A state of Terraform as the live resource it was when it was last read. */
export function liveOf(type: ManagedType, state: TerraformObject): LiveResource {
  const attributes = knownOf(declaredIn(type, state));
  const computed = new Map<string, Plain>();
  for (const { path, steps } of type.computed) {
    const value = valueAt(state, steps);
    if (value !== null && !holdsUnknown(value)) computed.set(path, toPlain(value));
  }
  const updatedAt = computed.get("updatedAt");
  return {
    type: type.resource.type,
    id: textIn(state, "id") ?? "",
    name: nameIn(type, state),
    parentId: parentIn(type, attributes) ?? null,
    attributes,
    computed,
    ...(typeof updatedAt === "string" ? { updatedAt } : {}),
  };
}

export function textIn(state: TerraformObject, name: string): string | undefined {
  const value = state[name];
  return typeof value === "string" ? value : undefined;
}

/** The name that a resource bears at the service; its id where its type has no name. */
export function nameIn(type: ManagedType, state: TerraformObject): string {
  const binding = type.declared.find(({ path }) => path === type.resource.nameAttribute);
  const name = binding && valueAt(state, binding.steps);
  return typeof name === "string" ? name : (textIn(state, "id") ?? "");
}

export function parentIn(type: ManagedType, attributes: Attributes<unknown>): string | undefined {
  for (const { attribute } of type.resource.parents) {
    const value = attributes.get(attribute);
    if (typeof value === "string") return value;
  }
  return undefined;
}

/** How messages name a resource: Terraform adds the address, which a provider is not told. */
export const addressIn = (type: Pick<ManagedType, "resource">, name: string): Address =>
  `${type.resource.type}.${name}` as Address;

/** A value of the service in the type of its attribute. */
export const shownAs = ({ type }: Pick<Binding, "type">, value: Plain | undefined): TerraformValue =>
  fromJson(type, value);

/** What a configuration declares, its secrets included as far as they are set; their text stays closed. */
export function declaredWithSecrets(type: ManagedType, config: TerraformObject): Map<string, ResolvedValue> {
  const declared = new Map<string, ResolvedValue>(declaredIn(type, config));
  for (const { path, name, writeOnlyName } of type.secrets) {
    const value = config[name] ?? config[writeOnlyName] ?? null;
    if (value !== null) declared.set(path, typeof value === "string" ? new Secret(value) : noReferences);
  }
  return declared;
}

/** A whole value with nothing in it: groups are there, and every attribute is null. */
export function emptyValue(type: ManagedType): Record<string, TerraformValue> {
  const { attributes, groups } = type.schema.block;
  const nulls = (names: readonly { readonly name: string }[]): Record<string, TerraformValue> =>
    Object.fromEntries(names.map(({ name }) => [name, null]));
  const blocks = groups.map(
    ({ name, nesting, block }) => [name, nesting === "group" ? nulls(block.attributes) : null] as const,
  );
  return { ...nulls(attributes), ...Object.fromEntries(blocks) };
}
