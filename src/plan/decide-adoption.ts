import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { LiveResource } from "../model/live";
import type { Deciding } from "./deciding";
import type { Decision } from "./decision";
import { diffAttributes } from "./diff-attributes";
import { nameFollowsKey } from "./name-follows-key";
import { ownerKey } from "./owners";
import { place, type ResolvedSubject, refuse } from "./resolved-subject";
import type { Subject } from "./subject";

/**
 * What becomes of a declared resource that is not recorded but live: taken over where that is asked for, else an
 * error that says how. Undefined where nothing of it is live.
 */
export function decideAdoption(about: ResolvedSubject, deciding: Deciding): Decision | undefined {
  const { subject, resolved } = about;
  const { live } = subject;
  if (!live) return undefined;
  const key = ownerKey(subject.type.type, live.id);
  const owner = deciding.owners.get(key);
  if (owner && !subject.desired?.importId) return undefined;
  if (owner) return refuse(about, alreadyManaged(subject, live, owner));
  deciding.owners.set(key, subject.address);

  const { changes } = diffAttributes(subject, about);
  const immutable = changes.find((change) => change.forcesReplacement);
  const isAsked =
    subject.desired?.importId !== undefined ||
    deciding.input.options.adopt ||
    subject.type.removal === "forget" ||
    subject.type.mustExist?.(resolved) === true ||
    comesWithParent(subject, deciding);
  const diagnostics: Diagnostic[] = [];
  if (!isAsked) diagnostics.push(unmanagedExists(subject, live));
  else if (immutable) diagnostics.push(cannotBecome(subject, live, immutable.path, immutable.range));
  else diagnostics.push(...nameFollowsKey(subject, changes));
  return { ...about.undecided, action: "adopt", attributes: changes, diagnostics };
}

/** A part of something that this plan takes over is taken over with it. */
function comesWithParent(subject: Subject, { decisions }: Deciding): boolean {
  if (!subject.parent || !subject.type.removedWithParent) return false;
  return decisions.get(subject.parent)?.action === "adopt";
}

const unmanagedExists = (subject: Subject, live: LiveResource): Diagnostic =>
  error("live.unmanaged_exists", `${subject.address} exists and is not managed here (id ${live.id})`, {
    address: subject.address,
    detail: `To take it over: ${subject.type.manifest.meta ? `add the line "import: ${live.id}" to its block, or ` : ""}plan with --adopt, or run: rnv import ${subject.address} ${live.id}`,
    hint: subject.type.manifest.meta ? `import: ${live.id}` : "plan with --adopt",
    ...place(subject),
  });

const alreadyManaged = (subject: Subject, live: LiveResource, owner: string): Diagnostic =>
  error("manifest.moved", `${subject.address} cannot import ${live.id}: it is managed as ${owner}`, {
    address: subject.address,
    hint: `moved: [{ from: ${owner}, to: ${subject.address} }]`,
    ...(subject.desired?.importId && { range: subject.desired.importId.range }),
  });

const cannotBecome = (
  subject: Subject,
  live: LiveResource,
  path: string,
  range: Diagnostic["range"],
): Diagnostic =>
  error(
    "plan.invalid_combination",
    `${subject.address} cannot take over ${live.id}: its ${path} is another`,
    {
      address: subject.address,
      attribute: path,
      detail: `${path} cannot change in place, and what is not managed here is never replaced.`,
      ...(range && { range }),
    },
  );
