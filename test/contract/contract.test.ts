import { type ContractService, startContractService } from "./contract-service";
import { titleOf } from "./row";
import { rowsByTopic } from "./rows";
import { removeThings } from "./things";

/** The endpoints of the interface, as its section "Endpoints" lists them. */
const endpoints = [
  "GET /catalog",
  "GET /workspaces/{workspaceId}/projects",
  "POST /workspaces/{workspaceId}/projects",
  "GET /workspaces/{workspaceId}/projects/{projectId}",
  "PATCH /workspaces/{workspaceId}/projects/{projectId}",
  "DELETE /workspaces/{workspaceId}/projects/{projectId}",
  "POST /workspaces/{workspaceId}/services",
  "DELETE /workspaces/{workspaceId}/services/{serviceId}",
  "POST /workspaces/{workspaceId}/services/{serviceId}/archive",
  "POST /workspaces/{workspaceId}/services/{serviceId}/restore",
  "POST /workspaces/{workspaceId}/services/{serviceId}/actions",
  "GET /workspaces/{workspaceId}/services/{serviceId}/operations/{operationId}",
  "GET /workspaces/{workspaceId}/services/{serviceId}/deploys",
  "POST /workspaces/{workspaceId}/services/{serviceId}/deploys",
  "GET /workspaces/{workspaceId}/services/{serviceId}/deploys/{deploymentId}",
  "POST /workspaces/{workspaceId}/services/{serviceId}/deploys/{deploymentId}/cancel",
  "POST /workspaces/{workspaceId}/services/{serviceId}/variables",
  "PATCH /workspaces/{workspaceId}/services/{serviceId}/variables/{variableId}",
  "DELETE /workspaces/{workspaceId}/services/{serviceId}/variables/{variableId}",
  "POST /workspaces/{workspaceId}/services/{serviceId}/variables/{variableId}/reveal",
  "GET /workspaces/{workspaceId}/canvas",
  "PATCH /workspaces/{workspaceId}/canvas",
];

/** Everything else that the interface numbers or names: each needs a row of its own. */
const rules = [
  ...[1, 2, 3, 4, 5].map((n) => `Idempotency rule ${n}`),
  ...[1, 2, 3, 5, 6, 7].map((n) => `Authentication rule ${n}`),
  ...[1, 2, 3, 4].map((n) => `Deployments rule ${n}`),
  ...[1, 2, 3, 4, 5, 6].map((n) => `Canvas rule ${n}`),
  ...[1, 2, 3, 4].map((n) => `General behaviour ${n}`),
  ...[400, 401, 403, 404, 405, 409, 413, 429].map((status) => `Errors ${status}`),
  ...["Idempotency-Key", "X-Request-ID", "X-CSRFToken", "limit", "cursor"].map(
    (name) => `Header and parameter ${name}`,
  ),
  "Limits Request body size",
  "Limits Page size",
  "Limits Idempotency-Key length",
  "Limits Idempotency retention",
  "Limits X-Request-ID length",
  "Limits Canvas nodes",
  "Limits Canvas reference records and edges",
  "Limits Canvas positions",
  "Limits Canvas coordinates",
  "Limits Canvas zoom",
  "Limits Canvas revision",
  "Limits commitSha",
  "Limits Retry-After",
  "Events",
  "Versioning",
];

const rows = Object.values(rowsByTopic).flat();
const isElsewhere = (process.env.RNV_CONTRACT_BASE_URL ?? "") !== "";
let service: ContractService;

beforeAll(async () => {
  service = await startContractService(process.env);
});

afterAll(async () => {
  await removeThings(service);
  await service.close();
});

describe.each(Object.entries(rowsByTopic))("%s", (_, topicRows) => {
  for (const row of topicRows) {
    const test = isElsewhere && row.needsControl ? it.skip : it;
    test(titleOf(row), () => row.run(service));
  }
});

describe("the suite itself", () => {
  it("has a row for every endpoint of the interface", () => {
    const covered = new Set(rows.flatMap((row) => row.endpoints ?? []));
    expect(endpoints.filter((endpoint) => !covered.has(endpoint))).toEqual([]);
    const gaps = [...covered].filter((endpoint) => !endpoints.includes(endpoint));
    expect(
      gaps.every((endpoint) =>
        rows.some((row) => row.rule.startsWith("Gap") && row.endpoints?.includes(endpoint)),
      ),
    ).toBe(true);
  });

  it("has a row for every numbered rule, limit and error status", () => {
    const covered = new Set(rows.map((row) => row.rule));
    expect(rules.filter((rule) => !covered.has(rule))).toEqual([]);
  });

  it("has no two rows of one title", () => {
    const titles = rows.map(titleOf);
    expect(titles.filter((title, i) => titles.indexOf(title) !== i)).toEqual([]);
  });
});
