import * as z from "zod";
import { id, operation, timestamp } from "./common";

export const estimatedMonthly = z.looseObject({
  ngn: z.number(),
  usd: z.number(),
  priced: z.boolean(),
});

export const service = z.looseObject({
  id,
  name: z.string(),
  kind: z.string(),
  projectId: id.nullish(),
  environmentId: id.nullish(),
  environmentGroupIds: z.array(id).optional(),
  archived: z.boolean().default(false),
  configuration: z.record(z.string(), z.unknown()).default({}),
  createdAt: timestamp.nullish(),
  updatedAt: timestamp.nullish(),
  deletedAt: timestamp.nullish(),
  deletionRequestedAt: timestamp.nullish(),
  deploymentId: id.nullish(),
  deploymentUpdatedAt: timestamp.nullish(),
  liveDeploymentId: id.nullish(),
  displayStatus: z.string().nullish(),
  lifecycleStatus: z.string().nullish(),
  status: z.string().nullish(),
  healthStatus: z.string().nullish(),
  healthCheckedAt: timestamp.nullish(),
  runtimeDetail: z.string().nullish(),
  internalHost: z.string().nullish(),
  url: z.string().nullish(),
  estimatedMonthly: estimatedMonthly.nullish(),
});

export const serviceAnswer = z.looseObject({ service });

export const serviceActions = ["restart", "suspend", "resume", "deploy", "clear-cache"] as const;
export type ServiceAction = (typeof serviceActions)[number];

/** Answer of `restart`, `suspend`, `resume`. */
export const actionAnswer = z.looseObject({ queued: z.boolean(), operation });

export type Service = z.infer<typeof service>;
