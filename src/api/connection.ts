import { setMaxListeners } from "node:events";
import { type Client, type ClientOptions, createClient } from "./client";
import { type ConsistencyOptions, consistently } from "./consistent-reads";
import { createEndpoints, type Endpoints } from "./endpoints";
import type { GapSettings } from "./gaps";
import { createReads, type Reads } from "./reads";
import type { Send } from "./send";

export interface ConnectionOptions extends ClientOptions, Omit<ConsistencyOptions, "clock" | "serviceTime"> {
  readonly workspaceId: string;
  readonly gaps: GapSettings;
  /** Aborted once no request may start any more. */
  readonly signal: AbortSignal;
}

/** The client of a workspace; `runId`, the id of the run, is in every request. */
export interface Connection extends Pick<Client, "runId" | "send" | "mask" | "close"> {
  readonly reads: Reads;
  /** The endpoints over any `Send`: apply wraps it with keys and journal. */
  readonly endpoints: (send: Send) => Endpoints;
  /** Masks secrets in all text of the service. Earlier answers that repeat any of them are read again. */
  readonly redact: (...known: Parameters<Client["redact"]>) => void;
}

/** Opens a client, and the reads and endpoints of a workspace over it. */
export function openConnection(options: ConnectionOptions): Connection {
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
  const redact: Connection["redact"] = (known) => {
    if (client.redact(known)) own.consistency.expireReads();
  };
  const close = async () => {
    // Requests that were sent ahead may still wait in the queue.
    closing.abort();
    await client.close();
  };
  return { runId, send, endpoints, redact, mask, reads: createReads(own), close };
}
