import type { Reads, Resource } from "../api/reads";
import { type Diagnostic, error, warning } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { LiveResource } from "../model/live";
import type { Command, Intent, JournalEntry, RecordedResource } from "../model/state";
import { replayJournal } from "../state/recorded";
import { leftBy, recordsOf, unknownEnd } from "./action";
import { isFree, severalFound } from "./create-or-find";
import { isKeyValid } from "./journaled-send";
import {
  endedByWrite,
  inputsIn,
  recordOfWritten,
  recordWhileDeleted,
  without,
  withoutContent,
  writtenNow,
} from "./record";
import { nothingRecovered, type Recovery, type RecoveryContext } from "./run-context";
import type { SentRecord } from "./run-journal";
import { defaultWaitPolicy, settlePending } from "./settle";

interface Recovering extends RecoveryContext {
  /** Start of the recovery, by the clock's `elapsed`: all searches share their 30 s. */
  readonly begunAt: number;
}

/** Settles open and pending writes of an interrupted run, before a plan (DESIGN section 7, Resume). */
export async function recover(recovering: RecoveryContext): Promise<Recovery> {
  const entries: JournalEntry[] = [];
  const retriableIntents: Intent[] = [];
  const diagnostics: Diagnostic[] = [];
  let { state } = recovering;
  const begunAt = recovering.clock.elapsed();
  const add = (settled: Recovery): void => {
    entries.push(...settled.entries);
    retriableIntents.push(...settled.retriableIntents);
    diagnostics.push(...settled.diagnostics);
    state = replayJournal(state, settled.entries);
  };
  // In the order of their requests: a deployment deployed the writes before it.
  for (const intent of recovering.state.open)
    add(await settleIntent({ ...recovering, begunAt, state }, intent));
  const { resources } = state;
  for (const key in recovering.settlesPending === false ? {} : resources) {
    const address = key as Address;
    const recorded = resources[address];
    if (!recorded?.pending) continue;
    // The plan decides about work other than deletions.
    const mayWait = recovering.wait && recovering.settlesPending !== "look";
    const timeoutMs = mayWait && recorded.pending.deletes ? defaultWaitPolicy.timeoutMs : 0;
    add(await settlePending({ ...recovering, state }, address, recorded, timeoutMs));
  }
  // A command that has found its earlier request continues it.
  const continuesRun = entries.some(({ kind }) => kind === "run");
  if (entries.length > 0 && state.open.length === 0 && !continuesRun) entries.push({ kind: "end" });
  return { entries, retriableIntents, diagnostics };
}

/** Result unknown, key valid: the intent stays open until a write under its key is answered. */
const keptOpen = (intent: Intent): Recovery => ({ ...nothingRecovered, retriableIntents: [intent] });

const closed = (entries: readonly JournalEntry[]): Recovery => ({ ...nothingRecovered, entries });

/** Closes an intent without a visible result. While its key is valid, the request is sent again under that key. */
const refused = (recovering: RecoveryContext, intent: Intent): Recovery => ({
  ...nothingRecovered,
  entries: [outcome(intent, "refused")],
  retriableIntents: isKeyValid(recovering, intent) ? [intent] : [],
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
  if (!type || !makesSomething) return closed(assumedDone(intent, recorded));
  // A power cut lost the outcome alone: the record comes first.
  if (recorded && recovering.state.run && !fenceOf(recovering, intent).includes(recorded.id))
    return closed([outcome(intent, "done")]);
  const { name, parentId, body } = intent;
  const since = recovering.reads.serviceTime() === undefined ? undefined : intent.at;
  const search = { name, parentId, body, declared: undefined, since };
  const isUnrecorded = isFree(intent.address, Object.entries(recovering.state.resources));
  const look = async (reads: Reads) => (await type.candidates?.(reads, search))?.filter(isUnrecorded);
  const found = await findLostWrite(recovering, intent, look);
  if (found === undefined) return unknownResult(recovering, intent);
  if (found.length > 1) {
    const diagnostics = [severalFound("state.open_intent", intent.address, found)];
    return { ...nothingRecovered, diagnostics };
  }
  const [made] = found;
  if (made) return closed(adopted(recovering, type, intent, made, recorded));
  return refused(recovering, intent);
}

/** Settles an open deletion. It did not happen, unless the resource is gone or being deleted. */
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
  if (read.kind !== "gone") return refused(recovering, intent);
  const pending = read.ending ?? type.deletes?.pendingOf(id, undefined, parentId);
  const resource = pending ? recordWhileDeleted(recorded, { since: intent.at, ...pending }) : null;
  const deletedAt = resource ? undefined : writtenNow(recovering);
  return closed([{ kind: "resource", address, resource, deletedAt }, outcome(intent, "done")]);
}

/** Returns the ids that had the name of a resource before the run. */
const fenceOf = ({ state }: RecoveryContext, { address }: Intent): readonly string[] =>
  state.run?.fences[address] ?? [];

/** Returns the entries of an update with an unknown result: it counts as a write since the last deployment. */
function assumedDone(intent: Intent, recorded: RecordedResource | undefined): JournalEntry[] {
  const done = outcome(intent, "done");
  if (!recorded) return [done];
  const writes = recorded.writes + (intent.takesEffect === "at once" ? 0 : 1);
  const resource = withoutContent({ ...recorded, writes });
  return [{ kind: "resource", address: intent.address, resource }, done];
}

/** Looks for the result of a write of an interrupted run. Without a valid key it could be done twice: 30 s. */
function findLostWrite<T>(
  recovering: Recovering,
  intent: Intent,
  look: (reads: Reads) => Promise<readonly T[] | undefined>,
): Promise<readonly T[] | undefined> {
  const { reads, wait, begunAt: since, say } = recovering;
  const forMs = !wait ? 0 : isKeyValid(recovering, intent) ? 2000 : 30_000;
  const onWait = () => say?.("The platform may not show yet what an interrupted run made; looking again …");
  return reads.excluding(fenceOf(recovering, intent)).pollUntilVisible(look, { since, forMs, onWait });
}

function unknownResult(recovering: RecoveryContext, intent: Intent): Recovery {
  if (isKeyValid(recovering, intent)) return keptOpen(intent);
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
  const parent = addresses.find((address) => resources[address]?.id === intent.parentId) ?? recorded?.parent;
  const pending = type.runs?.pendingOf(made.id, intent.parentId, new Map());
  const inputs = type.reacts && parent && inputsIn(recordsOf(recovering.state), parent, type);
  const declared = {
    parent,
    applied: (type.reacts && recorded?.applied) || {},
    fingerprintAddress: undefined,
    madeWith: intent.madeWith,
    writes: (recorded?.writes ?? 0) + 1,
    // A deployment that did start is the last change of its service: it deployed all writes before it.
    inputs,
    pending: pending && { ...pending, since: intent.at },
  };
  const previous = recorded && without(recorded, endedByWrite);
  const resource = recordOfWritten(recovering, made, declared, previous);
  return [{ kind: "resource", address: intent.address, resource }, outcome(intent, "done")];
}

const outcome = ({ seq }: Intent, result: "done" | "refused", id?: string): JournalEntry => ({
  kind: "outcome",
  seq,
  result,
  status: 0,
  id,
});

/** Adds the time of its request to a pending write: its timeout counts from then. */
function withRequestTime(since: string, { address, resource }: NonNullable<SentRecord["recording"]>) {
  const pending = resource?.pending && { since, ...resource.pending };
  return { address, resource: resource && pending ? { ...resource, pending } : resource };
}

/** Settles an open write of a verb such as `rnv deploy`. Only the same verb sends it again, under its own key. */
async function settleCommand(recovering: Recovering, intent: Intent, command: Command): Promise<Recovery> {
  const { state, types, repeats, wait } = recovering;
  const { address, at } = intent;
  const recorded = state.resources[address];
  const order = { address, id: recorded?.id ?? "", name: intent.name, ...command };
  const action = types.get(intent.type)?.actions?.[command.action];
  const look = async (reads: Reads) => (recorded ? action?.find?.(reads, order) : []);
  // The last attempt under a key represents all of them.
  const isLast = !state.open.some(({ seq, key }) => seq > intent.seq && key === intent.key);
  if (!isLast) return closed([outcome(intent, "refused")]);
  const found = await findLostWrite(recovering, intent, look);
  const [sent, ...others] = found ?? [];
  const isRepeated = repeats?.(intent) === true;
  if (sent !== undefined && others.length === 0 && state.run && action) {
    const { recording, run } = leftBy({ ...recovering, record: state.run }, action, order, { id: sent });
    const entries: JournalEntry[] = recording
      ? [{ kind: "resource", ...withRequestTime(at, recording) }]
      : [];
    if (isRepeated) entries.push({ kind: "run", run });
    return closed([...entries, outcome(intent, "done", sent)]);
  }
  const isNone = sent === undefined;
  if (isRepeated && isNone && action?.find && isKeyValid(recovering, intent)) return keptOpen(intent);
  const result = closed([outcome(intent, found?.length === 0 ? "refused" : "done")]);
  if (isRepeated && found?.length === 0) return result;
  const diagnostic = unknownEnd(isRepeated ? error : warning, address, command, { found, at, wait });
  return { ...result, diagnostics: [diagnostic] };
}
