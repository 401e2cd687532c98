import { ApiError } from "../../api/api-error";
import { sendTwice } from "../../apply/journaled-send";
import { mayShareTime, movedTime, timeStepMs } from "../../apply/verify";
import { DiagnosticsError, error, hasErrors, warning } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import type { Accepted, AppliableValue, UpdateInput } from "../../model/resource-operations";
import { generatedName } from "../../model/text";
import { timeNow } from "../../model/time";
import type { Attributes } from "../../model/value";
import { typeNamed } from "../../resources";
import { diagnosticError } from "../messages";
import { appliedFields, lastRunIn, withLastRun } from "../private-data";
import { mostAgeMs, type Session } from "../provider";
import {
  addressIn,
  appliableIn,
  declaredIn,
  declaredWithSecrets,
  knownIn,
  liveOf,
  nameIn,
  parentIn,
  textIn,
  valueAt,
} from "../schema/attributes";
import type { TerraformShape } from "../schema/terraform-shape";
import { type TerraformObject, toPlain } from "../values/terraform-value";
import { endedWith, liveAfter, settle, stateAfter, unappliedFields, unsettled } from "./after-write";
import type { Applied, ChangeValues } from "./applied";
import { createResource, type MadeResource, startRun, withRevision } from "./create-resource";
import { namesakes, renamedToTaken, turnOf } from "./namesakes";
import { leavesDeletedParent } from "./parent-change";
import { unknownValue } from "./plan-findings";
import { plannedWrites } from "./planned-writes";
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
  if (await isLeft(session, type, prior, planned)) return createElsewhere(session, type, prior, change);
  const declared = declaredIn(type, config);
  const defaults = defaultsOf(type, await session.reads.catalog());
  const { sent, acts } = plannedWrites(type, { prior, planned, declared, kept, defaults });
  const fields = appliedIn(type, wanted, config, appliedFields(kept));
  const last = lastRunIn(kept);
  const applied = last === undefined ? fields : withLastRun({ applied: fields }, last).applied;
  if (!acts) {
    const after = {
      ...kept,
      applied,
      workspace: session.workspaceId,
      writtenAt: kept.writtenAt ?? timeNow(session),
    };
    return { state: stateAfter(type, planned, liveOf(type, prior)), kept: after, diagnostics: [] };
  }
  const id = textIn(prior, "id") ?? "";
  const name = nameIn(type, planned) || nameIn(type, prior);
  const live = liveOf(type, prior);
  const parentId = live.parentId ?? undefined;
  const attributes = attributesOf(type, change, { declared, sent });
  const recorded = recordedOf(type, prior, kept);
  const input = { address: addressIn(type, name), name, attributes, id, changed: sent, live, recorded };
  const made = await send(session, type, change, { ...input, parentId, defaults });
  const result = await settle(session, type, made.accepted, wanted, "update");
  const accepted = endedWith(made.accepted, result);
  const failed = await unsettled(session, type, { name, parentId }, result);
  if (failed !== undefined) return { state: prior, kept, diagnostics: [failed] };
  const seen = (await liveAfter(session, type, { accepted, name, parentId })) ?? accepted.live ?? live;
  const write = { sent: sentOnly(attributes, sent), live: accepted.live, defaults, before: live.updatedAt };
  const refused = unappliedFields(type, write, error);
  // The state of before: the next plan compares it with what is live.
  if (refused.length > 0) return { state: prior, kept, diagnostics: refused };
  const after = { applied, ...writtenNow(session, accepted.live ?? seen) };
  return {
    state: withRevision(type, planned, stateAfter(type, planned, seen), nonce),
    kept: type.resource.runs ? withLastRun(after, { id: accepted.id, content: made.content }) : after,
    diagnostics: made.diagnostics,
  };
}

export interface SentUpdate extends UpdateInput {
  readonly parentId: string | undefined;
  readonly defaults: Attributes;
}

/** Sends an update, or starts a run. Throws `DiagnosticsError` where its resource is deleted, or its new name in use. */
async function send(
  session: Session,
  type: TerraformShape,
  { wanted, kept, nonce }: ChangeValues,
  input: SentUpdate,
): Promise<MadeResource> {
  const { resource } = type;
  const { parentId, defaults } = input;
  if (resource.runs !== undefined)
    return startRun(
      session,
      { type, input, parentId, defaults, nonce },
      {
        ...{ isAlways: wanted.when === "always", lastId: lastRunIn(kept)?.id },
        send: (writes) => resource.update(writes, input),
      },
    );
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
export async function sendUpdate(
  session: Session,
  { resource, secrets }: TerraformShape,
  nonce: string,
  input: SentUpdate,
): Promise<Accepted> {
  const { clock, signal } = session;
  const { live: before, attributes, changed, defaults } = input;
  const sendAs = (seed: string): Promise<Accepted> =>
    sendTwice(() => resource.update(session.writes(seed), input));
  const accepted = await sendAs(nonce);
  if (!secrets.some(({ path }) => changed.has(path))) return accepted;
  const live = await timedLive(session, resource, input, accepted);
  const compared = {
    type: resource,
    sent: sentOnly(attributes, changed),
    defaults,
    before: before?.updatedAt,
  };
  if (live === undefined || !mayShareTime({ ...compared, live }, Date.parse(timeNow(session))))
    return { ...accepted, live };
  await clock.sleep(timeStepMs, signal);
  const again = await sendAs(`${nonce} again`);
  return { ...again, live: await timedLive(session, resource, input, again) };
}

/** Returns the resource with a time: as the answer shows it, else as it is read. */
async function timedLive(
  { reads }: Session,
  resource: TerraformShape["resource"],
  { address, name, parentId, live: before }: SentUpdate,
  { id, live }: Accepted,
): Promise<LiveResource | undefined> {
  const isTimed = movedTime(live?.updatedAt, live?.updatedAt) !== undefined;
  if (live?.id === id && (isTimed || before?.updatedAt === undefined)) return live;
  reads.invalidate();
  const read = await resource.read(reads, { address, id, name, declared: new Map(), parentId });
  return read.kind === "found" ? read.live : live;
}

/** Returns true if the recorded parent is deleted, and another one is planned. */
async function isLeft(
  { reads }: Session,
  type: TerraformShape,
  prior: TerraformObject,
  planned: TerraformObject,
): Promise<boolean> {
  const { resource } = type;
  const [{ attribute, type: name } = { attribute: "", type: "" }] = resource.parents;
  const parent = typeNamed(name);
  if (parent === undefined || !resource.removedWithParent) return false;
  const [before, after] = [prior, planned].map((one) => parentIn(type, knownIn(type, one)));
  return leavesDeletedParent(reads, { parent, before, after }, attribute);
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
  const again = warning(
    "plan.live_changed_too",
    `a new value was generated for ${type.resource.type} "${name}"`,
    {
      detail: `The ${type.resource.parents[0]?.type} that had the first one is deleted.`,
    },
  );
  return { ...made, diagnostics: [...made.diagnostics, again] };
}

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
