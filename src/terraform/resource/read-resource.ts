import type { Resource } from "../../api/reads";
import { type Diagnostic, DiagnosticsError, warning } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import type { Attributes } from "../../model/value";
import { diagnosticMessages } from "../messages";
import { type PrivateData, readPrivate, writePrivate } from "../private-data";
import type { RpcAnswer, Session } from "../provider";
import { addressIn, knownIn, nameIn, parentIn, textIn } from "../schema/attributes";
import { type TerraformShape, upToDateName } from "../schema/terraform-shape";
import { decodeObject, encodeMessage } from "../values/codec";
import { holdsNumber, type TerraformObject } from "../values/terraform-value";
import { confirmDeleted, otherWorkspace } from "./confirm-deleted";
import { checkUpToDate } from "./reactions";
import { recordedOf } from "./record";
import { refreshed } from "./refreshed-state";
import { standingOf, waitWarnings } from "./warnings";

/** ReadResource: the resource as the service shows it. Null is "deleted", and needs proof. */
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
  // Terraform would keep the private data of what is deleted, for the resource that is created in its place.
  if (next === null) return { newState: encodeMessage(type.valueType, null), diagnostics: messages };
  const updatedAt = kept.updatedAt ?? live?.updatedAt ?? live?.asOf;
  const found = { ...kept, applied: kept.applied ?? {}, updatedAt };
  const checked = await checkRun(session, type, live, found, next);
  const isSame = checked.next === state && !holdsNumber(state);
  return {
    newState: isSame ? request.currentState : encodeMessage(type.valueType, checked.next),
    // Only where it says something else: to Terraform, other private data is a difference.
    private:
      JSON.stringify(checked.kept) === JSON.stringify(kept) ? request.private : writePrivate(checked.kept),
    diagnostics: messages,
  };
};

/** Sets whether the last run of a resource that reacts to others has all of their changes. */
async function checkRun(
  session: Session,
  type: TerraformShape,
  live: LiveResource | undefined,
  found: PrivateData,
  next: TerraformObject,
): Promise<{ readonly next: TerraformObject; readonly kept: PrivateData }> {
  if (!type.reacts || live === undefined) return { next, kept: found };
  const { isUpToDate, kept } = await checkUpToDate(session, type, live, found);
  return { kept, next: next[upToDateName] === isUpToDate ? next : { ...next, [upToDateName]: isUpToDate } };
}

interface ReadNow {
  readonly next: TerraformObject | null | "unchecked";
  /** As the service shows it. */
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
  const elsewhere = otherWorkspace(session, resource, name, kept.workspace);
  if (elsewhere !== undefined) throw new DiagnosticsError([elsewhere]);
  const declared = askedFor(type, state, kept);
  const parentId = parentIn(type, declared);
  const id = textIn(state, "id");
  const recorded = recordedOf(type, state, kept);
  const address = addressIn(type, name);
  session.reads.expect(address, recorded, { parentId });
  const target = { address, name, declared, recorded, parentId, ...(id !== undefined && { id }) };
  const read = await resource.read(session.reads, target);
  switch (read.kind) {
    case "found": {
      const diagnostics = [...standingOf(resource, read.live, declared), ...waitWarnings(read.live)];
      const next = await refreshed(session, type, state, read.live, kept);
      return { next, live: read.live, diagnostics };
    }
    case "absent":
      return { next: null };
    case "gone": {
      // A deletion that is under way may fail yet.
      if (read.ending !== undefined)
        return { next: "unchecked", diagnostics: [beingDeleted(resource, name)] };
      const doubt = await confirmDeleted(session, { resource, id: id ?? "", name, parentId });
      if (doubt === undefined) return { next: null };
      return { next: doubt.isAccepted ? null : "unchecked", diagnostics: doubt.diagnostics };
    }
    case "ambiguous":
      return { next: "unchecked" };
    case "unchecked":
      return { next: "unchecked", diagnostics: [unreadable(resource, name, read.reason)] };
  }
}

/** Returns what the service is asked for when a state is read. */
function askedFor(type: TerraformShape, state: TerraformObject, kept: PrivateData): Attributes {
  const declared = knownIn(type, state);
  // A state shows what no configuration pins, too; looking it up would cost a request for each.
  for (const { rule } of type.computed)
    if (rule.pinnedBy !== undefined && !(rule.pinnedBy in (kept.applied ?? {})))
      declared.delete(rule.pinnedBy);
  return declared;
}

const beingDeleted = ({ type }: Resource, name: string): Diagnostic =>
  warning("live.unchecked", `${type} "${name}" is being deleted at the service`, {
    detail: "It stays in the state until it is deleted: the deletion may fail.",
    hint: "run the command again after the deletion",
  });

const unreadable = ({ type }: Resource, name: string, reason: string): Diagnostic =>
  warning("live.unchecked", `${type} "${name}" could not be read`, {
    detail: `Its state is kept as it is: ${reason}.`,
  });
