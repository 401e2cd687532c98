import { ApiError } from "../api/api-error";
import type { Reads } from "../api/reads";
import type { Deletion } from "../api/wire/common";
import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { Pending } from "../model/pending";
import type { Accepted, DeleteInput, Settled } from "../model/resource-type";

/** A DELETE was answered: done, or queued as an operation that is polled (interface, "Services"). */
export function acceptedDeletion(
  input: DeleteInput,
  answer: Deletion,
  pendingOf: (id: string, operationId: string | undefined) => Pending,
): Accepted {
  if (answer.deleted) return { id: input.id };
  const { operation } = answer;
  if (operation == null && answer.queued !== true) {
    throw new DiagnosticsError([
      error("apply.not_taken", `${input.address}: the service answered the deletion with "not deleted"`, {
        address: input.address,
        hint: "look at it in the dashboard, then run again",
      }),
    ]);
  }
  // Queued without an operation to ask for: the thing itself tells when it is gone.
  return { id: input.id, pending: pendingOf(input.id, operation?.id) };
}

/** A look at an operation of a service; `whenUnknown` decides once the service no longer shows it. */
export async function pollOperation(
  reads: Reads,
  pending: Pending,
  whenUnknown: () => Promise<Settled>,
): Promise<Settled> {
  if (pending.serviceId === undefined) return whenUnknown();
  const { serviceId, id } = pending;
  const operation = await unlessGone(() => reads.live.getOperation(serviceId, id));
  if (operation === undefined) return whenUnknown();
  if (operation.status === "complete") return { kind: "done" };
  if (operation.status === "failed") {
    return { kind: "failed", summary: `the operation "${operation.kind}" failed`, detail: `operation ${id}` };
  }
  return { kind: "waiting", status: operation.status };
}

/** The answer, or undefined where the service says 404, or 405 because the route is missing. */
export async function unlessGone<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (failure) {
    if (failure instanceof ApiError && (failure.status === 404 || failure.status === 405)) return undefined;
    throw failure;
  }
}
