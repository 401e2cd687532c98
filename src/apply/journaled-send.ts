import { ApiError } from "../api/api-error";
import type { ApiRequest, ApiResponse, Send } from "../api/send";
import type { Address } from "../model/address";
import type { Clock } from "../model/clock";
import type { Intent, RecordedResource, RunRecord } from "../model/state";
import type { RunJournal } from "./run-journal";
import { digestBody, writeKey } from "./write-key";

export interface JournaledWrites {
  readonly send: Send;
  readonly journal: RunJournal;
  readonly run: RunRecord;
  /** Writes that an interrupted run of the same credential left open: repeated under their own keys. */
  readonly carried: readonly Intent[];
  readonly clock: Clock;
  readonly secretKey: Uint8Array;
  readonly address: Address;
  readonly type: string;
  readonly name: string;
  readonly parentId?: string;
  /** Only fields that take effect at once are sent: no reason for a deployment. */
  readonly takesEffectAtOnce: boolean;
  /** The same write once more in one run, on purpose: under another key. */
  readonly isAgain?: true;
  /** What to record once the first write of this change is known to have happened, given the id it made. */
  readonly provisional: (id: string | undefined) => RecordedResource | null;
  /** What to record once a deletion was accepted: nothing when it has ended, else where its end shows. */
  readonly deleted: (hasEnded: boolean, operationId: string | undefined) => RecordedResource | null;
}

/**
 * `send` for the writes of one change: each gets its key, a durable intent before its first byte and an outcome
 * after its answer. An answer that says nothing certain leaves the intent open.
 */
export function journaledSend(writes: JournaledWrites): Send {
  return async (request, options) => {
    if (request.method === "GET") return writes.send({ ...request, address: writes.address }, options);
    if (!request.keyed) return sendUnkeyed(writes, request, options);
    const { key, intent } = intentOf(writes, request);
    const carried = writes.carried.filter((open) => open.key === key);
    const attempts = writes.journal.openAt(writes.address).filter((open) => open.key === key);
    const earlier = new Set([...carried, ...attempts].map((open) => open.seq));
    const seq = await writes.journal.intend(intent);
    try {
      const answer = await writes.send({ ...request, address: writes.address, idempotencyKey: key }, options);
      const id = idOf(answer);
      // An answer without an id does not say what was made: the intent stays open until that is found out.
      if (id !== undefined || request.method === "DELETE")
        await writes.journal.close(
          [seq, ...earlier],
          { result: "done", status: answer.status, id },
          after(writes, request, answer),
        );
      return answer;
    } catch (failure) {
      if (failure instanceof ApiError && happenedNot(failure)) {
        // A refusal of this attempt says nothing of those before it.
        await writes.journal.close([seq], { result: "refused", status: failure.status ?? 0 });
      }
      throw failure;
    }
  };
}

async function sendUnkeyed(writes: JournaledWrites, request: ApiRequest, options: Parameters<Send>[1]) {
  const answer = await writes.send({ ...request, address: writes.address }, options);
  await writes.journal.record(writes.address, writes.provisional(idOf(answer)));
  return answer;
}

function intentOf(
  writes: JournaledWrites,
  request: ApiRequest,
): { key: string; intent: Omit<Intent, "seq"> } {
  const { digest, body } = digestBody(request.body, writes.secretKey, writes.address);
  const step = `${request.operation} ${request.path}${writes.isAgain ? " again" : ""}`;
  const carried = writes.carried.find(
    (open) =>
      open.address === writes.address &&
      open.operation === request.operation &&
      open.path === request.path &&
      open.bodyDigest === digest,
  );
  const key = carried?.key ?? writeKey(writes.run.id, writes.address, step, digest);
  return {
    key,
    intent: {
      runId: carried?.runId ?? writes.run.id,
      address: writes.address,
      type: writes.type,
      operation: request.operation,
      method: request.method,
      path: request.path,
      key,
      bodyDigest: digest,
      ...(body === undefined ? {} : { body }),
      name: writes.name,
      ...(writes.parentId === undefined ? {} : { parentId: writes.parentId }),
      ...(writes.takesEffectAtOnce ? { takesEffect: "at once" as const } : {}),
      at: new Date(writes.clock.now()).toISOString(),
    },
  };
}

const after = (writes: JournaledWrites, { method }: ApiRequest, answer: ApiResponse) => ({
  address: writes.address,
  resource:
    method === "DELETE"
      ? writes.deleted((answer.body as { deleted?: unknown } | null)?.deleted === true, idOf(answer))
      : writes.provisional(idOf(answer)),
});

/** A key that the service knows already says that an attempt of this write, or of another one, did arrive. */
const happenedNot = ({ kind, code }: ApiError): boolean =>
  (kind === "refused" || kind === "unauthorized" || kind === "unavailable") &&
  !/^idempotency_/.test(code ?? "");

/** The id of what an answer is about: `{service: {id}}`, `{deployment: {id}}`, or a bare object. */
function idOf(answer: ApiResponse): string | undefined {
  const body = answer.body;
  if (body === null || typeof body !== "object") return undefined;
  for (const candidate of [body, ...Object.values(body)]) {
    if (
      candidate !== null &&
      typeof candidate === "object" &&
      typeof (candidate as { id?: unknown }).id === "string"
    ) {
      return (candidate as { id: string }).id;
    }
  }
  return undefined;
}
