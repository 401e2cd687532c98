import { touching, withRuns } from "../model/history";
import type { RunOrigin, State, Touched } from "../model/state";
import type { Context } from "./context";

export const startRun = (
  { startedBy, host }: Context,
  command: string,
  touched: readonly Touched[],
  files: readonly string[] = [],
): RunOrigin => ({ command, ...(startedBy?.(files) ?? { by: host }), ...touching(touched) });

/** Returns an edited state with the run that edited it. */
export function withEdit(
  context: Context,
  command: string,
  touched: readonly Touched[],
  state: State,
  id = Buffer.from(context.randomBytes(16)).toString("hex"),
): State {
  const at = new Date(context.clock.now()).toISOString();
  const run = {
    ...startRun(context, command, touched),
    id,
    startedAt: at,
    endedAt: at,
    digest: "",
    exitCode: 0,
  };
  return { ...state, history: withRuns(state.history, null, run) };
}
