import type { Attributes } from "./attributes";
import type { Pending } from "./pending";
import type { Standing } from "./standing";

/** One thing as the service reported it in this run. Attribute names are those of its resource type. */
export interface LiveResource {
  readonly type: string;
  readonly id: string;
  /** The name that the service's `confirm` must equal; for a variable its key. */
  readonly name: string;
  /** Id of the project or service it lies in; null when it lies in none. */
  readonly parentId: string | null;
  /** What a manifest could declare, as reported; fields the service left out are absent. */
  readonly attributes: Attributes;
  /** What only the service decides: `id`, `url`, `internalHost` … */
  readonly computed: Attributes;
  /** ISO 8601; moves with every change the service knows of. */
  readonly updatedAt?: string;
  /** The time of what is shown, where it has no `updatedAt`. ISO 8601. */
  readonly asOf?: string;
  /** Where it stands, when that is not as it was deployed last. */
  readonly standing?: readonly Standing[];
  /** Why it is written once more although nobody changed it: `docs has no place yet`. */
  readonly lacks?: string;
  /** What it, or what lies in it, may choose from, by the attribute path of the choice. */
  readonly offers?: Offers;
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
      /** What it could choose from, as `LiveResource.offers`. */
      readonly offers?: Offers;
    }
  /** A known id that the service answers 404 for and no list shows. */
  | {
      readonly kind: "gone";
      /** It is still being deleted: how to find out when that has ended. */
      readonly ending?: Pending;
    }
  | { readonly kind: "ambiguous"; readonly ids: readonly string[] }
  /** It could not be read (a route is missing, a read failed for it alone); recorded values stand. */
  | { readonly kind: "unchecked"; readonly reason: string };
