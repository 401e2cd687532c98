import * as z from "zod";
import { amount, anything, flag, id, idIfAny, operation, text, textIfAny, timestampIfAny } from "./common";

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
  /** What an item may be besides an id is not shown: an object passes through. */
  environmentGroupIds: z.array(z.union([id, z.record(text, anything)])).optional(),
  archived: flag.default(false),
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
