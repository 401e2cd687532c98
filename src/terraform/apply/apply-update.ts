import { randomUUID } from "node:crypto";
import { ApiError } from "../../api/api-error";
import { unappliedPaths } from "../../apply/verify";
import { DiagnosticsError, error, hasErrors } from "../../diagnostics/diagnostic";
import type { Accepted, AppliableValue, UpdateInput } from "../../model/resource-operations";
import type { Attributes } from "../../model/value";
import type { PrivateData } from "../messages";
import { plannedWrites } from "../plan/planned-writes";
import type { Session } from "../provider";
import { needsRun } from "../reactions/known-changes";
import { awaitUpstream, inputsNow, latestChange, ranNow } from "../reactions/react";
import type { Room } from "../reactions/traffic";
import { appliedIn, changedNow, defaultsOf, recordedOf, writtenNow } from "../record";
import { addressIn, appliableIn, declaredIn, liveOf, nameIn, textIn, valueAt } from "../schema/attributes";
import type { TerraformShape } from "../schema/terraform-shape";
import { type TerraformObject, toPlain } from "../values/terraform-value";
import {
  endedWith,
  liveAfter,
  sendSecret,
  sendUntilApplied,
  settle,
  stateAfter,
  unappliedFields,
  unsettled,
} from "./after-write";
import type { Applied } from "./apply-delete";
import { sendGenerations } from "./create-once";
import { triggersText } from "./keyed-create";
import { anotherNamed, lookWhileDeleting, twinsIn } from "./twins";

/** The values of an update, as `applyResourceChange` carries one out. */
export interface ChangeValues {
  readonly prior: TerraformObject;
  readonly planned: TerraformObject;
  /** As planned, with write-only values: all that is sent is taken from it. */
  readonly wanted: TerraformObject;
  /** Says what is declared, and nothing of its value: `ignore_changes` is not applied to it. */
  readonly config: TerraformObject;
  readonly kept: PrivateData;
  /** Of what waits for others: how its place is made free for them. */
  readonly room?: Room;
}

/** Updates a resource: only what the plan says is sent, nothing at all where only the state changes. */
export async function applyUpdate(
  session: Session,
  type: TerraformShape,
  change: ChangeValues,
): Promise<Applied> {
  const { prior, planned, wanted, config, kept, room } = change;
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
  const attributes = attributesOf(type, change, { declared, sent });
  const name = nameIn(type, planned) || nameIn(type, prior);
  const live = liveOf(type, prior);
  const parentId = live.parentId ?? undefined;
  const recorded = recordedOf(type, prior, kept);
  const input = { address: addressIn(type, name), name, attributes, id, changed: sent, live, recorded };
  const early = await awaitUpstream(session, type, parentId, { kept, room });
  if (hasErrors(early)) return { state: prior, kept, diagnostics: early };
  const inputs = inputsNow(session, parentId, kept);
  const answered = await sendRenamed(session, type, change, { ...input, parentId, defaults });
  const result = await settle(session, type, answered, wanted, "update");
  const accepted = endedWith(answered, result);
  const failed = await unsettled(session, type, { name, parentId }, result);
  if (failed !== undefined) return { state: prior, kept, diagnostics: [failed] };
  const seen = (await liveAfter(session, type, { accepted, name, parentId })) ?? accepted.live ?? live;
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
    ...ranNow(session, type, parentId, { kept: { ...kept, inputs }, live: answered.live }),
    ...(needsRun(type.resource, sent)
      ? changedNow(session, type, accepted.live ?? seen)
      : { changedAt: kept.changedAt }),
  };
  return { state: stateAfter(type, planned, seen), kept: after, diagnostics: early };
}

interface SentUpdate extends UpdateInput {
  readonly parentId: string | undefined;
  readonly defaults: Attributes;
}

/**
 * Sends an update, and once more where its new name was let go of a moment later: of two that this apply renames one may
 * take the name of the other. A refusal is kept for no key (interface, "Idempotency rules"). Throws `DiagnosticsError`
 * where something keeps the name.
 */
async function sendRenamed(
  session: Session,
  type: TerraformShape,
  change: ChangeValues,
  input: SentUpdate,
): Promise<Accepted> {
  try {
    return await sendUpdate(session, type, change, input);
  } catch (failure) {
    const { nameAttribute = "" } = type.resource;
    if (!(failure instanceof ApiError) || failure.status !== 409 || !input.changed.has(nameAttribute))
      throw failure;
    const create = { type: type.resource, input, parentId: input.parentId };
    session.reads.invalidate();
    const others = await lookWhileDeleting(session, {
      look: async () => (await twinsIn(session.reads, create)).filter(({ id }) => id !== input.id),
      isTaken: ({ length }) => length > 0,
    });
    if (others.length > 0) {
      const hint = `choose another ${nameAttribute}; of two that take each other's, one needs a third in an apply of its own`;
      throw new DiagnosticsError([{ ...anotherNamed(create, others), hint }]);
    }
    return sendUpdate(session, type, change, input);
  }
}

/** A run that reacts may have been made by an earlier process; what is merely set can be set again. */
async function sendUpdate(
  session: Session,
  { resource, secrets }: TerraformShape,
  { prior, wanted, kept }: ChangeValues,
  input: SentUpdate,
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

const isSecret = ({ secrets }: TerraformShape, secret: string): boolean =>
  secrets.some(({ path }) => path === secret);

/** Returns the attributes of an update. What is no longer declared is sent with its default: a PATCH merges. */
function attributesOf(
  type: TerraformShape,
  { planned, wanted }: ChangeValues,
  { declared, sent }: { readonly declared: ReadonlyMap<string, unknown>; readonly sent: ReadonlySet<string> },
): ReadonlyMap<string, AppliableValue> {
  const isWritten = (path: string): boolean => declared.has(path) || sent.has(path) || isSecret(type, path);
  const attributes = new Map([...appliableIn(type, wanted)].filter(([path]) => isWritten(path)));
  for (const { path, steps } of type.declared)
    if (sent.has(path) && !attributes.has(path)) attributes.set(path, toPlain(valueAt(planned, steps)));
  return attributes;
}

const sentOnly = (attributes: ReadonlyMap<string, AppliableValue>, sent: ReadonlySet<string>) =>
  new Map([...attributes].filter(([path]) => sent.has(path)));
