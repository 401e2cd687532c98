import { ApiError } from "../api/api-error";
import { type Diagnostic, warning } from "../diagnostics/diagnostic";
import type { Applied } from "./applied";
import { settle, unsettled } from "./apply-context";
import type { PrivateData } from "./private-data";
import { protection } from "./protection";
import type { ManagedType } from "./schema/managed-type";
import type { Session } from "./session";
import { addressIn, liveOf } from "./values/attributes";
import type { TerraformObject } from "./values/terraform-value";

/** Deletes a resource, confirmed with the name that the state knows, and waits until it is gone. */
export async function applyDelete(
  session: Session,
  type: ManagedType,
  prior: TerraformObject,
  kept: PrivateData,
): Promise<Applied> {
  const { id, name, parentId } = liveOf(type, prior);
  const refused = protection(session, type, prior, "delete");
  if (refused.length > 0) return { state: prior, kept, diagnostics: refused };
  const gone = (diagnostics: readonly Diagnostic[] = []): Applied => ({ state: null, kept, diagnostics });
  // The same thing was adopted under another address of this apply: only this address lets go of it.
  if (session.made.has(id)) return gone([adopted(type, name, id)]);
  session.removed.add(id);
  const address = addressIn(type, name);
  const place = parentId === null ? {} : { parentId };
  try {
    const writes = session.writes({ text: `delete\0${type.resource.type}\0${id}` });
    const accepted = await type.resource.remove(writes, { address, id, name, ...place });
    const failed = unsettled(type, name, await settle(session, type, accepted, prior, "delete"));
    if (failed === undefined) return gone();
    return { state: prior, kept, diagnostics: [failed] };
  } catch (failure) {
    if (!(failure instanceof ApiError) || failure.status !== 404) {
      // It may stand: then its name is taken.
      session.removed.delete(id);
      throw failure;
    }
    session.reads.invalidate();
    const read = await type.resource.read(session.reads, {
      address,
      id,
      name,
      declared: new Map(),
      ...place,
    });
    if (read.kind === "gone") return gone();
    throw failure;
  }
}

const adopted = (type: ManagedType, name: string, id: string): Diagnostic =>
  warning("plan.live_changed_too", `${type.resource.type} "${name}" was not deleted`, {
    detail: `Another resource of this configuration declares the same thing and took it over (${id}).`,
    hint: `write a "moved" block when a resource is renamed`,
  });
