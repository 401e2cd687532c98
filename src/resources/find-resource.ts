import type { Reads, Resource } from "../api/reads";
import { addressOf } from "../model/address";
import type { ReadResult } from "../model/live";
import { uuidPattern } from "../model/text";

/** The query of a data source: an id, or a name in a parent. */
export interface ResourceQuery {
  readonly id?: string;
  readonly name?: string;
  readonly parentId?: string;
}

/** Looks up a resource that a data source names. One that differs from any part of the query is `absent`. */
export async function findResource(
  reads: Reads,
  type: Resource,
  { id, name = "", parentId }: ResourceQuery,
): Promise<ReadResult> {
  if (id === undefined ? name === "" : !isId(id)) return { kind: "absent" };
  const [parent] = type.parents;
  const read = await type.read(reads, {
    address: addressOf(type.type, name === "" ? (id ?? "") : name),
    name,
    declared: new Map(parent && parentId !== undefined ? [[parent.attribute, parentId]] : []),
    id,
    parentId,
  });
  if (read.kind !== "found") return read;
  const isMeant =
    (name === "" || read.live.name === name) && (parentId === undefined || read.live.parentId === parentId);
  return isMeant ? read : { kind: "absent" };
}

const isId = (text: string): boolean => uuidPattern.test(text);
