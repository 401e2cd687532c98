import type { Reads, Resource } from "../../api/reads";
import { type Diagnostic, DiagnosticsError, error } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import { terraformNameOf, variablesResource } from "../../model/terraform-names";
import { readParent } from "../../resources";
import { variable } from "../../resources/variable";
import { recentSession } from "../provider";
import type { Sending } from "./finish-write";

/** Returns the resources that have the name in the parent; none where they cannot be listed: the service refuses then. */
export async function namesakes({ session, type, input }: Sending): Promise<readonly LiveResource[]> {
  try {
    const { name, parentId, attributes: declared } = input;
    return (await type.resource.candidates?.(session.reads, { name, parentId, declared })) ?? [];
  } catch (failure) {
    if (failure instanceof DiagnosticsError) return [];
    throw failure;
  }
}

/**
 * Does the work that takes a name: of two in one process, the second looks after the first has it. Throws
 * `DiagnosticsError` where another resource than `ownId` has the name.
 */
export function reserveName<T>(sending: Sending, work: () => Promise<T>, ownId?: string): Promise<T> {
  const { session, type, input } = sending;
  return session.inTurn([type.resource.type, input.parentId, input.name].join("\0"), async () => {
    const recent = { ...sending, session: recentSession(session) };
    const found = (await namesakes(recent)).filter(({ id }) => id !== ownId);
    if (found.length > 0) throw new DiagnosticsError([nameInUse(sending, found)]);
    return work();
  });
}

/** Does the work on the deployment or layout of a parent: of two in one process, the second sees the first. */
export const inTurnOfParent = <T>({ session, type, input }: Sending, work: () => Promise<T>): Promise<T> =>
  session.inTurn([type.resource.type, input.parentId].join("\0"), work);

/** Returns the error of a name that is in use, with the import block that manages the resource. */
export function nameInUse({ type, input }: Sending, found: readonly LiveResource[]): Diagnostic {
  const { resource } = type;
  const [only, ...others] = found;
  const attribute = resource.nameAttribute;
  if (only === undefined || others.length > 0) {
    const summary = `${found.length} of ${terraformNameOf(resource)} are named "${input.name}"`;
    const detail = `Found: ${found.map(({ id }) => id).join(", ")}.`;
    const hint = "delete or rename the others, or choose another name";
    return error("live.unmanaged_exists", summary, { attribute, detail, hint });
  }
  const { parentId } = input;
  const importId = resource.removedWithParent && parentId !== undefined ? `${parentId}/${only.id}` : only.id;
  return error("live.unmanaged_exists", `${resource.type} "${input.name}" already exists`, {
    attribute,
    detail: waysOut(resource, importBlock(terraformNameOf(resource), importId)),
  });
}

export async function keyInUse(reads: Reads, parentId: string, isNew: boolean): Promise<Diagnostic> {
  const read = await readParent(reads, variable, parentId);
  const name = read?.kind === "found" ? JSON.stringify(read.live.name) : parentId;
  const detail = waysOut(variable, importBlock(variablesResource, parentId), isNew);
  return error("live.unmanaged_exists", `already in service ${name}`, { detail });
}

/** Lists the ways out of a name or key in use: no call can tell who has it. A map that `isNew` is false for is in the state. */
function waysOut(
  { nameAttribute: word = "", parents: [parent] }: Resource,
  block: string,
  isNew = true,
): string {
  const replaced = `  - the resource that is replaced here with create_before_destroy: choose another ${word}, or remove create_before_destroy. In Pulumi, set deleteBeforeReplace.`;
  return [
    `A ${word} is unique in its ${parent?.type ?? "workspace"}. This ${word} may belong to:`,
    ...(isNew ? [replaced] : []),
    `  - a resource of this configuration that gives it up: apply again.${isNew ? ` Two that exchange a ${word} need two applies, with a third ${word} between them.` : ""}`,
    `  - a resource that destroy = false or a killed apply left, or that was created elsewhere: choose another ${word}, or import it${isNew ? "" : ", after terraform state rm of this map"}:\n\n${block}`,
  ].join("\n");
}

const importBlock = (type: string, importId: string): string =>
  [
    "  import {",
    `    to = ${type}.NAME # the address that Terraform prints for this error`,
    `    id = "${importId}"`,
    "  }",
  ].join("\n");
