import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { shortList } from "../model/short-list";
import { isGone, type Subject, type Subjects } from "./subject";

/**
 * Gone needs proof (DESIGN section 5): something else that is recorded must still be readable, and not more than a
 * third of what is recorded may vanish at once; a lost membership looks the same. Without proof, what seems gone is
 * planned from what is recorded. Things that live and die with their parent do not count.
 */
export function doubtDisappearance(subjects: Subjects): {
  readonly subjects: Subjects;
  readonly diagnostics: readonly Diagnostic[];
} {
  const recorded = [...subjects.values()].filter((subject) => subject.recorded);
  const independent = recorded.filter((subject) => !subject.type.removedWithParent);
  const gone = independent.filter((subject) => isGone(subject) && !isBeingDeleted(subject));
  if (gone.length === 0) return { subjects, diagnostics: [] };

  const diagnostics =
    gone.length >= 3 && gone.length * 3 > independent.length
      ? [massDisappearance(gone, independent.length)]
      : recorded.some((subject) => subject.live)
        ? []
        : gone.map(unproven);
  if (diagnostics.length === 0) return { subjects, diagnostics };
  const doubted = new Map<Address, Subject>();
  for (const [address, subject] of subjects) {
    const read = { kind: "unchecked", reason: "it seems gone, which is not proven" } as const;
    const isDoubted = isGone(subject) && !isBeingDeleted(subject);
    doubted.set(address, isDoubted ? { ...subject, read } : subject);
  }
  return { subjects: doubted, diagnostics };
}

const mostNamed = 5;

/** The service shows that its deletion goes on, or we asked for it ourselves. */
const isBeingDeleted = ({ read, recorded }: Subject): boolean =>
  (read.kind === "gone" && read.ending !== undefined) || recorded?.pending?.deletes === true;

const massDisappearance = (gone: readonly Subject[], all: number): Diagnostic =>
  error("live.mass_disappearance", `${gone.length} of ${all} recorded resources are gone at once`, {
    detail: `A key that lost its membership sees the same. Gone: ${shortList(
      gone.map(({ address }) => address),
      mostNamed,
    )}`,
    hint: "check the key and the workspace; if they were really deleted: rnv state rm ADDRESS …",
  });

const unproven = (subject: Subject): Diagnostic =>
  error("live.gone_unproven", `${subject.address} cannot be found, and nothing else that is recorded can`, {
    address: subject.address,
    detail: "A key that lost its membership sees the same, so this is no proof that it was deleted.",
    hint: `check the key and the workspace; if it was really deleted: rnv state rm ${subject.address}`,
    ...(subject.desired && { range: subject.desired.range }),
  });
