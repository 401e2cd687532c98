import { createClient } from "../api/client";
import { createEndpoints } from "../api/create-endpoints";
import type { Endpoints } from "../api/endpoints";
import type { GapSettings } from "../api/gaps";
import type { Reads } from "../api/reads";
import { createReads } from "../api/reads";
import type { Send } from "../api/send";
import type { Transport } from "../api/transport";
import type { Address } from "../model/address";
import type { LiveResource } from "../model/live";
import type { Secret } from "../model/secret";
import type { Clock } from "../model/time";
import { type ExistenceCache, emptyExistenceCache } from "./confirm-deleted";
import { keyedSend, type WriteSeed } from "./keyed-send";

export interface SessionOptions {
  readonly baseUrl: string;
  readonly workspaceId: string;
  readonly apiKey: Secret;
  readonly gaps: GapSettings;
  readonly maxConcurrency?: number;
  readonly deletionProtection: boolean;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly userAgent: string;
  /** Aborted by StopProvider: finish calls in flight, start none. */
  readonly signal: AbortSignal;
}

/** A configured provider: one client, and what all calls of this process share. */
export interface Session {
  readonly workspaceId: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly deletionProtection: boolean;
  /** What reads of this process found, and what they did not. */
  readonly existence: ExistenceCache;
  /** Shared by every read and plan; dropped by writes. */
  readonly reads: Reads;
  /** As the workspace was when this process first looked: names that were taken before our writes. */
  readonly before: Reads;
  /** By `addressOfId`: what this process deleted; what it made or adopted, as the answer showed it. */
  readonly removed: Set<Address>;
  readonly made: Map<Address, LiveResource | undefined>;
  /** The canvas of one scope, read anew. */
  readonly canvas: Endpoints["canvas"];
  /** Endpoints whose writes bear keys of that seed. */
  readonly writes: (seed: WriteSeed) => Endpoints;
  /** Masks secrets in all text of the service. */
  readonly redact: (secrets: Iterable<Secret>) => void;
  readonly close: () => Promise<void>;
}

export function openSession(options: SessionOptions): Session {
  const { apiKey, workspaceId, gaps, clock, signal } = options;
  const client = createClient({ ...options, maxConcurrency: options.maxConcurrency });
  const send: Send = (request, more) => client.send(request, { signal, ...more });
  const detected = {};
  const endpoints = (over: Send): Endpoints => createEndpoints(over, workspaceId, gaps, detected);
  const plain = endpoints(send);
  const reads = createReads(plain);
  // Keys must not tell a secret, and must be the same in the next process of the same credential.
  const secretKey = Buffer.from(apiKey.fingerprint(Buffer.from("rnv terraform"), workspaceId), "hex");
  return {
    workspaceId,
    clock,
    signal,
    deletionProtection: options.deletionProtection,
    existence: emptyExistenceCache(),
    reads,
    before: createReads(plain),
    canvas: plain.canvas,
    removed: new Set(),
    made: new Map(),
    writes: (seed) => endpoints(keyedSend(send, secretKey, seed, () => reads.invalidate())),
    redact: (secrets) => {
      if (client.redact(secrets)) reads.invalidate();
    },
    close: client.close,
  };
}
