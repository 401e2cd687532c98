import { ApiError } from "../../../src/api/api-error";
import type { ApiRequest, Send } from "../../../src/api/request";

export const workspace = "11111111-1111-4111-8111-111111111111";

export const refusal = (request: ApiRequest, status: number, code?: string): ApiError => {
  const message = `status ${status}`;
  return new ApiError(request, { kind: "refused", status, code, requestId: "r", attempts: 1, message });
};

export interface FakeSend {
  readonly send: Send;
  readonly requests: ApiRequest[];
  /** `GET /services/…`, below the workspace. */
  readonly lines: () => string[];
}

/** A `Send` that answers with a body, or refuses with a status. */
export function fakeSend(reply: (request: ApiRequest, index: number) => unknown): FakeSend {
  const requests: ApiRequest[] = [];
  return {
    requests,
    lines: () =>
      requests.map(({ method, path, query }) => {
        const tail = new URLSearchParams(query).toString();
        return `${method} ${path.replace(`/workspaces/${workspace}`, "")}${tail === "" ? "" : `?${tail}`}`;
      }),
    send: async (request) => {
      const index = requests.push(request) - 1;
      const body = reply(request, index);
      if (typeof body === "number") throw refusal(request, body);
      if (body instanceof Error) throw body;
      return { status: 200, body, requestId: "r", attempts: 1 };
    },
  };
}

export const serviceNamed = (id: string, more: object = {}) => ({
  ...{ id, name: id, kind: "web", projectId: null, configuration: {} },
  ...more,
});

export const canvasOf = (
  nodes: readonly object[],
  projectId: string | null = null,
  environmentId: string | null = null,
) => ({
  ...{ nodes, groups: [], edges: [] },
  layout: { revision: 0, positions: {}, viewport: null },
  scope: { projectId, environmentId },
});

export const catalogBody = {
  ...{ capabilities: {}, plans: [], databasePlans: [], defaults: {}, pricesAreEstimates: true },
  ...{ regions: [], runtimes: [], serviceTypes: [] },
};
