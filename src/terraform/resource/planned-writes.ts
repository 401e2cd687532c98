import { generatedName } from "../../model/text";
import { type Attributes, type Plain, plainEqual } from "../../model/value";
import type { PrivateData } from "../private-data";
import { valueAt } from "../schema/attributes";
import {
  type PathSteps,
  type SecretBinding,
  type TerraformShape,
  upToDateName,
} from "../schema/terraform-shape";
import {
  isSameValue,
  isUnknown,
  type TerraformObject,
  type TerraformValue,
  toPlain,
} from "../values/terraform-value";

/** The writes of a planned change. */
export interface PlannedWrites {
  /** Attribute paths to send to the service; on a create all that is declared. */
  readonly sent: ReadonlySet<string>;
  /** Anything is sent or runs again. */
  readonly acts: boolean;
}

/** A planned update, as the plan and the apply of it know it. */
interface PlannedUpdate {
  readonly prior: TerraformObject;
  readonly planned: TerraformObject;
  /** The attributes that are written, by path; their values are of no account. */
  readonly declared: ReadonlyMap<string, unknown>;
  readonly kept: PrivateData;
  readonly defaults: Attributes;
}

/**
 * Returns what an update sends: the attribute paths whose planned value is another than before, and all that is
 * declared where it runs again. The configuration that an apply is given says nothing of it: `ignore_changes` is in the
 * plan alone.
 */
export function plannedWrites(
  type: TerraformShape,
  { prior, planned, declared, kept, defaults }: PlannedUpdate,
): PlannedWrites {
  const sent = new Set<string>();
  for (const { path, steps } of type.declared) {
    const rule = type.resource.rules[path];
    if (rule?.change !== "update" || !isMoved(prior, planned, steps)) continue;
    // What is always managed is shown unless it is at its default.
    const isShown = rule.alwaysManaged !== true || valueAt(prior, steps) !== null;
    if (isShown || valueAt(planned, steps) !== defaults.get(path)) sent.add(path);
  }
  for (const { steps, rule } of type.computed) {
    const { pinnedBy } = rule;
    if (pinnedBy === undefined || !declared.has(pinnedBy) || valueAt(planned, steps) === null) continue;
    if (isMoved(prior, planned, steps)) sent.add(pinnedBy);
  }
  for (const secret of type.secrets) if (isSecretChanged(secret, prior, planned)) sent.add(secret.path);
  const runsAgain = type.reacts && isRun(prior, planned, kept);
  if (runsAgain) for (const path of declared.keys()) sent.add(path);
  return { sent, acts: sent.size > 0 || runsAgain };
}

const isMoved = (prior: TerraformObject, planned: TerraformObject, steps: PathSteps): boolean =>
  isUnknown(valueAt(planned, steps)) || !isSameValue(valueAt(prior, steps), valueAt(planned, steps));

const isSecretChanged = (
  { name, versionName }: SecretBinding,
  prior: TerraformObject,
  planned: TerraformObject,
): boolean => {
  const value = planned[name] ?? null;
  const version = planned[versionName] ?? null;
  const generated = planned[generatedName] ?? null;
  return (
    (value !== null && value !== prior[name]) ||
    (version !== null && version !== prior[versionName]) ||
    (generated !== null && !isSameValue(generated, prior[generatedName]))
  );
};

/**
 * Returns true if a resource that reacts to others runs: its last run is not up to date, `triggers` changed, or
 * `when = "always"`. Of what was imported, the first `triggers` are no change.
 */
function isRun(prior: TerraformObject, planned: TerraformObject, kept: PrivateData): boolean {
  if (planned.when === "always" || prior[upToDateName] === false || isUnknown(planned.id ?? null))
    return true;
  const isOnlyImported = kept.workspace !== undefined && kept.writtenAt === undefined;
  return !isOnlyImported && !isEqualAs(plainEqual, prior.triggers ?? null, planned.triggers ?? null);
}

/** Returns true if two values are equal by `equal`; never while part of one is unknown. */
export function isEqualAs(
  equal: (before: Plain, wanted: Plain) => boolean,
  before: TerraformValue,
  wanted: TerraformValue,
): boolean {
  try {
    return equal(toPlain(before), toPlain(wanted));
  } catch {
    return false;
  }
}
