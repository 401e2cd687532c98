import { DiagnosticsError, failure } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import { type Address, addressOf, nameOf, parseAddress, typeOf } from "../model/address";
import { withRuns } from "../model/history";
import type { RecordedResource, State } from "../model/state";
import { typeNamed } from "../resources";
import type { Backup, LockHolder, StateSession } from "../state/backend";
import {
  dropOpenWrites,
  type Edited,
  moveResource,
  removeResources,
  validatePush,
  validateRestore,
} from "../state/edit-state";
import type { Context } from "./context";
import { refuseHandOver } from "./hand-over";
import { holdLock } from "./hold-lock";

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

/** What an edit of the state did. */
interface EditOutcome {
  /** Addresses that moved, or that are forgotten. */
  readonly addresses: readonly Address[];
  /** Archived resources among the forgotten: only their id finds them again. */
  readonly archived: readonly { readonly address: Address; readonly id: string }[];
  /** Serial of the state as written. */
  readonly serial: number;
}

interface EditRequest {
  readonly lockTimeoutMs: number;
  /** Also a state that cannot be read. */
  readonly repair?: boolean;
}

/** `rnv state mv`: moves a record and everything in it to another address. */
export function moveState(
  context: Context,
  request: EditRequest & { readonly from: string; readonly to: string },
): Promise<EditOutcome> {
  return edit(context, "state mv", request, (session) => {
    const { state, address } = findRecorded(session.state, request.from);
    const to = parseAddress(request.to);
    const hint = "an address looks like service.shop.api";
    if (to === undefined) throw failure("command.usage", `"${request.to}" is not an address`, { hint });
    const moves = movesBelow(state, address, to);
    let moved: Edited = { state, diagnostics: [] };
    for (const move of moves) {
      if (moved.state !== undefined) moved = moveResource(moved.state, move.from, move.to);
    }
    return { edited: moved, addresses: moves.map((move) => move.to) };
  });
}

/**
 * `rnv state claim`: records the repository of this run as that of the state, and returns its name. `confirm` is asked with the
 * recorded name; undefined where it says no.
 */
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
    if (state.repository !== name) await commit({ ...state, repository: name });
    return name;
  });
}

/** `rnv state rm`: forgets records with everything in them. The service keeps the resources. */
export function removeState(
  context: Context,
  request: EditRequest & { readonly addresses: readonly string[] },
): Promise<EditOutcome> {
  return edit(context, "state rm", request, ({ state }) => {
    const dropped = state && dropOpenWrites(state, request.addresses);
    const left = request.addresses.filter((text) => !dropped?.addresses.includes(text as Address));
    const found = left.map((text) => findRecorded(state, text).address);
    if (dropped === undefined) throw failure("command.usage", "nothing is recorded yet");
    const edited = removeResources(dropped.state, found);
    const archived = edited.removed.flatMap((address) => {
      const record = dropped.state.resources[address];
      const isFoundById = record?.retained && typeNamed(record.type)?.archives;
      return record && isFoundById ? [{ address, id: record.id }] : [];
    });
    return { edited, addresses: [...dropped.addresses, ...edited.removed], archived };
  });
}

/** `rnv state push`: replaces the recorded state by `text`; with `force` also a state that cannot be read. */
export async function pushState(
  context: Context,
  request: EditRequest & { readonly text: string; readonly name: string; readonly force: boolean },
): Promise<EditOutcome> {
  const { state: incoming } = await context.backend.parse(request.text, request.name);
  return edit(context, "state push", { ...request, repair: request.force }, (session) => ({
    edited: validatePush(session.state, incoming, request.force),
    addresses: [],
  }));
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

/**
 * `rnv state restore`: replaces the recorded state by a previous snapshot, also where it cannot be read. The snapshot
 * gets a new serial; the state that it replaces becomes the newest backup.
 */
export async function restoreState(
  context: Context,
  request: EditRequest & {
    /** A backup by number, 1 being the newest; or a text, with its name in messages. */
    readonly from: number | { readonly text: string; readonly name: string };
    readonly force: boolean;
  },
): Promise<EditOutcome & { readonly restored: Backup }> {
  const { text, name } =
    typeof request.from === "number" ? await backupAt(context, request.from) : request.from;
  const parsed = await context.backend.parse(text, name);
  const outcome = await edit(context, "state restore", { ...request, repair: true }, ({ state }) => ({
    edited: validateRestore(state, parsed.state, request.force),
    addresses: [],
  }));
  return { ...outcome, restored: { name, bytes: Buffer.byteLength(text), parsed } };
}

async function backupAt({ backend }: Context, n: number): Promise<{ text: string; name: string }> {
  const names = await backend.backups();
  const name = names[n - 1];
  const text = name === undefined ? undefined : await backend.readBackup(name);
  if (name !== undefined && text !== undefined) return { text, name };
  throw failure("command.usage", `there is no backup ${n} of ${backend.location}`, {
    hint: names.length === 0 ? "it has none; name a file instead" : `rnv state backups lists ${names.length}`,
  });
}

interface Edit {
  readonly edited: Edited;
  readonly addresses: readonly Address[];
  readonly archived?: EditOutcome["archived"];
}

/** Edits the state under its lock and writes it, unless the edit was refused. */
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
    const { edited, addresses, archived = [] } = change(session);
    if (edited.state === undefined) throw new DiagnosticsError(edited.diagnostics);
    const at = new Date(context.clock.now()).toISOString();
    const id = Buffer.from(context.randomBytes(16)).toString("hex");
    const by = context.startedBy?.([]) ?? { by: context.host };
    const run = { id, command, ...by, startedAt: at, endedAt: at, digest: "", exitCode: 0 };
    const history = withRuns(edited.state.history, null, run);
    const { serial } = await session.commit({ ...edited.state, ...(history && { history }) });
    return { addresses, archived, serial };
  });
}

/** The move of an address, and those of everything that lies in it: its name begins with the same names. */
function movesBelow(state: State, from: Address, to: Address) {
  const inside = (Object.keys(state.resources) as Address[]).filter(
    (address) => address !== from && liesIn(state, address, from),
  );
  return [
    { from, to },
    ...inside.map((address) => ({
      from: address,
      to: addressOf(typeOf(address), `${nameOf(to)}${nameOf(address).slice(nameOf(from).length)}`),
    })),
  ];
}

function liesIn(state: State, address: Address, outer: Address): boolean {
  const parent = state.resources[address]?.parent;
  if (parent === undefined) return false;
  const named = `${nameOf(address)}.`.startsWith(`${nameOf(outer)}.`);
  return named && (parent === outer || liesIn(state, parent, outer));
}

/** A record, with the state that it is in. */
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
  const hint =
    didYouMean(text, Object.keys(state?.resources ?? {})) ?? "`rnv state list` shows what is recorded";
  const summary =
    address === undefined ? `"${text}" is not an address` : `${text} is not recorded in the state`;
  throw failure("state.address_unknown", summary, { hint });
}

/** Whether a state owns nothing and no run of it is left open. */
export const isEmptied = (state: State | undefined): boolean =>
  state === undefined ||
  (Object.keys(state.resources).length === 0 && state.open.length === 0 && state.run === null);

/**
 * Removes a state that owns nothing, as it is under its lock; false where it owns something by now, or where its store
 * removes nothing. `beside` removes, under the lock too, what belongs to it alone.
 */
export function eraseState(
  context: Context,
  { lockTimeoutMs, beside }: { readonly lockTimeoutMs: number; readonly beside: () => void },
): Promise<boolean> {
  return holdLock(context, { command: "stage sweep", timeoutMs: lockTimeoutMs }, async (session) => {
    if (!isEmptied(session.state) || !(await session.erase())) return false;
    beside();
    return true;
  });
}
