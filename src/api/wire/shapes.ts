import * as z from "zod";
import { largeDocument } from "../../model/large-document";
import type { Plain } from "../../model/value";

/** Shapes shared by every resource of `service-interface.md`. Unknown fields are kept, never refused. */

export const text = z.string();
export const textIfAny = text.nullish();
export const amount = z.number();
export const flag = z.boolean();
/** UUID strings in the interface; kept as text, because an odd id must not make a listing unreadable. */
export const id = text.min(1);
export const idIfAny = id.nullish();
/** ISO 8601, UTC. */
export const timestamp = z.string();
export const timestampIfAny = timestamp.nullish();
/** JSON, as all of any answer is. */
export const anything = z.unknown() as z.ZodType<Plain>;

export const page = z.looseObject({
  hasMore: flag,
  limit: amount,
  nextCursor: text.nullable(),
});

export const operation = z.looseObject({
  id,
  kind: text,
  /** `queued`, `running`, `complete`, `failed`. */
  status: text,
  createdAt: timestamp.optional(),
  updatedAt: timestamp.optional(),
});

export const operationAnswer = z.looseObject({ operation });

/** Answer of every DELETE: `operation` and `queued` appear when the deletion is queued. */
export const deletion = z.looseObject({
  deleted: flag,
  queued: flag.optional(),
  operation: operation.nullish(),
});

export type Page = z.infer<typeof page>;
export type Operation = z.infer<typeof operation>;
export type Deletion = z.infer<typeof deletion>;

/** Fields of an environment record are not shown; see `gaps.ts`. */
export const environment = z.looseObject({});

export const project = z.looseObject({
  id,
  name: text,
  description: text.default(""),
  color: text.optional(),
  environments: z.array(environment).default([]),
  createdAt: timestamp.optional(),
  updatedAt: timestamp.optional(),
});

export const projectAnswer = z.looseObject({ project });
export const projectsAnswer = z.looseObject({ projects: z.array(project), page: page.optional() });

export type Environment = z.infer<typeof environment>;
export type Project = z.infer<typeof project>;

export const estimatedMonthly = z.looseObject({
  ngn: amount,
  usd: amount,
  priced: flag,
});

export const service = z.looseObject({
  id,
  name: text,
  kind: text,
  projectId: idIfAny,
  environmentId: idIfAny,
  /** The interface does not show other forms than an id: an object passes through. */
  environmentGroupIds: z.array(z.union([id, z.record(text, anything)])).optional(),
  archived: flag.optional(),
  /** Without it every declared field would look changed. */
  configuration: z.record(text, z.unknown()),
  createdAt: timestampIfAny,
  updatedAt: timestampIfAny,
  deletedAt: timestampIfAny,
  deletionRequestedAt: timestampIfAny,
  deploymentId: idIfAny,
  deploymentUpdatedAt: timestampIfAny,
  liveDeploymentId: idIfAny,
  displayStatus: textIfAny,
  lifecycleStatus: textIfAny,
  status: textIfAny,
  healthStatus: textIfAny,
  healthCheckedAt: timestampIfAny,
  runtimeDetail: textIfAny,
  internalHost: textIfAny,
  url: textIfAny,
  estimatedMonthly: estimatedMonthly.nullish(),
});

export const serviceAnswer = z.looseObject({ service });
/** Answer of the PATCH, which is not shown: it may say no more than that it was done. */
export const patchAnswer = z.looseObject({ service: service.optional() });

export const serviceActions = ["restart", "suspend", "resume", "deploy", "clear-cache"] as const;
export type ServiceAction = (typeof serviceActions)[number];

/** Answer of `restart`, `suspend`, `resume`. */
export const actionAnswer = z.looseObject({ queued: flag, operation });

export type Service = z.infer<typeof service>;

/** Masked metadata; `value` is null in every answer but a reveal. */
export const variable = z.looseObject({
  id,
  key: text,
  kind: text.optional(),
  configured: flag.optional(),
  value: z.null().optional(),
  createdAt: timestampIfAny,
  updatedAt: timestampIfAny,
});

export const variableAnswer = z.looseObject({ variable });
/** Answer of the PATCH, "masked variable metadata": where it is in the body is not shown. */
export const patchedVariableAnswer = z.looseObject({ variable: variable.optional() });
/** Without a time that can be read nothing would tell that a value was changed elsewhere. */
const listedVariable = variable.extend({
  updatedAt: text.refine((time) => !Number.isNaN(Date.parse(time)), "expected a date and a time"),
});
/** Listing variables is not shown; see `gaps.ts`. */
export const variablesAnswer = z.looseObject({ variables: z.array(listedVariable), page: page.optional() });
/** Secret-bearing: never logged, never kept. */
export const revealAnswer = z.looseObject({ value: text });

export type Variable = z.infer<typeof variable>;

export const deployment = z.looseObject({
  id,
  /** See `terminalStatuses`; other values are waiting states. */
  status: text,
  trigger: textIfAny,
  actor: textIfAny,
  branch: textIfAny,
  /** Empty when not pinned. */
  commitSha: textIfAny,
  commitMessage: textIfAny,
  /** Why a queued deployment waits; empty when nothing holds it. */
  blockedReason: textIfAny,
  error: textIfAny,
  cancelRequested: flag.optional(),
  canRollback: flag.optional(),
  sourceDeploymentId: idIfAny,
  createdAt: timestampIfAny,
  startedAt: timestampIfAny,
  finishedAt: timestampIfAny,
  steps: z
    .array(z.looseObject({ name: text, startedAt: timestampIfAny, finishedAt: timestampIfAny }))
    .default([]),
});

export const terminalStatuses = ["live", "failed", "cancelled", "superseded"] as const;

export const deploymentAnswer = z.looseObject({ deployment });
export const deploymentsAnswer = z.looseObject({
  available: flag,
  items: z.array(deployment),
  page: page.optional(),
  reason: textIfAny,
});
export const cancelAnswer = z.looseObject({ cancelRequested: z.literal(true) });
export const maxBodyBytes = 262_144;

export type Deployment = z.infer<typeof deployment>;

export const canvasLimits = {
  nodes: 2000,
  groups: 2000,
  edges: 10_000,
  positions: 2000,
  coordinate: 10_000_000,
  minZoom: 0.1,
  maxZoom: 4,
  maxSavedRevision: 9_007_199_254_740_990,
} as const;

/** A UUID, optionally prefixed with `group:`. */
export const positionKey = /^(group:)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const coordinate = z.number().min(-canvasLimits.coordinate).max(canvasLimits.coordinate);

export const position = z.strictObject({ x: coordinate, y: coordinate });
export const viewport = z.strictObject({
  x: coordinate,
  y: coordinate,
  zoom: z.number().min(canvasLimits.minZoom).max(canvasLimits.maxZoom),
});

export const canvasGroup = z.looseObject({
  id: z.string(),
  name: z.string(),
  environmentId: id.nullish(),
  serviceIds: z.array(id).optional(),
});
export const canvasEdge = z.looseObject({
  id: z.string(),
  source: z.string(),
  target: z.string(),
  /** `reference` or `environment-group`. */
  kind: z.string(),
  keys: z.array(z.string()).optional(),
});
export const canvasLayout = z.looseObject({
  revision: z.number(),
  positions: z.record(z.string(), z.looseObject({ x: z.number(), y: z.number() })),
  viewport: z.looseObject({ x: z.number(), y: z.number(), zoom: z.number() }).nullable(),
});
export const canvas = z.looseObject({
  nodes: z.array(service),
  groups: z.array(canvasGroup),
  edges: z.array(canvasEdge),
  layout: canvasLayout,
  scope: z.looseObject({ projectId: id.nullable(), environmentId: id.nullable() }),
});

/** A canvas shows up to 2,000 services. */
export const canvasAnswer = largeDocument(canvas);

export type CanvasEdge = z.infer<typeof canvasEdge>;
export type CanvasGroup = z.infer<typeof canvasGroup>;
export type CanvasPosition = z.infer<typeof position>;
export type Viewport = z.infer<typeof viewport>;
export type Canvas = z.infer<typeof canvas>;

const textOrNone = text.optional();
const amountOrNone = amount.optional();
const limit = amount.nullish();
const texts = z.array(text);

export const plan = z.looseObject({
  id: text,
  name: text,
  kinds: texts,
  cpu: amountOrNone,
  memoryMb: amountOrNone,
  storageGb: amountOrNone,
  transferGb: amountOrNone,
  buildMinutes: amountOrNone,
  logDays: amountOrNone,
  backupRetentionDays: amountOrNone,
  maxConnections: limit,
  workspaceLimit: limit,
  usd: amount,
  ngn: amount,
});

export const catalog = z.looseObject({
  /** Includes `workerOnline`, which reports recent worker readiness. */
  capabilities: z.record(text, flag),
  plans: z.array(plan),
  databasePlans: z.array(plan),
  defaults: z.record(text, anything),
  pricesAreEstimates: flag,
  regions: z.array(z.looseObject({ id: text, name: text, description: textOrNone })),
  runtimes: texts,
  serviceTypes: z.array(
    z.looseObject({
      id: text,
      name: text,
      plural: textOrNone,
      description: textOrNone,
      runtime: flag,
    }),
  ),
});

export type CatalogAnswer = z.infer<typeof catalog>;
