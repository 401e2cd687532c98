import { DiagnosticsError, failure } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { State } from "../model/state";
import type { StateSession } from "../state/backend";
import {
  beginHandOver,
  type Edited,
  endHandOver,
  hasFingerprint,
  receiveResources,
} from "../state/edit-state";
import { emptyState } from "../state/recorded";
import { addresses, type Context } from "./context";
import { holdLock } from "./hold-lock";
import { newLineage } from "./recover";

export interface HandOverRequest {
  readonly addresses: readonly string[];
  readonly lockTimeoutMs: number;
}

export interface HandOverOutcome {
  /** The other state as it is now, whole. */
  readonly addresses: readonly Address[];
  /** Where the other state is. */
  readonly to: string;
}

/**
 * `rnv state mv --to`: the state notes what leaves, the other one takes it, the first forgets it. Both are locked. A run
 * that ends between two of these steps leaves every resource to exactly one state that plans; the same command again
 * ends it.
 */
export function handOver(
  context: Context,
  target: Context,
  request: HandOverRequest,
): Promise<HandOverOutcome> {
  const to = target.backend.location;
  const wanted = addresses("state mv", request.addresses);
  if (to === context.backend.location) throw failure("command.usage", `${to} is the state that they are in`);
  const lock = { command: "state mv", timeoutMs: request.lockTimeoutMs };
  const move = async (session: StateSession, other: StateSession): Promise<HandOverOutcome> => {
    const from = await noteLeaving(context, session, wanted, to);
    await checkKeys(context, target, from, other.state);
    const { workspaceId, baseUrl } = from;
    const empty = emptyState({ lineage: newLineage(target), workspaceId, baseUrl });
    const received = stateOf(receiveResources(other.state ?? empty, from));
    const noted = from === session.state ? from : await session.commit(from);
    if (received !== other.state) await other.commit(received);
    await session.commit(endHandOver(noted));
    return { addresses: noted.handOver?.addresses ?? [], to };
  };
  const otherLock = { ...lock, anyRepository: true };
  // Always in the same order, so that two that hand over to each other do not wait for each other.
  return context.backend.location < to
    ? holdLock(context, lock, (session) => holdLock(target, otherLock, (other) => move(session, other)))
    : holdLock(target, otherLock, (other) => holdLock(context, lock, (session) => move(session, other)));
}

/** The state with the note of what leaves it: that of a run that ended in the middle, or a new one. */
async function noteLeaving(
  { randomBytes }: Context,
  { state }: StateSession,
  wanted: readonly Address[],
  to: string,
): Promise<State> {
  if (state === undefined)
    throw failure("state.address_unknown", "nothing is recorded yet: there is nothing to hand over");
  const { handOver: open } = state;
  if (open === undefined) {
    const id = Buffer.from(randomBytes(16)).toString("hex");
    return stateOf(beginHandOver(state, wanted, { id, to }));
  }
  if (open.to === to && wanted.every((address) => open.addresses.includes(address))) return state;
  throw openHandOver(open);
}

/** Fingerprints of secrets are worth something only to a state that has their key. */
async function checkKeys(
  context: Context,
  target: Context,
  from: State,
  other: State | undefined,
): Promise<void> {
  const moved = (from.handOver?.addresses ?? []).flatMap((address): Parameters<typeof hasFingerprint>[0] => {
    const resource = from.resources[address];
    return resource === undefined ? [] : [[address, resource]];
  });
  if (!hasFingerprint(moved)) return;
  const { keyId } = await target.stateKey(false);
  if (keyId === from.keyId && (other?.keyId ?? keyId) === keyId) return;
  throw failure(
    "state.key_mismatch",
    `${target.backend.location} has ${keyId === undefined ? "no key" : "another key"} of secret fingerprints`,
    {
      detail: "Without the same key every secret would be written again.",
      hint: `give both the same RNV_STATE_KEY${keyId === undefined ? `, or copy state.key beside ${context.backend.location} to it` : ""}`,
    },
  );
}

function stateOf(edited: Edited): State {
  if (edited.state === undefined) throw new DiagnosticsError(edited.diagnostics);
  return edited.state;
}

/** Refuses to go on with a state whose resources may be in another one by now. */
export function refuseHandOver(state: State | undefined): void {
  if (state?.handOver !== undefined) throw openHandOver(state.handOver);
}

const openHandOver = ({ to, addresses: leaving }: NonNullable<State["handOver"]>): DiagnosticsError =>
  failure("state.hand_over", `${leaving.length} resources are on their way to ${to}`, {
    detail: "A run that handed them over was ended in the middle.",
    hint: `end it with the same command: rnv state mv --to ${to} ${leaving.slice(0, 3).join(" ")}; rnv state restore 1 takes it back where the other state does not hold them`,
  });
