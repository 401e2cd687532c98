import type { Resource } from "../api/resource";
import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { LiveResource } from "../model/live";
import type { Intent, JournalEntry, RecordedResource, State } from "../model/state";
import { fold } from "../state/fold";
import { graceOf, keyStillCounts, lookPatiently } from "./look-patiently";
import { lookForCreated } from "./observe";
import { defaultPatience, patienceLeft } from "./patience-left";
import { recordedWhileDeleted, writtenNow } from "./record";
import type { Looking, Resumed, Resuming } from "./resuming";
import { settleCommand } from "./settle-command";
import { settlePending } from "./settle-pending";

/** Settles what an interrupted run left behind, before anything new is planned (DESIGN section 7, Resume). */
export async function resume(resuming: Resuming): Promise<Resumed> {
  const entries: JournalEntry[] = [];
  const carried: Intent[] = [];
  const diagnostics: Diagnostic[] = [];
  let { state } = resuming;
  const looking = { ...resuming, grace: graceOf(resuming) };
  const take = (settled: Resumed): void => {
    entries.push(...settled.entries);
    carried.push(...settled.carried);
    diagnostics.push(...settled.diagnostics);
    state = fold(state, settled.entries);
  };
  // In the order in which they were sent: a deployment deployed what the writes before it left.
  for (const intent of resuming.state.open) take(await settleIntent({ ...looking, state }, intent));
  const { resources } = state;
  for (const key in resuming.settlesPending === false ? {} : resources) {
    const address = key as Address;
    const recorded = resources[address];
    if (recorded?.pending)
      take(
        await settlePending({ ...resuming, state }, address, recorded, {
          timeoutMs: patienceWith(resuming, recorded),
        }),
      );
  }
  if (entries.length > 0 && state.open.length === 0) entries.push({ kind: "end" });
  return { entries, carried, diagnostics };
}

/** The end of a deletion is part of what there is; whether anything else is waited for, the plan decides. */
const patienceWith = ({ wait, settlesPending, clock }: Resuming, { pending }: RecordedResource): number =>
  wait && settlesPending !== "look" && pending?.deletes
    ? patienceLeft(pending, defaultPatience.timeoutMs, clock)
    : 0;

const nothing: Resumed = { entries: [], carried: [], diagnostics: [] };

/** Nothing is known, and the key still counts: it stays open until a write under that key is answered. */
const leftOpen = (intent: Intent): Resumed => ({ ...nothing, carried: [intent] });

async function settleIntent(resuming: Looking, intent: Intent): Promise<Resumed> {
  if (resuming.repeats?.(intent)) return leftOpen(intent);
  if (intent.command) return settleCommand(resuming, intent, intent.command);
  const type = resuming.types.get(intent.type);
  const recorded = resuming.state.resources[intent.address];
  if (type && recorded && intent.method === "DELETE") {
    const settled = await settleDeletion(resuming, type, intent, recorded);
    if (settled) return settled;
  }
  const makesSomething =
    type?.candidates !== undefined &&
    intent.method === "POST" &&
    (type.reaction !== undefined || recorded === undefined || !intent.path.includes(recorded.id));
  if (!type || !makesSomething) {
    // A deletion that nobody can look up is sent again under its own key: the retained answer tells.
    const again = intent.method === "DELETE" && keyStillCounts(resuming, intent);
    return { ...nothing, entries: assumedDone(intent, recorded), carried: again ? [intent] : [] };
  }
  // Its answer was recorded, and only the end of that line was lost.
  if (recorded && resuming.state.run && !fenceOf(resuming, intent).includes(recorded.id))
    return { ...nothing, entries: [outcome(intent, "done")] };
  const found = await lookFor(resuming, type, intent);
  if (found === undefined) return unseen(resuming, intent);
  if (found.length > 1) return { ...nothing, diagnostics: [several(intent, found)] };
  const [made] = found;
  if (made) return { ...nothing, entries: adopted(resuming, type, intent, made, recorded) };
  // Under the same key, so that a run which only stood still does not double it when it goes on.
  const again = keyStillCounts(resuming, intent);
  return { ...nothing, entries: [outcome(intent, "refused")], carried: again ? [intent] : [] };
}

/**
 * Gone: its end is looked at as that of any deletion; what is gone at once is forgotten, since nobody but us took it
 * away. Else it goes out again under its own key while that counts: the retained answer names the operation, and where
 * there is none, nothing happened. Undefined where nobody can look.
 */
async function settleDeletion(
  resuming: Resuming,
  type: Resource,
  intent: Intent,
  recorded: RecordedResource,
): Promise<Resumed | undefined> {
  const { address, parentId } = intent;
  const { id, name } = recorded;
  const read = await type.read(resuming.reads, {
    address,
    id,
    name,
    parentId,
    declared: new Map(),
    recorded,
  });
  if (read.kind === "unchecked" && !type.deletion) return undefined;
  const again = keyStillCounts(resuming, intent);
  const isUncertain = read.kind === "unchecked" || (read.kind === "gone" && read.ending !== undefined);
  if (isUncertain && again) return leftOpen(intent);
  if (read.kind !== "gone")
    return { ...nothing, entries: [outcome(intent, "refused")], carried: again ? [intent] : [] };
  const pending = read.ending ?? type.deletion?.(id, undefined, parentId);
  const resource = pending ? recordedWhileDeleted(recorded, { since: intent.at, ...pending }) : null;
  const deletedAt = resource === null ? { deletedAt: writtenNow(resuming.clock) } : {};
  const after: JournalEntry = { kind: "resource", address, resource, ...deletedAt };
  return { ...nothing, entries: [after, outcome(intent, "done")] };
}

/** What already bore the name when the run was planned. */
const fenceOf = ({ state }: Resuming, { address }: Intent): readonly string[] =>
  state.run?.fences[address] ?? [];

/**
 * What exists bears the change or will be planned again; either way it was configured since its last deployment, unless
 * nothing was sent that a deployment must bring.
 */
function assumedDone(intent: Intent, recorded: RecordedResource | undefined): JournalEntry[] {
  const touched: JournalEntry[] =
    recorded && intent.takesEffect !== "at once"
      ? [
          {
            kind: "resource",
            address: intent.address,
            resource: { ...recorded, writes: recorded.writes + 1 },
          },
        ]
      : [];
  return [...touched, outcome(intent, "done")];
}

async function lookFor(
  looking: Looking,
  type: Resource,
  intent: Intent,
): Promise<readonly LiveResource[] | undefined> {
  const { name, parentId, at: since } = intent;
  const search = { name, parentId, fence: fenceOf(looking, intent), since };
  return lookPatiently(looking, intent, () => lookForCreated(type, looking.reads, search));
}

function unseen(resuming: Resuming, intent: Intent): Resumed {
  if (keyStillCounts(resuming, intent)) return leftOpen(intent);
  const diagnostic = error("state.open_intent", `nobody can tell whether ${intent.address} was created`, {
    address: intent.address,
    detail:
      `The write of ${intent.at} was not answered, the service does not list such things, and its idempotency key ` +
      "no longer counts: it is older than 23 hours, or was sent with another API key.",
    hint: `look in the dashboard: if ${intent.name} is there, delete it or run: rnv import ${intent.address} ID; then: rnv state rm ${intent.address}`,
  });
  return { ...nothing, diagnostics: [diagnostic] };
}

function adopted(
  resuming: Resuming,
  type: Resource,
  intent: Intent,
  made: LiveResource,
  recorded: RecordedResource | undefined,
): JournalEntry[] {
  const parent = parentAddress(resuming.state, intent.parentId) ?? recorded?.parent;
  const pending = type.pendingOf?.(made.id, intent.parentId, undefined);
  const resource: RecordedResource = {
    type: intent.type,
    id: made.id,
    name: made.name,
    ...(parent === undefined ? {} : { parent }),
    dependsOn: recorded?.dependsOn ?? [],
    // What was made anew has nothing of what was recorded before it.
    applied: (type.reaction && recorded?.applied) || {},
    computed: Object.fromEntries(made.computed),
    ...(made.updatedAt === undefined ? {} : { updatedAt: made.updatedAt }),
    writtenAt: writtenNow(resuming.clock),
    preventDestroy: recorded?.preventDestroy ?? false,
    onRemove: recorded?.onRemove ?? "delete",
    ...(recorded?.ignoreChanges && { ignoreChanges: recorded.ignoreChanges }),
    ...(recorded?.initial && { initial: recorded.initial }),
    ...(intent.madeWith && { madeWith: intent.madeWith }),
    writes: (recorded?.writes ?? 0) + 1,
    ...(type.reaction && parent !== undefined ? { inputs: inputsNow(resuming.state, parent, type) } : {}),
    ...(pending ? { pending: { ...pending, since: intent.at } } : {}),
  };
  return [{ kind: "resource", address: intent.address, resource }, outcome(intent, "done")];
}

/** A deployment that did start deployed what had been written by then: it comes last of its service's changes. */
function inputsNow(state: State, parent: Address, type: Resource): Record<string, number> {
  const upstream = (Object.entries(state.resources) as [Address, RecordedResource][]).filter(
    ([address, resource]) =>
      address === parent || (resource.parent === parent && type.follows.includes(resource.type)),
  );
  return Object.fromEntries(upstream.map(([, resource]) => [resource.id, resource.writes]));
}

const parentAddress = (state: State, id: string | undefined): Address | undefined =>
  id === undefined
    ? undefined
    : (Object.entries(state.resources) as [Address, RecordedResource][]).find(
        ([, resource]) => resource.id === id,
      )?.[0];

const outcome = (intent: Intent, result: "done" | "refused"): JournalEntry => ({
  kind: "outcome",
  seq: intent.seq,
  result,
  status: 0,
});

const several = (intent: Intent, found: readonly LiveResource[]): Diagnostic =>
  error(
    "state.open_intent",
    `an interrupted run may have created ${intent.address}, and ${found.length} things bear its name`,
    {
      address: intent.address,
      detail: `Found: ${found.map((live) => live.id).join(", ")}.`,
      hint: `keep one, remove the others, then run: rnv import ${intent.address} ID`,
    },
  );
