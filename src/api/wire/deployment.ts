import * as z from "zod";
import { flag, id, idIfAny, page, text, textIfAny, timestampIfAny } from "./common";

export const deployment = z.looseObject({
  id,
  /** See `terminalStatuses`; other values are waiting states. */
  status: text,
  trigger: text.optional(),
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

export type Deployment = z.infer<typeof deployment>;
