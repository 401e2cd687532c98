import { join } from "node:path";
import { rowsIn } from "../support/rows";

/** Endpoints of the interface, as its section "Endpoints" lists them; `(I)`: they accept an `Idempotency-Key`. */
const listed = rowsIn(join(__dirname, "endpoints.tsv")).flat();

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

const limits = rowsIn(join(__dirname, "limits.tsv")).flat();

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
