import { awaitsCheckout, isSuspended } from "../api/gap-answers";
import type { Deployment } from "../api/wire/deployment";
import type { Service } from "../api/wire/service";
import type { Standing } from "../model/standing";

/** Undefined while its runtime is not suspended: most services have nothing to say. */
export const serviceStanding = (found: Service): readonly Standing[] | undefined =>
  isSuspended(found) ? [{ code: "suspended", class: "running", summary: "suspended" }] : undefined;

export interface Releases {
  readonly latestId?: string;
  /** Release that serves. */
  readonly liveId?: string;
  /** The latest deployment, where it could be read. */
  readonly latest?: Deployment;
}

/**
 * Where the latest deployment of a service stands when it is not what serves, or serves an older release again
 * (interface, "Deployment status values").
 */
export function deploymentStanding({ latestId, liveId, latest }: Releases): Standing | undefined {
  if (latestId === undefined) return undefined;
  if (latestId === liveId) return latest?.sourceDeploymentId == null ? undefined : rolledBack(latest);
  const older = liveId === undefined ? "" : `; deployment ${liveId} serves`;
  if (latest === undefined)
    return said("older_release", `deployment ${latestId} is the latest, and does not serve${older}`);
  const { status } = latest;
  if (status === "live" || status === "superseded")
    return said(
      "older_release",
      `deployment ${latestId} was the latest, and an older release serves${older}`,
    );
  if (status === "failed" || status === "cancelled") {
    const reason = latest.error || latest.blockedReason;
    const outcome = status === "failed" ? "failed" : "was cancelled";
    const goesOn = liveId === undefined ? "nothing runs" : "the release before it goes on";
    const summary = `deployment ${latestId} ${outcome}${reason ? `: ${reason}` : ""}; ${goesOn}`;
    return { code: status, class: "pending", summary, ...since(latest.finishedAt ?? latest.createdAt) };
  }
  return underWay(latest);
}

const since = (at: string | null | undefined) => (at == null ? {} : { since: at });

const said = (code: Standing["code"], summary: string, at?: string | null): Standing => ({
  code,
  class: "running",
  summary,
  ...since(at),
});

const rolledBack = ({ id, sourceDeploymentId, finishedAt }: Deployment): Standing =>
  said(
    "rolled_back",
    `deployment ${id} serves the release of deployment ${sourceDeploymentId} again: it was rolled back`,
    finishedAt,
  );

function underWay({ id, status, blockedReason, createdAt }: Deployment): Standing {
  if (!blockedReason) return said("deploying", `deployment ${id} is under way (${status})`, createdAt);
  if (status === "queued" && awaitsCheckout(blockedReason))
    return {
      code: "awaiting_checkout",
      class: "pending",
      summary: `saved, awaiting checkout in the dashboard: ${blockedReason}`,
      ...since(createdAt),
    };
  return said("waiting", `deployment ${id} waits: ${blockedReason}`, createdAt);
}
