import type { Resource } from "../../api/reads";
import { type Diagnostic, DiagnosticsError, warning } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import { generatedName } from "../../model/text";
import { type Attributes, plainEqual } from "../../model/value";
import { diagnosticMessages } from "../messages";
import { type PrivateData, readPrivate, recordedOf, writePrivate } from "../private-data";
import type { RpcAnswer, Session } from "../provider";
import { type AttributeBinding, upToDateName } from "../schema/resource-block";
import { shownAs, type TerraformShape } from "../schema/terraform-shape";
import {
  type Draft,
  decodeObject,
  encodeMessage,
  setValue,
  type TerraformObject,
  type TerraformValue,
  textIn,
  toPlain,
  valueAt,
} from "../values";
import { confirmDeleted, otherWorkspace } from "./confirm-deleted";
import { checkUpToDate } from "./reactions";
import { standingOf, waitWarnings } from "./warnings";

/** ReadResource: the resource as the service shows it. Null is "deleted", and needs proof. */
export const readResource: RpcAnswer<"ReadResource"> = async (provider, request) => {
  const type = provider.typeNamed(request.typeName);
  const state = decodeObject(type.valueType, request.currentState);
  const { session } = provider;
  const unchanged = { newState: request.currentState, private: request.private };
  if (session === undefined || state === undefined) return unchanged;
  const kept = readPrivate(request.private);
  const { live, isGone, diagnostics } = await readNow(session, type, state, kept);
  const messages = diagnosticMessages(diagnostics);
  // Terraform would keep the private data of what is deleted, for the resource that is created in its place.
  if (isGone) return { newState: encodeMessage(type.valueType, null), diagnostics: messages };
  if (live === undefined) return { ...unchanged, diagnostics: messages };
  const updatedAt = kept.updatedAt ?? live.updatedAt ?? live.asOf;
  const found = { ...kept, applied: kept.applied ?? {}, updatedAt };
  const run = type.reacts ? await checkUpToDate(session, type, live, found) : undefined;
  const { kept: after = found, isUpToDate } = run ?? {};
  const next = await refreshed(session, type, state, live, { kept, isUpToDate });
  return {
    newState: encodeMessage(type.valueType, next),
    // Only where it says something else: to Terraform, other private data is a difference.
    private: JSON.stringify(after) === JSON.stringify(kept) ? request.private : writePrivate(after),
    diagnostics: messages,
  };
};

interface ReadNow {
  /** As the service shows it; undefined where that is unknown, and the state stays. */
  readonly live?: LiveResource;
  readonly isGone?: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

async function readNow(
  session: Session,
  type: TerraformShape,
  state: TerraformObject,
  kept: PrivateData,
): Promise<ReadNow> {
  const { resource } = type;
  const name = type.nameIn(state);
  const elsewhere = otherWorkspace(session, resource, name, kept.workspace);
  if (elsewhere !== undefined) throw new DiagnosticsError([elsewhere]);
  const declared = askedFor(type, state, kept);
  const parentId = type.parentIn(declared);
  const id = textIn(state, "id");
  const recorded = recordedOf(type, state, kept);
  session.reads.expect(type.addressOf(name), recorded, { parentId });
  const read = await type.read(session.reads, { id, name, declared, recorded, parentId });
  switch (read.kind) {
    case "found": {
      const { live } = read;
      return { live, diagnostics: [...standingOf(resource, live, declared), ...waitWarnings(live)] };
    }
    case "absent":
      return { isGone: true, diagnostics: [] };
    case "gone": {
      // A deletion that is under way may fail yet.
      if (read.ending !== undefined) return { diagnostics: [beingDeleted(resource, name)] };
      return confirmDeleted(session, { resource, id: id ?? "", name, parentId });
    }
    case "ambiguous":
      return { diagnostics: [] };
    case "unchecked":
      return { diagnostics: [unreadable(resource, name, read.reason)] };
  }
}

/** Returns what the service is asked for when a state is read. */
function askedFor(type: TerraformShape, state: TerraformObject, kept: PrivateData): Attributes {
  const declared = type.knownIn(state);
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

/**
 * Returns the state after a refresh. What is declared or was imported shows the live value; the rest stays unset, so that
 * what is not managed never shows in a plan.
 */
async function refreshed(
  session: Session,
  type: TerraformShape,
  state: TerraformObject,
  live: LiveResource,
  { kept, isUpToDate }: { readonly kept: PrivateData; readonly isUpToDate: boolean | undefined },
): Promise<TerraformObject> {
  const defaults = type.defaultsIn(await session.reads.catalog());
  const applied = kept.applied ?? {};
  const next = type.draftOf(state);
  for (const binding of type.declared) {
    if (type.resource.rules[binding.path]?.change === "local") continue;
    const before = valueAt(state, binding.steps);
    const isShown = before !== null || kept.applied === undefined || binding.path in applied;
    if (!isShown && !binding.required && !isOursAndChanged(type, binding, live, defaults)) continue;
    setValue(next, binding.steps, shownValue(type, binding, before, { live, defaults }));
  }
  markSecretDrift(type, next, state, live);
  for (const binding of type.computed)
    setValue(next, binding.steps, shownAs(binding, live.computed.get(binding.path)));
  if (isUpToDate !== undefined) next[upToDateName] = isUpToDate;
  return next;
}

/** Returns true if a field is managed though no block writes it, and is not at its default: the next plan sets it back. */
function isOursAndChanged(
  { resource }: TerraformShape,
  { path }: AttributeBinding,
  live: LiveResource,
  defaults: Attributes,
): boolean {
  const value = live.attributes.get(path);
  return resource.rules[path]?.alwaysManaged === true && value !== undefined && value !== defaults.get(path);
}

/** Returns the live value; the stored one where the service makes no difference between the two. */
function shownValue(
  { resource }: TerraformShape,
  binding: AttributeBinding,
  before: TerraformValue,
  { live, defaults }: { readonly live: LiveResource; readonly defaults: Attributes },
): TerraformValue {
  const { path } = binding;
  const isParent = resource.parents.some(({ attribute }) => attribute === path);
  const value = live.attributes.get(path) ?? (isParent ? live.parentId : defaults.get(path));
  if (value === undefined || value === null) return null;
  const equal = resource.rules[path]?.equal ?? plainEqual;
  return before !== null && equal(toPlain(before), value) ? before : shownAs(binding, value);
}

/** A secret that was changed outside cannot be seen, only that it was: then it is sent again. */
function markSecretDrift(
  type: TerraformShape,
  next: Draft,
  state: TerraformObject,
  live: LiveResource,
): void {
  const before = Date.parse(textIn(state, "updated_at") ?? "");
  const isNewer = live.updatedAt !== undefined && Date.parse(live.updatedAt) > before;
  if (!isNewer) return;
  for (const { name, versionName } of type.secrets) {
    next[name] = null;
    next[versionName] = null;
    next[generatedName] = null;
  }
}
