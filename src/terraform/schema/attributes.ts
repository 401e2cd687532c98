import { randomBytes } from "node:crypto";
import type { Address } from "../../model/address";
import type { LiveResource } from "../../model/live";
import type { AppliableValue } from "../../model/resource-operations";
import { Secret } from "../../model/secret";
import { canonicalId, generatedName } from "../../model/text";
import {
  type Attributes,
  generatedText,
  isGeneratedLength,
  type Plain,
  type ResolvedValue,
  Unknown,
} from "../../model/value";
import {
  asObject,
  DynamicValue,
  fromJson,
  holdsUnknown,
  type TerraformObject,
  type TerraformValue,
  toPlain,
  unknown,
} from "../values";
import type { AttributeBinding, PathSteps, TerraformShape } from "./terraform-shape";

/** A whole value whose attributes may be set. */
export type Draft = Record<string, TerraformValue>;

/** Returns the value at `steps` of a whole value; null where a block above it is missing, and for a null of any type. */
export function valueAt(whole: TerraformObject, steps: PathSteps): TerraformValue {
  const [first = "", ...within] = steps;
  let value = whole[first] ?? null;
  for (const step of within) value = asObject(value)?.[step] ?? null;
  return value instanceof DynamicValue && value.value === null ? null : value;
}

/** Copies a whole value, its blocks too. */
export function draftOf(type: TerraformShape, whole: TerraformObject): Draft {
  const draft: Draft = { ...whole };
  for (const { name } of type.block.groups ?? []) {
    const block = asObject(draft[name] ?? null);
    if (block !== undefined) draft[name] = { ...block };
  }
  return draft;
}

/** Sets the value at `steps` of a draft; a block that is missing is made, unless for null. */
export function setValue(draft: Draft, steps: PathSteps, value: TerraformValue): void {
  let within = draft;
  for (const step of steps.slice(0, -1)) {
    if (value === null && (within[step] ?? null) === null) return;
    within[step] ??= {};
    within = within[step] as Draft;
  }
  within[steps.at(-1) ?? ""] = value;
}

const noReferences = new Unknown([]);
const declaredValue = (value: TerraformValue): Plain | Unknown =>
  holdsUnknown(value) ? noReferences : toPlain(value);

/** Returns what a configuration declares, by attribute path; null declares nothing. Secrets are not among it. */
export function declaredIn(type: TerraformShape, config: TerraformObject): Map<string, Plain | Unknown> {
  const declared = new Map<string, Plain | Unknown>();
  for (const { path, steps } of type.declared) {
    const value = valueAt(config, steps);
    if (value !== null) declared.set(path, declaredValue(value));
  }
  for (const { attribute } of type.resource.parents) {
    const id = declared.get(attribute);
    if (typeof id === "string") declared.set(attribute, canonicalId(id));
  }
  for (const { steps, rule } of type.computed) {
    if (rule.pinnedBy === undefined || declared.has(rule.pinnedBy)) continue;
    const value = valueAt(config, steps);
    if (value !== null) declared.set(rule.pinnedBy, declaredValue(value));
  }
  return declared;
}

/** Returns what a configuration declares and is known, by attribute path. Secrets are not among it. */
export const knownIn = (type: TerraformShape, config: TerraformObject): Map<string, Plain> =>
  new Map(
    [...declaredIn(type, config)].filter((entry): entry is [string, Plain] => !(entry[1] instanceof Unknown)),
  );

/** A version without a value says that `ignore_changes` withholds the value: validation refuses it as it is written. */
const secretsIn = (type: TerraformShape, config: TerraformObject): readonly [string, TerraformValue][] =>
  type.secrets.map(({ path, name, writeOnlyName, versionName }) => {
    const withheld = (config[versionName] ?? null) === null ? null : unknown;
    return [path, config[name] ?? config[writeOnlyName] ?? config[generatedName] ?? withheld];
  });

/** Returns what a configuration declares, its secrets included as far as they are set; their text stays closed. */
export function declaredWithSecrets(
  type: TerraformShape,
  config: TerraformObject,
): Map<string, ResolvedValue> {
  const declared = new Map<string, ResolvedValue>(declaredIn(type, config));
  for (const [path, value] of secretsIn(type, config))
    if (value !== null) declared.set(path, typeof value === "string" ? new Secret(value) : noReferences);
  return declared;
}

/** Returns what a configuration declares and is known, its secrets included: ready to be sent. */
export function appliableIn(type: TerraformShape, config: TerraformObject): Map<string, AppliableValue> {
  const attributes = new Map<string, AppliableValue>(knownIn(type, config));
  for (const [path, value] of secretsIn(type, config))
    if (typeof value === "string") attributes.set(path, new Secret(value));
  return attributes;
}

/** Returns what is to be written: as planned, with the values that no plan has, written in the configuration or made up. */
export const withUnplanned = (
  type: TerraformShape,
  planned: TerraformObject,
  config: TerraformObject,
): TerraformObject => ({
  ...planned,
  ...Object.fromEntries(
    type.secrets.map(({ writeOnlyName }) => {
      const length = asObject(planned[generatedName] ?? null)?.length;
      const made = isGeneratedLength(length) ? generatedText(randomBytes, length) : null;
      return [writeOnlyName, config[writeOnlyName] ?? made];
    }),
  ),
});

/** Returns what a state shows of what the service decides, by attribute path. */
export function computedIn(type: TerraformShape, state: TerraformObject): Map<string, Plain> {
  const computed = new Map<string, Plain>();
  for (const { path, steps } of type.computed) {
    const value = valueAt(state, steps);
    if (value !== null && !holdsUnknown(value)) computed.set(path, toPlain(value));
  }
  return computed;
}

/** Returns a state of Terraform as the live resource it was when it was last read. */
export function liveOf(type: TerraformShape, state: TerraformObject): LiveResource {
  const attributes = knownIn(type, state);
  const computed = computedIn(type, state);
  const updatedAt = computed.get("updatedAt");
  return {
    type: type.resource.type,
    id: textIn(state, "id") ?? "",
    name: nameIn(type, state),
    parentId: parentIn(type, attributes) ?? null,
    attributes,
    computed,
    ...(typeof updatedAt === "string" && { updatedAt }),
  };
}

export function textIn(state: TerraformObject, name: string): string | undefined {
  const value = state[name];
  return typeof value === "string" ? value : undefined;
}

/** Returns the name that a resource bears at the service; its id where its type has no name. */
export function nameIn(type: TerraformShape, state: TerraformObject): string {
  const steps = type.stepsOf(type.resource.nameAttribute ?? "");
  const name = steps && valueAt(state, steps);
  return typeof name === "string" ? name : (textIn(state, "id") ?? "");
}

/** Returns the id of the parent that attributes name. */
export function parentIn({ resource }: TerraformShape, attributes: Attributes<unknown>): string | undefined {
  const ids = resource.parents.map(({ attribute }) => attributes.get(attribute));
  return ids.find((id) => typeof id === "string");
}

/** Returns how messages name a resource, its name in quotes: Terraform adds the address, which a provider is not told. */
export const addressIn = ({ resource }: Pick<TerraformShape, "resource">, name: string): Address =>
  `${resource.type} ${JSON.stringify(name)}` as Address;

/** Returns a value of the service in the type of its attribute. */
export const shownAs = ({ type }: Pick<AttributeBinding, "type">, value: Plain | undefined): TerraformValue =>
  fromJson(type, value);

/** Sets the computed attributes of a draft as `live` shows them. */
export function setComputed(type: TerraformShape, draft: Draft, live: LiveResource): void {
  for (const binding of type.computed)
    setValue(draft, binding.steps, shownAs(binding, live.computed.get(binding.path)));
}

/** Returns a whole value with nothing in it: every attribute and every block is null. */
export const emptyValue = ({ block: { attributes, groups = [] } }: Pick<TerraformShape, "block">): Draft =>
  Object.fromEntries([...attributes, ...groups].map(({ name }) => [name, null]));

/** Returns a whole value with the blocks missing that hold nothing, as they are where nobody wrote them. */
export function withoutEmptyBlocks(
  type: Pick<TerraformShape, "block">,
  whole: TerraformObject,
): TerraformObject {
  const empty = (type.block.groups ?? []).filter(({ name }) =>
    Object.values(asObject(whole[name] ?? null) ?? {}).every((value) => value === null),
  );
  return { ...whole, ...Object.fromEntries(empty.map(({ name }) => [name, null])) };
}

/** Returns true if a planned value has a block that its configuration, as it is written, has not. */
export const showsUnwrittenBlock = (
  type: TerraformShape,
  written: TerraformObject,
  planned: TerraformObject,
): boolean =>
  (type.block.groups ?? []).some(
    ({ name }) => (written[name] ?? null) === null && (planned[name] ?? null) !== null,
  );
