import type { Diagnostic } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { sameName } from "../model/names";
import {
  isParentAttribute,
  isUnlisted,
  type Neighbour,
  pathsWith,
  ruleAt,
  type Upstream,
} from "../model/resource-type";
import { Secret } from "../model/secret";
import { isFingerprint } from "../model/state";
import {
  type AttributeLookup,
  Computed,
  canonicalJson,
  type DesiredValue,
  GeneratedSecret,
  isPlain,
  isReference,
  type Plain,
  type Reference,
  type ResolvedValue,
  Template,
  Unknown,
  UnreadSecret,
} from "../model/value";
import { changesRecordOnly, type Decision, type Decisions, decideNothing, isMade } from "./decision";
import { liveValue, type ResourceInstance, type ResourceInstances } from "./instances";
import {
  type AttributeChange,
  type Plan,
  type PlanInput,
  type PlannedInstance,
  type Revealed,
  type SecretPrints,
  shownValue,
} from "./plan";

export interface DecisionContext {
  readonly input: PlanInput;
  readonly instances: ResourceInstances;
  readonly children: ReadonlyMap<Address | undefined, readonly ResourceInstance[]>;
  readonly decisions: Decisions;
  readonly lookup: ReferenceLookup;
  readonly owners: Map<string, Address>;
}

export type ReferenceLookup = (reference: Reference) => ResolvedValue;

/** Returns a declared value with its references looked up. An unknown part makes the whole unknown. */
export function resolveValue(value: DesiredValue, lookup: ReferenceLookup): ResolvedValue {
  if (value instanceof Computed) return computedValue(value, lookup);
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

function computedValue({ references, compute }: Computed, lookup: ReferenceLookup): ResolvedValue {
  const found = references.map(lookup);
  const unknown = references.filter((_, i) => !isPlain(found[i] as ResolvedValue));
  return unknown.length > 0 ? new Unknown(unknown) : compute(found as Plain[]);
}

const textOf = (value: Plain): string =>
  value === null ? "" : typeof value === "object" ? canonicalJson(value) : String(value);

/**
 * The declared attributes of a resource, resolved, its name always among them (the logical name unless declared).
 * `null` stands for the service's default where there is one. `templates`: paths of those that refer to something.
 */
function resolveAttributes(instance: ResourceInstance, lookup: ReferenceLookup) {
  const { address, desired, defaults, type } = instance;
  const resolved = new Map<string, ResolvedValue>();
  const templates: string[] = [];
  for (const [path, { value }] of desired?.attributes ?? []) {
    const found = resolveValue(value, lookup);
    if (value instanceof Template || value instanceof Computed) templates.push(path);
    resolved.set(path, found === null ? (defaults.get(path) ?? null) : found);
  }
  const { nameAttribute } = type;
  if (nameAttribute !== undefined && !resolved.has(nameAttribute))
    resolved.set(nameAttribute, address.slice(address.lastIndexOf(".") + 1));
  return { resolved, templates };
}

/** Looks references up in the decisions so far: in dependency order, they have all that a reference may name. */
export const lookupIn =
  (decisions: Decisions): ReferenceLookup =>
  (reference) => {
    const decision = decisions.get(reference.address);
    const found = decision && attributeAfter(decision, reference.attribute);
    const isOpen = found === undefined || found instanceof GeneratedSecret || found instanceof UnreadSecret;
    return isOpen ? new Unknown([reference]) : found;
  };

/** Returns an attribute of a resource once the plan is applied; undefined when only apply can tell. */
function attributeAfter(decision: Decision, attribute: string): ResolvedValue | undefined {
  const { instance, action, resolved, attributes } = decision;
  if (instance.removed) return undefined;
  const isNew = isMade({ action }) || !(instance.live ?? instance.recorded);
  const rule = ruleAt(instance.type, attribute);
  if (rule) {
    if (rule.secret && !resolved.has(attribute)) return undefined;
    const after = attributesAfter(decision).get(attribute);
    return isNew ? after : (after ?? null);
  }
  const computed = instance.type.computed[attribute];
  const isMoved = attributes.some(({ path }) => computed?.movesWith?.includes(path));
  const isStable = attribute === "id" || (computed?.stable === true && !isMoved);
  if (isNew || (action === "update" && !isStable && !changesRecordOnly(decision))) return undefined;
  if (attribute === "id") return instance.live?.id ?? instance.recorded?.id;
  // A record leaves out masked texts: only a read tells that there is none.
  const none = instance.live ? null : undefined;
  return instance.live?.computed.get(attribute) ?? instance.recorded?.computed[attribute] ?? none;
}

export interface ResolvedInstance {
  readonly instance: ResourceInstance;
  readonly resolved: ReadonlyMap<string, ResolvedValue>;
  readonly secrets: ReadonlyMap<string, SecretPrints>;
  readonly revealed?: Revealed;
  readonly undecided: Decision;
}

export function resolveInstance(
  instance: ResourceInstance,
  { input, lookup }: DecisionContext,
): ResolvedInstance {
  const attributes = resolveAttributes(instance, lookup);
  const { resolved } = attributes;
  const secrets = fingerprintSecrets(instance, attributes, input);
  const now = [...secrets].flatMap(([path, prints]) =>
    prints.now === undefined || typeof resolved.get(path) === "string" ? [] : [[path, prints.now]],
  );
  const undecided = decideNothing(instance, resolved, Object.fromEntries(now));
  const revealed = input.revealed?.get(instance.address);
  const isOfThis = revealed?.id === instance.live?.id && revealed?.updatedAt === instance.live?.updatedAt;
  if (!revealed || !isOfThis) return { instance, resolved, secrets, undecided };
  return { instance, resolved, secrets, revealed, undecided: { ...undecided, isRevealed: true } };
}

/** Returns the attributes that a create sends: those declared, without `local` ones and null. */
export function createdAttributes({ instance, resolved }: Pick<Decision, "instance" | "resolved">) {
  const attributes: AttributeChange[] = [];
  for (const path of [...resolved.keys()].sort()) {
    const rule = ruleAt(instance.type, path);
    const value = resolved.get(path);
    if (!rule || rule.change === "local" || value === undefined || value === null) continue;
    attributes.push({
      path,
      before: { kind: "absent" },
      after: shownValue(value),
      cause: "edit",
      forcesReplacement: false,
      placement: isParentAttribute(instance.type, path) || undefined,
      range: instance.desired?.attributes.get(path)?.range ?? instance.desired?.range,
    });
  }
  return attributes;
}

/** Returns whether the service takes it along with its parent, which this plan deletes, replaces or creates. */
export function goesWithParent(instance: ResourceInstance, decisions: Decisions): boolean {
  if (!instance.parent || !instance.type.removedWithParent) return false;
  const parent = decisions.get(instance.parent);
  if (parent?.action === "delete") return parent.onRemove === "delete";
  return parent?.action === "replace" || parent?.action === "create";
}

export const refuse = ({ undecided }: ResolvedInstance, diagnostic: Diagnostic): Decision => ({
  ...undecided,
  diagnostics: [diagnostic],
});

type PrintKeys = Pick<PlanInput, "fingerprintKey" | "previousFingerprintKey">;

export function printsOf(
  secret: Secret,
  { address, recorded }: Pick<ResourceInstance, "address" | "recorded">,
  { fingerprintKey: key, previousFingerprintKey: previousKey }: PrintKeys,
): SecretPrints {
  if (!key) return { now: undefined, asRecorded: [] };
  const keys = previousKey ? [key, previousKey] : [key];
  return {
    now: secret.fingerprint(key, address),
    asRecorded: keys.map((one) => secret.fingerprint(one, recorded?.fingerprintAddress ?? address)),
  };
}

/**
 * Fingerprints of the declared secrets by path: of their text, or of how they are made up. A secret stands where its
 * type says so, or in a text that refers to one.
 */
function fingerprintSecrets(
  instance: ResourceInstance,
  { resolved, templates }: ReturnType<typeof resolveAttributes>,
  keys: PrintKeys,
): ReadonlyMap<string, SecretPrints> {
  const prints = new Map<string, SecretPrints>();
  const secretPaths = pathsWith(instance.type, "secret");
  for (const path of [...secretPaths, ...templates]) {
    const found = resolved.get(path);
    // A value that is no secret may have been recorded as one.
    const value = typeof found === "string" && secretPaths.includes(path) ? new Secret(found) : found;
    if (value instanceof GeneratedSecret)
      prints.set(path, { now: value.fingerprint, asRecorded: [value.fingerprint] });
    else if (value instanceof Secret && keys.fingerprintKey)
      prints.set(path, printsOf(value, instance, keys));
  }
  return prints;
}

/**
 * Returns declared secrets without a text, and secrets that were not compared with the record for lack of the key of
 * fingerprints. Sorted by address.
 */
export function unreadSecrets(decisions: Decisions, keys: PrintKeys): Plan["unchecked"] {
  const unread: Plan["unchecked"][number][] = [];
  for (const decision of decisions.values()) {
    const { address, recorded, desired, removed } = decision.instance;
    if (removed) continue;
    for (const [path, value] of decision.resolved) {
      const isKept =
        isFingerprint(recorded?.applied[path]) && !desired?.lifecycle.ignoreChanges.includes(path);
      const isOpen = sends(decision, path)
        ? value instanceof UnreadSecret
        : isKept && !(path in decision.fingerprints);
      const isMoved = isKept && hasRecordedSource(decision.instance, path, keys) === false;
      const known = isMoved ? "its source is not the one that was last applied" : reasonOf(value);
      const reason = isOpen ? known : undefined;
      if (reason !== undefined) unread.push({ address, attribute: path, reason });
    }
  }
  return unread.sort((a, b) => (a.address < b.address ? -1 : 1));
}

/** Says if a secret is still of the source that is recorded for it; undefined where that is not known. */
export function hasRecordedSource(
  { address, desired, recorded }: Pick<ResourceInstance, "address" | "desired" | "recorded">,
  path: string,
  keys: PrintKeys,
): boolean | undefined {
  const { origin, isReplaceable } = desired?.attributes.get(path) ?? {};
  const applied = recorded?.applied[path];
  if (!origin || !isFingerprint(applied) || applied.source === undefined || !keys.fingerprintKey)
    return undefined;
  const isSame = printsOf(origin, { address, recorded }, keys).asRecorded.includes(applied.source);
  return isSame || !isReplaceable ? isSame : undefined;
}

/** Secrets of a change that have no fingerprint, so that no saved plan is bound to them; sorted. */
export const unboundSecrets = ({ resolved, fingerprints }: PlannedInstance): readonly string[] =>
  [...resolved.keys()]
    .filter((path) => reasonOf(resolved.get(path)) !== undefined && !(path in fingerprints))
    .sort();

function reasonOf(value: ResolvedValue | undefined): string | undefined {
  if (value instanceof UnreadSecret) return value.reason;
  return value instanceof Secret ? "the key of fingerprints is not here (RNV_STATE_KEY)" : undefined;
}

export const sends = (decision: Pick<Decision, "action" | "attributes">, path: string): boolean =>
  isMade(decision) || decision.attributes.some((change) => change.path === path);

/** Returns the attributes once the plan is applied: declared over live, over the defaults. */
export function attributesAfter(decision: Decision): AttributeLookup {
  const { resolved, instance } = decision;
  const get = (path: string): ResolvedValue | undefined => {
    if (resolved.has(path)) return resolved.get(path);
    return (sends(decision, path) ? undefined : liveValue(instance, path)) ?? instance.defaults.get(path);
  };
  return { get };
}

/** Returns whether no list shows it once the plan is applied. Only sent fields change: declared ones may be ignored. */
function isHiddenAfter(decision: Decision): boolean {
  const { live, type } = decision.instance;
  const after = attributesAfter(decision);
  const get = (path: string) =>
    sends(decision, path) || !live ? after.get(path) : live.attributes.get(path);
  return isUnlisted(type, { get });
}

export function nameAfter(decision: Decision): string | undefined {
  const { instance } = decision;
  const { nameAttribute } = instance.type;
  const name = nameAttribute === undefined ? undefined : attributesAfter(decision).get(nameAttribute);
  return typeof name === "string" ? name : instance.live?.name;
}

/** Returns why lists of the service show it, under its name, only once the plan is applied; undefined where they do now. */
export function appearanceOf(decision: Decision): Upstream["appears"] {
  const { instance } = decision;
  if (instance.removed || isHiddenAfter(decision)) return undefined;
  if (isMade(decision)) return "made";
  const { live, type } = instance;
  if (live && isUnlisted(type, live.attributes)) return "restored";
  return live && !sameName(nameAfter(decision), live.name) ? "renamed" : undefined;
}

export function neighboursOf({ instance }: Decision, decisions: Decisions): readonly Neighbour[] {
  const neighbours: Neighbour[] = [];
  for (const decision of decisions.values()) {
    const { address, type, parent, live, recorded, removed } = decision.instance;
    if (parent !== instance.parent || !instance.type.follows.includes(type.type)) continue;
    const idBefore = live?.id ?? recorded?.id;
    neighbours.push({
      address,
      id: isMade(decision) ? undefined : idBefore,
      idBefore,
      name: nameAfter(decision),
      isHidden: isHiddenAfter(decision),
      isRemoved: removed && !(live && decision.action === "forget"),
    });
  }
  return neighbours;
}
