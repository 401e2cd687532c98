import { error } from "../diagnostics/diagnostic";
import type { LockHolder } from "../state/backend";
import type { Context, Outcome } from "./context";

export interface UnlockOutcome extends Outcome {
  readonly removed?: LockHolder;
}

/** `rnv force-unlock`: removes the lock with that id, whoever holds it. */
export async function forceUnlock(
  context: Pick<Context, "backend">,
  request: { readonly lockId: string },
): Promise<UnlockOutcome> {
  const sources = new Map<string, string>();
  const removed = await context.backend.forceUnlock(request.lockId);
  if (removed) return { removed, diagnostics: [], exitCode: 0, sources };
  const summary = `no lock with id "${request.lockId}" on ${context.backend.location}`;
  const hint = "the message that says the lock is held names its id; a lock that was released has none";
  return { diagnostics: [error("command.usage", summary, { hint })], exitCode: 1, sources };
}
