import type { Diagnostic } from "../../diagnostics/diagnostic";
import type { Catalog } from "../../model/catalog";
import { type Plain, plainEqual, type Unknown } from "../../model/value";
import { type AttributesDiff, diffAttributes } from "../../plan/diff";
import type { PrivateData } from "../private-data";
import {
  addressIn,
  declaredIn,
  draftOf,
  liveOf,
  nameIn,
  setValue,
  shownAs,
  valueAt,
} from "../schema/attributes";
import {
  type AttributeBinding,
  revisionName,
  type TerraformShape,
  upToDateName,
} from "../schema/terraform-shape";
import { type TerraformObject, type TerraformValue, unknown } from "../values/terraform-value";
import type { Meanings } from "./meanings";
import { isEqualAs, type PlannedWrites, plannedWrites } from "./planned-writes";
import { namesAnother } from "./preserved";
import { needsRun } from "./reactions";
import { defaultsOf, recordedOf } from "./record";

export interface ChangeInput {
  readonly type: TerraformShape;
  /** Undefined for a create. */
  readonly prior: TerraformObject | undefined;
  readonly config: TerraformObject;
  readonly priorPrivate: PrivateData;
  /** Undefined while the provider is not configured: then nothing is known of defaults. */
  readonly catalog: Catalog | undefined;
  readonly meanings?: Meanings;
}

export interface PlannedChange extends PlannedWrites {
  readonly planned: TerraformObject;
  /** Attribute paths that cannot change in place. */
  readonly replaced: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Plans one resource. Pure, and the same every time it is asked: Terraform plans again
 * before it applies. A declared value is planned as it is written, or as it was where the service makes no
 * difference; what is not declared keeps its value, and what is no longer declared goes back to its default
 * (DESIGN section 4).
 */
export function planChange(input: ChangeInput): PlannedChange {
  return input.prior === undefined ? planCreate(input) : planUpdate(input, input.prior);
}

function planCreate({ type, config }: ChangeInput): PlannedChange {
  const planned = draftOf(type, config);
  for (const { steps } of type.computed)
    if ((valueAt(config, steps) ?? null) === null) setValue(planned, steps, unknown);
  if (type.isDeployed) planned[revisionName] = unknown;
  if (type.reacts) planned[upToDateName] = true;
  dropWriteOnly(type, planned);
  const sent = new Set([...declaredIn(type, config).keys()]);
  return { planned, replaced: [], sent, acts: true, diagnostics: [] };
}

const noMeanings: Meanings = { kept: new Set(), open: new Set() };

function planUpdate(input: ChangeInput, prior: TerraformObject): PlannedChange {
  const { type, config, priorPrivate, meanings: { kept, open } = noMeanings } = input;
  const declared = declaredIn(type, config);
  const diff = diffOf(input, prior, declared);
  const planned = draftOf(type, config);
  for (const binding of type.declared)
    setValue(planned, binding.steps, plannedValue(input, binding, prior, diff));
  dropWriteOnly(type, planned);
  for (const { steps } of backToUnknownDefault(input)) setValue(planned, steps, unknown);
  const replaced = diff.changes
    .filter(({ path, forcesReplacement }) => forcesReplacement && !kept.has(path) && !open.has(path))
    .map(({ path }) => path);
  if (namesAnother(type, prior, config)) replaced.push(type.resource.nameAttribute ?? "");
  // What may have another parent may be created there.
  const isPlaced =
    !type.resource.removedWithParent || !type.resource.parents.some(({ attribute }) => open.has(attribute));
  // An id that is not known yet says that it runs.
  if (unpinned(input).length > 0) planned.id = unknown;
  for (const { steps } of unpinned(input)) setValue(planned, steps, null);
  const { sent, acts } = plannedWrites(type, {
    ...{ prior, planned, declared, kept: priorPrivate },
    defaults: defaultsOf(type, input.catalog),
  });
  for (const { steps, rule } of type.computed) {
    if (valueAt(config, steps) !== null) continue;
    // What may be pinned, is not and was not shown stays so.
    if (rule.pinnedBy !== undefined && !declared.has(rule.pinnedBy) && valueAt(prior, steps) === null) {
      setValue(planned, steps, null);
      continue;
    }
    const moves = !isPlaced || !rule.stable || rule.movesWith?.some((path) => sent.has(path)) === true;
    const isMoved = moves && (acts || !isPlaced || replaced.length > 0);
    setValue(planned, steps, isMoved ? unknown : valueAt(prior, steps));
  }
  const isNew = !isPlaced || replaced.length > 0;
  if (type.isDeployed)
    planned[revisionName] = isNew || needsRun(type.resource, sent) ? unknown : (prior[revisionName] ?? null);
  if (type.reacts) planned[upToDateName] = acts || isNew ? true : (prior[upToDateName] ?? null);
  const diagnostics = diff.diagnostics
    .filter(({ attribute = "" }) => !kept.has(attribute))
    .map((one) => ({ ...one, summary: changedTwice(type, prior, one.attribute ?? "") }));
  return { planned, replaced, sent, acts: acts || replaced.length > 0, diagnostics };
}

const changedTwice = (type: TerraformShape, prior: TerraformObject, path: string): string =>
  `${type.stepsOf(path)?.join(".") ?? path} of ${addressIn(type, nameIn(type, prior))} was changed here and outside of Terraform`;

/** Fields that are no longer declared while defaults are not known: what is planned now has to hold at apply. */
function backToUnknownDefault({
  type,
  config,
  catalog,
  priorPrivate,
}: ChangeInput): readonly AttributeBinding[] {
  if (catalog !== undefined) return [];
  return type.declared.filter(
    ({ path, steps }) =>
      path in (priorPrivate.applied ?? {}) &&
      valueAt(config, steps) === null &&
      type.resource.rules[path]?.change === "update",
  );
}

/** Returns the pins of a reacting resource that are no longer declared: it runs as its parent says. */
const unpinned = ({ type, config, priorPrivate }: ChangeInput): readonly AttributeBinding[] =>
  !type.reacts
    ? []
    : type.computed.flatMap(({ steps, rule: { pinnedBy = "" } }) =>
        pinnedBy in (priorPrivate.applied ?? {}) && valueAt(config, steps) === null
          ? type.declared.filter((one) => one.path === pinnedBy && valueAt(config, one.steps) === null)
          : [],
      );

function diffOf(
  { type, catalog, priorPrivate }: ChangeInput,
  prior: TerraformObject,
  declared: ReadonlyMap<string, Plain | Unknown>,
): AttributesDiff {
  const address = addressIn(type, nameIn(type, prior));
  const live = liveOf(type, prior);
  return diffAttributes(
    {
      address,
      type: type.compared,
      defaults: defaultsOf(type, catalog),
      recorded: recordedOf(type, prior, priorPrivate),
      read: { kind: "found", live },
      live,
      removed: false,
    },
    { resolved: declared, secrets: new Map() },
  );
}

function plannedValue(
  { type, config, meanings = noMeanings }: ChangeInput,
  binding: AttributeBinding,
  prior: TerraformObject,
  diff: AttributesDiff,
): TerraformValue {
  const { path, steps } = binding;
  const wanted = valueAt(config, steps);
  const before = valueAt(prior, steps);
  const rule = type.resource.rules[path];
  if (rule?.change === "local") return wanted;
  const isKept = before !== null && meanings.kept.has(path);
  // The service may make no difference between two values.
  const isSame = before !== null && wanted !== null && isEqualAs(rule?.equal ?? plainEqual, before, wanted);
  if (wanted !== null) return isKept || isSame ? before : wanted;
  const change = diff.changes.find((one) => one.path === path);
  if (change === undefined) return before;
  const { after } = change;
  return after.kind === "value" ? shownAs(binding, after.value) : null;
}

function dropWriteOnly(type: TerraformShape, planned: Record<string, TerraformValue>): void {
  for (const { writeOnlyName } of type.secrets) planned[writeOnlyName] = null;
}
