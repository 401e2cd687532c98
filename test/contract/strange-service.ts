import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { WireResponse } from "../../src/api/transport";
import { createEmulator, embeddedApiKey } from "../../src/emulator/emulator";
import { type ContractService, contractService } from "./contract-service";

type Json = Readonly<Record<string, unknown>>;

const color = "seafoam";
const environmentFields = { id: "environmentUuid", name: "title" };

/** Codes that the interface names; every other one may be called anything. */
const named =
  /^(idempotency_conflict|idempotency_legacy_conflict|engine_unavailable|canvas_revision_conflict|canvas_invalid_node|canvas_too_large)$/;

/**
 * A service that does what the interface says, and answers in another way than the embedded one wherever the interface
 * leaves it open ("not shown"): statuses and codes of refusals, the shape of error bodies, the routes of the gaps, fields
 * of an environment record, colours, which 2xx a create has, the name of the replay header, deletions that are queued.
 */
export async function startStrangeService(): Promise<ContractService> {
  const emulator = createEmulator({
    conditions: ["queued-deletions"],
    gaps: { readService: false, listVariables: false, rollback: false, operationBody: "wrapped" },
  });
  emulator.store.setCondition("queued-deletions", false);
  const server = createServer(async (incoming, outgoing) => {
    const body = await text(incoming);
    const { method = "GET", url = "/" } = incoming;
    const [path = "", query = ""] = url.split("?");
    const isProject = /\/projects(\/[^/]+)?$/.test(path);
    // Variables and projects are deleted with a queue, services as the interface says.
    const isQueued = method === "DELETE" && (isProject || path.includes("/variables/"));
    emulator.store.setCondition("queued-deletions", isQueued);
    const answer = await emulator.handle({
      method,
      url: `http://127.0.0.1${url}`,
      headers: Object.fromEntries(
        Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
      ),
      ...(body !== "" && { body: method === "POST" && isProject ? withKnownColor(body) : body }),
    });
    const strange = strangely(answer, { method, path, query, body });
    outgoing.writeHead(strange.status, strange.headers).end(strange.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return contractService({
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    workspaceId: emulator.workspaceId,
    apiKey: embeddedApiKey,
    projectColor: color,
    environmentIdField: environmentFields.id,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
}

/** Names of colours in place of hexadecimal digits; any other is refused. */
function withKnownColor(body: string): string {
  try {
    const parsed = JSON.parse(body);
    if (typeof parsed?.color !== "string") return body;
    return JSON.stringify({ ...parsed, color: parsed.color === color ? "#2f6fed" : 7 });
  } catch {
    return body;
  }
}

function strangely(answer: WireResponse, asked: Asked): WireResponse {
  const { "idempotency-replayed": replayed, ...headers } = answer.headers as Record<string, string>;
  const status = answer.status < 300 ? doneStatus(answer.status, asked) : refusedStatus(answer.status, asked);
  const body = JSON.stringify(
    answer.status < 300 ? strangeBody(JSON.parse(answer.body)) : errorBody(JSON.parse(answer.body)),
  );
  return {
    status,
    headers: { ...headers, ...(replayed !== undefined && { "x-idempotency-was-replayed": replayed }) },
    body,
  };
}

const doneStatus = (status: number, { method, path }: Asked): number =>
  method === "POST" && /\/(projects|services|variables)$/.test(path) ? 201 : status;

/** Another refusal where the interface does not say which one. */
function refusedStatus(status: number, { method, path, query, body }: Asked): number {
  if (status === 401 || status === 405 || status === 413 || status === 429 || status >= 500) return status;
  if (method === "DELETE" && status !== 404) return 422;
  if (path.endsWith("/reveal") && status !== 404) return 422;
  if (
    path.endsWith("/canvas") &&
    (method === "GET" || /projectId=.*projectId=|depth=|environmentId=$/.test(query))
  )
    return 422;
  if (path.endsWith("/canvas") && body.includes('"nodes"')) return 422;
  if (/\/(deploys|cancel)$/.test(path)) return status === 404 ? 404 : 423;
  if (path.endsWith("/actions") && status === 409) return 423;
  if (path.endsWith("/actions") && body.includes('"deploy"')) return 423;
  if (path.endsWith("/services") && /projectId|environmentId/.test(body)) return 422;
  // Outside the key's scope.
  return status === 404 && /\/workspaces\/9{8}-/.test(path) ? 403 : status;
}

/** Codes under `problem`; those that the interface does not name are numbers. */
function errorBody({ requestId, code }: Json): Json {
  return { requestId, problem: [{ code: named.test(String(code)) ? code : 4711 }] };
}

/** Unheard-of fields, whole seconds, environments with other fields. */
function strangeBody(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d+Z$/, "$1Z");
  if (Array.isArray(value)) return value.map(strangeBody);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(([key, one]) => {
    if (key === "environments") return [key, (one as Json[]).map(strangeEnvironment)];
    if (key === "color") return [key, color];
    if (key === "runtimes") return [key, ["python"]];
    return [key, strangeBody(one)];
  });
  return Object.fromEntries("id" in value ? [...entries, ["etag", "W/1"]] : entries);
}

const strangeEnvironment = ({ id, name }: Json): Json => ({
  [environmentFields.id]: id,
  [environmentFields.name]: `${String(name)} (default)`,
});
