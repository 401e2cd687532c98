import { error } from "../diagnostics/diagnostic";
import { nameOf } from "../model/address";
import type { DesiredResource } from "../model/desired";
import type { LiveResource } from "../model/live";
import { decideAdoption } from "./decide-adoption";
import type { Deciding } from "./deciding";
import type { Decision } from "./decision";
import { diffAttributes } from "./diff-attributes";
import { nameFollowsKey } from "./name-follows-key";
import { ownerKey } from "./owners";
import {
  createdAttributes,
  goesWithParent,
  place,
  type ResolvedSubject,
  refuse,
  resolveSubject,
} from "./resolved-subject";
import { isGone, type Subject, whyAgain, whyGone } from "./subject";

/** Create, update, replace, adopt or nothing: what becomes of a declared resource. */
export function decideDeclared(subject: Subject, deciding: Deciding): Decision {
  const about = resolveSubject(subject, deciding);
  if (subject.read.kind === "ambiguous") return refuse(about, ambiguous(subject, subject.read.ids));
  if (!subject.recorded) return decideAdoption(about, deciding) ?? create(about);
  if (isGone(subject)) {
    const other = namesake(about, deciding);
    return other ? refuse(about, replacedByOther(subject, other)) : create(about);
  }
  const wrongImport = contradictingImport(subject);
  if (wrongImport) return refuse(about, wrongImport);

  const { changes, released, drift, diagnostics } = diffAttributes(subject, about);
  const asked = deciding.input.options.replace.includes(subject.address);
  // By far the most.
  if (!asked && changes.length + released.length === 0) return about.undecided;
  const isReplaced = asked || changes.some((change) => change.forcesReplacement);
  return {
    ...about.undecided,
    action: isReplaced ? "replace" : changes.length > 0 ? "update" : "no-op",
    attributes: changes,
    released,
    drift,
    diagnostics: [...diagnostics, ...nameFollowsKey(subject, changes)],
    withParent: isReplaced && goesWithParent(subject, deciding.decisions),
    ...(isReplaced && whyAgain(subject)),
    ...(asked && { reason: "--replace asks for it" }),
  };
}

/** Something else of its name stands where it was: another one beside it would be a double. */
function namesake(
  { subject, resolved }: ResolvedSubject,
  { input, owners }: Deciding,
): LiveResource | undefined {
  const { type, recorded } = subject;
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

const replacedByOther = (subject: Subject, other: LiveResource) =>
  error(
    "live.unmanaged_exists",
    `${subject.address} is gone (id ${subject.recorded?.id}), and another one bears its name (id ${other.id})`,
    {
      address: subject.address,
      hint: `to take that one over: rnv state rm ${subject.address}, then rnv import ${subject.address} ${other.id}`,
      ...place(subject),
    },
  );

function create(about: ResolvedSubject): Decision {
  const { subject, resolved, undecided } = about;
  if (subject.type.mustExist?.(resolved)) return refuse(about, notThere(subject));
  // Also where it could not be looked up: to create it might double it.
  if (!subject.recorded && subject.desired?.importId)
    return refuse(about, importMissing(subject, subject.desired.importId));
  return {
    ...undecided,
    action: "create",
    attributes: createdAttributes(about),
    ...(isGone(subject) && { reason: whyGone(subject) }),
  };
}

const ambiguous = (subject: Subject, ids: readonly string[]) =>
  error("live.ambiguous", `${ids.length} live things bear the name of ${subject.address}`, {
    address: subject.address,
    detail: `Ids: ${[...ids].sort().join(", ")}`,
    hint: `say which one is meant: import: ${[...ids].sort()[0]}`,
    ...place(subject),
  });

const importMissing = (
  { address, read }: Subject,
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

const notThere = (subject: Subject) =>
  error("live.preserve_missing", `${subject.address} is to be preserved, but it is not there`, {
    address: subject.address,
    hint: `create ${nameOf(subject.address)} first, or declare its value here`,
    ...place(subject),
  });

function contradictingImport({ address, desired, recorded }: Subject) {
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
