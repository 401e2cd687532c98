import type { Reads, Resource } from "../api/reads";
import { addressOf, uuidPattern } from "../model/address";
import { isMissing, type ReadResult } from "../model/live";
import { sameName } from "../model/names";
import type { ReadTarget } from "../model/resource-operations";
import { deployment } from "./deployment";
import { layout } from "./layout";
import { project } from "./project";
import { service } from "./service";
import { variable } from "./variable";

/** Every resource type: the only list of them. A new type is one file and one entry here. */
export const resourceTypes: readonly Resource[] = [project, service, variable, deployment, layout];

export const typesByName: ReadonlyMap<string, Resource> = new Map(
  resourceTypes.map((type) => [type.type, type]),
);

export const importableTypes = resourceTypes.filter(({ removal }) => removal === "delete");

export const typeNamed = (name: string): Resource | undefined => typesByName.get(name);

/** Returns true if a run of another resource makes its changes take effect. */
export const isDeployed = ({ type }: Pick<Resource, "type">): boolean =>
  resourceTypes.some(
    ({ runs, parents, follows }) =>
      runs !== undefined && (follows.includes(type) || parents.some((parent) => parent.type === type)),
  );

/** Reads a resource. A missing one is proven gone where its parent or anything else is shown (DESIGN section 5). */
export async function readProven(reads: Reads, type: Resource, target: ReadTarget): Promise<ReadResult> {
  const read = await type.read(reads, target);
  const { parentId, recorded } = target;
  if (read.kind !== "gone" || read.ending !== undefined) return read;
  // Its deletion may still be in progress.
  if (recorded?.pending?.deletes) return { ...read, ending: recorded.pending };
  const around = type.removedWithParent ? await readParent(reads, type, parentId) : undefined;
  if (around !== undefined && !isMissing(around)) return around.kind === "found" ? read : around;
  return (await reads.showAnything()) ? read : { ...read, isUnproven: true };
}

export async function readParent(
  reads: Reads,
  { parents: [parent] }: Resource,
  id: string | undefined,
): Promise<ReadResult | undefined> {
  const type = parent && typeNamed(parent.type);
  return type && id !== undefined ? findResource(reads, type, { id }) : undefined;
}

/** Reads the resource of a data source by its id, or by its name in a parent. Any other resource is `absent`. */
export async function findResource(
  reads: Reads,
  type: Resource,
  { id, name = "", parentId }: Partial<Pick<ReadTarget, "id" | "name" | "parentId">>,
): Promise<ReadResult> {
  if (id === undefined ? name === "" : !uuidPattern.test(id)) return { kind: "absent" };
  const [parent] = type.parents;
  const read = await readProven(reads, type, {
    address: addressOf(type.type, name === "" ? (id ?? "") : name),
    name,
    declared: new Map(parent && parentId !== undefined ? [[parent.attribute, parentId]] : []),
    id,
    parentId,
    isAnywhere: true,
  });
  if (read.kind !== "found") return read;
  const isNamed = name === "" || sameName(read.live.name, name);
  return isNamed && (parentId ?? read.live.parentId) === read.live.parentId ? read : { kind: "absent" };
}
