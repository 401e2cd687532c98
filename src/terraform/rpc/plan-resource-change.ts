import { randomUUID } from "node:crypto";
import { type Diagnostic, error } from "../../diagnostics/diagnostic";
import type { Catalog } from "../../model/catalog";
import type { AttributeRule } from "../../model/resource-type";
import type { RecordedResource } from "../../model/state";
import { type Attributes, type Plain, plainEqual, type Unknown } from "../../model/value";
import { type AttributesDiff, diffAttributes } from "../../plan/diff";
import { replacementOf } from "../apply/check-replacement";
import { bareRecord } from "../bare-record";
import {
  diagnosticMessages,
  isLost,
  type PrivateData,
  pathMessage,
  readPrivate,
  writePrivate,
} from "../messages";
import { planWarnings } from "../plan-warnings";
import { forgotten, isMadeElsewhere, preservedFindings } from "../preserved";
import type { RpcAnswer, Session } from "../provider";
import { notePlanned, noteRemoved } from "../reactions/note-changes";
import { runsBecauseOfOthers } from "../reactions/react";
import {
  addressIn,
  declaredIn,
  draftOf,
  liveOf,
  nameIn,
  setValue,
  shownAs,
  textIn,
  valueAt,
} from "../schema/attributes";
import { configIn, stepsIn } from "../schema/settings";
import {
  type AttributeBinding,
  type PathSteps,
  protectionAttribute,
  type SecretBinding,
  type TerraformShape,
} from "../schema/terraform-shape";
import { decodeObject, encodeMessage } from "../values/codec";
import {
  isSameValue,
  isUnknown,
  type TerraformObject,
  type TerraformValue,
  toPlain,
  unknown,
} from "../values/terraform-value";
import { type Meanings, meaningsOf, wasRead } from "./meanings";
import { lateReplacement, offerFindings, waitingFindings } from "./plan-findings";

/** PlanResourceChange: what an apply would make of a resource, and what the catalog says against it. */
export const planResourceChange: RpcAnswer<"PlanResourceChange"> = async (provider, request) => {
  const type = provider.typeNamed(request.typeName);
  const prior = decodeObject(type.valueType, request.priorState);
  const config = configIn(type, request.config);
  const { session } = provider;
  const priorPrivate = readPrivate(request.priorPrivate);
  const checkPrior = (verb: "delete" | "replace"): readonly Diagnostic[] =>
    checkProtection(session, type, prior ? [prior, config ?? {}] : [config ?? {}], verb);
  if (decodeObject(type.valueType, request.proposedNewState) === undefined || !config) {
    const isForgotten = prior !== undefined && isMadeElsewhere(type, prior);
    if (prior !== undefined && !isForgotten) noteRemoved(session, type, { prior, kept: priorPrivate });
    return {
      plannedState: request.proposedNewState,
      plannedPrivate: request.priorPrivate,
      diagnostics: diagnosticMessages(
        isForgotten ? [forgotten(type, nameIn(type, prior))] : prior ? checkPrior("delete") : [],
        type.stepsOf,
      ),
    };
  }
  const catalog = await session?.reads.catalog();
  const meanings = await meaningsOf(session, type, prior, config);
  const change = await planWithOthers(session, { type, prior, config, priorPrivate, catalog, meanings });
  if (prior === undefined) session?.plansNew.add(type.resource.type);
  const diagnostics = [
    ...change.diagnostics,
    ...(session ? await offerFindings(session, type, config, prior === undefined, change) : []),
    ...(change.replaced.length > 0 || isReplacement(prior, priorPrivate) ? checkPrior("replace") : []),
    ...(await preservedFindings(session, type, prior, config)),
    ...(session && prior && !wasRead(session, type, prior) ? lateReplacement(type, prior, change) : []),
    ...(session ? await planWarnings(session, type, prior, change) : []),
    ...notePlanned(session, type, { prior, kept: priorPrivate, change }).map((one) => ({
      ...one,
      attribute: type.resource.nameAttribute,
    })),
  ];
  const replacement = prior === undefined ? replacementOf(type, config) : undefined;
  // Terraform plans a replacement twice: the second time as a create, with what it was given the first time.
  if (replacement && request.priorPrivate.length > 0) diagnostics.push(...waitingFindings(type, replacement));
  const isUnchanged = isSameValue(change.planned, prior ?? null);
  return {
    plannedState: isUnchanged ? request.priorState : encodeMessage(type.valueType, change.planned),
    requiresReplace: change.replaced.map((path) => pathMessage(type.stepsOf(path) ?? [])),
    // A deletion that goes first is given it too, and keeps what the state has where it fails.
    plannedPrivate:
      replacement === undefined
        ? request.priorPrivate
        : writePrivate({ ...priorPrivate, nonce: randomUUID(), replacement }),
    diagnostics: diagnosticMessages(diagnostics, stepsIn(type, config)),
  };
};

/** Whether what is planned as a creation takes the place of something: `-replace` is told by its private data alone. */
const isReplacement = (prior: TerraformObject | undefined, kept: PrivateData): boolean =>
  prior === undefined && kept.workspace !== undefined;

/** Plans a resource; one that reacts runs where nothing of itself differs, but of what it reacts to. */
async function planWithOthers(session: Session | undefined, input: ChangeInput): Promise<PlannedChange> {
  const { type, prior, config, priorPrivate: kept } = input;
  const change = planChange(input);
  if (!type.reacts || prior === undefined || change.acts) return change;
  const isEdited = !isSameValue(change.planned, prior);
  const runs = await runsBecauseOfOthers(session, { type, prior, config, kept, isEdited });
  return runs ? planChange({ ...input, runs }) : change;
}

/**
 * Returns what `deletion_protection` says against a deletion: that of the resource, in its state or its configuration,
 * and that of the provider block. Only of what is deleted for itself: a variable goes with its service, a deployment is
 * history. A plan says nothing of a provider block that is not known; the apply asks again.
 */
export function checkProtection(
  session: Session | undefined,
  type: TerraformShape,
  [prior, ...others]: readonly [TerraformObject, ...TerraformObject[]],
  verb: "delete" | "replace",
): readonly Diagnostic[] {
  if (!type.isProtectable) return [];
  const attribute = protectionAttribute;
  const isOwn = [prior, ...others].some((one) => one[attribute] === true);
  if (!isOwn && session?.deletionProtection !== true) return [];
  const summary = `this plan would ${verb} the ${type.resource.type} "${nameIn(type, prior)}"`;
  return [
    isOwn
      ? error("guard.prevent_destroy", summary, {
          attribute,
          detail: `Its ${attribute} is true.`,
          hint: `set ${attribute} = false and apply that, then plan this again`,
        })
      : error("guard.prevent_destroy", summary, {
          detail: `The provider block sets ${attribute}.`,
          hint: `set ${attribute} = false there for this change`,
        }),
  ];
}

export interface ChangeInput {
  readonly type: TerraformShape;
  /** Undefined for a create. */
  readonly prior: TerraformObject | undefined;
  readonly config: TerraformObject;
  readonly priorPrivate: PrivateData;
  /** Undefined while the provider is not configured: then nothing is known of defaults. */
  readonly catalog: Catalog | undefined;
  readonly meanings?: Meanings;
  /** It runs because of what it reacts to. */
  readonly runs?: boolean;
}

export interface PlannedChange {
  readonly planned: TerraformObject;
  /** Attribute paths that cannot change in place. */
  readonly replaced: readonly string[];
  /** Attribute paths to send to the service; on a create all that is declared. */
  readonly sent: ReadonlySet<string>;
  /** Anything is sent or runs again. */
  readonly acts: boolean;
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
  // An id that is not known yet says that it runs.
  if (input.runs || unpinned(input).length > 0) planned.id = unknown;
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
    const moves = !rule.stable || rule.movesWith?.some((path) => sent.has(path)) === true;
    const isMoved = moves && (acts || replaced.length > 0);
    setValue(planned, steps, isMoved ? unknown : valueAt(prior, steps));
  }
  return { planned, replaced, sent, acts: acts || replaced.length > 0, diagnostics: diff.diagnostics };
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
): Pick<PlannedChange, "sent" | "acts"> {
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
  const runsAgain = type.reacts && (isUnknown(planned.id) || isRerun(prior, planned, kept));
  if (runsAgain) for (const path of declared.keys()) sent.add(path);
  return { sent, acts: sent.size > 0 || runsAgain };
}

const isMoved = (prior: TerraformObject, planned: TerraformObject, steps: PathSteps): boolean =>
  isUnknown(valueAt(planned, steps)) || !isSameValue(valueAt(prior, steps), valueAt(planned, steps));

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
      path in priorPrivate.applied &&
      valueAt(config, steps) === null &&
      type.resource.rules[path]?.change === "update",
  );
}

/** What was pinned by what reacts and is not any more: it runs as its parent says. */
const unpinned = ({ type, config, priorPrivate }: ChangeInput): readonly AttributeBinding[] =>
  !type.reacts
    ? []
    : type.computed.flatMap(({ steps, rule: { pinnedBy = "" } }) =>
        pinnedBy in priorPrivate.applied && valueAt(config, steps) === null
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

/** Returns the service's defaults for a type; none while the catalog is not known. */
export const defaultsOf = ({ resource }: TerraformShape, catalog: Catalog | undefined): Attributes =>
  catalog === undefined ? new Map() : resource.defaults(catalog);

/** Returns the record that the engine would have of a resource that Terraform keeps. */
export function recordedOf(
  type: TerraformShape,
  prior: TerraformObject,
  { applied, writtenAt, updatedAt: writtenAs }: PrivateData,
): RecordedResource {
  const { updatedAt = writtenAs, computed } = liveOf(type, prior);
  const named = { type: type.resource.type, id: textIn(prior, "id") ?? "", name: nameIn(type, prior) };
  return {
    ...bareRecord({ ...named, updatedAt }),
    ...{ applied, computed: Object.fromEntries(computed), writtenAt },
  };
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
  if (wanted !== null) return isKept || isSame(rule, before, wanted) ? before : wanted;
  const change = diff.changes.find((one) => one.path === path);
  if (change === undefined) return before;
  const { after } = change;
  return after.kind === "value" ? shownAs(binding, after.value) : null;
}

/** Whether the service makes no difference between two values. */
function isSame(rule: AttributeRule | undefined, before: TerraformValue, wanted: TerraformValue): boolean {
  if (before === null || isUnknown(wanted)) return false;
  try {
    return (rule?.equal ?? plainEqual)(toPlain(before), toPlain(wanted));
  } catch {
    return false;
  }
}

const isSecretChanged = (
  { name, versionName }: SecretBinding,
  prior: TerraformObject,
  planned: TerraformObject,
): boolean => {
  const value = planned[name] ?? null;
  const version = planned[versionName] ?? null;
  return (value !== null && value !== prior[name]) || (version !== null && version !== prior[versionName]);
};

/** `triggers` that differ from those of a run of ours, or `when = "always"`. */
function isRerun(prior: TerraformObject, planned: TerraformObject, kept: PrivateData): boolean {
  if (planned.when === "always") return true;
  if (isUnknown(planned.triggers)) return true;
  const isOurs = kept.ran !== undefined || isLost(kept);
  return isOurs && !sameTriggers(prior.triggers ?? null, planned.triggers ?? null);
}

function sameTriggers(before: TerraformValue, wanted: TerraformValue): boolean {
  try {
    return plainEqual(toPlain(before), toPlain(wanted));
  } catch {
    return false;
  }
}

function dropWriteOnly(type: TerraformShape, planned: Record<string, TerraformValue>): void {
  for (const { writeOnlyName } of type.secrets) planned[writeOnlyName] = null;
}
