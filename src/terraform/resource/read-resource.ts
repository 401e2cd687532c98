import { type Diagnostic, warning } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import { isParentAttribute } from "../../model/resource-type";
import { generatedName } from "../../model/terraform-names";
import { isOlder } from "../../model/time";
import { plainEqual } from "../../model/value";
import { generatedChanged } from "../../plan/diff";
import { service } from "../../resources/service";
import {
  type Draft,
  decodeObject,
  encodeMessage,
  fromJson,
  setValue,
  type TerraformObject,
  textIn,
  toPlain,
  valueAt,
} from "../codec";
import { diagnosticMessages } from "../messages";
import { type PrivateData, readPrivate, recordedOf, writePrivate } from "../private-data";
import type { RpcAnswer, TypeInSession } from "../provider";
import { upToDateName } from "../schema/resource-block";
import { confirmDeleted, requireWorkspace } from "./confirm-deleted";
import { checkUpToDate, runInputs } from "./reactions";
import { standingOf } from "./warnings";

/** ReadResource: the resource as the service shows it. Null is "deleted", and needs proof. */
export const readResource: RpcAnswer<"ReadResource"> = async (provider, request) => {
  const type = provider.typeNamed(request.typeName);
  const state = decodeObject(type.valueType, request.currentState);
  const { session } = provider;
  const unchanged = { newState: request.currentState, private: request.private };
  if (session === undefined || state === undefined) return unchanged;
  const kept = readPrivate(request.private);
  const stored = { session, type, state, kept };
  const { live, isGone, diagnostics } = await readNow(stored);
  const messages = diagnosticMessages(diagnostics);
  // Terraform would keep the private data of the deleted resource for its successor.
  if (isGone) return { newState: encodeMessage(type.valueType, null), diagnostics: messages };
  if (live === undefined) return { ...unchanged, diagnostics: messages };
  const isLeft = (state[generatedName] ?? null) !== null && isTouched(stored, live);
  const left = isLeft ? [generatedChanged(type.addressOf(live.name), { attribute: generatedName })] : [];
  const updatedAt = kept.updatedAt ?? live.updatedAt;
  const found = { ...kept, applied: kept.applied ?? {}, updatedAt };
  const run = type.resource.reacts ? await checkUpToDate(stored, live, found) : undefined;
  const { kept: after } = run ?? { kept: found };
  const next = await refreshed(stored, live);
  if (run !== undefined) next[upToDateName] = run.isUpToDate;
  return {
    newState: encodeMessage(type.valueType, next),
    // Only where it says something else: to Terraform, other private data is a difference.
    private: JSON.stringify(after) === JSON.stringify(kept) ? request.private : writePrivate(after),
    diagnostics: [...messages, ...diagnosticMessages(left)],
  };
};

interface StoredResource extends TypeInSession {
  readonly state: TerraformObject;
  readonly kept: PrivateData;
}

interface ReadNow {
  /** As the service shows it; undefined where that is unknown, and the state stays. */
  readonly live?: LiveResource;
  readonly isGone?: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

async function readNow({ session, type, state, kept }: StoredResource): Promise<ReadNow> {
  const { resource } = type;
  const name = type.nameIn(state);
  requireWorkspace(session, resource, name, kept);
  const declared = type.knownIn(state);
  const parentId = type.parentIn(declared);
  const id = textIn(state, "id");
  const recorded = recordedOf(type, state, kept);
  // The times in private data are those of the last run, which may not serve.
  const written = { ...recorded, id: kept.lastRun?.id || recorded.id };
  if (id !== undefined) session.reads.expect(type.addressOf(name), written, { parentId });
  // The name of a part stands in for no ID: another resource may have that ID.
  const isPart = resource.removedWithParent && resource.nameAttribute !== undefined;
  const asked = isPart && id !== undefined ? undefined : { declared };
  const read = await type.read(session.reads, { id, name, recorded, parentId, ...asked });
  const isHeld = async () => parentId && (await runInputs({ session, type }, parentId))?.isHeld;
  const unchecked = (why: string, details: Partial<Diagnostic>) => ({
    diagnostics: [warning("live.unchecked", `${resource.type} "${name}" ${why}`, details)],
  });
  switch (read.kind) {
    case "found":
      if (resource === service) session.reads.expectVariables(read.live.id);
      return { live: read.live, diagnostics: standingOf(resource, read.live, declared) };
    case "absent":
      // Nothing ran yet, and nothing is to run.
      return { isGone: state.when !== "never" && !(await isHeld()), diagnostics: [] };
    case "gone":
      if (read.ending === undefined) return confirmDeleted(session, resource, name, read);
      return unchecked(`is being deleted on the platform, since ${read.ending.since}`, {
        detail: "It stays in the state until it is deleted: the deletion may fail.",
        hint: "run the command again after the deletion",
      });
    case "ambiguous":
      return { diagnostics: [] };
    case "unchecked":
      return unchecked("could not be read", { detail: `Its state is kept as it is: ${read.reason}.` });
  }
}

/** Returns the state after a refresh: declared and imported attributes show the live value, the rest stays unset. */
async function refreshed(stored: StoredResource, live: LiveResource): Promise<Draft> {
  const { session, type, state, kept } = stored;
  const { resource } = type;
  const defaults = type.defaultsIn(await session.reads.catalog());
  const next = type.draftOf(state);
  for (const binding of type.declared) {
    const { path, steps, required } = binding;
    const { change, alwaysManaged, equal = plainEqual } = resource.rules[path] ?? {};
    if (change === "local") continue;
    const before = valueAt(state, steps);
    const shown = live.attributes.get(path);
    // Managed though no block writes it, and not at its default: the next plan sets it back.
    const isOurs = alwaysManaged === true && shown !== undefined && shown !== defaults.get(path);
    const isManaged = kept.applied === undefined || path in kept.applied || isOurs;
    if (before === null && !required && !isManaged) continue;
    const value = shown ?? (isParentAttribute(resource, path) ? live.parentId : defaults.get(path)) ?? null;
    // The service may make no difference between two values.
    const isSame = before !== null && value !== null && equal(toPlain(before), value);
    setValue(next, steps, isSame ? before : fromJson(binding.type, value));
  }
  // It is sent again, unless it was generated.
  for (const { name, versionName } of isTouched(stored, live) ? type.secrets : [])
    Object.assign(next, { [name]: null, [versionName]: null });
  for (const { path, steps, type: shown } of type.computed)
    setValue(next, steps, fromJson(shown, live.computed.get(path)));
  return next;
}

/** A secret that was changed outside cannot be seen, only that it was. */
const isTouched = ({ state }: StoredResource, { updatedAt }: LiveResource): boolean =>
  isOlder(textIn(state, "updated_at"), updatedAt);
