import { ApiError } from "../api/api-error";
import { lookAgain } from "../apply/look";
import type { WaitResult } from "../apply/settle";
import { type Diagnostic, error, warning } from "../diagnostics/diagnostic";
import type { Accepted, DeleteInput } from "../model/resource-operations";
import type { Applied } from "./applied";
import { settle, unsettled } from "./apply-context";
import { addressOfId } from "./confirm-deleted";
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
  const key = addressOfId(type.resource, id);
  // The same thing was adopted under another address of this apply: only this address lets go of it.
  if (session.made.has(key)) return gone([adopted(type, name, id)]);
  session.removed.add(key);
  const place = parentId === null ? {} : { parentId };
  const input = { address: addressIn(type, name), id, name, ...place };
  try {
    const end = await seenDeleted(session, type, prior, input);
    const failed = isHidden(session, end) ? hidden(type, name) : undeleted(type, name, end);
    if (failed === undefined) return gone();
    return { state: prior, kept, diagnostics: [failed] };
  } catch (failure) {
    const end = failure instanceof ApiError ? await endAfter(session, type, failure, input) : undefined;
    if (end === undefined) {
      // It may stand: then its name is taken.
      session.removed.delete(key);
      throw failure;
    }
    if (end.pending === undefined) return gone();
    const settled = await settle(session, type, end, prior, "delete");
    const failed = isHidden(session, settled) ? hidden(type, name) : undeleted(type, name, settled);
    return failed === undefined ? gone() : { state: prior, kept, diagnostics: [failed] };
  }
}

const mostAttempts = 20;

/**
 * Asks for the deletion and waits for its end. A retained answer may be that of a deletion that failed since: it is
 * asked for anew then, under a key that follows from the operation that failed.
 */
async function seenDeleted(
  session: Session,
  type: ManagedType,
  prior: TerraformObject,
  input: DeleteInput,
): Promise<WaitResult> {
  let seed = `delete\0${type.resource.type}\0${input.id}`;
  for (let attempt = 1; ; attempt += 1) {
    let isReplayed = false;
    const onAnswer = (replayed: boolean): void => {
      isReplayed = replayed;
    };
    const accepted = await type.resource.remove(session.writes({ text: seed, onAnswer }), input);
    const end = await settle(session, type, accepted, prior, "delete");
    if (end.kind !== "failed" || !isReplayed || attempt === mostAttempts) return end;
    seed += `\0${accepted.pending?.id}`;
  }
}

/** What a refusal means for what is gone already, or is being deleted; undefined where it stands. */
async function endAfter(
  session: Session,
  type: ManagedType,
  { status }: ApiError,
  input: DeleteInput,
): Promise<Accepted | undefined> {
  if (status !== 404 && status !== 409) return undefined;
  session.reads.invalidate();
  // Reads may still show what a write no longer finds.
  const { seen: read } = await lookAgain(
    session,
    () => type.resource.read(session.reads, { ...input, declared: new Map() }),
    ({ kind }) => status === 404 && kind === "found",
  );
  if (read.kind !== "gone") return undefined;
  return { id: input.id, ...(read.ending === undefined ? {} : { pending: read.ending }) };
}

/** The service shows nothing at all any more, though something was found that is not being deleted. */
const isHidden = ({ existence, removed }: Session, end: WaitResult): boolean =>
  end.kind === "done" &&
  end.showsNothing === true &&
  [...existence.byId].some(([key, { live }]) => live !== undefined && !removed.has(key));

const hidden = (type: ManagedType, name: string): Diagnostic =>
  error("live.gone_unproven", `${type.resource.type} "${name}" is not shown any more, and nothing else is`, {
    detail: "A key that lost its membership sees the same, so this is no proof that it was deleted.",
    hint: "check the key and the workspace, then apply again: it stays in the state until its end is seen",
  });

const undeleted = (
  type: ManagedType,
  name: string,
  end: WaitResult & { readonly note?: string },
): Diagnostic | undefined =>
  end.kind === "failed"
    ? error("apply.delete_failed", `${type.resource.type} "${name}" was not deleted: ${end.summary}`, {
        ...(end.detail === undefined ? {} : { detail: end.detail }),
        hint: "it stays in the state; run the command again to ask for its deletion again",
      })
    : unsettled(type, name, end);

const adopted = (type: ManagedType, name: string, id: string): Diagnostic =>
  warning("plan.live_changed_too", `${type.resource.type} "${name}" was not deleted`, {
    detail: `Another resource of this configuration declares the same thing and took it over (${id}).`,
    hint: `write a "moved" block when a resource is renamed`,
  });
