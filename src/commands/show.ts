import type { Address } from "../model/address";
import type { RecordedResource, State } from "../model/state";
import type { Context, Outcome } from "./context";
import { findRecorded } from "./find-recorded";

export interface ShowOutcome extends Outcome {
  /** Undefined when nothing is recorded yet. */
  readonly state?: State;
  /** What was asked for by address. */
  readonly found?: { readonly address: Address; readonly recorded: RecordedResource };
}

/** `rnv show`, `rnv state list|show|pull`: what is recorded, as a whole or for one address. Takes no lock. */
export async function show(
  context: Pick<Context, "backend">,
  request: { readonly address?: string } = {},
): Promise<ShowOutcome> {
  const state = await context.backend.read();
  const sources = new Map<string, string>();
  if (request.address === undefined) return { state, diagnostics: [], exitCode: 0, sources };
  const found = findRecorded(state, request.address);
  if (found.diagnostic) return { state, diagnostics: [found.diagnostic], exitCode: 1, sources };
  return { state, found, diagnostics: [], exitCode: 0, sources };
}
