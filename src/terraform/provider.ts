import { setMaxListeners } from "node:events";
import { type ConnectionOptions, openConnection } from "../api/connection";
import type { Endpoints } from "../api/endpoints";
import type { Reads } from "../api/reads";
import type { Send } from "../api/request";
import { digestBody, writeKey } from "../apply/journaled-send";
import { failure } from "../diagnostics/diagnostic";
import { Secret } from "../model/secret";
import { resourceTypes } from "../resources";
import { decodeObject, type TerraformObject } from "./codec";
import type { Log } from "./log";
import { diagnosticMessages } from "./messages";
import type { EventSink } from "./plugin-server";
import type { ProviderMethod, RequestOf, ResponseOf, StreamingMethod } from "./protocol";
import type { Schema } from "./schema/block";
import { checkConfig } from "./schema/check-config";
import { shapeOf, type TerraformShape } from "./schema/terraform-shape";
import { variablesSchema } from "./schema/variables-schema";

export interface SessionOptions extends ConnectionOptions {
  readonly deletionProtection: boolean;
  /** Resources that the service does not show leave the state, without proof that they are deleted. */
  readonly acceptMissing: boolean;
}

/** A configured provider: one client, and its cache of reads. An answer depends on nothing else that calls share. */
export interface Session
  extends Pick<SessionOptions, "acceptMissing" | "clock" | "deletionProtection" | "signal" | "workspaceId"> {
  /** Shared by every read and plan. */
  readonly reads: Reads;
  /** Endpoints whose writes have idempotency keys: the same seed, path and body give the same key. */
  readonly writes: (seed: string) => Endpoints;
  readonly inTurn: <T>(key: string, work: () => Promise<T>) => Promise<T>;
  readonly redact: (secrets: readonly Secret[]) => void;
  readonly close: () => Promise<void>;
  /** The service's time when the provider was configured, ISO 8601. */
  startedAt?: string | undefined;
}

/** Returns a session whose lists are new enough to prove a name free, and for a data source: one second old at most. */
export const recentSession = (session: Session): Session => ({
  ...session,
  reads: session.reads.fresh({ mostAgeMs: 1000 }),
});

export function openSession(options: SessionOptions): Session {
  const { apiKey, workspaceId, clock, signal, deletionProtection, acceptMissing } = options;
  const { send, endpoints, reads, redact, close } = openConnection(options);
  // Keys must not show a secret.
  const secretKey = Buffer.from(apiKey.fingerprint(Buffer.from("rnv terraform"), workspaceId), "hex");
  return {
    workspaceId,
    clock,
    signal,
    deletionProtection,
    acceptMissing,
    reads,
    writes: (seed) => endpoints(keyedSend(send, secretKey, seed)),
    inTurn: turns(),
    redact: (secrets) => redact({ secrets, outside: secrets }),
    close,
  };
}

function turns(): Session["inTurn"] {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, turn);
    return turn;
  };
}

/** Gives writes an idempotency key of their seed, path and body (interface, "Idempotency rules"). */
function keyedSend(send: Send, secretKey: Uint8Array, seed: string): Send {
  return async (request, options) => {
    if (request.method === "GET") return send(request, options);
    const { digest } = digestBody(request.body, secretKey, request.path);
    const step = `${request.operation} ${request.path}`;
    const key = request.keyed ? { idempotencyKey: writeKey(seed, "terraform", step, digest) } : {};
    return send({ ...request, ...key }, options);
  };
}

export const shapes: readonly TerraformShape[] = resourceTypes.map(shapeOf);

export const resourceSchemas: readonly Schema[] = [...shapes, variablesSchema];

/** The plugin process: its surroundings, and the session once it is configured. */
export class Provider {
  /** Undefined before ConfigureProvider, and where its configuration is not known yet. */
  session: Session | undefined;
  /** Sensitive values of configurations and states that calls brought along. */
  readonly #sensitive = new Set<string>();
  readonly #stop = new AbortController();
  readonly signal: AbortSignal = this.#stop.signal;

  constructor(
    readonly environment: Readonly<Record<string, string | undefined>>,
    readonly cwd: string,
    readonly log: Log,
  ) {
    // As many calls wait as a configuration has resources.
    setMaxListeners(0, this.signal);
  }

  configure(session: Session | undefined): void {
    this.session = session;
    session?.redact([...this.#sensitive].map((text) => new Secret(text)));
  }

  /** Masks texts in all that the service says, also to a session that is opened later. */
  redact(texts: readonly string[]): void {
    const added = texts.filter((text) => !this.#sensitive.has(text));
    for (const text of added) this.#sensitive.add(text);
    this.session?.redact(added.map((text) => new Secret(text)));
  }

  stop(): void {
    this.#stop.abort(new Error("interrupted"));
  }

  /** Throws `DiagnosticsError` for a call that cannot be answered without the service. */
  requireSession(): Session {
    if (this.session !== undefined) return this.session;
    throw failure("config.missing", "the provider is not configured", {
      detail: "Its configuration depends on something that is not known before apply.",
      hint: "apply what it depends on first, with -target",
    });
  }

  typeNamed(name: string): TerraformShape {
    return requireNamed(shapes, name, "resource type");
  }
}

export interface TypeInSession {
  readonly session: Session;
  readonly type: TerraformShape;
}

export type RpcAnswer<Method extends ProviderMethod> = (
  provider: Provider,
  request: RequestOf<Method>,
) => Promise<ResponseOf<Method>>;

export type StreamingAnswer<Method extends StreamingMethod> = (
  provider: Provider,
  request: RequestOf<Method>,
  events: EventSink<ResponseOf<Method>>,
) => Promise<void>;

/** Returns the entry of that name; throws `DiagnosticsError` where there is none. */
export function requireNamed<Item extends { readonly name: string }>(
  items: readonly Item[],
  name: string,
  what: string,
): Item {
  const found = items.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw failure("manifest.unsupported", `this provider has no ${what} "${name}"`);
}

type Configured = Pick<RequestOf<"ReadDataSource">, "typeName" | "config">;

export function configured<Item extends Schema>(
  items: readonly Item[],
  what: string,
  { typeName, config }: Configured,
): readonly [Item, TerraformObject] {
  const item = requireNamed(items, typeName, what);
  return [item, decodeObject(item.valueType, config) ?? {}];
}

/** Answers the validation of a configuration, beyond the checks of core. */
export const validator =
  (items: readonly Schema[], what: string) => async (_provider: Provider, request: Configured) => {
    const [{ block }, config] = configured(items, what, request);
    return { diagnostics: diagnosticMessages(checkConfig(block, config)) };
  };
