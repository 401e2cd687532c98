import type { State } from "../model/state";
import type { Context } from "./context";
import { holdLock } from "./hold-lock";

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
