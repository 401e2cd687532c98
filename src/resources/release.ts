import type { Deployment } from "../api/wire/deployment";
import type { Release } from "../model/running-service";

/** A deployment as it is shown to people; `liveId` is the one that serves. */
export function releaseOf(found: Deployment, liveId: string | undefined): Release {
  return {
    id: found.id,
    status: found.status,
    serves: found.id === liveId,
    cancelRequested: found.cancelRequested === true,
    canRollback: found.canRollback === true,
    ...texts({
      branch: found.branch,
      commit: found.commitSha,
      commitMessage: found.commitMessage,
      trigger: found.trigger,
      actor: found.actor,
      blockedReason: found.blockedReason,
      error: found.error,
      sourceId: found.sourceDeploymentId,
      createdAt: found.createdAt,
      startedAt: found.startedAt,
      finishedAt: found.finishedAt,
    }),
  };
}

/** Without what is null or empty. */
const texts = <Key extends string>(
  fields: Readonly<Record<Key, string | null | undefined>>,
): { readonly [name in Key]?: string } =>
  Object.fromEntries(Object.entries(fields).filter(([, text]) => text != null && text !== "")) as {
    readonly [name in Key]?: string;
  };
