import { lookAgain, staleWrite } from "../apply/look";
import { DiagnosticsError } from "../diagnostics/diagnostic";
import type { ReadResult } from "../model/live";
import type { CreateInput } from "../model/resource-operations";
import { isUnlisted } from "../model/resource-type";
import { typeNamed } from "../resources";
import type { ManagedType } from "./schema/managed-type";
import type { Session } from "./session";
import { isUnseen } from "./sure-of-create";

/**
 * Waits until what this process made beside a resource is shown, where the resource chooses from what is: a place on a
 * canvas is only given to what the canvas shows. Throws `DiagnosticsError` where reads stay behind.
 */
export async function awaitNeighbours(
  session: Session,
  { resource }: ManagedType,
  { address, name }: CreateInput,
  parentId: string | undefined,
): Promise<void> {
  if (resource.checkSiblings === undefined || parentId === undefined) return;
  const made = [...session.made.values()].filter(
    (live) =>
      live?.parentId === parentId &&
      resource.follows.includes(live.type) &&
      !isUnlisted(typeNamed(live.type) ?? {}, live.attributes),
  );
  if (made.length === 0) return;
  const declared = new Map(resource.parents.map(({ attribute }) => [attribute, parentId]));
  const offered = (read: ReadResult | undefined): ReadonlySet<string | undefined> => {
    const offers = read?.kind === "found" ? read.live.offers : read?.kind === "absent" ? read.offers : {};
    return new Set(Object.values(offers ?? {}).flatMap((some) => some.map(({ id }) => id)));
  };
  session.reads.invalidate();
  const { isStale } = await lookAgain(
    session,
    async () => {
      try {
        return await resource.read(session.reads, { address, name, declared, parentId });
      } catch (failure) {
        if (isUnseen(failure)) return undefined;
        throw failure;
      }
    },
    (read) => made.some((live) => !offered(read).has(live?.id)),
  );
  if (isStale) throw new DiagnosticsError([staleWrite(made.map((live) => live?.name).join(", "))]);
}
