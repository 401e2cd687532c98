import { setMaxListeners } from "node:events";
import { type ClientOptions, createClient } from "./client";
import { type ConsistencyOptions, consistently } from "./consistent-reads";
import { createEndpoints } from "./endpoints";
import type { GapSettings } from "./gaps";
import { createReads } from "./reads";
import type { KnownSecrets } from "./recorded-values";
import type { Send } from "./request";

export interface ConnectionOptions extends ClientOptions, Omit<ConsistencyOptions, "clock" | "serviceTime"> {
  readonly workspaceId: string;
  readonly gaps: GapSettings;
  /** Aborted once no request may start any more. */
  readonly signal: AbortSignal;
}

export type Connection = ReturnType<typeof openConnection>;

/** Opens a client, and the reads and endpoints of a workspace over it. `runId`, the id of the run, is in every request. */
export function openConnection(options: ConnectionOptions) {
  const { workspaceId, gaps, signal } = options;
  const client = createClient(options);
  const { runId, mask, serviceTime } = client;
  const closing = new AbortController();
  const ended = AbortSignal.any([signal, closing.signal]);
  // Every request listens; that many listeners are no leak.
  setMaxListeners(0, ended);
  const send: Send = (request, more) => client.send(request, { signal: ended, ...more });
  const detected = {};
  const make = (over: Send) => createEndpoints(over, workspaceId, gaps, detected);
  const endpoints = consistently(make, { ...options, serviceTime });
  const own = endpoints(send);
  /** Masks secrets in all text of the service. Earlier answers that repeat any of them are read again. */
  const redact = (known: KnownSecrets): void => {
    if (client.redact(known)) own.consistency.expireReads();
  };
  const close = async () => {
    // Requests that were sent ahead may still wait in the queue.
    closing.abort();
    await client.close();
  };
  return { runId, send, endpoints, redact, mask, reads: createReads(own), close };
}
