import type { Transport, WireRequest, WireResponse } from "../api/transport";
import type { CatalogAnswer } from "../api/wire/shapes";
import { type Clock, systemClock } from "../model/time";
import {
  assumedGaps,
  type Condition,
  embeddedApiKey,
  embeddedWorkspaceId,
  type GapSwitches,
} from "./behaviour";
import { type Exchange, exchangeUnder, type FaultPlan } from "./faults";
import { type Lags, Replicas } from "./lag";
import { FolderPersistence, openFolder, type Persistence } from "./persistence";
import { Store, type StoreChange } from "./records";
import { Refusal } from "./refusal";
import { createResponder, dropExpiredReceipts, errorResponse, requestIdOf, targetOf } from "./router";
import { createEmulatorStore, type EmulatorStore } from "./store";
import { embeddedCatalog } from "./views";
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
export interface LoggedRequest {
  readonly method: string;
  /** Below the base URL. */
  readonly path: string;
  /** Without `?`. */
  readonly query: string;
  /** As answered; 0 when the connection broke instead. */
  readonly status: number;
  /** Without `authorization` and `cookie`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed when it was JSON. */
  readonly body: unknown;
  readonly idempotencyKey?: string;
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

/** All data of one embedded service: another one may start from it. */
export interface EmulatorImage {
  readonly records: readonly StoreChange[];
  readonly seal: Seal;
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
  /** How far reads are behind writes; not at all unless said. */
  readonly lag?: Lags;
  readonly gaps?: Partial<GapSwitches>;
  readonly catalog?: Partial<CatalogAnswer>;
  /** The stored service that it starts from; in memory only. Its clock must not be behind. */
  readonly image?: EmulatorImage;
}

/** The whole service of the interface, embedded. */
export interface Emulator {
  readonly workspaceId: string;
  readonly clock: Clock;
  readonly store: EmulatorStore;
  readonly log: readonly LoggedRequest[];
  resetLog(): void;
  /** Replaces the fault plan and counts its requests from 0 again. */
  setFaults(plan: FaultPlan | undefined): void;
  /** Rejects with an error that has a `code` when a fault breaks the connection. */
  handle(request: WireRequest): Promise<WireResponse>;
  /** As `handle`, with a broken connection as a value. */
  exchange(request: WireRequest): Promise<Exchange>;
  /** Carries requests in-process. */
  transport(): Transport;
  image(): EmulatorImage;
}

/**
 * Starts the embedded service; nothing runs between requests: what is due moves when the next one comes.
 * @example
 * const emulator = createEmulator({ deploySeconds: 0 });
 * emulator.store.addProject({ name: "Shop" });
 */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
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
  return emulatorOf(world, persistence, emulatorStore, { ...options, workspaceId });
}

function createWorld(
  options: EmulatorOptions & { readonly workspaceId: string },
  store: Store,
  clock: Clock,
): World {
  const catalog = { ...embeddedCatalog, ...options.catalog };
  const conditions = new Set<Condition>([
    ...(options.conditions ?? []),
    ...(catalog.capabilities.workerOnline === false ? (["worker-offline"] as const) : []),
  ]);
  const keys = options.apiKeys ?? [{ key: embeddedApiKey, scope: "write", role: "owner" } as const];
  return {
    store,
    replicas: new Replicas({ store, conditions }, clock),
    clock,
    catalog,
    seal:
      options.image?.seal ??
      createSeal(options.folder === undefined ? undefined : openFolder(options.folder).key),
    gaps: { ...assumedGaps, ...options.gaps },
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

const inMemory = (store: Store): Persistence => ({
  refresh: () => {},
  commit: () => void store.takeChanges(),
});

/** The record that an emulator keeps of its requests. */
interface RequestHistory {
  log: LoggedRequest[];
  faults: FaultPlan | undefined;
  /** Of the next request in the fault plan. */
  index: number;
  /** Answers to reads, by URL: a stale one is given again. */
  readonly remembered: Map<string, WireResponse>;
}

/** The parts that answer requests. */
interface EmulatorParts {
  readonly world: World;
  readonly persistence: Persistence;
  readonly store: EmulatorStore;
  readonly respond: ReturnType<typeof createResponder>;
  readonly latencyMs: number;
}

function emulatorOf(
  world: World,
  persistence: Persistence,
  store: EmulatorStore,
  { workspaceId, faults, latencyMs = 0 }: EmulatorOptions & { readonly workspaceId: string },
): Emulator {
  const parts: EmulatorParts = { world, persistence, store, respond: createResponder(world), latencyMs };
  const history: RequestHistory = { log: [], faults, index: 0, remembered: new Map() };
  const exchange = (request: WireRequest): Promise<Exchange> => exchangeWith(parts, history, request);
  const handle = async (request: WireRequest): Promise<WireResponse> => {
    const result = await exchange(request);
    if (result.kind === "answer") return result.response;
    if (result.hold?.afterMs !== undefined) await world.clock.sleep(result.hold.afterMs, request.signal);
    throw Object.assign(new Error(`the connection broke: ${result.code}`), { code: result.code });
  };
  return {
    workspaceId,
    clock: world.clock,
    store,
    get log() {
      return history.log;
    },
    resetLog() {
      history.log = [];
    },
    setFaults(next) {
      history.faults = next;
      history.index = 0;
    },
    handle,
    exchange,
    transport: () => ({ send: handle, close: async () => {} }),
    image: () => ({ records: [...world.store.everything()], seal: world.seal }),
  };
}

/** Answers one request under the fault that meets it, and logs it. */
async function exchangeWith(
  parts: EmulatorParts,
  history: RequestHistory,
  request: WireRequest,
): Promise<Exchange> {
  request.signal?.throwIfAborted();
  const { world, store, latencyMs } = parts;
  const target = targetOf(request.url);
  const { method, body } = request;
  const { path } = target;
  const query = target.query.toString();
  const idempotencyKey = request.headers["idempotency-key"];
  const fault = history.faults?.(history.index++, { method, path, query, body, idempotencyKey });
  if (latencyMs > 0) await world.clock.sleep(latencyMs, request.signal);
  const requestId = requestIdOf(world, request.headers);
  const result = await exchangeUnder(fault, {
    commit: ({ retain } = { retain: true }) => {
      const response = commitOne(parts, { request, target, requestId, retains: retain });
      const isRemembered = method === "GET" && response.status === 200 && fault?.kind !== "stale-list";
      if (isRemembered && history.faults !== undefined) history.remembered.set(request.url, response);
      return response;
    },
    error: (status, code, message, headers) =>
      errorResponse(world, requestId, new Refusal(status, code, message, headers)),
    remembered: history.remembered.get(request.url),
    store,
  });
  history.log.push({
    ...{ method, path, query, requestId },
    status: result.kind === "answer" ? result.response.status : 0,
    headers: shownHeaders(request.headers),
    body: shownBody(path, body),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(fault !== undefined && { fault: fault.kind }),
  });
  if (result.kind !== "answer") return result;
  const { conditions } = world.switches;
  const headers = {
    ...(!conditions.has("no-date") && { date: new Date(world.clock.now()).toUTCString() }),
    ...(conditions.has("deprecated") && deprecationHeaders),
    ...result.response.headers,
  };
  return { ...result, response: { ...result.response, headers } };
}

const deprecationHeaders = {
  deprecation: "@1798761600",
  sunset: "Fri, 01 Jan 2027 00:00:00 GMT",
  link: '<https://docs.example.com/api/v2>; rel="deprecation"; type="text/html"',
};

/** Carries a request out and keeps what it changed; an error of the service where that cannot be kept. */
function commitOne(
  { world, persistence, respond }: EmulatorParts,
  asked: Parameters<EmulatorParts["respond"]>[0],
): WireResponse {
  persistence.refresh();
  const response = respond(asked);
  try {
    persistence.commit();
  } catch (cause) {
    const message = `The emulator could not keep its data: ${(cause as Error).message}`;
    return errorResponse(world, asked.requestId, new Refusal(500, "internal_error", message));
  }
  return response;
}
