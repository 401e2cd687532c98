import type { Transport, WireRequest, WireResponse } from "../api/transport";
import type { CatalogAnswer } from "../api/wire/shapes";
import { reasonOf } from "../model/file-error";
import { type Clock, systemClock } from "../model/time";
import { inReading } from "./answers-in-reading";
import {
  assumedGaps,
  type Condition,
  embeddedApiKey,
  embeddedWorkspaceId,
  type GapSwitches,
} from "./behaviour";
import { type Exchange, exchangeUnder, type FaultPlan, type SeenRequest } from "./faults";
import { type Lags, Replicas } from "./lag";
import { FolderPersistence, openFolder } from "./persistence";
import { drawReadings, parseReadings, type Readings } from "./readings";
import { Store, type StoreChange } from "./records";
import { Refusal } from "./refusal";
import { createResponder, dropExpiredReceipts, errorResponse, requestIdOf, targetOf } from "./router";
import { createEmulatorStore, type EmulatorStore } from "./store";
import { catalogIn, embeddedCatalog } from "./views";
import {
  type ApiKey,
  createRateLimiter,
  createSeal,
  type RateLimit,
  type Seal,
  toCredential,
  type World,
} from "./world";

export { embeddedApiKey, embeddedWorkspaceId };

/** One request as it arrived. Holds no credential and no variable value. */
export interface LoggedRequest extends Omit<SeenRequest, "body"> {
  /** As answered; 0 when the connection broke instead. */
  readonly status: number;
  /** Without `authorization` and `cookie`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed when it was JSON. */
  readonly body: unknown;
  readonly requestId: string;
  /** Kind of the fault that it met. */
  readonly fault?: string;
}

const hiddenHeaders = ["authorization", "cookie", "x-csrftoken"];

const shownHeaders = (headers: WireRequest["headers"]): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hiddenHeaders.includes(name)));

/** The body of a log entry; the value of a variable is masked, also in a body that does not parse. */
function shownBody(path: string, body: string | undefined): unknown {
  if (body === undefined || body === "") return undefined;
  const isSecret = /\/variables(\/|$)/.test(path);
  try {
    const value: unknown = JSON.parse(body);
    if (!isSecret || value === null || typeof value !== "object") return isSecret ? "(sensitive)" : value;
    return "value" in value ? { ...value, value: "(sensitive)" } : value;
  } catch {
    return isSecret ? "(sensitive)" : body;
  }
}

/** All data of an embedded service, from which another can start. */
export interface EmulatorImage {
  readonly records: readonly StoreChange[];
  readonly seal: Seal;
  readonly readings: Readings;
}

export interface EmulatorOptions {
  readonly workspaceId?: string;
  /** Default: `embeddedApiKey`, write scope, owner. */
  readonly apiKeys?: readonly ApiKey[];
  readonly clock?: Clock;
  /** Makes ids repeatable; default: secure random ones. */
  readonly random?: () => number;
  /** Data is kept here, readable by the user only; default: in memory. */
  readonly folder?: string;
  /** From `queued` to `live`; default 1.5. */
  readonly deploySeconds?: number;
  /** From `queued` to `complete`; default 0.5. */
  readonly operationSeconds?: number;
  readonly rateLimit?: RateLimit;
  /** None unless said; a catalog whose `workerOnline` is false adds `worker-offline`. */
  readonly conditions?: readonly Condition[];
  /** Spent on the clock before each request is handled. */
  readonly latencyMs?: number;
  readonly faults?: FaultPlan;
  /** The delay of reads behind writes; default: none. */
  readonly lag?: Lags;
  readonly gaps?: Partial<GapSwitches>;
  /**
   * Points that the interface leaves open: a seed, variants to use, or both as a text. The readings of an image or a
   * folder win.
   */
  readonly readings?: number | string | Partial<Readings>;
  readonly catalog?: Partial<CatalogAnswer>;
  /** The stored service that it starts from; in memory only. Its clock must not be behind. */
  readonly image?: EmulatorImage;
}

/**
 * Starts the embedded service. Nothing runs between requests: pending work advances with the next request.
 * @example
 * const emulator = createEmulator({ deploySeconds: 0 });
 * emulator.store.addProject({ name: "Shop" });
 */
export const createEmulator = (options: EmulatorOptions = {}): Emulator => Emulator.start(options);

function createWorld(
  options: EmulatorOptions & { readonly workspaceId: string },
  store: Store,
  clock: Clock,
): World {
  const readings = options.image?.readings ?? readingsOf(options.readings);
  const opened =
    options.folder === undefined ? { key: undefined, readings } : openFolder(options.folder, readings);
  const catalog = catalogIn(opened.readings, { ...embeddedCatalog, ...options.catalog });
  const conditions = new Set<Condition>([
    ...(options.conditions ?? []),
    ...(catalog.capabilities.workerOnline === false ? (["worker-offline"] as const) : []),
  ]);
  const keys = options.apiKeys ?? [{ key: embeddedApiKey, scope: "write", role: "owner" } as const];
  return {
    store,
    replicas: new Replicas(store, clock),
    clock,
    catalog,
    seal: options.image?.seal ?? createSeal(opened.key),
    gaps: { ...assumedGaps, ...options.gaps },
    readings: opened.readings,
    switches: {
      conditions,
      deployMs: (options.deploySeconds ?? 1.5) * 1000,
      operationMs: (options.operationSeconds ?? 0.5) * 1000,
    },
    deploymentFailures: new Map(),
    operationFailures: new Set(),
    credentials: new Map(keys.map((key) => [key.key, toCredential(key, options.workspaceId)])),
    countRequest: createRateLimiter(clock, options.rateLimit),
  };
}

const readingsOf = (chosen: EmulatorOptions["readings"] = 0): Readings =>
  typeof chosen === "object" ? drawReadings(0, chosen) : parseReadings(`${chosen}`);

const inMemory = (store: Store): Pick<FolderPersistence, "refresh" | "commit"> => ({
  refresh: () => {},
  commit: () => void store.takeChanges(),
});

/** The whole service of the interface, embedded. */
export class Emulator {
  readonly workspaceId: string;
  readonly clock: Clock;
  #log: LoggedRequest[] = [];
  #faults: FaultPlan | undefined;
  #index = 0;
  readonly #latencyMs: number;
  readonly #respond: ReturnType<typeof createResponder>;

  /** Starts it as `createEmulator` does. */
  static start(options: EmulatorOptions): Emulator {
    const workspaceId = options.workspaceId ?? embeddedWorkspaceId;
    const clock = options.clock ?? systemClock;
    const store = new Store(clock, options.random);
    const world = createWorld({ ...options, workspaceId }, store, clock);
    if (options.image !== undefined) store.replay(options.image.records);
    const persistence =
      options.folder === undefined ? inMemory(store) : new FolderPersistence(options.folder, store);
    const emulatorStore = createEmulatorStore(world, workspaceId, () => persistence.commit());
    dropExpiredReceipts(store);
    persistence.commit();
    if (options.lag !== undefined) world.replicas.setLag(options.lag);
    return new Emulator(world, persistence, emulatorStore, { ...options, workspaceId });
  }

  private constructor(
    private readonly world: World,
    private readonly persistence: Pick<FolderPersistence, "refresh" | "commit">,
    readonly store: EmulatorStore,
    { workspaceId, faults, latencyMs = 0 }: EmulatorOptions & { readonly workspaceId: string },
  ) {
    this.workspaceId = workspaceId;
    this.clock = world.clock;
    this.#faults = faults;
    this.#latencyMs = latencyMs;
    this.#respond = createResponder(world);
  }

  get log(): readonly LoggedRequest[] {
    return this.#log;
  }

  resetLog(): void {
    this.#log = [];
  }

  /** Replaces the fault plan and counts its requests from 0 again. */
  setFaults(plan: FaultPlan | undefined): void {
    this.#faults = plan;
    this.#index = 0;
  }

  /** Rejects with an error that has a `code` when a fault breaks the connection. */
  async handle(request: WireRequest): Promise<WireResponse> {
    const result = await this.exchange(request);
    if (result.kind === "answer") return result.response;
    throw Object.assign(new Error(`the connection broke: ${result.code}`), { code: result.code });
  }

  /** As `handle`, with a broken connection as a value. */
  async exchange(request: WireRequest): Promise<Exchange> {
    request.signal?.throwIfAborted();
    const { world } = this;
    const target = targetOf(request.url);
    const { method, body } = request;
    const { path } = target;
    const query = target.query.toString();
    const idempotencyKey = request.headers["idempotency-key"];
    const fault = this.#faults?.(this.#index++, { method, path, query, body, idempotencyKey });
    if (this.#latencyMs > 0) await world.clock.sleep(this.#latencyMs, request.signal);
    const requestId = requestIdOf(world, request.headers);
    const result = await exchangeUnder(fault, {
      commit: ({ retain } = { retain: true }) =>
        this.#commit({ request, target, requestId, retains: retain }),
      error: (status, code, message, headers) =>
        errorResponse(requestId, new Refusal(status, code, message, headers)),
      store: this.store,
    });
    this.#log.push({
      ...{ method, path, query, requestId },
      status: result.kind === "answer" ? result.response.status : 0,
      headers: shownHeaders(request.headers),
      body: shownBody(path, body),
      ...{ idempotencyKey, fault: fault?.kind },
    });
    return result.kind === "answer"
      ? { ...result, response: inReading(world, { method, path }, result.response) }
      : result;
  }

  /** Carries requests in-process. */
  transport(): Transport {
    return { send: (request) => this.handle(request), close: async () => {} };
  }

  image(): EmulatorImage {
    return {
      records: [...this.world.store.everything()],
      seal: this.world.seal,
      readings: this.world.readings,
    };
  }

  /** Carries a request out and saves its changes; an error of the service where they cannot be saved. */
  #commit(arrived: Parameters<ReturnType<typeof createResponder>>[0]): WireResponse {
    this.persistence.refresh();
    const response = this.#respond(arrived);
    try {
      this.persistence.commit();
    } catch (cause) {
      const message = `The emulator could not keep its data: ${reasonOf(cause)}`;
      return errorResponse(arrived.requestId, new Refusal(500, "internal_error", message));
    }
    return response;
  }
}
