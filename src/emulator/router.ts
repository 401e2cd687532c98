import type { WireRequest, WireResponse } from "../api/transport";
import { uuidPattern } from "../model/address";
import { canonicalJson, type Plain } from "../model/value";
import type { Call, Route } from "./call";
import { keptBody } from "./kept-values";
import { progress } from "./queued-work";
import { bodyLimit, conflict, invalid, notFound, Refusal, readJson } from "./refusal";
import { shownCatalog } from "./response-views";
import { canvasRoutes } from "./routes/canvas-routes";
import { deploymentRoutes, rollBackRoutes } from "./routes/deployment-routes";
import { projectGapRoutes, projectRoutes } from "./routes/project-routes";
import { serviceGapRoutes, serviceRoutes } from "./routes/service-routes";
import { listVariablesRoutes, variableRoutes } from "./routes/variable-routes";
import { authenticate, requireWorkspace, requireWrite, type World } from "./world";

interface RouteMatch {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the route of a method and a path below the base URL; throws 404 or, with `Allow`, 405. */
type Match = (method: string, path: string) => RouteMatch;

const parameter = /\{(\w+)\}/g;

function createRouter({ gaps, readings }: World): Match {
  const routes = [
    ...catalogRoutes,
    ...projectRoutes,
    ...projectGapRoutes(gaps),
    ...serviceRoutes,
    ...serviceGapRoutes(gaps),
    ...deploymentRoutes,
    ...rollBackRoutes(gaps),
    ...variableRoutes,
    ...listVariablesRoutes(gaps),
    ...canvasRoutes,
  ].map((route) => ({
    route,
    pattern: new RegExp(`^${route.path.replace(parameter, (_, name) => `(?<${name}>[^/]+)`)}$`),
  }));

  return (method, path) => {
    const found = routes.filter(({ pattern }) => pattern.test(path));
    const match = found.find(({ route }) => route.method === method);
    if (match !== undefined) {
      const groups = match.pattern.exec(path)?.groups ?? {};
      const wrong = Object.entries(groups).find(([, id]) => !uuidPattern.test(id));
      if (wrong !== undefined)
        throw readings.malformedId === "400" ? invalid(`${wrong[0]}: must be a UUID`) : notFound("The path");
      const params = Object.entries(groups).map(([name, id]) => [name, id.toLowerCase()]);
      return { route: match.route, params: Object.fromEntries(params) };
    }
    if (found.length === 0) throw notFound("The path");
    const allow = found.map(({ route }) => route.method).join(", ");
    throw new Refusal(405, "method_not_allowed", `${method} is not supported here`, { allow });
  };
}

export const basePath = "/api/v1";

export function targetOf(url: string) {
  const { pathname, searchParams } = new URL(url, "http://emulator");
  const isVersioned = pathname === basePath || pathname.startsWith(`${basePath}/`);
  return { path: isVersioned ? pathname.slice(basePath.length) : pathname, query: searchParams, isVersioned };
}

const requestIdPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const requestIdOf = ({ store }: World, headers: WireRequest["headers"]): string => {
  const given = headers["x-request-id"];
  return given !== undefined && requestIdPattern.test(given) ? given : `req-${store.newId()}`;
};

export const errorResponse = (requestId: string, refusal: Refusal): WireResponse => {
  const { status, code, message, headers } = refusal;
  return jsonResponse(status, { requestId, code, message }, requestId, headers);
};

const jsonResponse = (
  status: number,
  body: unknown,
  requestId: string,
  headers?: Readonly<Record<string, string>>,
): WireResponse => ({
  status,
  headers: { "content-type": "application/json", "x-request-id": requestId, ...headers },
  body: JSON.stringify(body),
});

interface Arrived {
  readonly request: WireRequest;
  readonly target: ReturnType<typeof targetOf>;
  readonly requestId: string;
  /** False loses the receipt of a keyed write. */
  readonly retains: boolean;
}

export function createResponder(world: World): (arrived: Arrived) => WireResponse {
  const match = createRouter(world);
  return (arrived) => {
    try {
      progress(world);
      return accepted(world, match, arrived);
    } catch (cause) {
      if (cause instanceof Refusal) return errorResponse(arrived.requestId, cause);
      const message = cause instanceof Error ? cause.message : "Unexpected failure";
      return errorResponse(arrived.requestId, new Refusal(500, "internal_error", message));
    }
  };
}

function accepted(world: World, findRoute: Match, arrived: Arrived): WireResponse {
  const { request, target, requestId } = arrived;
  if (Buffer.byteLength(request.body ?? "") > bodyLimit)
    throw new Refusal(413, "payload_too_large", `A body may hold ${bodyLimit} bytes`);
  const { headers } = request;
  const credential = authenticate(headers.authorization, world.credentials, world.clock.now());
  world.countRequest(credential.id);
  if (!target.isVersioned) throw notFound("The path");
  const match = findRoute(request.method, target.path);
  requireWorkspace(credential, match.params.workspaceId);
  const isWrite = request.method !== "GET";
  if (isWrite) requireWrite(credential, match.route.role ?? "developer");

  const key = headers["idempotency-key"];
  if (key !== undefined && match.route.key === "rejected")
    throw invalid("This request takes no Idempotency-Key", "idempotency_not_supported");
  const { shows } = match.route;
  const store = shows === undefined ? world.store : world.replicas.view(shows);
  const call: Call = {
    world: store === world.store ? world : { ...world, store },
    method: request.method,
    path: target.path,
    params: match.params,
    query: target.query,
    body: isWrite ? keptBody(world.readings, readBody(match, request)) : {},
    credential,
    workspaceId: credential.workspaceId,
    idempotencyKey: match.route.key === "accepted" ? key : undefined,
  };
  if (call.idempotencyKey !== undefined) return handleKeyed(call, match, call.idempotencyKey, arrived);
  return jsonResponse(200, match.route.handle(call), requestId);
}

function readBody({ route }: RouteMatch, request: WireRequest): Record<string, unknown> {
  if (!route.bodyless) return readJson(request.body, request.headers["content-type"]);
  if (request.body !== undefined && request.body !== "" && request.body !== "{}")
    throw invalid("This request takes no body");
  return {};
}

/** A retained answer is sent again as it was; a new one is retained for 24 hours when it is successful. */
function handleKeyed(
  call: Call,
  match: RouteMatch,
  key: string,
  { request, requestId, retains }: Arrived,
): WireResponse {
  const { store, seal, clock, gaps } = call.world;
  // Idempotency rule 4; the name is a gap.
  const replayed = (word: "true" | "false") =>
    gaps.replayHeader === undefined ? {} : { [gaps.replayHeader]: word };
  if (!keyPattern.test(key)) throw invalid("Idempotency-Key must be 1 to 160 visible ASCII characters");
  if (call.body.requestId !== undefined && call.body.requestId !== key)
    throw invalid("requestId must match the Idempotency-Key", "idempotency_request_mismatch");
  const { workspaceId, actor, id: credentialId } = call.credential;
  const id = [workspaceId, actor, credentialId, call.method, call.path, key].join(" ");
  const payload = seal.digest(canonicalJson(JSON.parse(request.body ?? "{}") as Plain));
  const receipt = store.get("receipts", id);
  if (receipt !== undefined && receipt.expiresAt > clock.now()) {
    if (receipt.payload !== payload)
      throw conflict("idempotency_conflict", "This Idempotency-Key was used with another payload");
    return jsonResponse(200, receipt.body, requestId, replayed("true"));
  }
  const body = match.route.handle(call);
  const expiresAt = clock.now() + retentionMs;
  if (retains) store.put("receipts", { id, payload, body, expiresAt });
  return jsonResponse(200, body, requestId, replayed("false"));
}

const retentionMs = 24 * 60 * 60 * 1000;
const keyPattern = /^[!-~]{1,160}$/;

export function dropExpiredReceipts(store: Call["world"]["store"]): void {
  for (const receipt of [...store.all("receipts")])
    if (receipt.expiresAt <= store.clock.now()) store.remove("receipts", receipt.id);
}

/** Interface, "Catalog". */
const catalogRoutes: readonly Route[] = [
  { method: "GET", path: "/catalog", shows: "catalog", handle: ({ world }) => shownCatalog(world) },
];
