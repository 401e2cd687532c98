import { type Diagnostic, warning } from "../diagnostics/diagnostic";
import { remedy } from "../diagnostics/remedies";
import { type Address, canonicalId } from "../model/address";
import {
  type AttributeRule,
  isParentAttribute,
  isSetting,
  pathsWith,
  type ResourceType,
  ruleAt,
} from "../model/resource-type";
import { isFingerprint, type RecordedResource } from "../model/state";
import { isOlder } from "../model/time";
import { isPlain, type Plain, plainEqual, type ResolvedValue, Unknown } from "../model/value";
import type { UndeclaredField } from "./drift";
import { liveValue, type ResourceInstance, recordedValue } from "./instances";
import {
  type AttributeChange,
  absent,
  type ChangeCause,
  instanceOf,
  type Plan,
  type ShownValue,
  secret,
  shownValue,
} from "./plan";
import type { ResolvedInstance } from "./resolve-value";

type DeclaredFields = Pick<ResolvedInstance, "resolved" | "secrets" | "revealed">;

export type AttributesDiff = ReturnType<typeof diffAttributes>;

/** The verdict about a field; `left`: drift that is not restored. */
type FieldVerdict = "same" | "released" | "left" | SetVerdict;

type SetVerdict = { readonly cause: ChangeCause; readonly liveChangedToo?: true };

/**
 * Compares the fields of a resource by the rules of ownership (DESIGN section 4). D is declared, L last applied, V live over
 * the defaults, C the default. A declared `null` has become C before.
 *
 * - D = V: `same`.
 * - D ≠ V, without L: set D, `take-over`; `edit` where V = C.
 * - D = L ≠ V: set D, `drift`.
 * - D ≠ L = V: set D, `edit`.
 * - D, L and V differ: set D, `edit`, and live had changed too.
 * - Without D, L = V: set C, `removed`; `same` where V = C, `released` where C is unknown.
 * - Without D, L ≠ V: `released`.
 * - Without D and L: never comes here.
 *
 * A generated secret that exists keeps its value: none is taken over (`same`), none restored (`left`).
 */
export function diffAttributes(instance: ResourceInstance, declared: DeclaredFields) {
  const { address } = instance;
  const changes: AttributeChange[] = [];
  const released: AttributeChange[] = [];
  const drift: AttributeChange[] = [];
  const diagnostics: Diagnostic[] = [];
  /** Warnings about drift that stays, unless the resource is replaced. */
  const keptDiagnostics: Diagnostic[] = [];
  for (const { path, rule, verdict } of differingFields(instance, declared)) {
    const range = instance.desired?.attributes.get(path)?.range ?? instance.desired?.range;
    if (verdict === "released" || verdict === "left") {
      const outside = driftOf(instance, path, rule, verdict === "left" ? "drift" : "released");
      drift.push(outside);
      if (verdict === "released") released.push(outside);
      else keptDiagnostics.push(generatedChanged(address, { address, range }));
      continue;
    }
    if (verdict.cause === "drift" || verdict.liveChangedToo)
      drift.push(driftOf(instance, path, rule, "drift"));
    if (verdict.liveChangedToo) diagnostics.push(liveChangedToo(instance, path, range));
    const after = declared.resolved.get(path) ?? instance.defaults.get(path);
    changes.push({
      path,
      before: rule.secret ? secretBefore(instance, path, verdict) : shownValue(liveValue(instance, path)),
      after: shownValue(after),
      cause: verdict.cause,
      forcesReplacement: rule.change === "replace",
      range: verdict.cause === "removed" ? undefined : range,
    });
  }
  const move = declared.resolved.has(instance.type.place?.attribute ?? "") ? undefined : moveOf(instance);
  if (move && !isIgnored(instance.desired?.lifecycle, move.path)) {
    drift.push(move);
    keptDiagnostics.push(movedOutside(instance, move));
  }
  return { changes, released, drift, diagnostics, keptDiagnostics };
}

function moveOf({ type, recorded, live }: ResourceInstance): AttributeChange | undefined {
  if (!type.place || !recorded || !live?.place) return undefined;
  const { attribute: path, id: idName } = type.place;
  const { chosen, among } = live.place;
  const { [idName]: id } = recorded.computed;
  // A record without a place is in the place of resources that declare none.
  const before = among.find((one) => (id === undefined ? one.isDefault : one.id === canonicalId(`${id}`)));
  if (before === undefined || before === chosen) return undefined;
  const sides = { before: shownValue(before.name), after: shownValue(chosen.name) };
  return { path, ...sides, cause: "drift", forcesReplacement: false };
}

/** Returns the warning about a generated value that was changed outside: no plan writes it again. */
export const generatedChanged = (address: Address, details: Partial<Diagnostic>): Diagnostic =>
  warning("live.generated", `the generated value of ${address} was changed outside, and stays as it is`, {
    ...remedy("generated.left", address),
    ...details,
  });

function movedOutside({ address, desired }: ResourceInstance, { path, before, after }: AttributeChange) {
  const [from, to] = [before, after].map((side) => (side.kind === "value" ? JSON.stringify(side.value) : ""));
  const summary = `${address} was moved outside of rnv: its ${path} was ${from} and is ${to} now`;
  const detail = `It declares no ${path}, so nothing is changed.`;
  const hint = `to keep it there, declare ${path}: ${to}; else move it back in the dashboard`;
  return warning("live.moved", summary, { address, range: desired?.range, detail, hint });
}

/**
 * The fields, declared or recorded, that are not as they are declared; all others are not ours. Sorted, so that the
 * order of keys does not show.
 */
function differingFields(instance: ResourceInstance, declared: DeclaredFields) {
  const found: { path: string; rule: AttributeRule; verdict: Exclude<FieldVerdict, "same"> }[] = [];
  const look = (value: ResolvedValue | undefined, path: string): void => {
    // A secret is equal to nothing that is live.
    if (value !== undefined && value === liveValue(instance, path)) return;
    const rule = ruleAt(instance.type, path);
    if (!rule || rule.change === "local" || isIgnored(instance.desired?.lifecycle, path)) return;
    const judged = rule.secret ? judgeSecret(instance, path, declared) : judge(instance, path, rule, value);
    const verdict = declared.resolved.has(path) ? judged : asUnwritten(judged);
    if (verdict !== "same") found.push({ path, rule, verdict });
  };
  declared.resolved.forEach(look);
  const written = instance.desired?.attributes;
  const ours = pathsWith(instance.type, "alwaysManaged");
  for (const path in instance.recorded?.applied)
    if (!written?.has(path) && !declared.resolved.has(path) && !ours.includes(path)) look(undefined, path);
  for (const path of ours) if (!declared.resolved.has(path)) look(instance.defaults.get(path), path);
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** To take the declared value away sends the default: that is no edit. */
const asUnwritten = (verdict: FieldVerdict): FieldVerdict =>
  typeof verdict === "object" && verdict.cause === "edit" && !verdict.liveChangedToo
    ? { cause: "removed" }
    : verdict;

export const isIgnored = (from: Pick<RecordedResource, "ignoreChanges"> | undefined, path: string): boolean =>
  from?.ignoreChanges?.some((one) => path === one || path.startsWith(`${one}.`)) === true;

function judge(
  instance: ResourceInstance,
  path: string,
  rule: AttributeRule,
  declared: ResolvedValue | undefined,
): FieldVerdict {
  const live = liveValue(instance, path);
  const recorded = recordedValue(instance, path);
  if (declared === undefined) {
    if (!areEqual(rule, live, recorded)) return "released";
    const reset = instance.defaults.get(path);
    if (reset === undefined && !isParentAttribute(instance.type, path)) return "released";
    return areEqual(rule, live, reset) ? "same" : { cause: "removed" };
  }
  // A value at its default was not set: to declare it takes nothing over.
  const unrecorded: ChangeCause = areEqual(rule, live, instance.defaults.get(path)) ? "edit" : "take-over";
  if (declared instanceof Unknown || !isPlain(declared))
    return { cause: recorded === undefined ? unrecorded : "edit" };
  if (areEqual(rule, live, declared)) return "same";
  if (recorded === undefined) return { cause: unrecorded };
  if (areEqual(rule, recorded, declared)) return { cause: "drift" };
  return { cause: "edit", liveChangedToo: !areEqual(rule, live, recorded) || undefined };
}

/**
 * Judges a secret, which is not read back: the fingerprint shows an edit, the platform's `updatedAt` shows drift. A revealed
 * secret shows both.
 */
function judgeSecret(
  instance: ResourceInstance,
  path: string,
  { resolved, secrets, revealed }: DeclaredFields,
): FieldVerdict {
  const recorded = instance.recorded?.applied[path];
  const declared = resolved.get(path);
  if (declared === undefined) return recorded === undefined ? "same" : "released";
  const prints = secrets.get(path);
  const live = revealed?.prints[path];
  if (live?.now !== undefined && live.now === prints?.now) return "same";
  const isGenerated = instance.desired?.attributes.get(path)?.source === "generate";
  if (recorded === undefined) return isGenerated ? "same" : { cause: "take-over" };
  if (declared instanceof Unknown) return { cause: "edit" };
  // A value that is no secret is recorded as it is. Where a text, or the key of fingerprints, is not here, only the time tells.
  const isEdited = isFingerprint(recorded)
    ? prints !== undefined && !prints.asRecorded.includes(recorded.fingerprint)
    : recorded !== declared;
  const isTouched =
    live && isFingerprint(recorded)
      ? !live.asRecorded.includes(recorded.fingerprint)
      : (live !== undefined && !isEdited) || isOlder(instance.recorded?.updatedAt, instance.live?.updatedAt);
  if (isEdited) return { cause: "edit", liveChangedToo: isTouched || undefined };
  if (!isTouched) return "same";
  return isGenerated ? "left" : { cause: "drift" };
}

/** Treats absent and null as equal: the platform leaves out fields without a value. */
function areEqual(rule: AttributeRule, a: Plain | undefined, b: Plain | undefined): boolean {
  const [one, other] = [a ?? null, b ?? null];
  if (one === null || other === null) return one === other;
  return (rule.equal ?? plainEqual)(one, other);
}

/** The text of a value that is declared as no secret, as it was recorded; hidden where the service has another by now. */
function secretBefore(
  instance: ResourceInstance,
  path: string,
  { cause, liveChangedToo }: SetVerdict,
): ShownValue {
  if (cause === "edit" && !liveChangedToo) return recordedSecret(instance, path);
  return instance.live || instance.recorded?.applied[path] !== undefined ? secret : absent;
}

function recordedSecret({ live, recorded }: ResourceInstance, path: string): ShownValue {
  const value = recorded?.applied[path];
  if (value === undefined) return live ? secret : absent;
  return isFingerprint(value) ? secret : shownValue(value);
}

function driftOf(
  instance: ResourceInstance,
  path: string,
  rule: AttributeRule,
  cause: "drift" | "released",
): AttributeChange {
  return {
    path,
    before: rule.secret ? recordedSecret(instance, path) : shownValue(recordedValue(instance, path)),
    after: rule.secret ? secret : shownValue(liveValue(instance, path)),
    cause,
    forcesReplacement: false,
  };
}

function liveChangedToo({ address }: ResourceInstance, attribute: string, range: Diagnostic["range"]) {
  const summary = `${address}: ${attribute} was changed here and outside rnv`;
  const detail = "The declared value wins.";
  return warning("plan.live_changed_too", summary, { detail, address, attribute, range });
}

/** Returns the recorded fields whose live value differs, for a refresh; without those that a removed resource ignored. */
export function diffRecorded(instance: ResourceInstance): AttributeChange[] {
  const drift: AttributeChange[] = [];
  const paths = new Set([
    ...Object.keys(instance.recorded?.applied ?? {}),
    ...pathsWith(instance.type, "alwaysManaged"),
  ]);
  for (const path of [...paths].sort()) {
    const rule = ruleAt(instance.type, path);
    if (!rule || rule.change === "local" || (instance.removed && isIgnored(instance.recorded, path)))
      continue;
    const differs = rule.secret
      ? isOlder(instance.recorded?.updatedAt, instance.live?.updatedAt)
      : !areEqual(rule, recordedValue(instance, path), liveValue(instance, path));
    if (differs) drift.push(driftOf(instance, path, rule, "drift"));
  }
  const move = moveOf(instance);
  const isTold =
    !move || paths.has(move.path) || (instance.removed && isIgnored(instance.recorded, move.path));
  return isTold ? drift : [...drift, move];
}

/** Returns the settings that were made outside of rnv and that no manifest declares. */
export function undeclaredFields(plan: Plan, types: readonly ResourceType[]): readonly UndeclaredField[] {
  const known = new Map(types.map((type) => [type.type, type]));
  return plan.changes.flatMap((change) => {
    const { address } = change;
    const type = known.get(change.type);
    const { desired, recorded, live, defaults } = instanceOf(plan, change);
    if (!type || !desired || !live) return [];
    const fields: UndeclaredField[] = [];
    for (const [path, byDefault] of defaults) {
      const rule = ruleAt(type, path);
      const isOurs = desired.attributes.has(path) || recorded?.applied[path] !== undefined;
      if (!rule || !isSetting(type, path) || isOurs || isIgnored(desired.lifecycle, path)) continue;
      const value = live.attributes.get(path);
      if (value === undefined || (rule.equal ?? plainEqual)(value, byDefault)) continue;
      fields.push({ address, path, value, default: byDefault });
    }
    return fields;
  });
}
