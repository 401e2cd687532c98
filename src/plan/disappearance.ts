import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { shortList } from "../model/short-list";
import { isGone, isRetained, type Subject, type Subjects } from "./subject";

/**
 * Gone needs proof (DESIGN section 5): something else that is recorded must still be readable, and not more than a
 * third of what is recorded may vanish at once; a lost membership looks the same. Without proof, what seems gone is
 * planned from what is recorded. Things that live and die with their parent are counted among themselves, and not
 * where their parent is gone or nobody wants them any more.
 */
export function doubtDisappearance(subjects: Subjects): {
  readonly subjects: Subjects;
  readonly diagnostics: readonly Diagnostic[];
} {
  const recorded = [...subjects.values()].filter((subject) => subject.recorded && !isRetained(subject));
  const gone = recorded.filter(isLost);
  const isAnyLive = recorded.some((subject) => subject.live);
  const isRetainedLost = !isAnyLive && [...subjects.values()].some((one) => isRetained(one) && isLost(one));
  if (gone.length === 0 && !isRetainedLost) return { subjects, diagnostics: [] };

  const independent = recorded.filter((subject) => !subject.type.removedWithParent);
  const dependent = recorded.filter(
    (subject) => subject.type.removedWithParent && !subject.removed && hasParent(subject, subjects),
  );
  const masses = [independent, dependent].flatMap(massDisappearance);
  const diagnostics = masses.length > 0 || isAnyLive ? masses : independent.filter(isLost).map(unproven);
  if (diagnostics.length === 0 && !isRetainedLost) return { subjects, diagnostics };
  const doubted = new Map<Address, Subject>();
  for (const [address, subject] of subjects) {
    const read = { kind: "unchecked", reason: "it seems gone, which is not proven" } as const;
    doubted.set(address, isLost(subject) ? { ...subject, read } : subject);
  }
  return { subjects: doubted, diagnostics };
}

const mostNamed = 5;

/** The service shows that its deletion goes on, or we asked for it ourselves. */
const isBeingDeleted = ({ read, recorded }: Subject): boolean =>
  (read.kind === "gone" && read.ending !== undefined) || recorded?.pending?.deletes === true;

const isLost = (subject: Subject): boolean => isGone(subject) && !isBeingDeleted(subject);

/** Whether what held it still stands. What took the place of that in a replacement does not count: it starts empty. */
function hasParent({ parent, recorded, type }: Subject, subjects: Subjects): boolean {
  const found = parent === undefined ? undefined : subjects.get(parent);
  if (found?.recorded === undefined || isGone(found)) return false;
  return type.parents.some(({ attribute }) => recorded?.applied[attribute] === found.recorded?.id);
}

function massDisappearance(counted: readonly Subject[]): Diagnostic[] {
  const gone = counted.filter(isLost).map(({ address }) => address);
  if (gone.length < 3 || gone.length * 3 <= counted.length) return [];
  const summary = `${gone.length} of ${counted.length} recorded resources are gone at once`;
  return [
    error("live.mass_disappearance", summary, {
      detail: `A key that lost its membership sees the same. Gone: ${shortList(gone, mostNamed)}`,
      hint: "check the key and the workspace; if they were really deleted: rnv state rm ADDRESS …",
    }),
  ];
}

const unproven = (subject: Subject): Diagnostic =>
  error("live.gone_unproven", `${subject.address} cannot be found, and nothing else that is recorded can`, {
    address: subject.address,
    detail: "A key that lost its membership sees the same, so this is no proof that it was deleted.",
    hint: `check the key and the workspace; if it was really deleted: rnv state rm ${subject.address}`,
    ...(subject.desired && { range: subject.desired.range }),
  });
