import { existsSync, readdirSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { isStageWord } from "../model/stage";
import { type OpenSurroundings, openS3 } from "./open-backend";
import type { StateAddress } from "./state-address";
import { listS3Keys } from "./stores/s3-objects";

/** Stands for the id in the address of a state whose instances are looked for. */
export const instancePlace = "0rnv-instance-id0";

/**
 * Lists the ids of the states whose addresses are `address` with an id in place of `instancePlace`, sorted. Undefined
 * over HTTP, where they cannot be listed. Throws where a list is not whole.
 */
export async function listInstances(
  address: StateAddress,
  around: OpenSurroundings,
): Promise<readonly string[] | undefined> {
  if (address.kind === "http") return undefined;
  if (address.kind === "file") return unique(inFolders(resolve(address.path)));
  const { settings, transport, server } = openS3(address, around);
  const { key } = address;
  const [prefix = ""] = key.split(instancePlace);
  const name = settings.location.replace(instancePlace, "…");
  try {
    const keys = await listS3Keys(settings, { prefix, name }, server);
    return unique(keys.flatMap((found) => idIn(found, key) ?? []));
  } finally {
    await transport.close();
  }
}

const unique = (ids: readonly string[]): readonly string[] => [...new Set(ids)].sort();

/** Returns the id that makes `text` out of `pattern`; undefined for another text. */
function idIn(text: string, pattern: string): string | undefined {
  const [before = "", ...rest] = pattern
    .split(instancePlace)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const id = new RegExp(`^${before}(.+?)${rest.join("\\1")}$`, "s").exec(text)?.[1];
  return id !== undefined && rest.length > 0 && isStageWord(id) ? id : undefined;
}

/** Ids by the folder or the file whose name holds the first of them. */
function inFolders(path: string): readonly string[] {
  const [before = ""] = path.split(instancePlace);
  const folder = dirname(`${before}x`);
  if (!existsSync(folder)) return [];
  const [named = ""] = relative(folder, path).split(sep);
  return readdirSync(folder).flatMap((name) => {
    const id = idIn(name, named);
    return id !== undefined && existsSync(path.replaceAll(instancePlace, id)) ? [id] : [];
  });
}
