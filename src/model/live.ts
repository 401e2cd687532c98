import * as z from "zod";
import type { Address } from "./address";
import type { Attributes } from "./value";

/** A resource as the service reported it in this run. Attribute names are those of its type. */
export interface LiveResource {
  readonly type: string;
  readonly id: string;
  /** The name that the service's `confirm` must equal; for a variable its key. */
  readonly name: string;
  /** Id of its project or service; null when it has none. */
  readonly parentId: string | null;
  /** Attributes that a manifest can declare, as reported; fields the service left out are absent. */
  readonly attributes: Attributes;
  /** Attributes that the service decides: `id`, `url`, `internalHost` … */
  readonly computed: Attributes;
  /** ISO 8601; moves with every change the service knows of. */
  readonly updatedAt?: string;
  /** When it was made, where it has no `updatedAt`. ISO 8601. */
  readonly asOf?: string;
  /** Its standing, when that is not as it was deployed last. */
  readonly standing?: readonly Standing[];
  /** Why it is written again although it was not changed: `docs has no place yet`. */
  readonly lacks?: string;
  /** Choices of it and of the resources in it, by attribute path. */
  readonly offers?: Offers;
  /** The choice of its parent that holds it, as `place` of its type says; undefined where none is known to. */
  readonly place?: { readonly chosen: Offered; readonly among: readonly Offered[] } | undefined;
}

export type Offers = Readonly<Record<string, readonly Offered[]>>;

export interface Offered {
  /** Undefined while it is not created. */
  readonly id?: string;
  readonly name: string;
  /** It is chosen where nothing is declared. */
  readonly isDefault: boolean;
}

export type ReadResult =
  | { readonly kind: "found"; readonly live: LiveResource }
  /** Nothing of that name where it was looked for, and no id to look for. */
  | {
      readonly kind: "absent";
      /** Its choices, as `LiveResource.offers`. */
      readonly offers?: Offers;
    }
  /** A known id that the service answers 404 for and no list shows. */
  | {
      readonly kind: "gone";
      /** It is still being deleted: how to find out when that has ended. */
      readonly ending?: Pending;
      /** Nothing else is shown: a key that lost its membership sees the same. */
      readonly isUnproven?: true;
    }
  | { readonly kind: "ambiguous"; readonly ids: readonly string[] }
  /** It could not be read (a route is missing, a read failed for it alone); recorded values stand. */
  | { readonly kind: "unchecked"; readonly reason: string };

/** Returns true if a read showed nothing, nor that a deletion is going on. */
export const isMissing = (read: ReadResult | undefined): boolean =>
  read?.kind === "absent" || (read?.kind === "gone" && read.ending === undefined);

/** How to find out when an accepted write has settled. Plain data: it survives a crash. */
export interface Pending {
  readonly kind: "deployment" | "operation";
  readonly serviceId?: string;
  /** Set for a project: no route shows its operations, so the project itself is looked at. */
  readonly projectId?: string;
  /** Set for a variable, which `serviceId` holds. */
  readonly variableId?: string;
  readonly id: string;
  /** Pinned commit that must be the one that serves in the end. */
  readonly commit?: string;
  /** It is a deletion: once it has ended, the resource is no longer recorded. */
  readonly deletes?: true;
  /** The deletion was answered as done: a read has to prove it. */
  readonly isAnswered?: true;
  /** It awaited a checkout when it was last seen. Its wait begins once that is paid. */
  readonly awaited?: true;
  /** When it was first recorded, or its deletion requested. A timeout of an earlier request counts from then. ISO 8601. */
  readonly since?: string;
}

/**
 * What a live thing does that no declared field says: its last deployment failed, an older release serves, its runtime
 * is suspended. Reported, and left for people to repair. As documents have it.
 */
export const standingSchema = z.strictObject({
  code: z.enum([
    "held",
    "awaiting_checkout",
    "failed",
    "cancelled",
    "waiting",
    "deploying",
    "rolled_back",
    "older_release",
    "other_branch",
    "suspended",
  ]),
  class: z
    .enum(["pending", "running"])
    .describe("`pending`: what was asked for last has not been done. `running`: said, never a failure."),
  summary: z.string(),
  since: z.string().optional().describe("ISO 8601."),
});

/** The `summary` is for people, and may hold text of the service. */
export type Standing = Readonly<z.infer<typeof standingSchema>>;

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

/** The release that a recorded service runs, as it was read in this run. */
export interface RunningService {
  readonly address: Address;
  readonly id: string;
  readonly name: string;
  /** `nothing`: no release serves. `unknown`: it could not be read. */
  readonly runs: "release" | "suspended" | "nothing" | "deleting" | "gone" | "unknown";
  readonly reason?: string;
  readonly archived: boolean;
  readonly url?: string;
  readonly status?: string;
  readonly health?: string;
  /** ISO 8601. */
  readonly healthCheckedAt?: string;
  readonly release?: Release;
  /** The latest deployment, when it is not what serves. */
  readonly latest?: Release;
  readonly standing: readonly Standing[];
  /** Its variables, where they are asked for and the service lists them. */
  readonly variables?: readonly ShownVariable[];
}

export interface ShownVariable {
  readonly key: string;
  /** `preserve`: recorded, and its value is set elsewhere. */
  readonly managed: "rnv" | "preserve" | "no";
  /** ISO 8601. */
  readonly changed?: string;
}

/** The first deployments of a service, newest first. */
export interface ReleaseList {
  readonly address: Address;
  readonly releases: readonly Release[];
  /** There are older ones. */
  readonly hasMore: boolean;
  readonly reason?: string;
}
