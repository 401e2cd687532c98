import { recover } from "../apply/recover";
import type { Recovery, RecoveryContext } from "../apply/run";
import { awaitPending } from "../apply/settle";
import type { State } from "../model/state";
import { makePlan } from "../plan/make-plan";
import type { PlanInput } from "../plan/plan";
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
  how: Pick<RecoveryContext, "settlesPending" | "repeats"> = {},
): Promise<Recovery> {
  if (!from.state) return nothingLeft;
  const resumed = await recover({
    ...recoveryContextOf(context, connection, from.state),
    wait: from.writes,
    ...how,
  });
  if (resumed.entries.length > 0) connection.reads.invalidate();
  return resumed;
}

const recoveryContextOf = (context: Context, { reads }: Connection, state: State): RecoveryContext => {
  const { clock, credential, emit, signal, say } = context;
  return { state, types, reads, clock, credential, wait: true, emit, signal, say };
};

/**
 * Waits for what an earlier run left pending where the plan of `input` leaves it as it is: what a plan replaces or
 * removes is not worth a wait. All at once, each as its own timeout says. Nothing without `input`.
 */
export async function awaitLeftovers(
  context: Context,
  connection: Connection,
  input: PlanInput | undefined,
): Promise<Recovery> {
  const { state, options } = input ?? {};
  const isAnyPending = Object.values(state?.resources ?? {}).some(({ pending }) => pending !== undefined);
  if (!input || !state || !isAnyPending || options?.mode !== "apply") return nothingLeft;
  const recovering = recoveryContextOf(context, connection, state);
  const settled = await Promise.all(
    makePlan(input).changes.map(({ address, action, instance: { recorded, resolved } }) => {
      const waitPolicy = recorded && types.get(recorded.type)?.reacts?.waitPolicy?.(resolved);
      if (!recorded?.pending || action !== "no-op" || !waitPolicy?.wait) return nothingLeft;
      return awaitPending(recovering, address, recorded, waitPolicy.timeoutMs);
    }),
  );
  const entries = settled.flatMap((one) => one.entries);
  if (entries.length > 0) connection.reads.invalidate();
  return { entries, retriableIntents: [], diagnostics: settled.flatMap((one) => one.diagnostics) };
}

const nothingLeft: Recovery = { entries: [], retriableIntents: [], diagnostics: [] };

/** What is recorded, with what an interrupted run left settled durably before anything new. */
export async function startingState(
  context: Context,
  session: StateSession,
  leftovers: Recovery["entries"],
): Promise<State> {
  if (session.state) {
    if (leftovers.length > 0) await session.append(leftovers, { durable: true });
    return fold(session.state, leftovers);
  }
  const { workspaceId, baseUrl } = context;
  return session.commit(emptyState({ lineage: newLineage(context), workspaceId, baseUrl }));
}
