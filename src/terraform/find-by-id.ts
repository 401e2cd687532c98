import type { Resource } from "../api/reads";
import { lookAgain } from "../apply/look";
import { isMissing } from "../model/freshness";
import type { ReadResult } from "../model/live";
import { findResource } from "../resources";
import { addressOfId } from "./confirm-deleted";
import type { Session } from "./provider";

/** Looks up what an id names; again where this process made it, and it is not shown yet. */
export async function findById(session: Session, resource: Resource, id: string): Promise<ReadResult> {
  const { seen } = await lookAgain(
    session,
    () => findResource(session.reads, resource, { id }),
    (read) => isMissing(read) && session.made.has(addressOfId(resource, id)),
  );
  return seen;
}
