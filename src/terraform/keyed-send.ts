import type { Send } from "../api/send";
import { digestBody, writeKey } from "../apply/journaled-send";

/** What the keys of some writes are made of: the same seed and body give the same key in every process. */
export interface WriteSeed {
  readonly text: string;
  /** Told of each answer to a keyed write: whether it is that of an earlier request. */
  readonly onAnswer?: (replayed: boolean) => void;
}

/** `send` whose writes bear an idempotency key of their seed, path and body (interface, "Idempotency rules"). */
export function keyedSend(send: Send, secretKey: Uint8Array, seed: WriteSeed, onWrite: () => void): Send {
  return async (request, options) => {
    if (request.method === "GET") return send(request, options);
    const { digest } = digestBody(request.body, secretKey, request.path);
    const step = `${request.operation} ${request.path}`;
    const key = request.keyed ? { idempotencyKey: writeKey(seed.text, "terraform", step, digest) } : {};
    try {
      const answer = await send({ ...request, ...key }, options);
      seed.onAnswer?.(answer.replayed === true);
      return answer;
    } finally {
      onWrite();
    }
  };
}
