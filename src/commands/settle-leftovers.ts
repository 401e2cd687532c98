import { resume } from "../apply/resume";
import type { Resumed, Resuming } from "../apply/resuming";
import type { State } from "../model/state";
import { resourceTypes } from "../resources";
import type { StateSession } from "../state/backend";
import { emptyState, fold } from "../state/fold";
import type { Connection, Context } from "./context";
import { newLineage } from "./new-lineage";

const types = new Map(resourceTypes.map((type) => [type.type, type]));

/** Finds out what became of the writes that an earlier run left open, before anything new is planned or sent. */
export async function settleLeftovers(
  context: Context,
  connection: Connection,
  from: { readonly state: State | undefined; readonly writes: boolean },
  how: Pick<Resuming, "settlesPending" | "repeats"> = {},
): Promise<Resumed> {
  if (!from.state) return { entries: [], carried: [], diagnostics: [] };
  const resumed = await resume({
    state: from.state,
    types,
    reads: connection.reads,
    clock: context.clock,
    credential: context.credential,
    wait: from.writes,
    emit: context.emit,
    signal: context.signal,
    ...how,
  });
  if (resumed.entries.length > 0) connection.reads.invalidate();
  return resumed;
}

/** What is recorded, with what an interrupted run left settled durably before anything new. */
export async function startingState(
  context: Context,
  session: StateSession,
  leftovers: Resumed["entries"],
): Promise<State> {
  if (session.state) {
    if (leftovers.length > 0) await session.append(leftovers, { durable: true });
    return fold(session.state, leftovers);
  }
  const { workspaceId, baseUrl } = context;
  return session.commit(emptyState({ lineage: newLineage(context), workspaceId, baseUrl }));
}
