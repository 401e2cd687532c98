import type { Address } from "./address";
import type { Standing } from "./standing";

/** A deployment as the service shows it (interface, "Deployment"); what it leaves empty is absent. */
export interface Release {
  readonly id: string;
  /** Absent where the deployment could not be read. */
  readonly status?: string;
  /** It is the one that serves. */
  readonly serves: boolean;
  readonly branch?: string;
  readonly commit?: string;
  readonly commitMessage?: string;
  readonly trigger?: string;
  readonly actor?: string;
  readonly blockedReason?: string;
  readonly error?: string;
  readonly cancelRequested: boolean;
  readonly canRollback: boolean;
  /** The deployment whose release it serves again. */
  readonly sourceId?: string;
  /** ISO 8601, as the three below. */
  readonly createdAt?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
}

/** What one recorded service runs, as it was read in this run. */
export interface RunningService {
  readonly address: Address;
  readonly id: string;
  readonly name: string;
  /** `nothing`: no release serves. `unknown`: it could not be read. */
  readonly runs: "release" | "suspended" | "nothing" | "deleting" | "gone" | "unknown";
  /** Why it could not be read. */
  readonly reason?: string;
  readonly archived: boolean;
  readonly url?: string;
  /** In the service's own words. */
  readonly status?: string;
  readonly health?: string;
  /** ISO 8601. */
  readonly healthCheckedAt?: string;
  /** The release that serves. */
  readonly release?: Release;
  /** The latest deployment, when it is not what serves. */
  readonly latest?: Release;
  readonly standing: readonly Standing[];
}

/** The first deployments of a service, newest first. */
export interface ReleaseList {
  readonly address: Address;
  readonly releases: readonly Release[];
  /** There are older ones. */
  readonly hasMore: boolean;
  /** Why the service lists none, where it says so. */
  readonly reason?: string;
}
