import { randomBytes } from "node:crypto";
import { ApiError } from "../../api/api-error";
import { sendTwice } from "../../apply/journaled-send";
import { retryAfterClockTick } from "../../apply/verify";
import { type Diagnostic, DiagnosticsError, error, hasErrors, warning } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import type { Accepted, AppliableValue, UpdateInput } from "../../model/resource-operations";
import { Secret } from "../../model/secret";
import { generatedName } from "../../model/text";
import { timeNow } from "../../model/time";
import type { Attributes } from "../../model/value";
import { diagnosticError } from "../messages";
import { isOnlyImported } from "../private-data";
import { mostAgeMs, type Session } from "../provider";
import {
  addressIn,
  appliableIn,
  declaredIn,
  declaredWithSecrets,
  liveOf,
  nameIn,
  valueAt,
} from "../schema/attributes";
import { revisionName, type TerraformShape } from "../schema/terraform-shape";
import { type TerraformObject, toPlain } from "../values/terraform-value";
import { leavesDeletedParent } from "./confirm-deleted";
import { createResource, type MadeResource, startRun } from "./create-resource";
import {
  type Applied,
  type ChangeValues,
  finishWrite,
  stateAfter,
  unappliedFields,
  withRevision,
} from "./finish-write";
import { namesakes, renamedToTaken, turnOf } from "./namesakes";
import { plannedWrites } from "./plan-change";
import { unknownValue } from "./plan-findings";
import { isMadeElsewhere } from "./preserved";
import { appliedIn, defaultsOf, recordedOf, writtenNow } from "./record";

/** Updates a resource: only what the plan says is sent, nothing at all where only the state changes. */
export async function updateResource(
  session: Session,
  type: TerraformShape,
  prior: TerraformObject,
  change: ChangeValues,
): Promise<Applied> {
  const { planned, wanted, config, kept, nonce } = change;
  if (await leavesDeletedParent(session.reads, type, prior, planned))
    return createElsewhere(session, type, prior, change);
  const declared = declaredIn(type, config);
  const defaults = defaultsOf(type, await session.reads.catalog());
  const { sent, acts } = plannedWrites(type, { prior, planned, declared, kept, defaults });
  const applied = appliedIn(type, wanted, config, kept.applied);
  const live = liveOf(type, prior);
  const attributes = attributesOf(type, change, { declared, sent });
  const isKnown =
    acts && isOnlyImported(kept) && (await hasValues(session, type, live, sentOnly(attributes, sent)));
  if (!acts || isKnown) {
    const writtenAt = kept.writtenAt ?? timeNow(session);
    const after = { ...kept, applied, workspace: session.workspaceId, writtenAt };
    const shown = isKnown ? { ...planned, [revisionName]: prior[revisionName] ?? null } : planned;
    return { state: stateAfter(type, shown, live), kept: after, diagnostics: [] };
  }
  const { id, parentId } = { ...live, parentId: live.parentId ?? undefined };
  const name = nameIn(type, planned) || live.name;
  const recorded = recordedOf(type, prior, kept);
  const input = { address: addressIn(type, name), name, attributes, id, changed: sent, live, recorded };
  const made = await send(session, type, change, { ...input, parentId, defaults });
  const written = { accepted: made.accepted, name, parentId, config: wanted, step: "update" } as const;
  const { accepted, live: seen = live, failed } = await finishWrite(session, type, written);
  if (failed !== undefined) throw new DiagnosticsError([failed]);
  const write = { sent: sentOnly(attributes, sent), live: accepted.live, defaults, before: live.updatedAt };
  const refused = unappliedFields(type, write, error);
  // The state stays: the next plan compares it with what is live.
  if (refused.length > 0) throw new DiagnosticsError(refused);
  return {
    state: withRevision(type, planned, stateAfter(type, planned, seen), nonce),
    kept: {
      applied,
      lastRun: type.resource.runs && { id: accepted.id, content: made.content },
      ...writtenNow(session, accepted.live ?? seen),
    },
    diagnostics: made.diagnostics,
  };
}

/**
 * Returns true if an imported resource has all secrets already that would be sent: the service reveals them for this, and
 * notes that for audit. A value that it does not reveal is sent.
 */
async function hasValues(
  { reads }: Session,
  { resource }: TerraformShape,
  live: LiveResource,
  sent: ReadonlyMap<string, AppliableValue>,
): Promise<boolean> {
  if (resource.reveal === undefined || sent.size === 0) return false;
  const revealed = await resource.reveal(reads, live).catch(() => undefined);
  const key = randomBytes(32);
  return [...sent].every(
    ([path, value]) =>
      value instanceof Secret && value.fingerprint(key, path) === revealed?.get(path)?.fingerprint(key, path),
  );
}

interface SentUpdate extends UpdateInput {
  readonly parentId: string | undefined;
  readonly defaults: Attributes;
}

/** Sends an update, or starts a run. Throws `DiagnosticsError` where its resource is deleted, or its new name in use. */
async function send(
  session: Session,
  type: TerraformShape,
  change: ChangeValues,
  input: SentUpdate,
): Promise<MadeResource> {
  const { resource } = type;
  const { parentId, defaults } = input;
  const { nonce } = change;
  if (resource.runs !== undefined)
    return startRun(session, { type, input, parentId, defaults, nonce }, change);
  const isRenamed = input.changed.has(resource.nameAttribute ?? "");
  const named = { type, input, parentId };
  const requireFree = async (): Promise<void> => {
    session.reads.invalidate(mostAgeMs);
    const others = (await namesakes(session.reads, named)).filter(({ id }) => id !== input.id);
    if (others.length > 0) throw new DiagnosticsError([renamedToTaken(named, others)]);
  };
  const update = async (): Promise<MadeResource> => {
    if (isRenamed) await requireFree();
    return { accepted: await sendUpdate(session, type, nonce, input), diagnostics: [] };
  };
  try {
    return await (isRenamed ? session.inTurn(turnOf(named), update) : update());
  } catch (failure) {
    if (!(failure instanceof ApiError)) throw failure;
    if (failure.status === 404) throw deletedSincePlan(type, input.live?.name ?? input.name);
    if (failure.status === 409 && isRenamed) await requireFree();
    throw failure;
  }
}

const deletedSincePlan = ({ resource }: TerraformShape, name: string): DiagnosticsError =>
  diagnosticError("plan.stale", `${resource.type} "${name}" was deleted after the plan was made`, {
    hint: "plan again",
  });

/** Sends an update; that of a secret again a second later where its answer has the time of the write before it. */
async function sendUpdate(
  session: Session,
  { resource, secrets }: TerraformShape,
  nonce: string,
  input: SentUpdate,
): Promise<Accepted> {
  const { live: before, attributes, changed, defaults } = input;
  const sendAs = (seed: string): Promise<Accepted> =>
    sendTwice(() => resource.update(session.writes(seed), input));
  const compared = {
    type: resource,
    sent: sentOnly(attributes, changed),
    defaults,
    before: before?.updatedAt,
  };
  const accepted = await retryAfterClockTick(session, compared, await sendAs(nonce), () =>
    sendAs(`${nonce} again`),
  );
  const isTimed = before?.updatedAt === undefined || accepted.live?.updatedAt !== undefined;
  if (isTimed || !secrets.some(({ path }) => changed.has(path))) return accepted;
  const { address, name, parentId } = input;
  session.reads.invalidate();
  const read = await resource.read(session.reads, {
    address,
    id: accepted.id,
    name,
    declared: new Map(),
    parentId,
  });
  return read.kind === "found" ? { ...accepted, live: read.live } : accepted;
}

/** Creates a resource in its new parent: it was deleted with the recorded one. */
async function createElsewhere(
  session: Session,
  type: TerraformShape,
  prior: TerraformObject,
  change: ChangeValues,
): Promise<Applied> {
  const name = nameIn(type, prior);
  const isMissingValue = ({ path }: { readonly path: string }): boolean =>
    !declaredWithSecrets(type, change.wanted).has(path);
  const [lost] = isMadeElsewhere(type, change.wanted) ? [] : type.secrets.filter(isMissingValue);
  if (lost !== undefined) throw new DiagnosticsError([unknownValue(name, lost.name)]);
  const made = await createResource(session, type, change);
  if (hasErrors(made.diagnostics) || (change.planned[generatedName] ?? null) === null) return made;
  return { ...made, diagnostics: [...made.diagnostics, generatedAgain(type, name)] };
}

/** Returns the warning about a value that was generated a second time: that of the deleted parent is lost. */
export const generatedAgain = ({ resource }: TerraformShape, name: string): Diagnostic =>
  warning("apply.value_generated", `a new value was generated for ${resource.type} "${name}"`, {
    detail: `The ${resource.parents[0]?.type} that had the first one is deleted.`,
  });

/** Returns the attributes of an update. What is no longer declared is sent with its default: a PATCH merges. */
function attributesOf(
  type: TerraformShape,
  { planned, wanted }: ChangeValues,
  { declared, sent }: { readonly declared: ReadonlyMap<string, unknown>; readonly sent: ReadonlySet<string> },
): ReadonlyMap<string, AppliableValue> {
  const isSecret = (path: string): boolean => type.secrets.some((secret) => secret.path === path);
  const isWritten = (path: string): boolean => declared.has(path) || sent.has(path) || isSecret(path);
  const attributes = new Map([...appliableIn(type, wanted)].filter(([path]) => isWritten(path)));
  for (const { path, steps } of type.declared)
    if (sent.has(path) && !attributes.has(path)) attributes.set(path, toPlain(valueAt(planned, steps)));
  return attributes;
}

const sentOnly = (attributes: ReadonlyMap<string, AppliableValue>, sent: ReadonlySet<string>) =>
  new Map([...attributes].filter(([path]) => sent.has(path)));
