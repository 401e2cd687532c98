import { type Diagnostic, error } from "../diagnostics/diagnostic";
import { uuidPattern } from "../model/address";
import { isPlacedAs } from "../model/declared-choice";
import type { DesiredResource } from "../model/desired";
import type { LiveResource } from "../model/live";
import { sameName } from "../model/names";
import { isParentAttribute, isPreserved, pathsWith } from "../model/resource-type";
import type { Decision } from "./decision";
import { diffAttributes } from "./diff";
import { isGone, ownerKey, type ResourceInstance, whyAgain, whyGone } from "./instances";
import { phrasesFor } from "./phrases";
import type { AttributeChange } from "./plan";
import {
  createdAttributes,
  type DecisionContext,
  goesWithParent,
  type ResolvedInstance,
  refuse,
  resolveInstance,
} from "./resolve-value";

export function decideDeclared(instance: ResourceInstance, context: DecisionContext): Decision {
  const about = resolveInstance(instance, context);
  if (instance.read.kind === "ambiguous") return refuse(about, ambiguous(instance, instance.read.ids));
  if (!instance.recorded) return decideAdoption(about, context) ?? create(about);
  if (isGone(instance)) {
    const other = namesake(about, context);
    return other ? refuse(about, replacedByOther(instance, other)) : create(about);
  }
  const wrongImport = contradictingImport(instance);
  if (wrongImport) return refuse(about, wrongImport);

  const { changes, released, drift, keptDiagnostics, diagnostics: found } = diffAttributes(instance, about);
  if (changes.some(({ path }) => path === instance.type.nameAttribute)) {
    const holder = nameHolder(about, context);
    if (holder) return refuse(about, exchanged(instance, holder));
    const other = namesake(about, context);
    if (other) return refuse(about, nameTaken(instance, other));
  }
  const asked = context.input.options.replace.includes(instance.address);
  const isReplaced = asked || changes.some((change) => change.forcesReplacement);
  const diagnostics = isReplaced ? found : [...found, ...keptDiagnostics];
  if (!asked && changes.length + released.length === 0) return { ...about.undecided, drift, diagnostics };
  if (isReplaced && isPreserved(instance.type, about.resolved)) return refuse(about, notThere(instance));
  const withParent = isReplaced && goesWithParent(instance, context.decisions);
  const placed = changes.map((one) =>
    isParentAttribute(instance.type, one.path) ? { ...one, placement: true as const } : one,
  );
  return {
    ...about.undecided,
    action: isReplaced ? "replace" : changes.length > 0 ? "update" : "no-op",
    attributes: withParent ? placed : changes,
    released,
    drift,
    diagnostics,
    withParent,
    reason: asked ? "--replace asks for it" : isReplaced ? whyAgain(instance) : undefined,
  };
}

/** Returns an unmanaged live resource of the same name, parent and place: a create would double it. */
function namesake(
  { instance, resolved }: ResolvedInstance,
  { input, owners }: DecisionContext,
): LiveResource | undefined {
  const { type, recorded } = instance;
  const name = (type.nameAttribute && resolved.get(type.nameAttribute)) ?? recorded?.name;
  const parentId = type.parents
    .map(({ attribute }) => resolved.get(attribute))
    .find((id) => id !== undefined);
  return input.inventory.find(
    (live) =>
      live.type === type.type &&
      sameName(live.name, name) &&
      live.parentId === (parentId ?? null) &&
      isPlacedAs(type, live, resolved) &&
      !owners.has(ownerKey(live.type, live.id)),
  );
}

/**
 * Returns the recorded resource that has the name which another is to have. A loop that numbers its addresses passes names
 * on: each live resource would become another. Values that are declared are written again, and are no loss.
 */
function nameHolder({ instance, resolved }: ResolvedInstance, { children }: DecisionContext) {
  const { type, desired, parent } = instance;
  const isWritten = (path: string): boolean =>
    (desired?.attributes.get(path) ?? { source: "generate" }).source !== "generate";
  if (type.removedWithParent && pathsWith(type, "secret").every(isWritten)) return undefined;
  const name = resolved.get(type.nameAttribute ?? "");
  return (children.get(parent) ?? []).find(
    ({ live, recorded, ...other }) =>
      other.type === type &&
      other.address !== instance.address &&
      recorded &&
      live &&
      sameName(live.name, name) &&
      isPlacedAs(type, live, resolved),
  );
}

function nameTaken(instance: ResourceInstance, { type, id, name }: LiveResource): Diagnostic {
  const summary = `${instance.address} cannot be named ${JSON.stringify(name)}: another ${type} has that name (ID ${id})`;
  const hint = "declare another name, or rename or delete the other first";
  return errorAt(instance, "live.unmanaged_exists", summary, { hint });
}

function exchanged(instance: ResourceInstance, { address, live }: ResourceInstance): Diagnostic {
  const summary = `${instance.address} would become ${JSON.stringify(live?.name)}, which is ${address}`;
  const detail =
    "Addresses that count, such as those of a loop, name other resources once one is added or removed.";
  const hint = `address each by its name, and move its record: rnv state mv ${address} NEW\nTo pass the name on: give ${address} another name or delete it, apply, then write this`;
  return errorAt(instance, "manifest.moved", summary, { detail, hint });
}

export function errorAt(
  { address, type, desired }: Pick<ResourceInstance, "address" | "type" | "desired">,
  code: Diagnostic["code"],
  summary: string,
  {
    range = desired?.attributes.get(type.nameAttribute ?? "")?.range ?? desired?.range,
    ...details
  }: Partial<Diagnostic>,
): Diagnostic {
  return error(code, summary, { address, ...details, range });
}

function replacedByOther(instance: ResourceInstance, other: LiveResource): Diagnostic {
  const { address, recorded } = instance;
  const summary = `${address} (ID ${recorded?.id}) was deleted; another ${instance.type.type} has its name (ID ${other.id})`;
  const hint = `to take that one over: rnv state rm ${address}, then rnv import ${address} ${other.id}`;
  return errorAt(instance, "live.unmanaged_exists", summary, { hint });
}

function create(about: ResolvedInstance): Decision {
  const { instance, resolved, undecided } = about;
  if (isPreserved(instance.type, resolved)) return refuse(about, notThere(instance));
  // Also where it could not be looked up: to create it might double it.
  if (!instance.recorded && instance.desired?.importId)
    return refuse(about, importMissing(instance, instance.desired.importId));
  return {
    ...undecided,
    action: "create",
    attributes: createdAttributes(about),
    reason: isGone(instance) ? whyGone(instance) : undefined,
  };
}

function ambiguous(instance: ResourceInstance, ids: readonly string[]): Diagnostic {
  const summary = `${ids.length} ${instance.type.type}s are named like ${instance.address}`;
  const sorted = [...ids].sort();
  const hint = `say which one is meant: ${phrasesFor(instance.desired).takeOver(sorted[0] ?? "")}`;
  return errorAt(instance, "live.ambiguous", summary, { detail: `Ids: ${sorted.join(", ")}`, hint });
}

function importMissing(instance: ResourceInstance, { id, range }: NonNullable<DesiredResource["importId"]>) {
  const { address, read } = instance;
  const isUnknown = read.kind === "unchecked";
  const why = isUnknown ? `it is unknown whether ${id} exists` : `${id} is not there`;
  return errorAt(instance, "live.import_missing", `${address} cannot be imported: ${why}`, {
    range,
    detail: isUnknown ? read.reason : undefined,
    hint: isUnknown
      ? "make it readable and plan again; without the import line a new one would be created"
      : `check ${uuidPattern.test(id) ? "the id" : "its names: they begin with those of what it is declared in"}, or remove the import line to create it`,
  });
}

function notThere(instance: ResourceInstance): Diagnostic {
  const why = instance.live ? "its replacement would start without its value" : "it is not there";
  const summary = `${instance.address} is to be preserved, but ${why}`;
  const first = instance.live ? "" : `create ${instance.address} first, or `;
  return errorAt(instance, "live.preserve_missing", summary, { hint: `${first}declare its value here` });
}

function contradictingImport(instance: ResourceInstance) {
  const { address, desired, recorded } = instance;
  const { id, range } = desired?.importId ?? {};
  if (id === undefined || !recorded || id === recorded.id || !uuidPattern.test(id)) return undefined;
  const summary = `${address} is recorded as ${recorded.id}, not as ${id}`;
  const hint = `remove the import line, or forget what is recorded: rnv state rm ${address}`;
  return errorAt(instance, "manifest.invalid_value", summary, { range, hint });
}

/**
 * Decides a declared resource that is live and not recorded: taken over where that is asked for, else an error that says
 * how. Undefined where none is live.
 */
function decideAdoption(about: ResolvedInstance, context: DecisionContext): Decision | undefined {
  const { instance, resolved } = about;
  const { address, type, desired, live } = instance;
  if (!live) return undefined;
  const key = ownerKey(type.type, live.id);
  const owner = context.owners.get(key);
  if (owner && !desired?.importId) return undefined;
  const cannotImport = (code: Diagnostic["code"], why: string, hint: string): Decision => {
    const summary = `${address} cannot be imported: ${live.id} is ${why}`;
    return refuse(about, errorAt(instance, code, summary, { hint, range: desired?.importId?.range }));
  };
  if (owner) {
    const other = context.instances.get(owner);
    const move = phrasesFor(desired).move(other?.previousAddress ?? owner, address);
    const hint = other?.desired ? `declare only one of ${owner} and ${address}` : move;
    return cannotImport("manifest.moved", `managed as ${owner}`, hint);
  }
  if (live.parentId !== null && !type.parents.some(({ attribute }) => resolved.has(attribute)))
    return cannotImport("live.import_missing", `in a ${type.parents[0]?.type}`, "declare it there");
  context.owners.set(key, address);

  const { changes } = diffAttributes(instance, about);
  const immutable = changes.find((change) => change.forcesReplacement);
  const around = instance.parent && context.decisions.get(instance.parent);
  const isAsked =
    desired?.importId !== undefined ||
    context.input.options.adopt ||
    type.removal === "forget" ||
    isPreserved(type, resolved) ||
    // A part is taken over with its parent.
    (type.removedWithParent && around?.action === "adopt");
  const problem = isAsked
    ? (placedElsewhere(instance, live, resolved) ?? (immutable && cannotBecome(instance, live, immutable)))
    : unmanagedExists(instance, live);
  return {
    ...about.undecided,
    action: "adopt",
    attributes: changes,
    diagnostics: problem === undefined ? [] : [problem],
  };
}

function unmanagedExists(instance: ResourceInstance, live: LiveResource): Diagnostic {
  const { address, desired, type } = instance;
  const line = phrasesFor(desired).takeOver(live.id);
  const where = desired?.constructPath === undefined ? "to its block" : `to ${desired.constructPath}`;
  const inText = type.manifest.meta ? `add the line "${line}" ${where}, or ` : "";
  const summary = `${address} exists and is not managed here (id ${live.id})`;
  const detail = `To take it over: ${inText}plan with --adopt, or run: rnv import ${address} ${live.id}`;
  const hint = type.manifest.meta ? line : "plan with --adopt";
  return errorAt(instance, "live.unmanaged_exists", summary, { detail, hint });
}

/** Returns the error about a resource that lies in another place than is declared: to take it over would replace it. */
export function placedElsewhere(
  instance: Pick<ResourceInstance, "address" | "type" | "desired">,
  live: LiveResource,
  declared: Parameters<typeof isPlacedAs>[2],
): Diagnostic | undefined {
  const { type, desired } = instance;
  if (isPlacedAs(type, live, declared)) return undefined;
  const path = type.place?.attribute ?? "";
  const there = JSON.stringify(live.place?.chosen.name);
  const range = desired?.attributes.get(path)?.range;
  const error = cannotBecome(instance, live, { path, range });
  const edit = declared.get(path) == null ? `, or declare ${path}: ${there}` : "";
  return { ...error, hint: `check the ID: that one is in ${there}${edit}` };
}

function cannotBecome(
  instance: Parameters<typeof errorAt>[0],
  live: LiveResource,
  { path, range }: Pick<AttributeChange, "path" | "range">,
) {
  const summary = `${instance.address} cannot take over ${live.id}: its ${path} differs`;
  const detail = `${path} cannot change in place, and what is not managed here is never replaced.`;
  return errorAt(instance, "plan.invalid_combination", summary, { attribute: path, detail, range });
}
