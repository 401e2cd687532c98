import { lookAgain, staleWrite } from "../../apply/look";
import { DiagnosticsError } from "../../diagnostics/diagnostic";
import type { ReadResult } from "../../model/live";
import type { CreateInput } from "../../model/resource-operations";
import { isUnlisted } from "../../model/resource-type";
import { typeNamed } from "../../resources";
import type { Session } from "../provider";
import type { TerraformShape } from "../schema/terraform-shape";
import { isUnseen } from "./create-once";

/**
 * Waits until the siblings that this process made are shown, where the resource chooses among them: a position on a
 * canvas is only given to what the canvas shows. Throws `DiagnosticsError` where reads stay behind.
 */
export async function awaitNeighbours(
  session: Session,
  { resource }: TerraformShape,
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
  const look = async (): Promise<ReadResult | undefined> => {
    try {
      return await resource.read(session.reads, { address, name, declared, parentId });
    } catch (failure) {
      if (isUnseen(failure)) return undefined;
      throw failure;
    }
  };
  session.reads.invalidate();
  const { isStale } = await lookAgain(session, look, (read) => {
    const offered = offeredIds(read);
    return made.some((live) => !offered.has(live?.id));
  });
  if (isStale) throw new DiagnosticsError([staleWrite(made.map((live) => live?.name).join(", "))]);
}

function offeredIds(read: ReadResult | undefined): ReadonlySet<string | undefined> {
  const shown = read?.kind === "found" ? read.live : read?.kind === "absent" ? read : undefined;
  return new Set(Object.values(shown?.offers ?? {}).flatMap((some) => some.map(({ id }) => id)));
}
