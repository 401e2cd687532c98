import type { Address } from "../model/address";
import type { Reference } from "../model/reference";
import { ruleAt } from "../model/resource-type";
import { Secret } from "../model/secret";
import {
  canonicalJson,
  type DesiredValue,
  GeneratedSecret,
  isReference,
  type Plain,
  type ResolvedValue,
  Template,
  Unknown,
  UnreadSecret,
} from "../model/value";
import type { Decision } from "./decision";
import { changesRecordOnly } from "./diff-lifecycle";
import { liveValue, type ResourceInstance } from "./subject";

/** The value of one attribute of another resource, as far as this plan can know it. */
export type ReferenceLookup = (reference: Reference) => ResolvedValue;

/** A declared value with its references looked up. One Unknown part makes the whole unknown. */
export function resolveValue(value: DesiredValue, lookup: ReferenceLookup): ResolvedValue {
  if (!(value instanceof Template)) return value;
  const [first, ...rest] = value.parts;
  if (first !== undefined && rest.length === 0 && isReference(first) && !value.secret) return lookup(first);

  const texts: (string | Secret)[] = [];
  const unknown: Reference[] = [];
  for (const part of value.parts) {
    const found = isReference(part) ? lookup(part) : part;
    if (found instanceof Unknown || found instanceof GeneratedSecret || found instanceof UnreadSecret)
      unknown.push(part as Reference);
    else texts.push(found instanceof Secret ? found : textOf(found));
  }
  if (unknown.length > 0) return new Unknown(unknown);
  return value.secret || texts.some((text) => text instanceof Secret) ? Secret.join(texts) : texts.join("");
}

const textOf = (value: Plain): string =>
  value === null ? "" : typeof value === "object" ? canonicalJson(value) : String(value);

export interface ResolvedAttributes {
  readonly resolved: ReadonlyMap<string, ResolvedValue>;
  /** Those among them that refer to something. */
  readonly templates: ReadonlyMap<string, ResolvedValue>;
}

/**
 * The declared attributes of a resource, resolved, its name always among them (the logical name unless declared).
 * `null` stands for the service's default where there is one.
 */
export function resolveAttributes(instance: ResourceInstance, lookup: ReferenceLookup): ResolvedAttributes {
  const { address, desired, defaults, type } = instance;
  const resolved = new Map<string, ResolvedValue>();
  const templates = new Map<string, ResolvedValue>();
  for (const [path, { value }] of desired?.attributes ?? []) {
    const found = resolveValue(value, lookup);
    if (value instanceof Template) templates.set(path, found);
    resolved.set(path, found === null ? (defaults.get(path) ?? null) : found);
  }
  const { nameAttribute } = type;
  if (nameAttribute !== undefined && !resolved.has(nameAttribute))
    resolved.set(nameAttribute, address.slice(address.lastIndexOf(".") + 1));
  return { resolved, templates };
}

/** Looks references up in what is decided so far; in dependency order that is all that can be referred to. */
export const lookupIn =
  (decisions: ReadonlyMap<Address, Decision>): ReferenceLookup =>
  (reference) => {
    const decision = decisions.get(reference.address);
    const found = decision && attributeAfter(decision, reference.attribute);
    const isOpen = found === undefined || found instanceof GeneratedSecret || found instanceof UnreadSecret;
    return isOpen ? new Unknown([reference]) : found;
  };

/** An attribute of a resource once the plan is applied; undefined when only apply will tell. */
function attributeAfter(decision: Decision, attribute: string): ResolvedValue | undefined {
  const { instance, action, resolved, attributes } = decision;
  if (instance.removed) return undefined;
  const isNew = action === "create" || action === "replace" || !(instance.live ?? instance.recorded);
  const rule = ruleAt(instance.type, attribute);
  if (rule) {
    const declared = resolved.get(attribute);
    if (declared !== undefined) return declared;
    if (rule.secret) return undefined;
    const isReset = attributes.some((change) => change.path === attribute);
    return isNew || isReset ? instance.defaults.get(attribute) : (liveValue(instance, attribute) ?? null);
  }
  const computed = instance.type.computed[attribute];
  const isMoved = attributes.some(({ path }) => computed?.movesWith?.includes(path));
  const isStable = attribute === "id" || (computed?.stable === true && !isMoved);
  if (isNew || (action === "update" && !isStable && !changesRecordOnly(decision))) return undefined;
  if (attribute === "id") return instance.live?.id ?? instance.recorded?.id;
  return instance.live?.computed.get(attribute) ?? instance.recorded?.computed[attribute] ?? null;
}
