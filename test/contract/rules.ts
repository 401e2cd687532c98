/** Endpoints of the interface, as its section "Endpoints" lists them; `(I)`: they accept an `Idempotency-Key`. */
const listed = [
  "GET /catalog",
  "GET /workspaces/{workspaceId}/projects",
  "POST /workspaces/{workspaceId}/projects (I)",
  "GET /workspaces/{workspaceId}/projects/{projectId}",
  "PATCH /workspaces/{workspaceId}/projects/{projectId} (I)",
  "DELETE /workspaces/{workspaceId}/projects/{projectId} (I)",
  "POST /workspaces/{workspaceId}/services (I)",
  "DELETE /workspaces/{workspaceId}/services/{serviceId} (I)",
  "POST /workspaces/{workspaceId}/services/{serviceId}/archive (I)",
  "POST /workspaces/{workspaceId}/services/{serviceId}/restore (I)",
  "POST /workspaces/{workspaceId}/services/{serviceId}/actions (I)",
  "GET /workspaces/{workspaceId}/services/{serviceId}/operations/{operationId}",
  "GET /workspaces/{workspaceId}/services/{serviceId}/deploys",
  "POST /workspaces/{workspaceId}/services/{serviceId}/deploys (I)",
  "GET /workspaces/{workspaceId}/services/{serviceId}/deploys/{deploymentId}",
  "POST /workspaces/{workspaceId}/services/{serviceId}/deploys/{deploymentId}/cancel (I)",
  "POST /workspaces/{workspaceId}/services/{serviceId}/variables (I)",
  "PATCH /workspaces/{workspaceId}/services/{serviceId}/variables/{variableId} (I)",
  "DELETE /workspaces/{workspaceId}/services/{serviceId}/variables/{variableId} (I)",
  "POST /workspaces/{workspaceId}/services/{serviceId}/variables/{variableId}/reveal",
  "GET /workspaces/{workspaceId}/canvas",
  "PATCH /workspaces/{workspaceId}/canvas",
];

/** Endpoints of the interface: method and path. */
export const endpoints: readonly string[] = listed.map((line) => line.replace(" (I)", ""));

const keyed = listed.filter((line) => line.endsWith(" (I)")).map((line) => line.replace(" (I)", ""));

/** How many rules the interface numbers under each heading. */
const numbered = {
  "General behaviour": 4,
  "Deployments rule": 4,
  "Canvas rule": 6,
  "Idempotency rule": 5,
  "Authentication rule": 7,
};

const errors = {
  400: ["canvas_invalid_node"],
  401: [],
  403: [],
  404: [],
  405: [],
  409: [
    "idempotency_conflict",
    "idempotency_legacy_conflict",
    "engine_unavailable",
    "canvas_revision_conflict",
  ],
  413: ["canvas_too_large"],
  429: [],
  500: [],
};

const limits = [
  "Request body size",
  "Page size",
  "Idempotency-Key length",
  "Idempotency retention",
  "X-Request-ID length",
  "Canvas nodes",
  "Canvas reference records and edges",
  "Canvas groups",
  "Canvas positions",
  "Canvas coordinates",
  "Canvas zoom",
  "Canvas revision",
  "commitSha",
  "Retry-After",
];

const headers = ["Idempotency-Key", "X-Request-ID", "X-CSRFToken", "limit", "cursor"];
const moves = ["Queue", "Cancel", "Actions", "Archive", "Restore", "Delete"];

/** Everything besides its endpoints that the interface numbers or names in a table: each needs a row of its own. */
export const rules: readonly string[] = [
  ...Object.entries(numbered).flatMap(([heading, count]) =>
    Array.from({ length: count }, (_, i) => `${heading} ${i + 1}`),
  ),
  ...Object.entries(errors).flatMap(([status, codes]) => [
    `Errors ${status}`,
    ...codes.map((code) => `Errors ${status} ${code}`),
  ]),
  ...limits.map((name) => `Limits ${name}`),
  ...headers.map((name) => `Header and parameter ${name}`),
  ...moves.map((name) => `States ${name}`),
  ...keyed.map((endpoint) => `Keyed replay ${endpoint}`),
  "Deployment status values",
  "Operation status values",
  "Events",
  "Versioning",
];
