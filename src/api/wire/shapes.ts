import * as z from "zod";
import { largeDocument } from "../../model/large-document";
import type { Plain } from "../../model/value";

/**
 * The fields of answers that rnv reads; others are kept, never refused. The comment above a field gives its meaning: it quotes
 * `service-interface.md`, or names an entry of `gaps.ts`. One for several fields begins with their names.
 */

export const text = z.string();
export const textIfAny = text.nullish();
export const amount = z.number();
export const amountIfAny = amount.nullish();
/** Below zero it would let a plan pass the limits of cost. */
export const price = amount.nonnegative();
export const flag = z.boolean();
/** "Identifiers are UUID strings unless stated." Kept as text: an odd id must not make a listing unreadable. */
export const id = text.min(1);
export const idIfAny = id.nullish();
/** ISO 8601, UTC. A time that cannot be compared is refused: it would not show later changes. */
export const timestamp = text.refine(
  (time) => !Number.isNaN(Date.parse(time)),
  "it is not a date and a time",
);
export const timestampIfAny = timestamp.nullish();
/** JSON, as all of any answer is. */
export const anything = z.unknown() as z.ZodType<Plain>;

/** "Supplying `limit` or `cursor` turns on pagination for lists that are otherwise unbounded." */
export const page = z.looseObject({
  /** Gap "pages". */
  hasMore: flag,
  /** "Opaque `nextCursor` from the previous page; reuse with the same endpoint and query" */
  nextCursor: text.nullable(),
});

/** "The caller polls the deployment or the operation." */
export const operation = z.looseObject({
  id,
  /** "For an action, the action name." */
  kind: text,
  /** "Operation status values: `queued`, `running`, `complete`, `failed`." */
  status: text,
});

export const operationAnswer = z.looseObject({ operation });

export const deletion = z.looseObject({
  /** "Response `deleted: true`." */
  deleted: flag,
  /** "`operation` and `queued` appear when deletion is queued" */
  queued: flag.optional(),
  operation: operation.nullish(),
});

export type Page = z.infer<typeof page>;
export type Operation = z.infer<typeof operation>;
export type Deletion = z.infer<typeof deletion>;

/** "Each project has environments; creating a project also creates its Production environment." */
export const project = z.looseObject({
  id,
  /** "Deletion confirmation must equal it exactly." */
  name: text,
  /** "Empty by default." */
  description: text.default(""),
  /** Gap "project color". */
  color: text.optional(),
  /** "Holds the Production environment after creation." Gap "environment record". */
  environments: z.array(z.looseObject({})).default([]),
  /** createdAt, updatedAt: gap "versions". */
  createdAt: timestampIfAny,
  updatedAt: timestampIfAny,
});

export const projectAnswer = z.looseObject({ project });
/** "Without both, the complete list is returned." */
export const projectsAnswer = z.looseObject({ projects: z.array(project), page: page.optional() });

export type Project = z.infer<typeof project>;

/** "object with `service` (Service, including `id`)" */
export const service = z.looseObject({
  id,
  /** "Deletion and rollback confirmation must equal it exactly." */
  name: text,
  /** "Immutable after creation." */
  kind: text,
  /** "Null for an ungrouped service." */
  projectId: idIfAny,
  /** "`projectId` and a compatible `environmentId` are given together; omitting both creates an ungrouped service." */
  environmentId: idIfAny,
  /** Gap "items of array fields". */
  environmentGroupIds: z.array(z.union([id, z.record(text, anything)])).optional(),
  /** "True prevents new deployments." */
  archived: flag.optional(),
  /** "PATCH merges supplied fields; omitted fields keep their values." */
  configuration: z.record(text, z.unknown()),
  /** createdAt, updatedAt: gap "versions". */
  createdAt: timestampIfAny,
  updatedAt: timestampIfAny,
  /** deletedAt, deletionRequestedAt: "Set when deletion is requested or done." Gap "failed deletions". */
  deletedAt: timestampIfAny,
  deletionRequestedAt: timestampIfAny,
  /** "Latest deployment." */
  deploymentId: idIfAny,
  /** "Release currently serving." */
  liveDeploymentId: idIfAny,
  /** displayStatus, lifecycleStatus, status, runtimeDetail: gap "suspended". */
  displayStatus: textIfAny,
  lifecycleStatus: textIfAny,
  status: textIfAny,
  runtimeDetail: textIfAny,
  /** Gap "commit of a deployment". */
  healthStatus: textIfAny,
  /** Gap "names of fields". */
  healthCheckedAt: timestampIfAny,
  /** Gap "addresses of a renamed service". */
  internalHost: textIfAny,
  /** "Public URL." */
  url: textIfAny,
  /** Gap "monthly price". */
  estimatedMonthly: z.looseObject({ ngn: amount, usd: amount, priced: flag }).nullish(),
});

export const serviceAnswer = z.looseObject({ service });
/** Answer of the PATCH, which is not shown: it may say no more than that it was done. */
export const patchAnswer = serviceAnswer.partial();

export type Service = z.infer<typeof service>;

/** "Responses carry masked metadata only." */
export const variable = z.looseObject({
  id,
  /** "Variable name." */
  key: text,
  /** createdAt, updatedAt: gap "versions". */
  createdAt: timestampIfAny,
  updatedAt: timestampIfAny,
});

export const variableAnswer = z.looseObject({ variable });
/** Answer of the PATCH, "masked variable metadata": where it is in the body is not shown. */
export const patchedVariableAnswer = variableAnswer.partial();
/** Gap "versions": without a time nothing would tell that a value was changed elsewhere. */
const listedVariable = variable.extend({ updatedAt: timestamp });
/** Gap "list variables". */
export const variablesAnswer = z.looseObject({ variables: z.array(listedVariable), page: page.optional() });
/** "The reveal response is secret-bearing and must not be logged." */
export const revealAnswer = z.looseObject({ value: text });

export type Variable = z.infer<typeof variable>;

/** "A durable deployment/job is created." */
export const deployment = z.looseObject({
  id,
  /** "See States and transitions." */
  status: text,
  /** trigger, branch, commitMessage: gap "names of fields". */
  trigger: textIfAny,
  branch: textIfAny,
  commitMessage: textIfAny,
  /** "Who requested it." */
  actor: textIfAny,
  /** "Empty when not pinned." Gap "commit of a deployment". */
  commitSha: textIfAny,
  /** "Explains a queued deployment that is waiting. Empty when none." */
  blockedReason: textIfAny,
  /** "Failure text. Empty when none." */
  error: textIfAny,
  /** "`cancelRequested` becomes true; a running worker stops safely; the caller polls for a terminal state." */
  cancelRequested: flag.optional(),
  /** Gap "earlier releases". */
  canRollback: flag.optional(),
  /** "Set for a rollback deployment." */
  sourceDeploymentId: idIfAny,
  /** Gap "versions". */
  createdAt: timestampIfAny,
  /** startedAt, finishedAt: "Null until reached." */
  startedAt: timestampIfAny,
  finishedAt: timestampIfAny,
  /** "Empty at creation." Gap "names of fields". */
  steps: z
    .array(z.looseObject({ name: text, startedAt: timestampIfAny, finishedAt: timestampIfAny }))
    .default([]),
});

export const terminalStatuses = ["live", "failed", "cancelled", "superseded"] as const;

export const deploymentAnswer = z.looseObject({ deployment });
export const deploymentsAnswer = z.looseObject({
  /** available, reason: "the list returns `available: false` and an empty `items`; `reason` explains." */
  available: flag,
  reason: textIfAny,
  /** "Newest first." */
  items: z.array(deployment),
  page: page.optional(),
});
/** "Cancel response: `{cancelRequested: true}`." */
export const cancelAnswer = z.looseObject({ cancelRequested: z.literal(true) });
export const maxBodyBytes = 262_144;

export type Deployment = z.infer<typeof deployment>;

export const maxPositions = 2000;

const coordinate = amount.min(-10_000_000).max(10_000_000);

export const position = z.strictObject({ x: coordinate, y: coordinate });
export const viewport = z.strictObject({ ...position.shape, zoom: amount.min(0.1).max(4) });

export const canvasGroup = z.looseObject({
  /** "An `environment-group` edge points from the group node to a linked service." */
  id: text,
  /** name, serviceIds: gap "names of fields". */
  name: text,
  serviceIds: z.array(id).optional(),
  /** "project must hold no services and no scoped environment groups" */
  environmentId: idIfAny,
});
export const canvasEdge = z.looseObject({
  /** Gap "names of fields". */
  id: text,
  /** source, target, kind: "A `reference` edge points from consumer to provider and lists variable names only." */
  source: text,
  target: text,
  kind: text,
  /** Gap "keys of references". */
  keys: z.array(text).optional(),
});
export const canvasLayout = z.looseObject({
  /** "An unsaved layout has revision 0." Gap "versions". */
  revision: amount,
  /** "`positions` keys match the pattern of a UUID optionally prefixed with `group:`." */
  positions: z.record(text, z.looseObject({ x: amount, y: amount })),
  /** "`viewport` is `{x: number, y: number, zoom: number}`." */
  viewport: z.looseObject({ x: amount, y: amount, zoom: amount }).nullable(),
});
export const canvas = z.looseObject({
  /** nodes, groups: "Only active services and valid scoped reference and group connections appear." */
  nodes: z.array(service),
  groups: z.array(canvasGroup),
  /** "Edges are configured metadata only, not evidence of live traffic." */
  edges: z.array(canvasEdge),
  /** "Layouts are independent per scope." */
  layout: canvasLayout,
});

/** A canvas shows up to 2,000 services. */
export const canvasAnswer = largeDocument(canvas);

export type CanvasPosition = z.infer<typeof position>;
export type Viewport = z.infer<typeof viewport>;
export type Canvas = z.infer<typeof canvas>;

export const plan = z.looseObject({
  /** id, kinds: gap "choices of the catalog". */
  id: text,
  kinds: z.array(text),
  /** name, cpu, memoryMb, storageGb, transferGb, buildMinutes, logDays: gap "names of fields". */
  name: text,
  cpu: amountIfAny,
  memoryMb: amountIfAny,
  storageGb: amountIfAny,
  transferGb: amountIfAny,
  buildMinutes: amountIfAny,
  logDays: amountIfAny,
  /** backupRetentionDays, maxConnections, workspaceLimit: gap "limits of plans". */
  backupRetentionDays: amountIfAny,
  maxConnections: amountIfAny,
  workspaceLimit: amountIfAny,
  /** usd, ngn: "Prices returned by the catalog are estimates." */
  usd: price,
  ngn: price,
});

export const catalog = z.looseObject({
  /** "includes `workerOnline`, which reports recent worker readiness" Gap "hosting capability". */
  capabilities: z.record(text, flag),
  /** plans, databasePlans, regions, runtimes, serviceTypes: gap "choices of the catalog". */
  plans: z.array(plan),
  databasePlans: z.array(plan),
  regions: z.array(z.looseObject({ id: text, name: text, description: textIfAny })),
  runtimes: z.array(text),
  serviceTypes: z.array(
    z.looseObject({ id: text, name: text, plural: textIfAny, description: textIfAny, runtime: flag }),
  ),
  /** "Defaults (also returned by the catalog under `defaults`)" */
  defaults: z.record(text, anything),
  /** "Prices returned by the catalog are estimates." */
  pricesAreEstimates: flag,
});

export type CatalogAnswer = z.infer<typeof catalog>;

/**
 * The 48 fields of a service's `configuration` with their defaults as documented (interface, "Service configuration"). The
 * catalog's `defaults` win where they differ.
 */
export const documentedDefaults = {
  autoDeploy: "off",
  backupEnabled: true,
  backupRetentionDays: 7,
  branch: "main",
  buildCommand: "",
  buildMethod: "railpack",
  cacheProfile: "none",
  databaseName: "",
  databaseUser: "",
  databaseVersion: "16",
  description: "",
  dockerContext: ".",
  dockerfilePath: "Dockerfile",
  evictionPolicy: "allkeys-lru",
  healthCheckPath: "",
  ignorePaths: [],
  includePaths: [],
  ipAllowList: [],
  image: "",
  maintenance: false,
  maintenancePage: "",
  maxConcurrency: 1,
  minReplicas: 1,
  maxReplicas: 3,
  replicas: 1,
  maxRetries: 3,
  notifications: "workspace",
  plan: "free",
  platformDomainEnabled: true,
  port: 8000,
  preDeployCommand: "",
  previewExpiryHours: 72,
  previewMode: "off",
  privateNetworking: true,
  publishDirectory: "dist",
  region: "auto",
  registryId: "",
  repository: "",
  rootDirectory: "",
  runtime: "auto",
  scaling: "manual",
  schedule: "0 * * * *",
  sourceType: "repository",
  startCommand: "",
  targetCpu: 70,
  targetMemory: 80,
  timeoutSeconds: 3600,
  timezone: "UTC",
};

export type ConfigurationField = keyof typeof documentedDefaults;

/** Items are texts; the interface does not show their form, so an object passes through. */
const list = z.array(z.union([text, z.record(text, anything)]));

const formOf = (initial: unknown): z.ZodType => {
  if (typeof initial === "string") return text;
  if (typeof initial === "number") return z.int();
  return typeof initial === "boolean" ? flag : list;
};

/** The schema of each field: it accepts the type of its default. */
export const configurationFields = Object.fromEntries(
  Object.entries(documentedDefaults).map(([field, initial]) => [field, formOf(initial)]),
) as Readonly<Record<ConfigurationField, z.ZodType>>;
