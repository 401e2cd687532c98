import { touching, withRuns } from "../model/history";
import type { State, Touched } from "../model/state";
import type { Context } from "./context";

/** Returns an edited state with the run that edited it. */
export function withEdit(
  { clock, randomBytes, host, startedBy }: Context,
  { command, touched }: { readonly command: string; readonly touched: readonly Touched[] },
  state: State,
  id = Buffer.from(randomBytes(16)).toString("hex"),
): State {
  const at = new Date(clock.now()).toISOString();
  const by = startedBy?.([]) ?? { by: host };
  const run = { ...by, id, command, ...touching(touched), startedAt: at, endedAt: at };
  return { ...state, history: withRuns(state.history, null, { ...run, digest: "", exitCode: 0 }) };
}
