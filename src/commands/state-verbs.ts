import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import { type Address, addressOf, nameOf, parseAddress, typeOf } from "../model/address";
import type { State } from "../model/state";
import type { StateSession } from "../state/backend";
import { type Edited, moveResource, removeResources, validatePush } from "../state/edit-state";
import { workspaceMismatch } from "../state/recorded";
import { parseState } from "../state/state-text";
import type { Context, Outcome } from "./context";
import { findRecorded } from "./find-recorded";
import { holdLock } from "./hold-lock";

export interface EditOutcome extends Outcome {
  /** Addresses that moved, or that are forgotten. */
  readonly addresses: readonly Address[];
  /** Serial of the state as written. */
  readonly serial?: number;
}

interface EditRequest {
  readonly lockTimeoutMs: number;
}

/** `rnv state mv`: what lies in it moves along. */
export function moveState(
  context: Context,
  request: EditRequest & { readonly from: string; readonly to: string },
): Promise<EditOutcome> {
  return edit(context, "state mv", request, (session) => {
    const found = findRecorded(session.state, request.from);
    if (found.diagnostic || session.state === undefined) return refused(found.diagnostic);
    const to = parseAddress(request.to);
    if (to === undefined) return refused(notAnAddress(request.to));
    const moves = movesBelow(session.state, found.address, to);
    let moved: Edited = { state: session.state, diagnostics: [] };
    for (const move of moves) {
      if (moved.state !== undefined) moved = moveResource(moved.state, move.from, move.to);
    }
    return { edited: moved, addresses: moves.map((move) => move.to) };
  });
}

/** `rnv state rm`: forgets records with everything in them. The service keeps the things. */
export function removeState(
  context: Context,
  request: EditRequest & { readonly addresses: readonly string[] },
): Promise<EditOutcome> {
  return edit(context, "state rm", request, ({ state }) => {
    const found = request.addresses.map((text) => findRecorded(state, text));
    const unknown = found.flatMap(({ diagnostic }) => (diagnostic ? [diagnostic] : []));
    if (state === undefined || unknown.length > 0) return refused(...unknown);
    const addresses = found.flatMap((one) => (one.diagnostic ? [] : [one.address]));
    const edited = removeResources(state, addresses);
    return { edited, addresses: edited.removed };
  });
}

/** `rnv state push`: replaces the recorded state by the text of another one. */
export function pushState(
  context: Context,
  request: EditRequest & { readonly text: string; readonly name: string; readonly force: boolean },
): Promise<EditOutcome> {
  const incoming = parseState(request.text, request.name);
  return edit(context, "state push", request, (session) => {
    if (incoming.state === undefined) return refused(...incoming.diagnostics);
    const foreign = workspaceMismatch(incoming.state, request.name, context);
    if (foreign) return refused(foreign);
    return { edited: validatePush(session.state, incoming.state, request.force), addresses: [] };
  });
}

interface Edit {
  readonly edited: Edited;
  readonly addresses: readonly Address[];
}

const refused = (...diagnostics: readonly (Diagnostic | undefined)[]): Edit => ({
  edited: { diagnostics: diagnostics.flatMap((diagnostic) => (diagnostic ? [diagnostic] : [])) },
  addresses: [],
});

const notAnAddress = (text: string): Diagnostic =>
  error("command.usage", `"${text}" is not an address`, { hint: "an address looks like service.shop.api" });

/** Edits the state under its lock and writes it, unless the edit was refused. */
function edit(
  context: Context,
  command: string,
  { lockTimeoutMs }: EditRequest,
  change: (session: StateSession) => Edit,
): Promise<EditOutcome> {
  return holdLock(context, { command, timeoutMs: lockTimeoutMs }, async (session) => {
    const { edited, addresses } = change(session);
    if (edited.state === undefined) throw new DiagnosticsError(edited.diagnostics);
    const { serial } = await session.commit(edited.state);
    return { addresses, serial, diagnostics: [], exitCode: 0, sources: new Map<string, string>() };
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
