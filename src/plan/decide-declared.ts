import { error } from "../diagnostics/diagnostic";
import { nameOf } from "../model/address";
import type { DesiredResource } from "../model/desired";
import type { LiveResource } from "../model/live";
import { isPreserved } from "../model/resource-type";
import { decideAdoption } from "./decide-adoption";
import type { DecisionContext } from "./deciding";
import type { Decision } from "./decision";
import { diffAttributes } from "./diff-attributes";
import { nameFollowsKey } from "./name-follows-key";
import { ownerKey } from "./owners";
import {
  createdAttributes,
  goesWithParent,
  place,
  type ResolvedInstance,
  refuse,
  resolveInstance,
} from "./resolved-subject";
import { isGone, type ResourceInstance, whyAgain, whyGone } from "./subject";

/** Create, update, replace, adopt or nothing: what becomes of a declared resource. */
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

  const { changes, released, drift, diagnostics } = diffAttributes(instance, about);
  const asked = context.input.options.replace.includes(instance.address);
  // By far the most.
  if (!asked && changes.length + released.length === 0) return about.undecided;
  const isReplaced = asked || changes.some((change) => change.forcesReplacement);
  return {
    ...about.undecided,
    action: isReplaced ? "replace" : changes.length > 0 ? "update" : "no-op",
    attributes: changes,
    released,
    drift,
    diagnostics: [...diagnostics, ...nameFollowsKey(instance, changes)],
    withParent: isReplaced && goesWithParent(instance, context.decisions),
    ...(isReplaced && whyAgain(instance)),
    ...(asked && { reason: "--replace asks for it" }),
  };
}

/** Something else of its name stands where it was: another one beside it would be a double. */
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
      live.name === name &&
      live.parentId === (parentId ?? null) &&
      !owners.has(ownerKey(live.type, live.id)),
  );
}

const replacedByOther = (instance: ResourceInstance, other: LiveResource) =>
  error(
    "live.unmanaged_exists",
    `${instance.address} is gone (id ${instance.recorded?.id}), and another one bears its name (id ${other.id})`,
    {
      address: instance.address,
      hint: `to take that one over: rnv state rm ${instance.address}, then rnv import ${instance.address} ${other.id}`,
      ...place(instance),
    },
  );

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
    ...(isGone(instance) && { reason: whyGone(instance) }),
  };
}

const ambiguous = (instance: ResourceInstance, ids: readonly string[]) =>
  error("live.ambiguous", `${ids.length} live things bear the name of ${instance.address}`, {
    address: instance.address,
    detail: `Ids: ${[...ids].sort().join(", ")}`,
    hint: `say which one is meant: import: ${[...ids].sort()[0]}`,
    ...place(instance),
  });

const importMissing = (
  { address, read }: ResourceInstance,
  { id, range }: NonNullable<DesiredResource["importId"]>,
) =>
  read.kind === "unchecked"
    ? error("live.import_missing", `${address} cannot be imported: whether ${id} is there cannot be told`, {
        ...{ address, range, detail: read.reason },
        hint: "make it readable and plan again; without the import line a new one would be created",
      })
    : error("live.import_missing", `${address} cannot be imported: ${id} is not there`, {
        ...{ address, range },
        hint: "check the id, or remove the import line to create it",
      });

const notThere = (instance: ResourceInstance) =>
  error("live.preserve_missing", `${instance.address} is to be preserved, but it is not there`, {
    address: instance.address,
    hint: `create ${nameOf(instance.address)} first, or declare its value here`,
    ...place(instance),
  });

function contradictingImport({ address, desired, recorded }: ResourceInstance) {
  if (!desired?.importId || !recorded || desired.importId.id === recorded.id) return undefined;
  return error(
    "manifest.invalid_value",
    `${address} is recorded as ${recorded.id}, not as ${desired.importId.id}`,
    {
      address,
      range: desired.importId.range,
      hint: `remove the import line, or forget what is recorded: rnv state rm ${address}`,
    },
  );
}
