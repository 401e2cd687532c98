import type { LiveResource } from "../model/live";
import type { ManagedType } from "./schema/managed-type";
import type { Session } from "./session";
import { addressIn } from "./values/attributes";

/** What a reacting resource shows once it has settled. */
export async function liveAfter(
  session: Session,
  type: ManagedType,
  id: string,
  name: string,
  parentId: string | undefined,
): Promise<LiveResource | undefined> {
  if (type.resource.pendingOf === undefined) return undefined;
  session.reads.invalidate();
  const read = await type.resource.read(session.reads, {
    address: addressIn(type, name),
    id,
    name,
    declared: new Map([["commit", ""]]),
    ...(parentId === undefined ? {} : { parentId }),
  });
  return read.kind === "found" ? read.live : undefined;
}
