import type { Resource } from "../../api/reads";
import { type Diagnostic, warning } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import type { Attributes } from "../../model/value";
import { isYoungIntent } from "../apply/twins";
import { confirmDeleted, noteFound } from "../confirm-deleted";
import { diagnosticMessages, type PrivateData, readPrivate, writePrivate } from "../messages";
import type { RpcAnswer, Session } from "../provider";
import { foundAgain, noteGone } from "../reactions/note-changes";
import { noteUpstream } from "../reactions/react";
import { recordedOf } from "../record";
import { refreshed } from "../refreshed-state";
import { addressIn, knownIn, nameIn, parentIn, textIn } from "../schema/attributes";
import type { TerraformShape } from "../schema/terraform-shape";
import { decodeObject, encodeMessage } from "../values/codec";
import { holdsNumber, type TerraformObject } from "../values/terraform-value";
import { standingOf, waitWarnings } from "../warnings";

/** ReadResource: what the service says of a resource now. Null is "gone", and needs proof. */
export const readResource: RpcAnswer<"ReadResource"> = async (provider, request) => {
  const type = provider.typeNamed(request.typeName);
  const state = decodeObject(type.valueType, request.currentState);
  const { session } = provider;
  const unchanged = { newState: request.currentState, private: request.private };
  if (session === undefined || state === undefined) return unchanged;
  const kept = readPrivate(request.private);
  const { next, live, diagnostics = [] } = await readNow(session, type, state, kept);
  const messages = diagnosticMessages(diagnostics);
  if (next === "unchecked") return { ...unchanged, diagnostics: messages };
  // Terraform keeps the private data of what is gone, and the plan took its creation for the half of a replacement.
  if (next === null) {
    noteGone(session, type, state);
    return { newState: encodeMessage(type.valueType, null), diagnostics: messages };
  }
  const { imported, ...settled } = kept;
  const updatedAt = kept.updatedAt ?? live?.updatedAt;
  const found = { ...foundAgain(session, type, settled, live?.updatedAt), updatedAt };
  const told = live === undefined ? found : await noteUpstream(provider, session, type, live, found);
  // Only where it says something else: to Terraform, other private data is a difference.
  const isKept = imported === undefined && JSON.stringify(told) === JSON.stringify(settled);
  return {
    newState:
      next === state && !holdsNumber(state) ? request.currentState : encodeMessage(type.valueType, next),
    private: isKept ? request.private : writePrivate(told),
    diagnostics: messages,
  };
};

interface ReadNow {
  readonly next: TerraformObject | null | "unchecked";
  /** What was found. */
  readonly live?: LiveResource;
  readonly diagnostics?: readonly Diagnostic[];
}

async function readNow(
  session: Session,
  type: TerraformShape,
  state: TerraformObject,
  kept: PrivateData,
): Promise<ReadNow> {
  const { resource } = type;
  const name = nameIn(type, state);
  const declared = askedFor(type, state, kept);
  const parentId = parentIn(type, declared);
  const id = textIn(state, "id");
  if (id !== undefined) await session.intents.noteInState(resource.type, id);
  const recorded = recordedOf(type, state, kept);
  const address = addressIn(type, name);
  const isLeaving = session.intents.isLeaving(resource.type, recorded.id) !== undefined;
  session.reads.expect(address, recorded, { parentId, mayBeGone: isLeaving });
  const target = { address, name, declared, recorded, parentId, ...(id !== undefined && { id }) };
  const read = await resource.read(session.reads, target);
  switch (read.kind) {
    case "found":
      noteFound(session, resource, read.live);
      await forgetDeletion(session, resource, read.live.id);
      return {
        next: await refreshed(session, type, state, read.live, kept),
        live: read.live,
        diagnostics: [
          ...standingOf(resource, read.live, declared),
          ...(await waitWarnings(session, type, read.live)),
        ],
      };
    case "absent":
      return { next: null };
    case "gone": {
      // A deletion that goes on may fail yet.
      if (read.ending !== undefined) return { next: "unchecked", diagnostics: [stillThere(resource, name)] };
      const missing = { resource, id: id ?? "", name, parentId, workspace: kept.workspace };
      const doubt = await confirmDeleted(session, missing);
      if (doubt === undefined) return { next: null };
      return { next: doubt.isAccepted ? null : "unchecked", diagnostics: doubt.diagnostics };
    }
    case "ambiguous":
      return { next: "unchecked" };
    case "unchecked":
      return {
        next: "unchecked",
        diagnostics: [
          warning("live.unchecked", `${resource.type} "${name}" could not be read`, {
            detail: `What the state says stands: ${read.reason}.`,
          }),
        ],
      };
  }
}

/** Returns what the service is asked for when a state is read. */
function askedFor(type: TerraformShape, state: TerraformObject, { applied }: PrivateData): Attributes {
  const declared = knownIn(type, state);
  // A state shows what is pinned by nobody, too; looking it up would cost a request for each.
  for (const { rule } of type.computed)
    if (rule.pinnedBy !== undefined && !(rule.pinnedBy in applied)) declared.delete(rule.pinnedBy);
  return declared;
}

/** A deletion that was asked for two minutes ago and more, and is not shown, did not happen. */
async function forgetDeletion(session: Session, { type }: Resource, id: string): Promise<void> {
  const left = session.intents.isLeaving(type, id);
  if (left !== undefined && !isYoungIntent(session, left)) await session.intents.close(left);
}

const stillThere = ({ type }: Resource, name: string): Diagnostic =>
  warning("live.unchecked", `${type} "${name}" is being deleted at the service`, {
    detail: "It stays in the state until it is gone: its deletion may fail.",
    hint: "run the command again once the deletion has ended",
  });
