import type { ZodObject } from "zod";
import type { Address } from "./address";
import type { Catalog } from "./catalog";
import type { LiveResource, Offers, Pending, ReadResult } from "./live";
import type {
  Accepted,
  CandidateSearch,
  CreateInput,
  DeleteInput,
  Deletes,
  Finding,
  OperationStatus,
  ReadTarget,
  ResourceAction,
  Runs,
  UpdateInput,
} from "./resource-operations";
import type { Secret } from "./secret";
import type { RecordedResource } from "./state";
import type { AttributeLookup, Attributes, Plain, ResolvedValue } from "./value";

/** A consequence of a change beyond the field itself; plans show it. A deletion or replacement is `destructive`. */
export type Effect = "deploys" | "restarts" | "billing" | "destructive";

export interface AttributeRule {
  /**
   * `update`: changed in place. `replace`: immutable, a change is a replacement. `local`: read by rnv only,
   * never compared, recorded or sent.
   */
  readonly change: "update" | "replace" | "local";
  readonly secret?: true;
  /** Equality of two values. Default: deep equality. */
  readonly equal?: (a: Plain, b: Plain) => boolean;
  readonly effects?: readonly Exclude<Effect, "destructive">[];
  /**
   * When a change of it takes effect. Default: with the next run of a resource that reacts to it (a deployment).
   * `at once`: nothing that is deployed reads it, so a change of it alone is no reason to deploy.
   */
  readonly takesEffect?: "at once";
  /** Managed even where no block writes it: the wanted value is the declared one, or the default. */
  readonly alwaysManaged?: true;
  /** A new resource with the values of a removed resource here is probably that resource, renamed. */
  readonly kept?: true;
  /**
   * The platform resolves the value from several forms: a name, an id. A read shows it in the declared form where both
   * mean the same; without a read two forms cannot be compared.
   */
  readonly resolved?: true;
  /** Values that the interface shows; others are allowed. */
  readonly known?: readonly string[];
  /** One of the choices that the catalog or the parent offers; `check` says which. */
  readonly offered?: true;
}

export interface ComputedRule {
  readonly valueType: "string" | "number" | "boolean" | "json";
  readonly doc: string;
  /** Keeps its value through an update: references to it stay known while the resource is updated. */
  readonly stable: boolean;
  /** Attribute paths whose change may move it all the same. */
  readonly movesWith?: readonly string[];
  /** The declared attribute that pins it: where both are one to the user, either may be written. */
  readonly pinnedBy?: string;
  /** It holds an id of this type, besides that of the resource itself: a create is matched to neither. */
  readonly holdsId?: true;
  /** It changes without a write to the resource: Terraform's data sources show it, its resources do not. */
  readonly movesByItself?: true;
}

export interface ManifestForm {
  /** The key that holds it: `services`. */
  readonly key: string;
  /** Types whose block has the key; `root` for the top level. */
  readonly within: readonly ("root" | string)[];
  /** `map`: logical name to block. `single`: one block per parent. */
  readonly shape: "map" | "single";
  /** A single resource that exists even when its key is not written. */
  readonly implicit?: true;
  /** A block may be written as a bare value, which stands for this attribute. */
  readonly shorthand?: string;
  /** Keys besides attributes that may be written in the block. */
  readonly meta?: readonly ("lifecycle" | "import" | "dependsOn")[];
  /** Blocks that parents share: the key of named groups at the top level, and the key in a parent that uses groups. */
  readonly shared?: { readonly groups: string; readonly from: string };
  /** Words that people write for the key by mistake; the error names the key. */
  readonly alsoCalled?: readonly string[];
  /** Words that people write for a field of the block by mistake, by attribute path or group. */
  readonly fieldsAlsoCalled?: Readonly<Record<string, readonly string[]>>;
}

export interface Parent {
  readonly type: string;
  /** The attribute that holds the parent's id: `projectId`. */
  readonly attribute: string;
}

export interface CheckContext {
  /** The resource is created or replaced. */
  readonly isNew: boolean;
  /** Attributes that the service shows now. */
  readonly live?: AttributeLookup | undefined;
  /** The choices that the parent offers; undefined where they are not known. */
  readonly offers?: Offers;
  /** The parent is created or replaced. */
  readonly isParentNew: boolean;
  /** Attributes of the parent once the plan is applied; undefined where the resource is adopted alone. */
  readonly parent?: AttributeLookup;
}

export interface Money {
  readonly usd: number;
  readonly ngn: number;
}

/** A resource that another reacts to: its parent, or a sibling of a type it follows. */
export interface Upstream {
  readonly address: Address;
  /** Undefined while it is not created. */
  readonly id?: string;
  /** Writes recorded so far. */
  readonly writes: number;
  /** It is created, updated or replaced in this plan. */
  readonly changes: boolean;
  /** Its name once the plan is applied. */
  readonly name?: string;
  /** Lists of the service show it, under this name, only once the plan is applied. */
  readonly appears?: "made" | "restored" | "renamed";
}

/** A sibling of a type that a resource follows, as it is once the plan is applied. */
export interface Neighbour {
  readonly address: Address;
  /** Undefined while it is not created. */
  readonly id?: string;
  /** Its id before the plan is applied: a replacement gives it another. */
  readonly idBefore?: string;
  readonly name?: string;
  /** No list of the service shows it. */
  readonly isHidden: boolean;
  readonly isRemoved: boolean;
}

export interface ReactionContext {
  readonly declared: Attributes<ResolvedValue>;
  readonly recorded?: RecordedResource;
  readonly live?: LiveResource;
  /** Attributes of the parent: declared, references resolved, over live. */
  readonly parent?: AttributeLookup;
  /** Returns true if the parent's block writes an attribute. */
  readonly parentDeclares?: (path: string) => boolean;
  readonly upstream: readonly Upstream[];
}

export interface WaitPolicy {
  readonly wait: boolean;
  readonly timeoutMs: number;
}

/** The behaviour of a type that runs because others change: a deployment, a saved layout. */
export interface Reaction {
  /**
   * Returns why the resource must run again; `always` where it runs in every run, whatever changed. Undefined: no
   * reason but a difference in its own fields. Null: it must not run, whatever differs.
   */
  readonly reason: (context: ReactionContext) => string | null | undefined;
  /** Returns why it cannot run now although it should: the plan reports it, and the apply fails. */
  readonly held?: (context: ReactionContext) => string | undefined;
  /** Default: waits 15 minutes. */
  readonly waitPolicy?: (declared: Attributes<ResolvedValue>) => WaitPolicy;
}

/** The behaviour of a type with `onRemove: archive`. */
interface Archives<Writes> {
  /** The boolean attribute that is true while a resource is archived. No list of the service shows it then. */
  readonly attribute: string;
  /** The resources that no list shows, for messages: `archived services`. */
  readonly unlisted: string;
  readonly archive: (writes: Writes, input: DeleteInput) => Promise<Accepted>;
}

type Picture =
  /** A box around the nodes of the resources in it. */
  | { readonly as: "box" }
  /** A node; the values of `facts`, attribute paths, are shown under its name. */
  | { readonly as: "node"; readonly facts: readonly string[] }
  /** A part of the node of its parent. It names the edge to the resource that it refers to. */
  | { readonly as: "reference" }
  /** Positions for the nodes of its box: `attribute` has them by name or id. */
  | { readonly as: "places"; readonly attribute: string };

/**
 * Schema: the block of a manifest, its rules, and the identity of a resource. Pure: no request, no clock.
 *
 * Each path of `schema`, and the parent attribute, has a rule; `RulesOf` checks that. Manifest validation, JSON
 * Schema, diff, masking, constructs, the Terraform schema and the reference pages derive from this group.
 */
interface SchemaGroup {
  readonly type: string;
  readonly doc: string;
  /** One block as written: strict, camelCase, every field optional unless the service needs it. */
  readonly schema: ZodObject;
  readonly rules: Readonly<Record<string, AttributeRule>>;
  readonly computed: Readonly<Record<string, ComputedRule>>;
  /** Nested objects of the schema, flattened one level: `configuration`. */
  readonly groups: readonly string[];
  readonly manifest: ManifestForm;
  /** The first that applies; empty for a root type. */
  readonly parents: readonly Parent[];
  /** Types under the same parent that are applied before it. */
  readonly follows: readonly string[];
  /** Returns the service's defaults by attribute path (column C of DESIGN section 4), for one `variant` where given. */
  readonly defaults: (catalog: Catalog, variant?: string) => Attributes;

  /** Optional: its form in pictures. Default: a part of its parent. */
  readonly picture?: Picture;
  /** Optional: its name in Terraform and in stacks. Default: `rnv_` and the type. */
  readonly terraformName?: string;
  /** Optional: a group that takes further fields: those of `defaults` that the schema does not name, typed by them. */
  readonly open?: { readonly group: string; readonly rule: AttributeRule };
  /** Optional: the attribute that holds its name (default: its logical name). Undefined: it has none. */
  readonly nameAttribute?: string;
  /**
   * Optional: the choice of its parent that, with the name, identifies it. `attribute` declares it; the computed
   * attribute `id` has its id. If none is declared, a move is drift and changes nothing.
   */
  readonly place?: { readonly attribute: string; readonly id: string };
  /** Optional: a boolean attribute of resources that are made elsewhere: found or an error, forgotten, not deleted. */
  readonly preservedBy?: string;
  /** Optional: the attribute whose value is the variant. Its defaults differ from those of the type. */
  readonly variantAttribute?: string;
  /** Optional: returns the words that the service's catalog offers for an attribute. */
  readonly offeredWords?: (path: string, catalog: Catalog) => readonly string[];
  /** Optional: returns declared choices that the catalog or the parent does not offer, and impossible combinations. */
  readonly check?: (
    declared: Attributes<ResolvedValue>,
    catalog: Catalog,
    context?: CheckContext,
  ) => readonly Finding[];
  /** Optional: `check` against its siblings, in every plan. `offered`: the choices that the service shows, if known. */
  readonly checkSiblings?: (
    declared: Attributes<ResolvedValue>,
    offered: Offers | undefined,
    siblings: readonly Neighbour[],
  ) => readonly Finding[];
  /** Optional: returns a choice that only so many resources of a workspace may have in common. */
  readonly sharedLimit?: (
    attributes: AttributeLookup,
    catalog: Catalog,
  ) => { readonly choice: string; readonly most: number } | undefined;
  /** Optional: returns the choices of the resources in it once it is created. */
  readonly offersWhenNew?: (catalog: Catalog) => Offers;
  /** Optional: returns the estimated monthly price of `attributes`; undefined: unpriced. */
  readonly monthlyCost?: (attributes: AttributeLookup, catalog: Catalog) => Money | undefined;
}

/**
 * Read: the live resources. A plan, a refresh and a data source call these as often as they like: they never write.
 *
 * `gone` needs a known id that is answered 404 and absent from a complete list. A resource that cannot be read alone is
 * `unchecked`. Every other failure is a thrown `ApiError`.
 */
interface ReadGroup<Reads> {
  readonly read: (reads: Reads, target: ReadTarget) => Promise<ReadResult>;
  /** Returns the live resources, of one parent where given; undefined where they cannot be listed. */
  readonly list: (reads: Reads, parentId?: string) => Promise<readonly LiveResource[] | undefined>;
  /** Looks once at a pending write or deletion; `apply` decides how often. */
  readonly poll: (reads: Reads, pending: Pending) => Promise<OperationStatus>;

  /**
   * Optional, for a type with creates: returns the possible results of an unanswered create. They are the resources of
   * the name, in the parent and the place. Undefined when they cannot be looked up.
   */
  readonly candidates?: (
    reads: Reads,
    search: CandidateSearch,
  ) => Promise<readonly LiveResource[] | undefined>;
  /** Optional: returns live secret values by attribute path. Audited by the service: requested by name only. */
  readonly reveal?: (reads: Reads, live: LiveResource) => Promise<ReadonlyMap<string, Secret>>;
}

/**
 * Write: creates, updates and runs. `writes` keys and journals each request, so an operation sends it once and never
 * retries.
 *
 * An accepted write returns its id, and `pending` where its end is still to be seen. A later request of the same
 * operation that fails is its `failure`: the id is recorded before the error is reported.
 */
interface WriteGroup<Reads, Writes> {
  readonly create: (writes: Writes, input: CreateInput) => Promise<Accepted>;
  /** Sends `changed` fields only; all others keep their values. */
  readonly update: (writes: Writes, input: UpdateInput) => Promise<Accepted>;

  /** Optional: the reaction of a type that is written because others change. */
  readonly reacts?: Reaction;
  /** Optional: the run at the service that its create and update start. */
  readonly runs?: Runs<Reads>;
  /** Optional: actions of verbs, by name. */
  readonly actions?: Readonly<Record<string, ResourceAction<Reads, Writes>>>;
  /** Optional: a further hint where the service accepts an update and applies no field of it. */
  readonly unappliedHint?: string;
}

/**
 * Delete: the end of a resource that is no longer declared. The name is confirmed before `remove` is called.
 *
 * `remove` asks for the deletion; only a read that proves it `gone` ends it (DESIGN section 4, "Ends of pending work").
 */
interface DeleteGroup<Reads, Writes> {
  /** `forget`: the record alone is removed. */
  readonly removal: "delete" | "forget";
  /** The service deletes it together with its parent, without a request of its own. */
  readonly removedWithParent: boolean;
  readonly remove: (writes: Writes, input: DeleteInput) => Promise<Accepted>;

  /** Optional: deletions that end after their answer. */
  readonly deletes?: Deletes<Reads, Writes>;
  /** Optional: archives instead of deleting, with `onRemove: archive`. */
  readonly archives?: Archives<Writes>;
}

/**
 * A resource type, the only description of it. Engine code tests its members, never its name or an attribute's.
 *
 * `Reads` and `Writes` are the capabilities of `src/api`. Without them, as in `plan`, no operation can be called.
 */
export interface ResourceType<Reads = never, Writes = never>
  extends SchemaGroup,
    ReadGroup<Reads>,
    WriteGroup<Reads, Writes>,
    DeleteGroup<Reads, Writes> {}

/** Returns the rule of an attribute path: its own, or that of the further fields of an open group. */
export const ruleAt = (type: Pick<ResourceType, "rules" | "open">, path: string): AttributeRule | undefined =>
  type.rules[path] ?? (isOpenField(type, path) ? type.open?.rule : undefined);

/** Returns true for a field of the open group that the schema does not name. */
export function isOpenField({ rules, open }: Pick<ResourceType, "rules" | "open">, path: string): boolean {
  if (open === undefined || !path.startsWith(`${open.group}.`) || Object.hasOwn(rules, path)) return false;
  return /^[A-Za-z]\w*$/.test(path.slice(open.group.length + 1));
}

/** Returns the attributes that the schema names: a further field of an open group is shown only when asked for. */
export const withoutOpenFields = (
  { rules, open }: Pick<ResourceType, "rules" | "open">,
  attributes: Iterable<readonly [string, Plain]>,
): Attributes =>
  new Map(
    [...attributes].filter(
      ([path]) => !open || Object.hasOwn(rules, path) || !path.startsWith(`${open.group}.`),
    ),
  );

/** Returns true for a field of a group. */
export const isSetting = ({ groups }: Pick<ResourceType, "groups">, path: string): boolean =>
  groups.some((group) => path.startsWith(`${group}.`));

export const isParentAttribute = ({ parents }: Pick<ResourceType, "parents">, path: string): boolean =>
  parents.some(({ attribute }) => attribute === path);

export const pathsWith = (
  { rules }: Pick<ResourceType, "rules">,
  flag: "secret" | "alwaysManaged" | "kept",
): readonly string[] => Object.keys(rules).filter((path) => rules[path]?.[flag]);

/** Returns true if a resource is declared as made elsewhere (`preserve`). */
export const isPreserved = (
  { preservedBy }: Pick<ResourceType, "preservedBy">,
  declared: AttributeLookup,
): boolean => preservedBy !== undefined && declared.get(preservedBy) === true;

/** Returns true if no list of the service shows a resource with these attributes. */
export const isUnlisted = (
  { archives }: Pick<ResourceType, "archives">,
  attributes: AttributeLookup,
): boolean => archives !== undefined && attributes.get(archives.attribute) === true;

/**
 * Attribute paths of a block: its keys, with the groups flattened one level (`configuration.branch`). Records and
 * objects that are no group, such as a layout's positions, are one attribute each.
 */
type LeafPath<Block, Group extends string = never> =
  | Exclude<keyof Block & string, Group>
  | {
      [G in Group & keyof Block]: G extends string ? `${G}.${keyof NonNullable<Block[G]> & string}` : never;
    }[Group & keyof Block];

/** One rule for every attribute path of a block and for its parent attributes: a field without one does not compile. */
export type RulesOf<Block, ParentAttribute extends string = never, Group extends string = never> = Readonly<
  Record<LeafPath<Block, Group> | ParentAttribute, AttributeRule>
>;
