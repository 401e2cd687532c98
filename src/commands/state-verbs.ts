import { DiagnosticsError, failure, SourceFile } from "../diagnostics/diagnostic";
import { didYouMeanAddress } from "../diagnostics/suggest";
import { type Address, parseAddress } from "../model/address";
import type { RecordedResource, State, Touched } from "../model/state";
import { applyMoves } from "../plan/instances";
import { typeNamed } from "../resources";
import type { Backup, LockHolder, StateSession } from "../state/backend";
import { addresses, type Context } from "./context";
import {
  checkMoves,
  checkReplacement,
  differingRecords,
  endHandOver,
  hasFingerprint,
  noteLeaving,
  receiveResources,
  refuseHandOver,
  removeResources,
} from "./edit-state";
import { holdLock, withEdit } from "./hold-lock";
import { leavesParent } from "./import-resource";
import { newState } from "./recover-and-read";

/** `rnv force-unlock`: removes the lock with the id `lockId`, also of another holder, which is returned. */
export async function forceUnlock(
  { backend }: Pick<Context, "backend">,
  lockId: string,
): Promise<LockHolder> {
  const removed = await backend.forceUnlock(lockId);
  if (removed) return removed;
  const hint = "the message that says the lock is held names its id; a lock that was released has none";
  throw failure("command.usage", `no lock with id "${lockId}" on ${backend.location}`, { hint });
}

interface EditOutcome {
  readonly addresses: readonly Address[];
  /** Archived resources among the forgotten: only their id finds them again. */
  readonly archived: readonly { readonly address: Address; readonly id: string }[];
  readonly serial: number;
}

interface EditRequest {
  readonly lockTimeoutMs: number;
  readonly repair?: boolean;
}

export function moveState(
  context: Context,
  request: EditRequest & { readonly from: string; readonly to: string },
): Promise<EditOutcome> {
  return edit(context, "state mv", request, (session) => {
    const { state, address } = findRecorded(session.state, request.from);
    const to = parseAddress(request.to);
    const hint = "an address looks like service.shop.api";
    if (to === undefined) throw failure("command.usage", `"${request.to}" is not an address`, { hint });
    const { moves, recorded } = movesBelow(state, address, to);
    checkMoves(state, moves);
    if (leavesParent(state, address, to))
      throw failure("state.conflict", `${address} cannot move to ${to}: it is part of another resource`, {
        hint: `declare ${to} as a new one; ${address} is then deleted`,
      });
    return {
      state: { ...state, resources: Object.fromEntries(recorded) },
      touched: [...moves].map(([from, address]) => ({ address, from })),
    };
  });
}

/** `rnv state claim`: records the repository of this run. `confirm` is asked with the recorded name; undefined where it says no. */
export function claimState(
  context: Context,
  request: EditRequest & { readonly confirm: (owner: string) => Promise<boolean> },
): Promise<string | undefined> {
  const lock = { command: "state claim", timeoutMs: request.lockTimeoutMs, anyRepository: true };
  return holdLock(context, lock, async ({ state, commit }) => {
    const name = context.repository?.name;
    if (name === undefined)
      throw failure("command.usage", "the repository of this run is unknown", {
        hint: "run it in a clone that has the remote origin, or in a job of GitHub Actions or GitLab",
      });
    if (state === undefined) throw failure("command.usage", "nothing is recorded yet");
    const { repository: owner = name } = state;
    if (owner !== name && !(await request.confirm(owner))) return undefined;
    const claimed = { ...state, repository: name };
    if (state.repository !== name)
      await commit(withEdit(context, { command: "state claim", touched: [] }, claimed));
    return name;
  });
}

/** `rnv state rm`: forgets records with everything in them. The service keeps the resources. */
export function removeState(
  context: Context,
  request: EditRequest & { readonly addresses: readonly string[] },
): Promise<EditOutcome> {
  return edit(context, "state rm", request, ({ state }) => {
    const addressAt = (text: string): Address =>
      state?.open.find(({ address }) => address === text)?.address ?? findRecorded(state, text).address;
    const found = request.addresses.map(addressAt);
    if (state === undefined) throw failure("command.usage", "nothing is recorded yet");
    const edited = removeResources(state, found);
    const archived = edited.removed.flatMap((address) => {
      const record = state.resources[address];
      const isFoundById = record?.retained && typeNamed(record.type)?.archives;
      return record && isFoundById ? [{ address, id: record.id }] : [];
    });
    return { state: edited.state, touched: touchedAt(edited.removed), archived };
  });
}

interface NamedText {
  readonly text: string;
  readonly name: string;
}

/** `rnv state push`: replaces the recorded state by `text`; with `force` also a state that cannot be read. */
export const pushState = (context: Context, request: ReplaceRequest & NamedText): Promise<EditOutcome> =>
  replaceState(context, "push", request, request);

interface ReplaceRequest extends EditRequest {
  readonly force: boolean;
}

async function replaceState(
  context: Context,
  verb: "push" | "restore",
  { text, name }: NamedText,
  { force, lockTimeoutMs }: ReplaceRequest,
) {
  const parsed = await context.backend.parse(text, name);
  const repair = force || verb === "restore";
  const outcome = await edit(context, `state ${verb}`, { lockTimeoutMs, repair }, (session) => {
    checkReplacement(verb, { current: session.state, incoming: parsed.state, force });
    return { state: parsed.state, touched: touchedAt(differingRecords(session.state, parsed.state)) };
  });
  return { ...outcome, restored: { name, bytes: Buffer.byteLength(text), parsed } };
}

/** `rnv state backups`: the previous snapshots, newest first. Takes no lock. */
export async function listBackups({ backend }: Pick<Context, "backend">): Promise<readonly Backup[]> {
  const backups = [];
  for (const name of await backend.backups()) {
    const text = await backend.readBackup(name);
    const parsed = text === undefined ? undefined : await backend.parse(text, name).catch(() => undefined);
    backups.push({ name, bytes: Buffer.byteLength(text ?? ""), parsed });
  }
  return backups;
}

/** `rnv state restore`: replaces the recorded state by a previous snapshot with a new serial, also where it cannot be read. */
export async function restoreState(
  context: Context,
  /** `from`: a backup by number, 1 being the newest; or a text. */
  { from, ...request }: ReplaceRequest & { readonly from: number | NamedText },
): Promise<EditOutcome & { readonly restored: Backup }> {
  const backup = typeof from === "number" ? await backupAt(context, from) : from;
  return replaceState(context, "restore", backup, request);
}

async function backupAt({ backend }: Context, n: number): Promise<NamedText> {
  const names = await backend.backups();
  const name = names[n - 1];
  const text = name === undefined ? undefined : await backend.readBackup(name);
  if (name !== undefined && text !== undefined) return { text, name };
  throw failure("command.usage", `there is no backup ${n} of ${backend.location}`, {
    hint: names.length === 0 ? "it has none; name a file instead" : `rnv state backups lists ${names.length}`,
  });
}

interface Edit extends Partial<Pick<EditOutcome, "archived">> {
  readonly state: State;
  readonly touched: readonly Touched[];
}

const touchedAt = (addresses: readonly Address[]) => addresses.map((address): Touched => ({ address }));

function edit(
  context: Context,
  command: string,
  { lockTimeoutMs, repair }: EditRequest,
  change: (session: StateSession) => Edit,
): Promise<EditOutcome> {
  return holdLock(context, { command, timeoutMs: lockTimeoutMs, repair }, async (session) => {
    // Another key, another workspace or a newer format is no damage: the state is whole.
    if (session.damage?.some(({ code }) => code !== "state.unreadable"))
      throw new DiagnosticsError(session.damage);
    if (repair !== true) refuseHandOver(session.state);
    const { state, touched, archived = [] } = change(session);
    const { serial } = await session.commit(withEdit(context, { command, touched }, state));
    return { addresses: touched.map(({ address }) => address), archived, serial };
  });
}

/** The move of an address, and those of everything that lies in it, as `moved` in a manifest moves it; the records after them. */
function movesBelow({ resources }: State, from: Address, to: Address) {
  // A command line has no position.
  const moved = [{ from, to, range: new SourceFile("").range(0, 0) }];
  const { previous, recorded } = applyMoves(resources, { moved, resources: new Map() });
  const inside = [...previous].map(([now, before]): [Address, Address] => [before, now]);
  return { moves: new Map([[from, to], ...inside]), recorded };
}

interface FoundRecord {
  readonly state: State;
  readonly address: Address;
  readonly recorded: RecordedResource;
}

/** Returns the record of an address that a user typed. Throws `DiagnosticsError` where there is none. */
export function findRecorded(state: State | undefined, text: string): FoundRecord {
  const address = parseAddress(text);
  const recorded = address === undefined ? undefined : state?.resources[address];
  if (state && address !== undefined && recorded !== undefined) return { state, address, recorded };
  const near = didYouMeanAddress(text, Object.entries(state?.resources ?? {}));
  const hint = near ?? "`rnv state list` shows what is recorded";
  const summary =
    address === undefined ? `"${text}" is not an address` : `${text} is not recorded in the state`;
  throw failure("state.address_unknown", summary, { hint });
}

/** True if a state owns nothing and no run of it is open. */
export const isEmptied = (state: State | undefined): boolean =>
  state === undefined ||
  (Object.keys(state.resources).length === 0 && state.open.length === 0 && state.run === null);

/** Removes a state that owns nothing, as it is under its lock; false where it owns something by now, or its store removes nothing. */
export const eraseState = (context: Context, lockTimeoutMs: number): Promise<boolean> =>
  holdLock(context, { command: "stage sweep", timeoutMs: lockTimeoutMs }, async (session) =>
    isEmptied(session.state) ? session.erase() : false,
  );

/**
 * `rnv state mv --to`: notes the leaving resources, records them in the other state, forgets them here. Both states are
 * locked. Between two steps every resource belongs to exactly one state that plans; the same command again continues.
 * Returns the addresses of the resources and their children, and the location of the other state.
 */
export function handOver(
  context: Context,
  target: Context,
  request: EditRequest & { readonly addresses: readonly string[] },
): Promise<{ readonly addresses: readonly Address[]; readonly to: string }> {
  const to = target.backend.location;
  const wanted = addresses("state mv", request.addresses);
  if (to === context.backend.location) throw failure("command.usage", `${to} is the state that they are in`);
  const lock = { command: "state mv", timeoutMs: request.lockTimeoutMs };
  const move = async (session: StateSession, other: StateSession) => {
    const from = noteLeaving(session.state, wanted, to);
    await checkKeys(context, target, from, other.state);
    const { workspaceId, baseUrl } = from;
    const isResumed = from === session.state;
    const receiver = other.state ?? newState(target, { workspaceId, baseUrl });
    const received = receiveResources(receiver, from, { isResumed });
    const noted = isResumed ? from : await session.commit(from);
    const { addresses = [] } = noted.handOver ?? {};
    const run = { command: "state mv", touched: touchedAt(addresses) };
    if (received !== other.state) await other.commit(withEdit(target, run, received));
    await session.commit(withEdit(context, run, endHandOver(noted)));
    return { addresses, to };
  };
  const otherLock = { ...lock, anyRepository: true };
  // Always in the same order, so that two that hand over to each other do not wait for each other.
  return context.backend.location < to
    ? holdLock(context, lock, (session) => holdLock(target, otherLock, (other) => move(session, other)))
    : holdLock(target, otherLock, (other) => holdLock(context, lock, (session) => move(session, other)));
}

/** Fingerprints of secrets are worth something only to a state that has their key. */
async function checkKeys(context: Context, target: Context, from: State, other: State | undefined) {
  const leaving = (from.handOver?.addresses ?? []).flatMap((address) => from.resources[address] ?? []);
  if (!hasFingerprint(leaving)) return;
  const { key, keyId: ownId } = await context.stateKey(false);
  let { keyId } = await target.stateKey(false);
  // A state without fingerprints takes over the key, unless it has a key file of its own.
  const takesKey = (other?.keyId ?? null) === null && ownId === from.keyId && keyId !== ownId;
  if (takesKey && key) ({ keyId } = await target.stateKey(key));
  if (keyId === from.keyId && (other?.keyId ?? keyId) === keyId) return;
  const [whose, otherWay] =
    keyId === undefined
      ? ["no key", `, or copy state.key beside ${context.backend.location} to it`]
      : ["another key", ""];
  throw failure("state.key_mismatch", `${target.backend.location} has ${whose} of secret fingerprints`, {
    detail: "Without the same key every secret would be written again.",
    hint: `give both one RNV_STATE_KEY, each with its own as RNV_STATE_KEY_PREVIOUS in a whole rnv apply${otherWay}`,
  });
}
