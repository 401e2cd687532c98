import { randomUUID } from "node:crypto";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../src/emulator/emulator";
import { serveEmulator } from "../../src/emulator/http-server";
import type { Readings } from "../../src/emulator/readings";
import { type ManualClock, manualClock } from "../../src/emulator/testing";
import { environmentsOf, firstOf, projectColors, wrappedOperations } from "../support/other-shapes";
import { readingsHere } from "../support/readings";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not used
  readonly body: any;
}

interface RequestOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as `Idempotency-Key`. */
  readonly key?: string;
  /** Default: the write key; null sends none. */
  readonly apiKey?: string | null;
}

type Write = (path: string, body?: unknown, options?: RequestOptions) => Promise<Answer>;

/** What only the embedded platform offers: its clock, its data, keys of every role. */
export interface Control {
  readonly emulator: Emulator;
  readonly clock: ManualClock;
}

/** The service under test, wherever it runs. */
export interface ContractService {
  readonly workspaceId: string;
  /** `/workspaces/{workspaceId}`. */
  readonly workspace: string;
  readonly control: Control | undefined;
  /** A colour that the service takes for a project; which it takes is not shown. */
  readonly projectColor: string;
  /** Name of the field that holds the id in an environment record; its fields are not shown. */
  readonly environmentIdField: string;
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  get(path: string, options?: RequestOptions): Promise<Answer>;
  readonly post: Write;
  readonly patch: Write;
  readonly delete: Write;
  close(): Promise<void>;
}

export const otherWorkspaceId = "00000000-0000-4000-8000-0000000000e2";

const role = (name: string, scope: "read" | "write", level: "viewer" | "developer" | "admin" | "owner") => ({
  key: `rnv_${name}`,
  scope,
  role: level,
});

const keys = [
  role("owner", "write", "owner"),
  role("admin", "write", "admin"),
  role("developer", "write", "developer"),
  role("viewer", "write", "viewer"),
  role("reader", "read", "owner"),
  { ...role("expired", "write", "owner"), expiresAt: "2020-01-01T00:00:00Z" },
  { ...role("unverified", "write", "owner"), emailVerified: false },
  { ...role("without_mfa", "write", "owner"), mfa: false },
  { ...role("elsewhere", "write", "owner"), workspaceId: otherWorkspaceId },
];

/** The service that `RNV_CONTRACT_BASE_URL` names, else the embedded one over HTTP. */
export async function startContractService(environment: NodeJS.ProcessEnv): Promise<ContractService> {
  const { RNV_CONTRACT_BASE_URL: baseUrl, RNV_CONTRACT_WORKSPACE_ID: workspaceId } = environment;
  if (baseUrl !== undefined && baseUrl !== "") {
    return contractService({
      baseUrl,
      workspaceId: workspaceId ?? "",
      apiKey: environment.RNV_CONTRACT_API_KEY ?? "",
      projectColor: environment.RNV_CONTRACT_PROJECT_COLOR,
      environmentIdField: environment.RNV_GAP_ENVIRONMENT_RECORD?.split(",")[0]?.trim(),
      close: async () => {},
    });
  }
  const clock = manualClock();
  const { service, emulator } = await serveContract({
    ...{ clock, deploySeconds: 7, operationSeconds: 2 },
    // Rows that need its data compare what it shows with what it holds, and follow what they ask for to its own end.
    readings: {
      ...{ otherDeployments: "none", deletingService: "shown", endedOperation: "kept" },
      ...{ statusWords: "seen", timeForm: "milliseconds", unknownFields: "none", configurationFields: "all" },
      ...{ unplacedNodes: "absent", referenceEdges: "keys" },
    },
  });
  return { ...service, control: { emulator, clock } };
}

/** A service that has other routes, fields and texts where the interface shows none. */
export async function startStrangeService(): Promise<ContractService> {
  const [projectColor, environmentIdField] = ["seafoam", "environmentUuid"] as const;
  const { service } = await serveContract({
    gaps: {
      ...{ readService: false, listVariables: false, rollback: false },
      productionName: "Production (default)",
      replayHeader: "x-idempotency-was-replayed",
    },
    faults: firstOf(
      projectColors(projectColor),
      environmentsOf(environmentIdField, "title"),
      wrappedOperations,
    ),
    readings: { createdStatus: "201" },
  });
  return { ...service, projectColor, environmentIdField };
}

async function serveContract(options: EmulatorOptions) {
  // The codes that the interface names have to be somewhere, and every error is the service's own.
  const readings = readingsHere({ errorBody: "nested", ...(options.readings as Partial<Readings>) });
  const emulator = createEmulator({ apiKeys: keys, ...options, readings });
  const { url: baseUrl, close } = await serveEmulator(emulator);
  const { workspaceId } = emulator;
  return { emulator, service: contractService({ baseUrl, workspaceId, apiKey: "rnv_owner", close }) };
}

/** The interface does not show in which case a UUID is written: rows see all of them in lower case. */
const uuids = /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;

/** A service at an address, as a caller with one key sees it. */
function contractService(at: {
  readonly baseUrl: string;
  readonly workspaceId: string;
  readonly apiKey: string;
  readonly projectColor?: string;
  readonly environmentIdField?: string;
  readonly close: () => Promise<void>;
  readonly control?: Control;
}): ContractService {
  const request: ContractService["request"] = async (
    method,
    path,
    { body, raw, headers, key, apiKey = at.apiKey } = {},
  ) => {
    const text = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${at.baseUrl}${path}`, {
      method,
      redirect: "manual",
      headers: {
        ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
        ...(text !== undefined && { "content-type": "application/json" }),
        ...(key !== undefined && { "idempotency-key": key }),
        ...headers,
      },
      ...(text !== undefined && { body: text }),
    });
    const received = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text: received,
      body: received === "" ? undefined : JSON.parse(received.replace(uuids, (id) => id.toLowerCase())),
    };
  };
  return {
    workspaceId: at.workspaceId,
    workspace: `/workspaces/${at.workspaceId}`,
    control: at.control,
    projectColor: at.projectColor || "#2f6fed",
    environmentIdField: at.environmentIdField || "id",
    close: at.close,
    request,
    get: (path, options) => request("GET", path, options),
    post: (path, body, options) => request("POST", path, { body, ...options }),
    patch: (path, body, options) => request("PATCH", path, { body, ...options }),
    delete: (path, body, options) => request("DELETE", path, { body, ...options }),
  };
}

/** Begins every name that this run makes, so that the suite may run in a workspace that is in use. */
export const runPrefix = `contract-${randomUUID().slice(0, 8)}-`;
export const freshName = (): string => `${runPrefix}${randomUUID().slice(0, 8)}`;
export const freshKey = (): string => `contract-${randomUUID()}`;
