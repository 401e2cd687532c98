import { randomBytes } from "node:crypto";
import { ApiError } from "../../api/api-error";
import { sendTwice } from "../../apply/journaled-send";
import { type Diagnostic, DiagnosticsError, error, failure, warning } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import type { Accepted, AppliableValue, UpdateInput } from "../../model/resource-operations";
import { Secret } from "../../model/secret";
import { generatedName } from "../../model/terraform-names";
import { timeNow } from "../../model/time";
import { type TerraformObject, toPlain, valueAt } from "../codec";
import { appliedIn, isOnlyImported, recordedOf } from "../private-data";
import { revisionName } from "../schema/resource-block";
import type { TerraformShape } from "../schema/terraform-shape";
import { parentChange } from "./confirm-deleted";
import { createResource, startRun, writtenAs } from "./create-resource";
import {
  type Applied,
  finishWrite,
  type MadeResource,
  type Sending,
  stateAfter,
  unappliedFields,
  type Writing,
} from "./finish-write";
import { inTurnOfParent, reserveName } from "./namesakes";
import { plannedWrites } from "./plan-change";
import { unknownValue } from "./plan-findings";

export async function updateResource(change: Writing, prior: TerraformObject): Promise<Applied> {
  const { session, type, planned, wanted, config, kept } = change;
  if ((await parentChange(session, type, prior, planned)) === "left") return createElsewhere(change, prior);
  const catalog = await session.reads.catalog();
  const defaults = type.defaultsIn(catalog);
  const { sent: changed, acts } = plannedWrites({ ...change, prior, catalog }, prior, planned);
  const applied = appliedIn(type, wanted, config, kept.applied);
  const live = type.liveOf(prior);
  const attributes = attributesOf(change, changed);
  const sent = new Map([...attributes].filter(([path]) => changed.has(path)));
  const isKnown = acts && isOnlyImported(kept) && (await hasValues(change, live, sent));
  if (!acts || isKnown) {
    const writtenAt = kept.writtenAt ?? timeNow(session);
    const after = { ...kept, applied, workspace: session.workspaceId, writtenAt };
    const shown = isKnown ? { ...planned, [revisionName]: prior[revisionName] ?? null } : planned;
    return { state: stateAfter({ ...change, planned: shown }, live), kept: after, diagnostics: [] };
  }
  const { id, updatedAt: before } = live;
  const parentId = live.parentId ?? undefined;
  const name = type.nameIn(planned) || live.name;
  const recorded = recordedOf(type, prior, kept);
  const input = { address: type.addressOf(name), name, attributes, parentId, id, changed, live, recorded };
  const made = await send({ ...change, input });
  const written = await finishWrite({ ...change, input, made, step: "update" });
  const { accepted, failed, diagnostics } = written;
  if (failed?.severity === "error") throw new DiagnosticsError([failed]);
  // A name that was changed since the plan is no part of the write: the answer shows it.
  const { nameAttribute = "" } = type.resource;
  const compared = new Map([...attributes].filter(([path]) => changed.has(path) || path === nameAttribute));
  const refused = unappliedFields(type, { sent: compared, defaults, before, live: accepted.live }, error);
  // The state stays: the next plan compares it with the live values.
  if (refused.length > 0) throw new DiagnosticsError(refused);
  return { state: stateAfter(change, written.live, failed), kept: { applied, ...written.kept }, diagnostics };
}

/**
 * Returns true if an imported resource has all secrets already that would be sent: the service reveals them for this, and
 * notes that for audit. A value that it does not reveal is sent.
 */
async function hasValues(
  { session, type }: Writing,
  live: LiveResource,
  sent: ReadonlyMap<string, AppliableValue>,
): Promise<boolean> {
  const { reveal } = type.resource;
  if (reveal === undefined || sent.size === 0) return false;
  const revealed = await reveal(session.reads, live).catch(() => undefined);
  const key = randomBytes(32);
  return [...sent].every(
    ([path, value]) =>
      value instanceof Secret && value.fingerprint(key, path) === revealed?.get(path)?.fingerprint(key, path),
  );
}

interface SendingUpdate extends Sending {
  readonly input: Sending["input"] & UpdateInput;
}

/** Sends an update, or starts a run. Throws `DiagnosticsError` where its resource is deleted, or its new name in use. */
async function send(sending: SendingUpdate): Promise<MadeResource> {
  const { type, input } = sending;
  if (type.resource.runs !== undefined) return startRun(sending);
  const { nameAttribute } = type.resource;
  const send = () => sendUpdate(sending);
  const update = () => {
    if (nameAttribute === undefined) return inTurnOfParent(sending, send);
    return input.changed.has(nameAttribute) ? reserveName(sending, send, input.id) : send();
  };
  try {
    return writtenAs(sending, await update());
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.status !== 404) throw cause;
    const about = type.addressOf(input.live?.name ?? input.name);
    throw failure("plan.stale", `${about} was deleted after the plan was made`, { hint: "plan again" });
  }
}

async function sendUpdate({ session, type, nonce, input }: SendingUpdate): Promise<Accepted> {
  const { name, parentId, changed } = input;
  const accepted = await sendTwice(() => type.resource.update(session.writes(nonce), input));
  const isTimed = input.live?.updatedAt === undefined || accepted.live?.updatedAt !== undefined;
  if (isTimed || !type.secrets.some(({ path }) => changed.has(path))) return accepted;
  const live = await type.find(session.reads, { id: accepted.id, name, parentId });
  return live === undefined ? accepted : { ...accepted, live };
}

/** Creates a resource in its new parent: nothing of it is to be deleted in the recorded one. */
async function createElsewhere(change: Writing, prior: TerraformObject): Promise<Applied> {
  const { type, wanted, planned } = change;
  const name = type.nameIn(prior);
  const declared = type.declaredWithSecrets(wanted);
  const lost = type.secrets.find(({ path }) => !declared.has(path));
  if (lost !== undefined && !type.isMadeElsewhere(wanted))
    throw new DiagnosticsError([unknownValue(name, lost.name)]);
  const made = await createResource(change);
  if ((planned[generatedName] ?? null) === null) return made;
  return { ...made, diagnostics: [...made.diagnostics, generatedAgain(type, name)] };
}

export const generatedAgain = ({ resource }: TerraformShape, name: string): Diagnostic =>
  warning("apply.value_generated", `a new value was generated for ${resource.type} "${name}"`, {
    detail: `The ${resource.parents[0]?.type} that had the first one is deleted.`,
  });

/** Returns the attributes of an update. A value that is no longer declared is sent as its default: a PATCH merges. */
function attributesOf({ type, planned, wanted, config }: Writing, changed: ReadonlySet<string>) {
  const declared = type.declaredIn(config);
  const isSecret = (path: string): boolean => type.secrets.some((secret) => secret.path === path);
  const isWritten = (path: string): boolean => declared.has(path) || changed.has(path) || isSecret(path);
  const attributes = new Map([...type.appliableIn(wanted)].filter(([path]) => isWritten(path)));
  for (const { path, steps } of type.declared)
    if (changed.has(path) && !attributes.has(path)) attributes.set(path, toPlain(valueAt(planned, steps)));
  return attributes;
}
