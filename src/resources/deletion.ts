import { ApiError, unlessAbsent } from "../api/api-error";
import { unprovenStatus } from "../api/consistent-reads";
import type { Endpoints } from "../api/endpoints";
import type { Reads, Resource } from "../api/reads";
import type { Deletion } from "../api/wire/shapes";
import { failure } from "../diagnostics/diagnostic";
import type { Pending } from "../model/live";
import type { Accepted, DeleteInput, Deletes, OperationStatus } from "../model/resource-operations";
import { timeLeft } from "../model/time";

type PendingOf = Deletes<Reads, Endpoints>["pendingOf"];

interface DeletionOf extends Omit<Deletes<Reads, Endpoints>, "pendingOf"> {
  readonly send: (writes: Endpoints, input: DeleteInput) => Promise<Deletion>;
  readonly subject: (id: string, parentId: string | undefined) => Partial<Pending>;
  readonly look: (reads: Reads, subject: Pending) => Promise<DeletionStatus>;
}

export function deletionOf({ send, subject, look, ...others }: DeletionOf) {
  const pendingOf: PendingOf = (id, operationId, parentId) => ({
    kind: "operation",
    id: operationId ?? id,
    ...subject(id, parentId),
    deletes: true,
  });
  return {
    remove: async (writes, input) => acceptedDeletion(input, await send(writes, input), pendingOf),
    deletes: { pendingOf, ...others },
    poll: (reads, pending) => pollDeletion(reads, pending, look),
  } satisfies Pick<Resource, "remove" | "deletes" | "poll">;
}

/** A finished deletion is still to be proven by a read; a queued operation is polled (interface, "Services"). */
function acceptedDeletion(input: DeleteInput, answer: Deletion, pendingOf: PendingOf): Accepted {
  const { id, address, parentId } = input;
  if (answer.deleted) return { id, pending: { ...pendingOf(id, undefined, parentId), isAnswered: true } };
  const { operation } = answer;
  if (operation == null && answer.queued !== true) {
    const summary = `${address}: the platform answered the deletion with "not deleted"`;
    const hint = "look at it in the dashboard, then run again";
    throw failure("apply.not_taken", summary, { address, hint });
  }
  // Without an operation, reads of the resource show the end.
  return { id, pending: pendingOf(id, operation?.id, parentId) };
}

/** The result of a read. `unmarked`: it exists, and would look the same while it is being deleted. */
export type DeletionStatus = "gone" | "deleting" | "exists" | "unmarked" | "unreadable";

/** Limit of a deletion without an operation. */
const longestMs = 5 * 60_000;

/** A deletion is done once `look` proves it, never because its operation ended or is unknown (DESIGN section 4). */
async function pollDeletion(
  reads: Reads,
  pending: Pending,
  look: DeletionOf["look"],
): Promise<OperationStatus> {
  const status = (await operationOf(reads, pending))?.status;
  const hasEnded = pending.isAnswered === true || status === "complete";
  if (status !== undefined && status !== "failed" && !hasEnded) return { kind: "waiting", status };
  // Deletions that have ended may share a recent list.
  const now = reads.fresh(hasEnded ? { mostAgeMs: 250, ignoresWrites: true } : {});
  const shown = await look(now, pending);
  if (shown === "gone") {
    if (!(await now.showAnything())) return { kind: "done", showsNothing: true };
    reads.noteDeleted(pending.variableId ?? pending.serviceId ?? pending.projectId ?? pending.id);
    return { kind: "done" };
  }
  if (status === "failed")
    return {
      kind: "failed",
      summary: "the platform could not carry it out",
      detail: `Its operation ${pending.id} ended as "failed"; the platform does not say why.`,
    };
  return unprovenEnd(shown, { hasEnded, ms: timeLeft(longestMs, pending.since, reads.serviceTime()) });
}

/** Returns the status of a deletion whose end no read proves. It is done if it has ended and nothing can be read. */
function unprovenEnd(
  shown: Exclude<DeletionStatus, "gone">,
  { hasEnded, ms }: { readonly hasEnded: boolean; readonly ms: number },
): OperationStatus {
  if (shown === "unreadable") {
    if (hasEnded) return { kind: "done" };
    return notShown("the platform reports neither the operation nor its log");
  }
  if (shown === "deleting" || (shown === "unmarked" && !hasEnded)) {
    const summary = "the platform shows no operation for it, and it has not ended in 5 minutes";
    return { kind: "waiting", status: "deleting", atMost: { ms, end: { kind: "failed", summary } } };
  }
  const summary = hasEnded
    ? "the API reports its deletion as complete, and still shows it"
    : "the platform shows no operation for it, and it is still there";
  return unprovenStatus("still shown", summary);
}

/** Returns the status of work that no read shows. */
export const notShown = (summary: string): OperationStatus =>
  unprovenStatus("not shown", summary, "unproven");

/** The operation of a deletion, where its id is known and the service shows it. */
async function operationOf(reads: Reads, { serviceId, variableId, projectId, id }: Pending) {
  if (id === serviceId || id === variableId || id === projectId) return undefined;
  if (serviceId !== undefined) return unlessAbsent(() => reads.live.getOperation(serviceId, id));
  if (projectId === undefined) return undefined;
  try {
    return await reads.live.getProjectOperation(projectId, id);
  } catch (failure) {
    // The route is a gap: any answer is possible.
    if (failure instanceof ApiError && (failure.kind === "refused" || failure.kind === "malformed"))
      return undefined;
    throw failure;
  }
}

export async function pollOperation(reads: Reads, { serviceId = "", id }: Pending): Promise<OperationStatus> {
  const operation = await unlessAbsent(() => reads.live.getOperation(serviceId, id));
  if (operation === undefined) return notShown(`the platform does not show operation ${id}`);
  if (operation.status === "complete") return { kind: "done" };
  if (operation.status === "failed")
    return { kind: "failed", summary: `the operation "${operation.kind}" failed`, detail: `operation ${id}` };
  return { kind: "waiting", status: operation.status };
}
