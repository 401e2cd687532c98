import type { Reads, Resource } from "../api/reads";
import { type Diagnostic, error, warning } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { LiveResource } from "../model/live";
import type { Command, Intent, JournalEntry, RecordedResource } from "../model/state";
import { replayJournal } from "../state/recorded";
import { leftBy, recordsOf, unknownEnd } from "./action";
import { severalFound } from "./create-or-find";
import { keyStillCounts } from "./journaled-send";
import { endedByWrite, inputsIn, recordOf, recordWhileDeleted, without, writtenNow } from "./record";
import { nothingRecovered, type Recovery, type RecoveryContext } from "./run-context";
import type { SentRecord } from "./run-journal";
import { defaultWaitPolicy, settlePending } from "./settle";

interface Recovering extends RecoveryContext {
  /** When the recovery began, by the clock's `elapsed`: time that has passed has passed for each search. */
  readonly begunAt: number;
}

/** Settles what an interrupted run left behind, before anything new is planned (DESIGN section 7, Resume). */
export async function recover(recovering: RecoveryContext): Promise<Recovery> {
  const entries: JournalEntry[] = [];
  const retriableIntents: Intent[] = [];
  const diagnostics: Diagnostic[] = [];
  let { state } = recovering;
  const begunAt = recovering.clock.elapsed();
  const take = (settled: Recovery): void => {
    entries.push(...settled.entries);
    retriableIntents.push(...settled.retriableIntents);
    diagnostics.push(...settled.diagnostics);
    state = replayJournal(state, settled.entries);
  };
  // In the order in which they were sent: a deployment deployed what the writes before it left.
  for (const intent of recovering.state.open)
    take(await settleIntent({ ...recovering, begunAt, state }, intent));
  const { resources } = state;
  for (const key in recovering.settlesPending === false ? {} : resources) {
    const address = key as Address;
    const recorded = resources[address];
    if (!recorded?.pending) continue;
    // Only the end of a deletion is waited for: the plan decides about others.
    const mayWait = recovering.wait && recovering.settlesPending !== "look";
    const timeoutMs = mayWait && recorded.pending.deletes ? defaultWaitPolicy.timeoutMs : 0;
    take(await settlePending({ ...recovering, state }, address, recorded, timeoutMs));
  }
  // A command that has found what it began continues it.
  const goesOn = entries.some(({ kind }) => kind === "run");
  if (entries.length > 0 && state.open.length === 0 && !goesOn) entries.push({ kind: "end" });
  return { entries, retriableIntents, diagnostics };
}

/** Nothing is known, and the key still counts: it stays open until a write under that key is answered. */
const leftOpen = (intent: Intent): Recovery => ({ ...nothingRecovered, retriableIntents: [intent] });

/** It is closed with `entries`; sent `again` under its own key, the retained answer tells more. */
const closed = (intent: Intent, entries: readonly JournalEntry[], again = false): Recovery => ({
  ...nothingRecovered,
  entries,
  retriableIntents: again ? [intent] : [],
});

async function settleIntent(recovering: Recovering, intent: Intent): Promise<Recovery> {
  if (intent.command) return settleCommand(recovering, intent, intent.command);
  const type = recovering.types.get(intent.type);
  const recorded = recovering.state.resources[intent.address];
  if (type && recorded && intent.method === "DELETE")
    return settleDeletion(recovering, type, intent, recorded);
  const makesSomething =
    type?.candidates !== undefined &&
    intent.method === "POST" &&
    (type.reacts !== undefined || recorded === undefined || !intent.path.includes(recorded.id));
  if (!type || !makesSomething) return closed(intent, assumedDone(intent, recorded));
  // Its answer was recorded, and only the end of that line was lost.
  if (recorded && recovering.state.run && !preexistingIdsOf(recovering, intent).includes(recorded.id))
    return closed(intent, [outcome(intent, "done")]);
  const { name, parentId, body } = intent;
  // What was there before the write, or is older, is not its outcome.
  const since = recovering.reads.serviceTime() === undefined ? undefined : intent.at;
  const search = {
    name,
    parentId,
    body,
    declared: undefined,
    since,
    preexistingIds: preexistingIdsOf(recovering, intent),
  };
  const found = await findLost(recovering, intent, async (reads) => type.candidates?.(reads, search));
  if (found === undefined) return unseen(recovering, intent);
  if (found.length > 1) {
    const diagnostics = [severalFound("state.open_intent", intent.address, found)];
    return { ...nothingRecovered, diagnostics };
  }
  const [made] = found;
  if (made) return closed(intent, adopted(recovering, type, intent, made, recorded));
  // Under the same key, so that a run which only stood still does not double it when it goes on.
  return closed(intent, [outcome(intent, "refused")], keyStillCounts(recovering, intent));
}

/**
 * Settles a deletion: of what is gone or being deleted the end is looked at as that of any deletion; else it did not
 * happen, or that is unknown, and it is sent again under its own key while that counts.
 */
async function settleDeletion(
  recovering: RecoveryContext,
  type: Resource,
  intent: Intent,
  recorded: RecordedResource,
): Promise<Recovery> {
  const { address, parentId } = intent;
  const { id, name } = recorded;
  const target = { address, id, name, parentId, declared: new Map(), recorded };
  const read = await type.read(recovering.reads, target);
  if (read.kind !== "gone")
    return closed(intent, [outcome(intent, "refused")], keyStillCounts(recovering, intent));
  const pending = read.ending ?? type.deletes?.pendingOf(id, undefined, parentId);
  const resource = pending ? recordWhileDeleted(recorded, { since: intent.at, ...pending }) : null;
  const deletedAt = resource ? undefined : writtenNow(recovering);
  return closed(intent, [{ kind: "resource", address, resource, deletedAt }, outcome(intent, "done")]);
}

const preexistingIdsOf = ({ state }: RecoveryContext, { address }: Intent): readonly string[] =>
  state.run?.fences[address] ?? [];

/**
 * What exists bears the change or will be planned again; either way it was configured since its last deployment, unless
 * nothing was sent that a deployment must bring.
 */
function assumedDone(intent: Intent, recorded: RecordedResource | undefined): JournalEntry[] {
  const done = outcome(intent, "done");
  if (!recorded) return [done];
  const writes = recorded.writes + (intent.takesEffect === "at once" ? 0 : 1);
  // What it shows now may be from that write, in the same second as the one that is recorded.
  const resource = { ...recorded, writes, content: undefined };
  return [{ kind: "resource", address: intent.address, resource }, done];
}

/** Looks for what a write of an interrupted run left: for 30 s where its key would not keep it from being done twice. */
function findLost<T>(
  recovering: Recovering,
  intent: Intent,
  look: (reads: Reads) => Promise<readonly T[] | undefined>,
): Promise<readonly T[] | undefined> {
  const { reads, wait, begunAt: since, say } = recovering;
  const forMs = !wait ? 0 : keyStillCounts(recovering, intent) ? 2000 : 30_000;
  const onWait = () => say?.("The platform may not show yet what an interrupted run made; looking again …");
  return reads.untilVisible(look, { since, forMs, onWait });
}

function unseen(recovering: RecoveryContext, intent: Intent): Recovery {
  if (keyStillCounts(recovering, intent)) return leftOpen(intent);
  const { address, at, name } = intent;
  const summary = `unknown whether ${address} was created: the API did not answer`;
  const detail = `The request was sent at ${at}. Its idempotency key expired after 23 hours, or is of another API key.`;
  const hint = `Look in the dashboard. If ${name} exists, delete it or run: rnv import ${address} ID. Then run: rnv state rm ${address}`;
  const diagnostic = error("state.open_intent", summary, { address, detail, hint });
  return { ...nothingRecovered, diagnostics: [diagnostic] };
}

function adopted(
  recovering: RecoveryContext,
  type: Resource,
  intent: Intent,
  made: LiveResource,
  recorded: RecordedResource | undefined,
): JournalEntry[] {
  const { resources } = recovering.state;
  const addresses = Object.keys(resources) as Address[];
  const parent = addresses.find((one) => resources[one]?.id === intent.parentId) ?? recorded?.parent;
  const pending = type.runs?.pendingOf(made.id, intent.parentId, new Map());
  const inputs = type.reacts && parent && inputsIn(recordsOf(recovering.state), parent, type);
  const declared = {
    parent,
    applied: (type.reacts && recorded?.applied) || {},
    fingerprintAddress: undefined,
    writtenAt: writtenNow(recovering),
    madeWith: intent.madeWith,
    writes: (recorded?.writes ?? 0) + 1,
    // A deployment that did start is the last change of its service: it deployed all writes before it.
    inputs,
    pending: pending && { ...pending, since: intent.at },
  };
  const resource = recordOf(made, declared, recorded && without(recorded, endedByWrite));
  return [{ kind: "resource", address: intent.address, resource }, outcome(intent, "done")];
}

const outcome = ({ seq }: Intent, result: "done" | "refused", id?: string): JournalEntry => ({
  kind: "outcome",
  seq,
  result,
  status: 0,
  id,
});

/** Adds to a pending write when it was sent: its wait counts from then. */
function leftAt(since: string, { address, resource }: NonNullable<SentRecord["recording"]>) {
  const pending = resource?.pending && { since, ...resource.pending };
  return { address, resource: resource && pending ? { ...resource, pending } : resource };
}

/**
 * Settles what a verb such as `rnv deploy` left open, before a command writes: what is found is recorded. It is sent
 * again only by the same verb, asked for again, under its own key.
 */
async function settleCommand(recovering: Recovering, intent: Intent, command: Command): Promise<Recovery> {
  const { state, types, repeats, wait } = recovering;
  const { address, at } = intent;
  const recorded = state.resources[address];
  const order = { address, id: recorded?.id ?? "", name: intent.name, ...command };
  const action = types.get(intent.type)?.actions?.[command.action];
  const look = async (reads: Reads) =>
    recorded ? action?.find?.(reads, order, preexistingIdsOf(recovering, intent)) : [];
  // Of several attempts under one key the last one is looked for.
  const isLast = !state.open.some(({ seq, key }) => seq > intent.seq && key === intent.key);
  if (!isLast) return closed(intent, [outcome(intent, "refused")]);
  const found = await findLost(recovering, intent, look);
  const [sent, ...others] = found ?? [];
  const isRepeated = repeats?.(intent) === true;
  if (sent !== undefined && others.length === 0 && state.run && action) {
    const acting = { ...recovering, journal: recordsOf(state), record: state.run };
    const { recording, run } = leftBy(acting, action, order, { id: sent });
    const entries: JournalEntry[] = recording ? [{ kind: "resource", ...leftAt(at, recording) }] : [];
    if (isRepeated) entries.push({ kind: "run", run });
    return closed(intent, [...entries, outcome(intent, "done", sent)]);
  }
  const isNone = sent === undefined;
  if (isRepeated && isNone && action?.find && keyStillCounts(recovering, intent)) return leftOpen(intent);
  const result = closed(intent, [outcome(intent, found?.length === 0 ? "refused" : "done")]);
  if (isRepeated && found?.length === 0) return result;
  const diagnostic = unknownEnd(isRepeated ? error : warning, address, command, { found, at, wait });
  return { ...result, diagnostics: [diagnostic] };
}
