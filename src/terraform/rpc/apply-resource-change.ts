import { randomUUID } from "node:crypto";
import { lookAgain, staleWrite } from "../../apply/look";
import { unappliedPaths } from "../../apply/verify";
import { type Diagnostic, DiagnosticsError, error, hasErrors, warning } from "../../diagnostics/diagnostic";
import { isMissing } from "../../model/freshness";
import type { LiveResource, ReadResult } from "../../model/live";
import type { Accepted, AppliableValue, CreateInput, UpdateInput } from "../../model/resource-operations";
import { isUnlisted } from "../../model/resource-type";
import { type Attributes, canonicalJson, type Plain, plainEqual } from "../../model/value";
import { typeNamed } from "../../resources";
import {
  type Ended,
  liveAfter,
  sendSecret,
  sendUntilApplied,
  settle,
  stateAfter,
  unappliedFields,
  unsettled,
  writtenNow,
} from "../apply/after-write";
import { type Applied, applyDelete } from "../apply/apply-delete";
import { replacementFindings } from "../apply/check-replacement";
import { createOnce, isUnseen, sendGenerations, takeUp } from "../apply/create-once";
import { findTaken } from "../apply/twins";
import { addressOfId, readById } from "../confirm-deleted";
import {
  diagnosticError,
  diagnosticMessages,
  diagnosticsOf,
  noPrivateData,
  type PrivateData,
  readPrivate,
  withoutTaint,
  writePrivate,
} from "../messages";
import { findPreserved, isMadeElsewhere, notThere } from "../preserved";
import type { RpcAnswer, Session } from "../provider";
import { isFollowed, needsRun } from "../reactions/known-changes";
import { noteApplied } from "../reactions/note-changes";
import { awaitUpstream, latestChange, ranNow } from "../reactions/react";
import {
  addressIn,
  appliableIn,
  declaredIn,
  knownIn,
  liveOf,
  nameIn,
  parentIn,
  textIn,
  valueAt,
  withWriteOnly,
} from "../schema/attributes";
import { configIn, stepsIn } from "../schema/settings";
import type { TerraformShape } from "../schema/terraform-shape";
import { decodeObject, encodeMessage } from "../values/codec";
import { type TerraformObject, toPlain } from "../values/terraform-value";
import { defaultsOf, plannedWrites, recordedOf } from "./plan-resource-change";
import { type ChangeValues, takeOver } from "./take-over";

/** ApplyResourceChange: carries a plan out. Whatever goes wrong, what is there stays in the state. */
export const applyResourceChange: RpcAnswer<"ApplyResourceChange"> = async (provider, request) => {
  const type = provider.typeNamed(request.typeName);
  const prior = decodeObject(type.valueType, request.priorState);
  const planned = decodeObject(type.valueType, request.plannedState);
  const config = configIn(type, request.config);
  const { replacement, ...kept } = readPrivate(request.plannedPrivate);
  const carryOut = async (): Promise<Applied> => {
    const session = provider.requireSession();
    if (planned !== undefined && config !== undefined) {
      const wanted = withWriteOnly(type, planned, config);
      return prior === undefined
        ? applyCreate(session, type, { planned, wanted, config, kept })
        : applyUpdate(session, type, { prior, planned, wanted, config, kept });
    }
    if (prior === undefined) return { state: null, kept, diagnostics: [] };
    const against = replacement ? await replacementFindings(session, type, prior, replacement) : [];
    const { nonce: _ofReplacement, ...own } = kept;
    return against.length > 0
      ? { state: prior, kept: own, diagnostics: against }
      : applyDelete(session, type, prior, own);
  };
  const applied = await carryOut().catch(
    (failure: unknown): Applied => ({ state: prior ?? null, kept, diagnostics: diagnosticsOf(failure) }),
  );
  if (planned !== undefined) recordMade(provider.session, type, applied.state);
  const failed = hasErrors(applied.diagnostics);
  const isGone = applied.state === null && !failed;
  noteApplied(provider.session, type, {
    ...{ prior: prior ?? planned, kept: applied.kept, state: applied.state, failed },
  });
  return {
    newState: encodeMessage(type.valueType, applied.state),
    private: isGone ? undefined : writePrivate(applied.kept),
    diagnostics: diagnosticMessages(applied.diagnostics, stepsIn(type, config)),
  };
};

/** What is in the state needs no intent any more. */
const recordMade = (
  session: Session | undefined,
  type: TerraformShape,
  state: TerraformObject | null,
): void => {
  const id = state === null ? undefined : textIn(state, "id");
  if (id !== undefined) session?.intents.record("make", type.resource.type, id);
};

/** Creates a resource. Nothing that stands at the service is ever left out of the state. */
async function applyCreate(
  session: Session,
  type: TerraformShape,
  { planned, wanted, config, kept: { nonce } }: Omit<ChangeValues, "prior">,
): Promise<Applied> {
  const { resource } = type;
  const attributes = appliableIn(type, wanted);
  const name = nameIn(type, wanted) || resource.type;
  const parentId = parentIn(type, attributes);
  const defaults = defaultsOf(type, await session.before.catalog());
  const parent = await parentOf(session, type, attributes);
  const input = { address: addressIn(type, name), name, attributes, parent };
  await awaitNeighbours(session, type, input, parentId);
  const early = await awaitUpstream(session, type, parentId, noPrivateData);
  if (type.reacts && session.incomplete.has(parentId ?? "")) throw notRun(type);
  if (hasErrors(early)) return { state: null, kept: noPrivateData, diagnostics: early };
  const seed = ["create", resource.type, triggersText(wanted)].join("\0");
  const create = { type: resource, input, parentId, defaults, seed, nonce };
  const isElsewhere = isMadeElsewhere(type, wanted);
  const taken = isElsewhere ? undefined : await findTaken(session, create, wanted.adopt === true);
  if (taken !== undefined) {
    await takeUp(session, create, taken);
    return takeOver(session, type, { planned, config, create, taken, update: applyUpdate });
  }
  const answered = isElsewhere
    ? await preservedOne(session, type, input, parentId)
    : await createOnce(session, create);
  const made = { planned, wanted, input, parentId, defaults, answered, early };
  const ended = finishCreate(session, type, made);
  // A run that fails after its request is found again by its key.
  return type.reacts
    ? ended
    : ended.catch((failure: unknown) => createdState(session, type, made, diagnosticsOf(failure)));
}

/** A map of variables that was created in part is no error, so that Terraform goes on. */
const notRun = ({ resource }: TerraformShape): DiagnosticsError =>
  diagnosticError(
    "apply.deploy_failed",
    `no ${resource.type} is started: variables of its service are missing`,
    {
      detail: "This apply could not set all of them, as its warnings say.",
      hint: "plan and apply again",
    },
  );

/** A create that was answered. */
interface Made extends Pick<ChangeValues, "planned" | "wanted"> {
  readonly input: CreateInput;
  readonly parentId: string | undefined;
  readonly defaults: Attributes;
  readonly answered: Accepted;
  /** What was said before it was sent. */
  readonly early: readonly Diagnostic[];
}

/** Waits for the end of a create. */
async function finishCreate(session: Session, type: TerraformShape, made: Made): Promise<Applied> {
  const { wanted, parentId, defaults, answered } = made;
  const { name, attributes } = made.input;
  const result = await settle(session, type, answered, wanted, "create");
  const accepted = endedWith(answered, result);
  const failed = await unsettled(session, type, { name, parentId }, result);
  // A deployment that did not go live is no resource: the next apply finds it by its key, and goes on.
  if (failed !== undefined && type.reacts) return { state: null, kept: noPrivateData, diagnostics: [failed] };
  const live =
    (result.kind === "done" ? result.live : undefined) ??
    (await liveAfter(session, type, wanted, { accepted, name, parentId })) ??
    accepted.live;
  const found: Diagnostic[] = failed === undefined ? [...made.early] : [...made.early, failed];
  const write = { sent: attributes, live: accepted.live, defaults };
  if (accepted.failure !== undefined) found.push(...diagnosticsOf(accepted.failure));
  else found.push(...unappliedFields(type, write, warning));
  return createdState(session, type, { ...made, answered: accepted }, found, live);
}

/** Returns what stands after a create, as its answer shows it unless `live` does. */
function createdState(
  session: Session,
  type: TerraformShape,
  { planned, wanted, parentId, answered: { id, live: answer } }: Made,
  found: readonly Diagnostic[],
  live: LiveResource | undefined = answer,
): Applied {
  const kept = {
    applied: appliedIn(type, wanted, wanted),
    ...writtenNow(session, answer ?? live),
    ...(type.reacts && { ran: id }),
    ...ranNow(session, type, parentId, { kept: noPrivateData, live: answer ?? live }),
    ...changedNow(session, type, answer ?? live),
  };
  const state = { ...stateAfter(type, planned, live), ...(live === undefined && { id }) };
  return { state, kept, diagnostics: withoutTaint(found) };
}

/** Returns what a resource that was made elsewhere stands for. Throws `DiagnosticsError` where it is not there. */
async function preservedOne(
  session: Session,
  type: TerraformShape,
  input: CreateInput,
  parentId: string | undefined,
): Promise<Accepted> {
  const live = await findPreserved(session, type, input, parentId ?? "");
  if (live === undefined) throw new DiagnosticsError([notThere(type, input.name)]);
  return { id: live.id, live };
}

/** Updates a resource: only what the plan says is sent, nothing at all where only the state changes. */
async function applyUpdate(session: Session, type: TerraformShape, change: ChangeValues): Promise<Applied> {
  const { prior, planned, wanted, config, kept } = change;
  const declared = declaredIn(type, config);
  const defaults = defaultsOf(type, await session.before.catalog());
  const { sent, acts } = plannedWrites(type, { prior, planned, declared, kept, defaults });
  const id = textIn(prior, "id") ?? "";
  const applied = appliedIn(type, wanted, config, kept.applied);
  if (!acts) {
    const ran = type.reacts ? { ran: kept.ran ?? id } : {};
    const after = { ...kept, applied, workspace: session.workspaceId, ...ran };
    return { state: planned, kept: after, diagnostics: [] };
  }
  const isWritten = (path: string): boolean => declared.has(path) || sent.has(path) || isSecret(type, path);
  const written = new Map([...appliableIn(type, wanted)].filter(([path]) => isWritten(path)));
  const attributes = withDefaults(type, written, planned, sent);
  const name = nameIn(type, planned) || nameIn(type, prior);
  const live = liveOf(type, prior);
  const parentId = live.parentId ?? undefined;
  const recorded = recordedOf(type, prior, kept);
  const input = { address: addressIn(type, name), name, attributes, id, changed: sent, live, recorded };
  await awaitNeighbours(session, type, input, parentId);
  const early = await awaitUpstream(session, type, parentId, kept);
  if (hasErrors(early)) return { state: prior, kept, diagnostics: early };
  const answered = await sendUpdate(session, type, change, { ...input, parentId, defaults });
  const result = await settle(session, type, answered, wanted, "update");
  const accepted = endedWith(answered, result);
  const failed = await unsettled(session, type, { name, parentId }, result);
  if (failed !== undefined) return { state: prior, kept, diagnostics: [failed] };
  const seen =
    (await liveAfter(session, type, wanted, { accepted, name, parentId })) ?? accepted.live ?? live;
  const write = {
    ...{ sent: sentOnly(attributes, sent), live: accepted.live, defaults },
    before: live.updatedAt,
  };
  const refused = unappliedFields(type, write, error);
  // The state of before: the next plan compares it with what is live.
  if (refused.length > 0) return { state: prior, kept, diagnostics: refused };
  const after = {
    applied,
    ...writtenNow(session, accepted.live ?? seen),
    ...(type.reacts && { ran: accepted.id }),
    ...ranNow(session, type, parentId, { kept, live: answered.live }),
    ...(needsRun(type.resource, sent)
      ? changedNow(session, type, accepted.live ?? seen)
      : { changedAt: kept.changedAt }),
  };
  return { state: stateAfter(type, planned, seen), kept: after, diagnostics: early };
}

/** Returns what private data remembers of a write that takes effect with a run of what reacts to it. */
const changedNow = (
  { clock }: Session,
  { resource }: TerraformShape,
  live: LiveResource | undefined,
): Pick<PrivateData, "changedAt"> =>
  isFollowed(resource) ? { changedAt: live?.updatedAt ?? new Date(clock.now()).toISOString() } : {};

/** A run that reacts may have been made by an earlier process; what is merely set can be set again. */
async function sendUpdate(
  session: Session,
  { resource, secrets }: TerraformShape,
  { prior, wanted, kept }: ChangeValues,
  input: UpdateInput & { readonly parentId: string | undefined; readonly defaults: Attributes },
): Promise<Accepted> {
  const { name, attributes, live, parentId, defaults } = input;
  // Without a time of its own an earlier answer to the same body could be taken for this one.
  const since = kept.ran ?? input.recorded?.updatedAt ?? randomUUID();
  const seed = ["update", resource.type, input.id, since].join("\0");
  if (secrets.some(({ path }) => input.changed.has(path)))
    return sendSecret(session, {
      ...{ type: resource, name, parentId, sent: attributes, before: live?.updatedAt, seed },
      send: (writes) => resource.update(writes, input),
    });
  if (resource.runs === undefined) {
    const sent = sentOnly(attributes, input.changed);
    return sendUntilApplied(session, {
      seed,
      send: (writes) => resource.update(writes, input),
      isApplied: (answer) =>
        answer.live === undefined ||
        unappliedPaths({ type: resource, sent, live: answer.live, defaults }).length === 0,
    });
  }
  // Private data is lost with a provider that dies, and the id is refreshed: triggers stay as they last ran.
  const [from, to] = [triggersText(prior), triggersText(wanted)];
  const before = from === to ? [kept.ran ?? input.id, latestChange(session, parentId, kept)] : [from];
  const run = ["run", resource.type, ...before, to].join("\0");
  const create = { type: resource, input, parentId, defaults: new Map(), seed: run };
  return sendGenerations(session, create, (writes) => resource.update(writes, input));
}

const triggersText = ({ triggers }: TerraformObject): string => canonicalJson(toPlain(triggers ?? null));

/** Returns what was accepted as its wait ended: an answer that named another run says nothing of the one that did. */
const endedWith = (accepted: Accepted, { id }: Ended): Accepted => (id === accepted.id ? accepted : { id });

const isSecret = ({ secrets }: TerraformShape, secret: string): boolean =>
  secrets.some(({ path }) => path === secret);

/**
 * Returns what private data remembers as applied: declared fields that can be sent back to their defaults. One whose
 * change is ignored was not applied: what is remembered of it stays.
 */
function appliedIn(
  type: TerraformShape,
  wanted: TerraformObject,
  config: TerraformObject,
  before: PrivateData["applied"] = {},
): Record<string, Plain> {
  const sent = knownIn(type, wanted);
  const applied: Record<string, Plain> = {};
  for (const [path, value] of knownIn(type, config)) {
    const { change, equal = plainEqual } = type.resource.rules[path] ?? {};
    if (change === "local") continue;
    const now = sent.get(path);
    if (now !== undefined && equal(now, value)) applied[path] = value;
    else if (before[path] !== undefined) applied[path] = before[path];
  }
  return applied;
}

/** A field that is no longer declared is sent with its default: a PATCH merges. */
function withDefaults(
  type: TerraformShape,
  attributes: Map<string, AppliableValue>,
  planned: TerraformObject,
  sent: ReadonlySet<string>,
): Map<string, AppliableValue> {
  for (const { path, steps } of type.declared)
    if (sent.has(path) && !attributes.has(path)) attributes.set(path, toPlain(valueAt(planned, steps)));
  return attributes;
}

const sentOnly = (attributes: ReadonlyMap<string, AppliableValue>, sent: ReadonlySet<string>) =>
  new Map([...attributes].filter(([path]) => sent.has(path)));

/** Returns the computed attributes of the parent: they save the requests that would look them up. */
async function parentOf(
  session: Session,
  { resource: { parents } }: TerraformShape,
  attributes: Attributes<unknown>,
): Promise<Attributes | undefined> {
  for (const { type, attribute } of parents) {
    const id = attributes.get(attribute);
    const resource = typeNamed(type);
    if (typeof id !== "string" || resource === undefined) continue;
    const made = session.made.get(addressOfId(resource, id));
    if (made !== undefined) return made.computed;
    const before = await readById(session.before, resource, id);
    if (before.kind === "found") return before.live.computed;
    const { seen } = await lookAgain(session, () => readById(session.reads, resource, id), isMissing);
    if (seen.kind === "found") return seen.live.computed;
  }
  return undefined;
}

/**
 * Waits until the siblings that this process made are shown, where the resource chooses among them: a position on a
 * canvas is only given to what the canvas shows. Throws `DiagnosticsError` where reads stay behind.
 */
async function awaitNeighbours(
  session: Session,
  { resource }: TerraformShape,
  { address, name }: CreateInput,
  parentId: string | undefined,
): Promise<void> {
  if (resource.checkSiblings === undefined || parentId === undefined) return;
  const made = [...session.made.values()].filter(
    (live) =>
      live?.parentId === parentId &&
      resource.follows.includes(live.type) &&
      !isUnlisted(typeNamed(live.type) ?? {}, live.attributes),
  );
  if (made.length === 0) return;
  const declared = new Map(resource.parents.map(({ attribute }) => [attribute, parentId]));
  const look = async (): Promise<ReadResult | undefined> => {
    try {
      return await resource.read(session.reads, { address, name, declared, parentId });
    } catch (failure) {
      if (isUnseen(failure)) return undefined;
      throw failure;
    }
  };
  session.reads.invalidate();
  const { isStale } = await lookAgain(session, look, (read) => {
    const offered = offeredIds(read);
    return made.some((live) => !offered.has(live?.id));
  });
  if (isStale) throw new DiagnosticsError([staleWrite(made.map((live) => live?.name).join(", "))]);
}

function offeredIds(read: ReadResult | undefined): ReadonlySet<string | undefined> {
  const shown = read?.kind === "found" ? read.live : read?.kind === "absent" ? read : undefined;
  return new Set(Object.values(shown?.offers ?? {}).flatMap((some) => some.map(({ id }) => id)));
}
