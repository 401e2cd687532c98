import * as z from "zod";
import { id, page, timestamp } from "./common";

export const deployment = z.looseObject({
  id,
  /** See `terminalStatuses`; other values are waiting states. */
  status: z.string(),
  trigger: z.string().optional(),
  actor: z.string().nullish(),
  branch: z.string().nullish(),
  /** Empty when not pinned. */
  commitSha: z.string().nullish(),
  commitMessage: z.string().nullish(),
  /** Why a queued deployment waits; empty when nothing holds it. */
  blockedReason: z.string().nullish(),
  error: z.string().nullish(),
  cancelRequested: z.boolean().optional(),
  canRollback: z.boolean().optional(),
  sourceDeploymentId: id.nullish(),
  createdAt: timestamp.nullish(),
  startedAt: timestamp.nullish(),
  finishedAt: timestamp.nullish(),
  steps: z
    .array(
      z.looseObject({ name: z.string(), startedAt: timestamp.nullish(), finishedAt: timestamp.nullish() }),
    )
    .default([]),
});

export const terminalStatuses = ["live", "failed", "cancelled", "superseded"] as const;

export const deploymentAnswer = z.looseObject({ deployment });
export const deploymentsAnswer = z.looseObject({
  available: z.boolean(),
  items: z.array(deployment),
  page: page.optional(),
  reason: z.string().nullish(),
});
export const cancelAnswer = z.looseObject({ cancelRequested: z.literal(true) });

export type Deployment = z.infer<typeof deployment>;
