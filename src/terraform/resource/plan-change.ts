import type { Diagnostic } from "../../diagnostics/diagnostic";
import type { Catalog } from "../../model/catalog";
import { generatedName } from "../../model/terraform-names";
import { type Plain, plainEqual, type Unknown } from "../../model/value";
import { type AttributesDiff, diffAttributes } from "../../plan/diff";
import {
  type Draft,
  fromJson,
  holdsUnknown,
  isSameValue,
  isUnknown,
  type PathSteps,
  setValue,
  type TerraformObject,
  type TerraformValue,
  toPlain,
  unknown,
  valueAt,
} from "../codec";
import { isOnlyImported, type PrivateData, recordedOf } from "../private-data";
import type { Session } from "../provider";
import { type AttributeBinding, revisionName, upToDateName } from "../schema/resource-block";
import type { TerraformShape } from "../schema/terraform-shape";
import { needsRun } from "./reactions";

/**
 * Attributes that cannot change in place, and whose text alone does not prove a change, by path:
 * - `same`: another text for the same value, such as an environment and its ID;
 * - `open`: the value or its meaning is unknown, or the recorded parent is deleted: no replacement.
 */
export type Meanings = ReadonlyMap<string, "same" | "open">;

export interface ChangeInput {
  readonly type: TerraformShape;
  readonly prior: TerraformObject | undefined;
  readonly config: TerraformObject;
  readonly kept: PrivateData;
  /** Undefined while the provider is not configured: then nothing is known of defaults. */
  readonly catalog: Catalog | undefined;
  readonly meanings: Meanings;
}

export interface ResourcePlan {
  readonly planned: TerraformObject;
  /** Attribute paths to send to the service; on a create all that is declared. */
  readonly sent: ReadonlySet<string>;
  /** Anything is sent or runs again. */
  readonly acts: boolean;
  /** Attribute paths that cannot change in place. */
  readonly replaced: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface CheckedChange extends ChangeInput, ResourcePlan {
  readonly session: Session | undefined;
}

/**
 * Plans one resource. Pure, with the same result each time: Terraform plans again before it applies (DESIGN section 4).
 * - A declared value is planned as written, or as recorded where the platform makes no difference.
 * - An undeclared value stays.
 * - A value that is no longer declared returns to its default.
 */
export function planChange(input: ChangeInput): ResourcePlan {
  return input.prior === undefined ? planCreate(input) : planUpdate(input, input.prior);
}

function planCreate(input: ChangeInput): ResourcePlan {
  const { type, config } = input;
  const planned = type.draftOf(config);
  for (const { steps } of type.computed) setValue(planned, steps, unknown);
  setOwnAttributes(planned, input, { runs: true, isDeployed: true });
  const sent = new Set(type.declaredIn(config).keys());
  return { planned, replaced: [], sent, acts: true, diagnostics: [] };
}

function planUpdate(input: ChangeInput, prior: TerraformObject): ResourcePlan {
  const { type, config, meanings } = input;
  const { resource } = type;
  const declared = type.declaredIn(config);
  const diff = diffOf(input, prior, declared);
  const planned = type.draftOf(config);
  for (const binding of type.declared)
    setValue(planned, binding.steps, plannedValue(input, binding, prior, diff));
  const replaced = diff.changes
    .filter(({ forcesReplacement }) => forcesReplacement)
    .map(({ path }) => path)
    .filter((path) => !meanings.has(path));
  if (namesAnother(type, prior, config)) replaced.push(resource.nameAttribute ?? "");
  const isMoved =
    resource.removedWithParent &&
    resource.parents.some(({ attribute }) => meanings.get(attribute) === "open");
  const isNew = isMoved || replaced.length > 0;
  // An id that is not known yet says that it runs.
  if (unpinnedIn(input).length > 0) planned.id = unknown;
  const { sent, acts } = plannedWrites(input, prior, planned);
  for (const { steps, rule } of type.computed) {
    const before = valueAt(prior, steps);
    // An attribute that could be pinned, is not, and was not shown stays hidden.
    const isAbsent = rule.pinnedBy !== undefined && !declared.has(rule.pinnedBy) && before === null;
    const moves = isMoved || !rule.stable || rule.movesWith?.some((path) => sent.has(path)) === true;
    setValue(planned, steps, moves && !isAbsent && (acts || isNew) ? unknown : before);
  }
  const isDeployed = isNew || needsRun(type, sent, planned);
  setOwnAttributes(planned, input, { runs: acts || isNew, isDeployed });
  const about = type.addressOf(type.nameIn(prior));
  const changedTwice = (path: string): string =>
    `${type.stepsOf(path)?.join(".") ?? path} of ${about} was changed here and outside of Terraform`;
  const diagnostics = diff.diagnostics
    .filter(({ attribute = "" }) => meanings.get(attribute) !== "same")
    .map((one) => ({ ...one, summary: changedTwice(one.attribute ?? "") }));
  return { planned, replaced, sent, acts: acts || isNew, diagnostics };
}

/** Sets the attributes that only this provider has: write-only values, `revision` and `up_to_date`. */
function setOwnAttributes(
  planned: Draft,
  { type, prior }: ChangeInput,
  { runs, isDeployed }: { readonly runs: boolean; readonly isDeployed: boolean },
) {
  for (const { writeOnlyName } of type.secrets) planned[writeOnlyName] = null;
  if (type.isDeployed) planned[revisionName] = isDeployed ? unknown : (prior?.[revisionName] ?? null);
  // A run may await a checkout.
  const afterRun = type.resource.runs === undefined ? true : unknown;
  if (type.resource.reacts) planned[upToDateName] = runs ? afterRun : (prior?.[upToDateName] ?? null);
}

/**
 * Returns true if a configuration names another resource than the state, and one of the two was made elsewhere: that is
 * never renamed. A name that is not known yet may be another.
 */
function namesAnother(type: TerraformShape, prior: TerraformObject, config: TerraformObject): boolean {
  const steps = type.stepsOf(type.resource.nameAttribute ?? "");
  if (steps === undefined || ![prior, config].some((one) => type.isMadeElsewhere(one))) return false;
  return !isSameValue(valueAt(prior, steps), valueAt(config, steps));
}

/** Returns the pins that are no longer declared: the resource runs as its parent says. */
function unpinnedIn({ type, config, kept }: ChangeInput): readonly AttributeBinding[] {
  if (!type.resource.reacts || config.when === "never") return [];
  const declared = type.declaredIn(config);
  const pins = type.declared.filter(({ path }) => type.computed.some(({ rule }) => rule.pinnedBy === path));
  return pins.filter(({ path }) => path in (kept.applied ?? {}) && !declared.has(path));
}

function diffOf(
  { type, catalog, kept }: ChangeInput,
  prior: TerraformObject,
  declared: ReadonlyMap<string, Plain | Unknown>,
): AttributesDiff {
  const live = type.liveOf(prior);
  return diffAttributes(
    {
      address: type.addressOf(type.nameIn(prior)),
      type: type.resource,
      defaults: type.defaultsIn(catalog),
      recorded: recordedOf(type, prior, kept),
      read: { kind: "found", live },
      live,
      removed: false,
    },
    { resolved: declared, secrets: new Map() },
  );
}

function plannedValue(
  input: ChangeInput,
  binding: AttributeBinding,
  prior: TerraformObject,
  diff: AttributesDiff,
): TerraformValue {
  const { type, config, catalog, kept, meanings } = input;
  const { path, steps } = binding;
  const rule = type.resource.rules[path];
  const wanted = valueAt(config, steps);
  const before = valueAt(prior, steps);
  if (rule?.change === "local") return wanted;
  if (wanted !== null) {
    // The service may make no difference between two values.
    if (before === null) return wanted;
    const isSame = meanings.get(path) === "same" || isEqualAs(rule?.equal ?? plainEqual, before, wanted);
    return isSame ? before : wanted;
  }
  if (unpinnedIn(input).includes(binding)) return null;
  // While defaults are unknown, the plan has to hold at apply.
  if (catalog === undefined && rule?.change === "update" && path in (kept.applied ?? {})) return unknown;
  const after = diff.changes.find((one) => one.path === path)?.after;
  if (after === undefined) return before;
  return after.kind === "value" ? fromJson(binding.type, after.value) : null;
}

/**
 * Returns the attribute paths that an update sends: those whose planned value changes, and all declared paths where it
 * runs again. The configuration of an apply cannot tell: `ignore_changes` is in the plan alone.
 */
export function plannedWrites(
  { type, config, kept, catalog }: Omit<ChangeInput, "meanings">,
  prior: TerraformObject,
  planned: TerraformObject,
): Pick<ResourcePlan, "sent" | "acts"> {
  const defaults = type.defaultsIn(catalog);
  const isMoved = (steps: PathSteps): boolean =>
    isUnknown(valueAt(planned, steps)) || !isSameValue(valueAt(prior, steps), valueAt(planned, steps));
  const sent = new Set<string>();
  if (planned.when === "never") return { sent, acts: false };
  for (const { path, steps } of type.declared) {
    const rule = type.resource.rules[path];
    if (rule?.change !== "update" || !isMoved(steps)) continue;
    // An attribute that is always managed is shown unless it has its default.
    const isShown = rule.alwaysManaged !== true || valueAt(prior, steps) !== null;
    if (isShown || valueAt(planned, steps) !== defaults.get(path)) sent.add(path);
  }
  for (const { path, name, versionName } of type.secrets) {
    // A value that was imported is kept, not generated again.
    const causes = isOnlyImported(kept) ? [name, versionName] : [name, versionName, generatedName];
    if (causes.some((one) => (planned[one] ?? null) !== null && isMoved([one]))) sent.add(path);
  }
  const runsAgain = type.resource.reacts !== undefined && isRun(prior, planned, kept);
  if (runsAgain) for (const path of type.declaredIn(config).keys()) sent.add(path);
  return { sent, acts: sent.size > 0 || runsAgain };
}

/**
 * Returns true if a resource that reacts to others runs: it never ran, its last run is not up to date, `triggers` changed,
 * or `when = "always"`. After an import, the first `triggers` are no change.
 */
function isRun(prior: TerraformObject, planned: TerraformObject, kept: PrivateData): boolean {
  const isBehind = prior.id === null || prior[upToDateName] === false || planned.when === "always";
  if ((isBehind && !kept.lastRun?.isHeld) || isUnknown(planned.id ?? null)) return true;
  return !isOnlyImported(kept) && !isEqualAs(plainEqual, prior.triggers ?? null, planned.triggers ?? null);
}

export const isEqualAs = (
  equal: (before: Plain, wanted: Plain) => boolean,
  before: TerraformValue,
  wanted: TerraformValue,
): boolean => !holdsUnknown(before) && !holdsUnknown(wanted) && equal(toPlain(before), toPlain(wanted));
