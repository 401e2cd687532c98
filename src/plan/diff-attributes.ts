import { type Diagnostic, warning } from "../diagnostics/diagnostic";
import type { DesiredResource } from "../model/desired";
import type { AttributeRule } from "../model/resource-type";
import { ruleAt } from "../model/rule-at";
import { isPlain, type Plain, plainEqual, type ResolvedValue, Unknown } from "../model/value";
import type { AttributeChange, Cause } from "./plan";
import type { Revealed, SecretPrints } from "./secret-prints";
import { absent, secret, shownValue } from "./shown-value";
import { isFingerprint, liveValue, recordedValue, type Subject } from "./subject";

export interface AttributesDiff {
  readonly changes: readonly AttributeChange[];
  readonly released: readonly AttributeChange[];
  readonly drift: readonly AttributeChange[];
  readonly diagnostics: readonly Diagnostic[];
}

interface Declared {
  readonly resolved: ReadonlyMap<string, ResolvedValue>;
  readonly secrets: ReadonlyMap<string, SecretPrints>;
  readonly revealed?: Revealed;
}

/** What one row of the table says about a field. */
type Verdict =
  | { readonly kind: "same" }
  | { readonly kind: "set"; readonly cause: Cause; readonly liveChangedToo?: true }
  | { readonly kind: "released" };

const same: Verdict = { kind: "same" };

/**
 * Who owns a field (DESIGN section 4). D declared, L last applied, V live overlaid on the defaults, C the default;
 * a declared `null` has become C before it comes here.
 *
 * | D      | L    | V        | verdict                                  |
 * |--------|------|----------|------------------------------------------|
 * | set    | any  | = D      | same                                     |
 * | set    | none | ≠ D      | set D, `take-over`; `edit` where V = C   |
 * | set    | = D  | ≠ D      | set D, `drift`                           |
 * | set    | ≠ D  | = L      | set D, `edit`                            |
 * | set    | ≠ D  | ≠ L, ≠ D | set D, `edit`, and live had changed too  |
 * | absent | set  | = L      | set C, `removed` (same when V = C)       |
 * | absent | set  | ≠ L      | `released`; so too = L where C is unknown |
 * | absent | none | any      | not ours: never comes here               |
 */
export function diffAttributes(subject: Subject, declared: Declared): AttributesDiff {
  const changes: AttributeChange[] = [];
  const released: AttributeChange[] = [];
  const drift: AttributeChange[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const { path, rule, verdict } of differingFields(subject, declared)) {
    const range = subject.desired?.attributes.get(path)?.range ?? subject.desired?.range;
    const before = rule.secret ? secretBefore(subject, path) : shownValue(liveValue(subject, path), false);
    if (verdict.kind === "released" || verdict.cause === "drift" || verdict.liveChangedToo)
      drift.push(driftOf(subject, path, rule, verdict));
    if (verdict.kind === "released") {
      released.push(driftOf(subject, path, rule, verdict));
      continue;
    }
    if (verdict.liveChangedToo) diagnostics.push(liveChangedToo(subject, path, range));
    const after = declared.resolved.get(path) ?? subject.defaults.get(path);
    changes.push({
      path,
      before,
      after: shownValue(after, rule.secret === true),
      cause: verdict.cause,
      forcesReplacement: rule.change === "replace",
      ...(range && verdict.cause !== "removed" && { range }),
    });
  }
  return { changes, released, drift, diagnostics };
}

interface Differing {
  readonly path: string;
  readonly rule: AttributeRule;
  readonly verdict: Exclude<Verdict, { readonly kind: "same" }>;
}

/**
 * The fields, declared or recorded, that are not as they are declared; all others are not ours. Sorted, so that the
 * order of keys does not show.
 */
function differingFields(subject: Subject, declared: Declared): readonly Differing[] {
  const found: Differing[] = [];
  const look = (value: ResolvedValue | undefined, path: string): void => {
    // By far the most; a secret is equal to nothing that is live.
    if (value !== undefined && value === liveValue(subject, path)) return;
    const rule = ruleAt(subject.type, path);
    if (!rule || rule.change === "local" || isIgnored(subject.desired, path)) return;
    const judged = rule.secret ? judgeSecret(subject, path, declared) : judge(subject, path, rule, value);
    const verdict = declared.resolved.has(path) ? judged : asUnwritten(judged);
    if (verdict.kind !== "same") found.push({ path, rule, verdict });
  };
  declared.resolved.forEach(look);
  const written = subject.desired?.attributes;
  const ours = subject.type.ours ?? [];
  for (const path in subject.recorded?.applied)
    if (!written?.has(path) && !declared.resolved.has(path) && !ours.includes(path)) look(undefined, path);
  for (const path of ours) if (!declared.resolved.has(path)) look(subject.defaults.get(path), path);
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** To take the declared value away sends the default: nobody edited it. */
const asUnwritten = (verdict: Verdict): Verdict =>
  verdict.kind === "set" && verdict.cause === "edit" && !verdict.liveChangedToo
    ? { kind: "set", cause: "removed" }
    : verdict;

/** A path of `ignoreChanges` covers itself and everything below it. */
export function isIgnored(desired: DesiredResource | undefined, path: string): boolean {
  const ignored = desired?.lifecycle.ignoreChanges;
  if (!ignored || ignored.length === 0) return false;
  return ignored.some((one) => path === one || path.startsWith(`${one}.`));
}

function judge(
  subject: Subject,
  path: string,
  rule: AttributeRule,
  declared: ResolvedValue | undefined,
): Verdict {
  const live = liveValue(subject, path);
  const recorded = recordedValue(subject, path);
  if (declared === undefined) {
    if (!areEqual(rule, live, recorded)) return { kind: "released" };
    const reset = subject.defaults.get(path);
    if (reset === undefined && !isParentAttribute(subject, path)) return { kind: "released" };
    return areEqual(rule, live, reset) ? same : { kind: "set", cause: "removed" };
  }
  // Nobody set what is at its default: to declare it takes nothing over.
  const unrecorded: Cause = areEqual(rule, live, subject.defaults.get(path)) ? "edit" : "take-over";
  if (declared instanceof Unknown || !isPlain(declared))
    return { kind: "set", cause: recorded === undefined ? unrecorded : "edit" };
  if (areEqual(rule, live, declared)) return same;
  if (recorded === undefined) return { kind: "set", cause: unrecorded };
  if (areEqual(rule, recorded, declared)) return { kind: "set", cause: "drift" };
  return { kind: "set", cause: "edit", ...(!areEqual(rule, live, recorded) && { liveChangedToo: true }) };
}

/**
 * Secrets are not read back: the fingerprint tells an edit, the service's `updatedAt` tells drift. One that was revealed
 * tells both.
 */
function judgeSecret(subject: Subject, path: string, { resolved, secrets, revealed }: Declared): Verdict {
  const recorded = subject.recorded?.applied[path];
  const declared = resolved.get(path);
  if (declared === undefined) return recorded === undefined ? same : { kind: "released" };
  const prints = secrets.get(path);
  const live = revealed?.prints[path];
  if (live?.now !== undefined && live.now === prints?.now) return same;
  if (!isFingerprint(recorded)) return { kind: "set", cause: "take-over" };
  if (declared instanceof Unknown) return { kind: "set", cause: "edit" };
  const isTouched = live
    ? !live.asRecorded.includes(recorded.fingerprint)
    : isNewer(subject.live?.updatedAt, subject.recorded?.updatedAt);
  // Its text, or the key of fingerprints, is not here: only the time tells.
  const isEdited = prints !== undefined && !prints.asRecorded.includes(recorded.fingerprint);
  if (isEdited) return { kind: "set", cause: "edit", ...(isTouched && { liveChangedToo: true }) };
  return isTouched ? { kind: "set", cause: "drift" } : same;
}

const isNewer = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && Date.parse(a) > Date.parse(b);

/** Absent and null are one: the service leaves out what it has no value for. */
function areEqual(rule: AttributeRule, a: Plain | undefined, b: Plain | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || a === null || b === undefined || b === null) return (a ?? null) === (b ?? null);
  return (rule.equal ?? plainEqual)(a, b);
}

const isParentAttribute = ({ type }: Subject, path: string): boolean =>
  type.parents.some(({ attribute }) => attribute === path);

const secretBefore = ({ live, recorded }: Subject, path: string): AttributeChange["before"] =>
  live || recorded?.applied[path] !== undefined ? secret : absent;

/** Recorded value before, live value after: what happened outside. */
function driftOf(subject: Subject, path: string, rule: AttributeRule, verdict: Verdict): AttributeChange {
  return {
    path,
    before: rule.secret ? secret : shownValue(recordedValue(subject, path), false),
    after: rule.secret ? secret : shownValue(liveValue(subject, path), false),
    cause: verdict.kind === "released" ? "released" : "drift",
    forcesReplacement: false,
  };
}

const liveChangedToo = (subject: Subject, path: string, range: Diagnostic["range"]): Diagnostic =>
  warning("plan.live_changed_too", `${path} of ${subject.address} was changed here and outside of rnv`, {
    detail: "The declared value wins.",
    address: subject.address,
    attribute: path,
    ...(range && { range }),
  });

/** Every recorded field whose live value is another, declared or not: what a refresh would record. */
export function diffRecorded(subject: Subject): AttributeChange[] {
  const drift: AttributeChange[] = [];
  const paths = new Set([...Object.keys(subject.recorded?.applied ?? {}), ...(subject.type.ours ?? [])]);
  for (const path of [...paths].sort()) {
    const rule = ruleAt(subject.type, path);
    if (!rule || rule.change === "local") continue;
    const differs = rule.secret
      ? isNewer(subject.live?.updatedAt, subject.recorded?.updatedAt)
      : !areEqual(rule, recordedValue(subject, path), liveValue(subject, path));
    if (differs) drift.push(driftOf(subject, path, rule, { kind: "set", cause: "drift" }));
  }
  return drift;
}
