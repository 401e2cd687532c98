import type { Resource } from "../api/reads";
import { typeNamed } from "../resources";
import { readById } from "./confirm-deleted";
import type { Session } from "./provider";

/** Returns how messages name a resource; one without a name of its own by its parent. */
export async function subjectOf(
  { reads }: Pick<Session, "reads">,
  { type, nameAttribute, parents: [parent] }: Resource,
  name: string,
  parentId: string | undefined,
): Promise<string> {
  if (nameAttribute !== undefined) return `${type} "${name}"`;
  const above = parent && typeNamed(parent.type);
  if (above === undefined || parentId === undefined) return `the ${type}`;
  const read = await readById(reads, above, parentId).catch(() => undefined);
  const shown = read?.kind === "found" ? `"${read.live.name}"` : parentId;
  return `the ${type} of the ${above.type} ${shown}`;
}
