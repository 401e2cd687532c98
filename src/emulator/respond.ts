import type { WireRequest, WireResponse } from "../api/transport";
import { bodyLimit, readJson } from "./body";
import type { Call } from "./call";
import { authenticate, type Credential, requireWorkspace, requireWrite } from "./credentials";
import type { ReadClass } from "./lag";
import { progress } from "./progress";
import { keepReceipt, openReceipt } from "./receipts";
import { invalid, notFound, Refusal } from "./refusal";
import type { Match, RouteMatch } from "./routes";
import { Json } from "./views";
import type { World } from "./world";

/** The version prefix that every path stands under. */
export const basePath = "/api/v1";

export interface Service {
  readonly world: World;
  readonly match: Match;
  readonly credentials: ReadonlyMap<string, Credential>;
  readonly countRequest: (credentialId: string) => void;
}

export interface Target {
  /** Below the base URL. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly isVersioned: boolean;
}

/** Splits an absolute URL into what is below the base address. */
export function targetOf(url: string): Target {
  const { pathname, searchParams } = new URL(url, "http://emulator");
  const isVersioned = pathname === basePath || pathname.startsWith(`${basePath}/`);
  return { path: isVersioned ? pathname.slice(basePath.length) : pathname, query: searchParams, isVersioned };
}

const requestIdPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The caller's `X-Request-ID`, replaced when it is missing or invalid. */
export const requestIdOf = (service: Service, headers: WireRequest["headers"]): string => {
  const given = headers["x-request-id"];
  return given !== undefined && requestIdPattern.test(given) ? given : `req-${service.world.store.newId()}`;
};

/** The error body of the interface, in the form that this service is set up with. */
export function errorResponse(
  service: Service,
  requestId: string,
  { status, code, message, headers }: Pick<Refusal, "status" | "code" | "message" | "headers">,
): WireResponse {
  const details = { code, message };
  const body =
    service.world.gaps.errorBody === "nested" ? { requestId, error: details } : { requestId, ...details };
  return jsonResponse(status, JSON.stringify(body), requestId, headers);
}

const jsonResponse = (
  status: number,
  body: string,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): WireResponse => ({
  status,
  headers: { "content-type": "application/json", "x-request-id": requestId, ...headers },
  body,
});

/** Handles one request, which goes to `target`, and commits it to memory. `retain: false` loses the receipt of a keyed write. */
export function respond(
  service: Service,
  request: WireRequest,
  target: Target,
  requestId: string,
  options: { readonly retain: boolean },
): WireResponse {
  try {
    progress(service.world);
    return accepted(service, request, target, requestId, options.retain);
  } catch (cause) {
    if (cause instanceof Refusal) return errorResponse(service, requestId, cause);
    const message = cause instanceof Error ? cause.message : "Unexpected failure";
    return errorResponse(service, requestId, new Refusal(500, "internal_error", message));
  }
}

function accepted(
  service: Service,
  request: WireRequest,
  target: Target,
  requestId: string,
  retain: boolean,
): WireResponse {
  if (Buffer.byteLength(request.body ?? "") > bodyLimit) {
    throw new Refusal(413, "payload_too_large", `A body may hold ${bodyLimit} bytes`);
  }
  const { headers } = request;
  const credential = authenticate(headers.authorization, service.credentials, service.world.clock.now());
  service.countRequest(credential.id);
  if (!target.isVersioned) throw notFound("The path");
  const match = service.match(request.method, target.path);
  requireWorkspace(credential, match.params.workspaceId);
  const isWrite = request.method !== "GET";
  if (isWrite) requireWrite(credential, match.route.role ?? "developer");

  const key = headers["idempotency-key"];
  if (key !== undefined && match.route.key === "rejected") {
    throw invalid("This request takes no Idempotency-Key", "idempotency_not_supported");
  }
  const call: Call = {
    world: match.route.shows === undefined ? service.world : shownWorld(service.world, match.route.shows),
    method: request.method,
    path: target.path,
    params: match.params,
    query: target.query,
    body: isWrite ? readBody(match, request) : {},
    credential,
    workspaceId: credential.workspaceId,
    ...(match.route.key === "accepted" && key !== undefined && { idempotencyKey: key }),
  };
  if (call.idempotencyKey !== undefined)
    return handleKeyed(call, match, call.idempotencyKey, requestId, retain);
  if (call.world !== service.world) countBehind(service.world, match, call);
  return jsonResponse(200, textOf(match.route.handle(call)), requestId);
}

/** Counts a lagging read whose answer is not that of now. */
function countBehind(world: World, { route }: RouteMatch, call: Call): void {
  const told = (from: Call): string => {
    try {
      return textOf(route.handle(from));
    } catch (cause) {
      if (cause instanceof Refusal) return cause.code;
      throw cause;
    }
  };
  if (told(call) !== told({ ...call, world })) world.replicas.answersBehind += 1;
}

/** The service as a read shows it: as it is, or as it was. */
function shownWorld(world: World, shows: ReadClass): World {
  const { store, conditions } = world.replicas.view(shows);
  if (store === world.store) return world;
  return { ...world, store, switches: { ...world.switches, conditions: new Set(conditions) } };
}

function readBody({ route }: RouteMatch, request: WireRequest): Record<string, unknown> {
  if (!route.bodyless) return readJson(request.body, request.headers["content-type"]);
  if (request.body !== undefined && request.body !== "" && request.body !== "{}") {
    throw invalid("This request takes no body");
  }
  return {};
}

/** A retained answer is sent again as it was; a new one is retained when it is successful. */
function handleKeyed(
  call: Call,
  match: RouteMatch,
  key: string,
  requestId: string,
  retain: boolean,
): WireResponse {
  const write = openReceipt(call, key);
  if (write.replay !== undefined) {
    const { status, body } = write.replay;
    return jsonResponse(status, JSON.stringify(body), requestId, replayed(call, true));
  }
  const body = match.route.handle(call);
  if (retain) keepReceipt(call, write, 200, body);
  return jsonResponse(200, textOf(body), requestId, replayed(call, false));
}

/** The header of Idempotency rule 4; its name is a gap. */
function replayed({ world }: Call, isReplay: boolean): Readonly<Record<string, string>> {
  const { replayHeader } = world.gaps;
  return replayHeader === undefined ? {} : { [replayHeader]: String(isReplay) };
}

const textOf = (body: unknown): string => (body instanceof Json ? body.text : JSON.stringify(body));
