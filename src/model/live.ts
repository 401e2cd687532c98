import * as z from "zod";
import type { Attributes, Plain } from "./value";

/** A resource as the service reported it in this run. Attribute names are those of its type. */
export interface LiveResource {
  readonly type: string;
  readonly id: string;
  /** The name that the service's `confirm` must equal; for a variable its key. */
  readonly name: string;
  /** Id of its project or service; null when it has none. */
  readonly parentId: string | null;
  /** Attributes that a manifest can declare, as reported; fields the service left out are absent. */
  readonly attributes: LiveAttributes;
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

export type LiveAttributes = Pick<Attributes, "get"> & Iterable<readonly [string, Plain]>;

export type Offers = Readonly<Record<string, readonly Offered[]>>;

export interface Offered {
  /** Undefined while it is not created. */
  readonly id?: string;
  readonly name: string;
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

/** An accepted write to poll until it has settled. Plain data: it survives a crash. */
export interface Pending {
  readonly kind: "deployment" | "operation";
  readonly serviceId?: string;
  /** Set for a project: no route shows its operations, so the project itself is looked at. */
  readonly projectId?: string;
  /** Set for a variable, which `serviceId` holds. */
  readonly variableId?: string;
  readonly id: string;
  /** Pinned commit that must serve in the end. */
  readonly commit?: string;
  /** It is a deletion: once it has ended, the resource is no longer recorded. */
  readonly deletes?: true;
  /** The deletion was answered as done: a read has to prove it. */
  readonly isAnswered?: true;
  /** It awaited a checkout when it was last seen. Its wait begins once that is paid. */
  readonly awaited?: true;
  /** Time of its first record, or of the request to delete it: timeouts count from then. ISO 8601. */
  readonly since?: string;
}

/**
 * Condition of a live resource beside its declared fields: its last deployment failed, an older release serves, its
 * runtime is suspended. Reported, and left for people to repair. This is its form in documents.
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
    "other_commit",
    "suspended",
  ]),
  class: z
    .enum(["pending", "running"])
    .describe("`pending`: what was asked for last has not been done. `running`: said, never a failure."),
  summary: z.string(),
  since: z.string().optional().describe("ISO 8601."),
});

export const atCheckout = "saved; live after the checkout in the dashboard";

/** The `summary` is for people, and may hold text of the service. */
export type Standing = Readonly<z.infer<typeof standingSchema>>;

/** A service that refers to another service, as the platform shows it. */
export interface Consumer {
  readonly id: string;
  readonly name: string;
  /** Name of its project; undefined where it is in none. */
  readonly project?: string | undefined;
  /** Name of its environment; undefined where that is Production or not known. */
  readonly environment?: string | undefined;
  /** Names of variables, as far as the reference shows them. */
  readonly keys: readonly string[];
}

export interface Consumers {
  /** By the id of the service that they refer to. */
  readonly byProvider: ReadonlyMap<string, readonly Consumer[]>;
  /** False where references between projects are not shown. */
  readonly isComplete: boolean;
}

/** Returns consumers in words: `the service "web" of project "Billing" (DATABASE_URL)`. */
export const consumerList = (consumers: readonly Consumer[]): string =>
  consumers
    .map(({ name, project, environment, keys }) => {
      const at = environment === undefined ? "" : `, environment "${environment}"`;
      const where = project === undefined ? "" : ` of project "${project}"${at}`;
      return `the service "${name}"${where}${keys.length === 0 ? "" : ` (${keys.join(", ")})`}`;
    })
    .sort()
    .join(", ");
