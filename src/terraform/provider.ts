import { setMaxListeners } from "node:events";
import { type ClientOptions, createClient } from "../api/client";
import { consistently } from "../api/consistent-reads";
import { createEndpoints } from "../api/create-endpoints";
import type { Endpoints } from "../api/endpoints";
import type { GapSettings } from "../api/gaps";
import { createReads, type Reads } from "../api/reads";
import type { Send } from "../api/send";
import { digestBody, writeKey } from "../apply/journaled-send";
import type { Address } from "../model/address";
import type { LiveResource } from "../model/live";
import { Secret } from "../model/secret";
import { sha256 } from "../model/text";
import type { Clock } from "../model/time";
import { resourceTypes } from "../resources";
import type { IntentFiles } from "./apply/intent-files";
import { attributesSent, type KeyedCreate } from "./apply/keyed-create";
import { type ExistenceCache, emptyExistenceCache } from "./confirm-deleted";
import type { Log } from "./log";
import { diagnosticError } from "./messages";
import { type Doubts, noDoubts } from "./plan/doubts";
import type { PlannedNames } from "./plan/planned-names";
import type {
  EventOf,
  ProviderMethod,
  RequestOf,
  ResponseOf,
  StreamingMethod,
  StreamRequestOf,
} from "./protocol";
import { type KnownChanges, noChanges } from "./reactions/known-changes";
import { noOwedRuns, type OwedRuns } from "./reactions/owed-runs";
import { Traffic, usualPlaces } from "./reactions/traffic";
import { shapeOf, type TerraformShape } from "./schema/terraform-shape";
import type { EventSink } from "./server";
import type { Walk } from "./walk";

interface SessionOptions extends ClientOptions {
  readonly workspaceId: string;
  readonly gaps: GapSettings;
  readonly deletionProtection: boolean;
  readonly acceptMissing: boolean;
  /** `RNV_ACCEPT_RESTORED=1`: older versions than the recorded ones are believed. */
  readonly acceptsRestored: boolean;
  readonly intents: IntentFiles;
  /** Aborted by StopProvider: finish calls in flight, start none. */
  readonly signal: AbortSignal;
}

/** Endpoints whose writes bear keys of one seed. */
interface KeyedWrites {
  readonly endpoints: Endpoints;
  /** Of each answer to a write, whether it is that of an earlier request. */
  readonly replays: readonly boolean[];
}

/** A resource that is being deleted: nobody shows it any more, and its name may be taken yet. */
interface LeavingResource {
  readonly type: string;
  readonly name: string;
  readonly parentId: string | undefined;
}

/** A configured provider: one client, and what all calls of this process share. */
export interface Session {
  readonly workspaceId: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly deletionProtection: boolean;
  /** What is missing is gone: people say so. */
  readonly acceptMissing: boolean;
  /** Resources that reads of this process found, and those they did not. */
  readonly existence: ExistenceCache;
  /** Shared by every read and plan; dropped by writes. */
  readonly reads: Reads;
  /** As the workspace was when this process first looked: names that were taken before our writes. */
  readonly before: Reads;
  /** By `addressOfId`: what this process deleted; what it made or adopted, as the answer showed it. */
  readonly removed: Set<Address>;
  /** The deletions under way, by `addressOfId`. */
  readonly deleting: Map<Address, LeavingResource>;
  readonly made: Map<Address, LiveResource | undefined>;
  /** Ids of services for whose variables this apply has failed: they are not deployed with it. */
  readonly incomplete: Set<string>;
  /** Resource types of which this process has planned a new one. */
  readonly plansNew: Set<string>;
  /** By `addressOfId`: what this process has planned as what it is; not what is tainted. */
  readonly plannedAsIs: Set<Address>;
  /** The names that the plans of this process give. */
  readonly plannedNames: PlannedNames;
  /** What the plans of this process are not sure of yet. */
  readonly doubts: Doubts;
  /** Whether Terraform applies in this walk: what it plans once more is no plan for people. */
  isApplying: boolean;
  /** The resources that others react to, as the calls of this process told of them. */
  readonly changes: KnownChanges;
  /** The calls under way. */
  readonly traffic: Traffic;
  /** Runs that go on after their call was answered. */
  readonly owed: OwedRuns;
  /** Names the credential without telling it, 16 hex digits. */
  readonly credential: string;
  readonly baseUrl: string;
  /** Requests as they are, and the endpoints over any way of sending them. */
  readonly send: Send;
  readonly endpoints: (send: Send) => Endpoints;
  /** Whether this process has sent a write. */
  readonly hasWritten: () => boolean;
  /** Keyed writes: the same seed and body give the same key in every process. `sent` is told when one is sent. */
  readonly writes: (seed: string, sent?: { isSent: boolean }) => KeyedWrites;
  /** Digest of all that the key of a create is made of, the credential too. */
  readonly requestOf: (create: Pick<KeyedCreate, "type" | "seed" | "input">) => string;
  /** What this working directory is about to make or delete. */
  readonly intents: IntentFiles;
  /** Masks secrets in all text of the service. */
  readonly redact: (secrets: Iterable<Secret>) => void;
  readonly close: () => Promise<void>;
}

/** Opens a client, and the reads and writes over it. */
export function openSession(options: SessionOptions): Session {
  const { apiKey, workspaceId, gaps, clock, signal } = options;
  const client = createClient(options);
  const send: Send = (request, more) => client.send(request, { signal, ...more });
  const detected = {};
  const { serviceTime } = client;
  const endpoints = consistently((over: Send) => createEndpoints(over, workspaceId, gaps, detected), {
    ...{ clock, signal, serviceTime, acceptsOlder: options.acceptsRestored },
    restoredHint: "RNV_ACCEPT_RESTORED=1 terraform apply",
  });
  const plain = endpoints(send);
  const before = createReads(plain);
  const reads = createReads(plain, before);
  let hasWritten = false;
  const onWrite = (): void => {
    hasWritten = true;
    reads.invalidate();
  };
  // Keys must not tell a secret, and must be the same in the next process of the same credential.
  const secretKey = Buffer.from(apiKey.fingerprint(Buffer.from("rnv terraform"), workspaceId), "hex");
  return {
    workspaceId,
    baseUrl: options.baseUrl,
    credential: secretKey.toString("hex").slice(0, 16),
    send,
    endpoints,
    clock,
    signal,
    deletionProtection: options.deletionProtection,
    acceptMissing: options.acceptMissing,
    existence: emptyExistenceCache(),
    reads,
    before,
    hasWritten: () => hasWritten,
    removed: new Set(),
    deleting: new Map(),
    made: new Map(),
    incomplete: new Set(),
    plansNew: new Set(),
    plannedAsIs: new Set(),
    plannedNames: new Map(),
    doubts: noDoubts(),
    isApplying: false,
    changes: noChanges(),
    traffic: new Traffic(),
    owed: noOwedRuns(),
    intents: options.intents,
    requestOf: (create) => {
      const { type, seed } = create;
      const { digest } = digestBody(Object.fromEntries(attributesSent(create)), secretKey, type.type);
      return sha256([secretKey.toString("hex"), seed, digest].join("\0"));
    },
    writes: (seed, sent = { isSent: false }) => {
      const replays: boolean[] = [];
      const keyed = keyedSend(send, { secretKey, seed, replays, sent, onWrite });
      return { endpoints: endpoints(keyed), replays };
    },
    redact: (secrets) => {
      if (client.redact(secrets)) reads.invalidate();
    },
    close: client.close,
  };
}

/** How the writes of one seed are keyed. */
interface Keying {
  readonly secretKey: Uint8Array;
  readonly seed: string;
  readonly replays: boolean[];
  readonly sent: { isSent: boolean };
  readonly onWrite: () => void;
}

/** Gives writes an idempotency key of their seed, path and body (interface, "Idempotency rules"). */
function keyedSend(send: Send, { secretKey, seed, replays, sent, onWrite }: Keying): Send {
  return async (request, options) => {
    if (request.method === "GET") return send(request, options);
    const { digest } = digestBody(request.body, secretKey, request.path);
    const step = `${request.operation} ${request.path}`;
    const key = request.keyed ? { idempotencyKey: writeKey(seed, "terraform", step, digest) } : {};
    sent.isSent = true;
    try {
      const answer = await send({ ...request, ...key }, options);
      replays.push(answer.replayed === true);
      return answer;
    } finally {
      onWrite();
    }
  };
}

/** The resource types of this provider, as Terraform sees them. */
export const shapes: readonly TerraformShape[] = resourceTypes.map(shapeOf);

/** Names what the resources of a session lie in, and who asks. */
const scopeOf = ({ baseUrl, workspaceId, credential }: Session): string =>
  sha256([baseUrl, workspaceId, credential].join("\0")).slice(0, 16);

/** The state that all calls of one plugin process share. */
export class Provider {
  #session: Session | undefined;
  /** Sensitive values of configurations and states that calls brought along. */
  readonly #sensitive = new Set<string>();
  readonly #stop = new AbortController();
  /** By `addressOfId`: what the state holds, as far as Terraform has shown it, and whether it is protected there. */
  readonly inState = new Map<Address, { readonly isProtected: boolean }>();

  constructor(
    readonly environment: Readonly<Record<string, string | undefined>>,
    readonly cwd: string,
    /** This process, and whether another one of this host runs. */
    readonly host: { readonly pid: number; readonly isAlive: (pid: number) => boolean },
    readonly log: Log,
    /** The walk of Terraform that this process serves. */
    readonly walk: Walk,
  ) {
    // As many calls wait as a configuration has resources.
    setMaxListeners(0, this.#stop.signal);
  }

  /** Undefined before ConfigureProvider, and where its configuration is not known yet. */
  get session(): Session | undefined {
    return this.#session;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  configure(session: Session | undefined): void {
    this.#session?.intents.end();
    this.#session = session;
    const applies = this.walk.begin();
    if (session !== undefined) session.isApplying = applies;
    if (session !== undefined && applies) session.changes.expected = this.walk.planned(scopeOf(session));
    session?.redact([...this.#sensitive].map((text) => new Secret(text)));
  }

  /** This provider before ConfigureProvider. */
  unconfigured(): Provider {
    return new Provider(this.environment, this.cwd, this.host, this.log, this.walk);
  }

  /** Masks texts in all that the service says, also to a session that is opened later. */
  redact(texts: readonly string[]): void {
    const added = texts.filter((text) => !this.#sensitive.has(text));
    for (const text of added) this.#sensitive.add(text);
    this.#session?.redact(added.map((text) => new Secret(text)));
  }

  /** Terraform ended this walk by itself: its state has what it was told. */
  end(): void {
    this.#session?.intents.end();
    this.#leaveCount();
    this.walk.end();
  }

  /** Fewer runs than Terraform has places need not know whether more is to come. */
  #leaveCount(): void {
    if (this.#session === undefined) return;
    if (this.#session.isApplying) {
      this.walk.forgetPlanned();
      return;
    }
    const { changes, isUncertain, runs } = this.#session.changes.count;
    if (runs >= usualPlaces)
      this.walk.leavePlanned(scopeOf(this.#session), isUncertain ? Number.NaN : changes);
  }

  /** Ends every wait: calls in flight return what they have. */
  stop(): void {
    this.#stop.abort(new Error("interrupted"));
  }

  /** Throws `DiagnosticsError` for a call that cannot be answered without the service. */
  requireSession(): Session {
    if (this.#session !== undefined) return this.#session;
    throw diagnosticError("config.missing", "the provider is not configured", {
      detail: "Its configuration depends on something that is not known before apply.",
      hint: "apply what it depends on first, with -target",
    });
  }

  typeNamed(name: string): TerraformShape {
    return requireNamed(shapes, name, "resource type");
  }
}

/** Answers calls of one method. */
export type RpcAnswer<Method extends ProviderMethod> = (
  provider: Provider,
  request: RequestOf<Method>,
) => Promise<ResponseOf<Method>>;

/** Answers calls of one method with events. */
export type StreamingAnswer<Method extends StreamingMethod> = (
  provider: Provider,
  request: StreamRequestOf<Method>,
  events: EventSink<EventOf<Method>>,
) => Promise<void>;

/** Returns the entry of that name; throws `DiagnosticsError` where there is none. */
export function requireNamed<Item extends { readonly name: string }>(
  items: readonly Item[],
  name: string,
  what: string,
): Item {
  const found = items.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw diagnosticError("manifest.unsupported", `this provider has no ${what} "${name}"`);
}
