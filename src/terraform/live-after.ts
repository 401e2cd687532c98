import type { Resource } from "../api/reads";
import { lookAgain } from "../apply/look";
import { isBehind, isMissing, isOlder } from "../model/freshness";
import type { LiveResource, ReadResult } from "../model/live";
import type { Accepted } from "../model/resource-operations";
import { shownIds } from "../model/resource-type";
import { bareRecord } from "./plan-change";
import type { ManagedType } from "./schema/managed-type";
import type { Session } from "./session";
import { addressIn } from "./values/attributes";

/** A run that was accepted, and what became of waiting for it. */
export interface RunSeen {
  readonly accepted: Accepted;
  readonly name: string;
  readonly parentId: string | undefined;
  /** Its end was waited for: then it is what serves. */
  readonly isSettled: boolean;
}

/** What a reacting resource shows once it has settled; undefined where it is none, or reads stay behind. */
export async function liveAfter(
  session: Session,
  type: ManagedType,
  run: RunSeen,
): Promise<LiveResource | undefined> {
  if (type.resource.runs === undefined) return undefined;
  const { seen, isStale } = await lookAtRun(session, type.resource, run);
  return seen.kind === "found" && !isStale ? seen.live : undefined;
}

/** Reads what a run is part of until it shows the run, or a later one. */
export function lookAtRun(session: Session, resource: Resource, run: RunSeen) {
  const { accepted, name, parentId } = run;
  const { id, live } = accepted;
  const recorded = bareRecord({ type: resource.type, id, name, updatedAt: live?.asOf });
  // What pins a computed attribute is declared, so that this is read too.
  const pinned = Object.values(resource.computed).flatMap(({ pinnedBy }) => pinnedBy ?? []);
  const subject = {
    ...{ address: addressIn({ resource }, name), id, name, recorded },
    declared: new Map(pinned.map((path) => [path, ""])),
    ...(parentId === undefined ? {} : { parentId }),
  };
  session.reads.invalidate();
  return lookAgain(
    session,
    () => resource.read(session.reads, subject),
    (read) => !isRunShown(resource, read, run),
  );
}

function isRunShown(resource: Resource, read: ReadResult, { accepted, name, isSettled }: RunSeen): boolean {
  if (read.kind !== "found") return !isMissing(read);
  const { id, live: made } = accepted;
  const { live } = read;
  if (isBehind(live, bareRecord({ type: resource.type, id, name, updatedAt: made?.asOf }), undefined))
    return false;
  const shown = isSettled ? [live.id] : shownIds(resource, live);
  return shown.includes(id) || isOlder(made?.asOf, live.asOf);
}
