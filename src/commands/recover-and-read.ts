import type { Connection } from "../api/connection";
import { recover } from "../apply/recover";
import { nothingRecovered, type Recovery, type RecoveryContext } from "../apply/run-context";
import { withoutMasked } from "../apply/run-journal";
import { hasErrors } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { isDataAddress } from "../model/data-source";
import type { Desired, DesiredResource } from "../model/desired";
import type { JournalEntry, RecordedResource, State } from "../model/state";
import { Template } from "../model/value";
import { fillData } from "../plan/data";
import { applyMoves } from "../plan/instances";
import type { PlanInput, PlanOptions, StackMove } from "../plan/plan";
import { counted } from "../report/plan-wording";
import { resourceTypes, typesByName } from "../resources";
import type { StateSession } from "../state/backend";
import { emptyState, replayJournal } from "../state/recorded";
import { type Context, originOf, type PlanRequest, type StateKey } from "./context";
import { load } from "./load";
import { refresh } from "./refresh";

export interface PlanStart {
  readonly connection: Connection;
  readonly state: State | undefined;
  /** The plan is to be applied under the lock: interrupted writes are waited for, and keys may be made. */
  readonly writes: boolean;
  /** The service is asked for reasons that block an apply. */
  readonly checksBeforeApply: boolean;
}

export interface Planning extends PlanStart {
  readonly context: Context;
  readonly request: PlanRequest;
  readonly options: PlanOptions;
  readonly desired: Desired;
  readonly key: StateKey;
}

/** Settles the writes of an interrupted run, and reads live resources. `input` is undefined when an outcome is unknown. */
export async function recoverAndRead(
  planning: Planning,
): Promise<{ readonly input?: PlanInput; readonly recovery: Recovery }> {
  const { context, connection, request } = planning;
  const ended = new AbortController();
  void showProgress(planning, ended.signal);
  try {
    const how = request.mode === "apply" ? {} : { settlesPending: "look" as const };
    const recovery = await recoverWrites(context, connection, planning, how);
    if (hasErrors(recovery.diagnostics)) return { recovery };
    const state = planning.state && replayJournal(planning.state, recovery.entries);
    return { recovery, input: await readInput(planning, state) };
  } finally {
    ended.abort();
  }
}

/** Shows progress at a terminal when the reads of a plan take longer than 400 ms. */
async function showProgress({ context: { clock, progress }, desired, state }: Planning, ended: AbortSignal) {
  const addresses = new Set([...desired.resources.keys(), ...Object.keys(state?.resources ?? {})]);
  const { length } = [...addresses].filter((address) => address.startsWith("service."));
  const tell = () => progress?.(`Reading ${counted(length, "service")}...`);
  if (progress) await clock.sleep(400, ended).then(tell, () => {});
}

async function readInput(
  { context, connection, request, options, desired, key }: Planning,
  state: State | undefined,
): Promise<PlanInput> {
  const { reads } = connection;
  if (state) reads.remember(state, request.mode === "refresh-only");
  const destroys = request.mode === "destroy";
  const { data, ...refreshed } = await refresh({ reads, desired, state, destroys });
  const filled = fillData(desired, data);
  const { stage } = originOf(context);
  // Values are compared with each other before there is a key: a key for this plan alone tells which are equal.
  const isKeyless = request.verifyValues === true && (state?.keyId ?? null) === null;
  return {
    desired: filled.desired,
    data: filled.uses,
    state,
    workspaceId: context.workspaceId,
    ...(await movesBetweenStacks(context, request, { desired, state })),
    baseUrl: context.baseUrl,
    ...refreshed,
    catalog: await reads.catalog(),
    stage: stage?.name,
    timestamp: new Date(context.clock.now()).toISOString(),
    types: resourceTypes,
    options,
    mask: connection.mask,
    fingerprintKey: key.key ?? (isKeyless ? context.randomBytes(32) : undefined),
    previousFingerprintKey: key.previous?.key,
  };
}

/** Settles the writes that an earlier run left open, before anything new is planned or sent. */
export async function recoverWrites(
  context: Context,
  connection: Connection,
  from: { readonly state: State | undefined; readonly writes: boolean },
  how: Pick<RecoveryContext, "settlesPending" | "repeats"> = {},
): Promise<Recovery> {
  if (!from.state) return nothingRecovered;
  connection.reads.remember(from.state);
  const { clock, credential, emit, signal, say } = context;
  const { state, writes: wait } = from;
  const about = { state, types: typesByName, reads: connection.reads, clock, credential };
  const recovery = await recover({ ...about, wait, emit, signal, say, ...how });
  const entries = recovery.entries.map((entry) => withoutMasked(entry, connection.mask));
  return { ...recovery, entries };
}

/** Appends `recoveredEntries` durably, before anything new is written, and returns the state with them folded in. */
export async function startingState(
  context: Context,
  session: StateSession,
  recoveredEntries: readonly JournalEntry[],
): Promise<State> {
  if (session.state) {
    if (recoveredEntries.length > 0) await session.append(recoveredEntries, { durable: true });
    return replayJournal(session.state, recoveredEntries);
  }
  return session.commit(newState(context));
}

/** Returns an empty state, whose lineage is a version 4 UUID. */
export function newState(context: Context, origin = originOf(context)): State {
  const hex = Buffer.from(context.randomBytes(16)).toString("hex");
  const lineage = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  return emptyState({ ...origin, lineage });
}

/** Finds resources that move between the stacks of an app: recorded in the state of a stack, declared in another stack. */
async function movesBetweenStacks(
  context: Context,
  { files, mode }: PlanRequest,
  { desired, state }: { readonly desired: Desired; readonly state: State | undefined },
): Promise<Pick<PlanInput, "ownedElsewhere" | "declaredElsewhere">> {
  const { stack: { name: own, state: ownState = "", crossValues, others } = {} } = context;
  if (own === undefined || others === undefined) return {};
  const stage = originOf(context).stage?.name;
  const moveTo = (to: string, from: string, address: Address): string =>
    `rnv state mv --stack ${from}${stage === undefined ? "" : ` --stage ${stage}`} --to ${to} ${address}`;
  const ownedElsewhere = new Map<string, StackMove>();
  for (const [stack, { ids }] of others)
    for (const [address, id] of ids)
      ownedElsewhere.set(id, { stack, address, command: moveTo(ownState, stack, address) });
  const { recorded } = applyMoves(state?.resources ?? {}, desired);
  const leaving = new Map([...recorded].filter(([address]) => !desired.resources.has(address)));
  if (leaving.size === 0 || mode !== "apply") return { ownedElsewhere };
  const ids = new Map([...recorded].map(([address, { id }]) => [address, id]));
  const declaredElsewhere = new Map<Address, StackMove>();
  for (const [stack, { state: to, ids: known }] of others) {
    const unit = { name: stack, crossValues, others: new Map([...others, [own, { state: ownState, ids }]]) };
    const { desired: there } = await load({ ...context, stack: unit }, files, "skip");
    const undone = [...(there?.resources.values() ?? [])].filter(({ address }) => !known.has(address));
    for (const [from, { address }] of namesakes(leaving, undone, known))
      declaredElsewhere.set(from, { stack, address, command: moveTo(to, own, from) });
  }
  return { ownedElsewhere, declaredElsewhere };
}

/** Pairs records, with their parts, with declared resources of their type, name, parent and place; `known` are ids of their stack. */
function namesakes(
  records: ReadonlyMap<Address, RecordedResource>,
  declared: readonly DesiredResource[],
  known: ReadonlyMap<Address, string>,
): ReadonlyMap<Address, DesiredResource> {
  const found = new Map<Address, DesiredResource>();
  for (const { type, nameAttribute, parents, place, removedWithParent } of resourceTypes)
    for (const [address, record] of records) {
      const { parent, applied, name } = record;
      const around = parent && found.get(parent);
      if (record.type !== type || record.retained) continue;
      const isNamesake = ({ type: other, attributes }: DesiredResource): boolean => {
        const written = (path = ""): unknown => attributes.get(path)?.value ?? null;
        const isParent = parents.every(({ attribute }) => {
          const value = written(attribute);
          const [refers] = value instanceof Template ? value.references : [];
          if (refers === undefined) return value === (applied[attribute] ?? null);
          const id = known.get(refers.address);
          if (id !== undefined) return id === applied[attribute];
          return refers.address === around?.address || isDataAddress(refers.address);
        });
        const isPlaced =
          place === undefined || written(place.attribute) === (applied[place.attribute] ?? null);
        return other === type && written(nameAttribute) === name && isParent && isPlaced;
      };
      const one = removedWithParent ? around : declared.find(isNamesake);
      if (one !== undefined) found.set(address, one);
    }
  return found;
}
