import type { ZodObject } from "zod";
import type { Diagnostic } from "../diagnostics/diagnostic";
import type { Address } from "./address";
import type { Catalog } from "./catalog";
import type { LiveResource, Offers } from "./live";
import type { RecordedResource } from "./state";
import type { Attributes, Plain, ResolvedValue } from "./value";

/** Attributes that are only looked up by path: declared, live, or one over the other. */
export type AttributeLookup = Pick<Attributes<ResolvedValue>, "get">;

/** The consequence of a change beyond the field itself; every plan shows it. */
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
  readonly effects?: readonly Effect[];
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
  /** Types whose block the key stands in; `root` for the top level. */
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

/** A finding of a type about a declaration; `attribute` is the path that it points at. */
export interface Finding
  extends Pick<Diagnostic, "code" | "summary" | "detail" | "hint" | "remedy" | "attribute"> {
  /** Stops nothing; reported where the resource is sent. */
  readonly isWarning?: true;
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
  /** Attributes of the parent once the plan is applied; undefined where the resource is only taken over. */
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
  /** Returns whether the parent's block writes an attribute. */
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
interface Archives {
  /** The boolean attribute that tells whether a resource is archived. An archived one is in no list of the service. */
  readonly attribute: string;
  /** The resources that no list shows, for messages: `archived services`. */
  readonly unlisted: string;
}

type Picture =
  /** A box around the nodes of resources that lie in it. */
  | { readonly as: "box" }
  /** A node; the values of `facts`, attribute paths, stand under its name. */
  | { readonly as: "node"; readonly facts: readonly string[] }
  /** A part of the node of its parent. It names the edge to the resource that it refers to. */
  | { readonly as: "reference" }
  /** It says where the nodes of its box stand: `attribute` has their places by name or id. */
  | { readonly as: "places"; readonly attribute: string };

/**
 * A resource type without the platform: schema, rules, identity. Pure. These derive from it: manifest validation, JSON
 * Schema, diff, masking, the Terraform schema, the constructs' types, the reference docs. No engine code tests `type`
 * or names an attribute.
 */
export interface ResourceType {
  readonly type: string;
  /** Its form in pictures; default: a part of its parent. */
  readonly picture?: Picture;
  /** Its name in Terraform and in stacks. Default: `rnv_` and the type. */
  readonly terraformName?: string;
  readonly doc: string;
  /** One block as written: strict, camelCase, every field optional unless the service needs it. */
  readonly schema: ZodObject;
  /** One rule for every attribute path of the schema, and for the parent attribute. */
  readonly rules: Readonly<Record<string, AttributeRule>>;
  readonly computed: Readonly<Record<string, ComputedRule>>;
  /** Nested objects of the schema, flattened one level: `configuration`. */
  readonly groups: readonly string[];
  /** One of the groups takes further fields: those that `defaults` names and the schema does not, typed by it. */
  readonly open?: { readonly group: string; readonly rule: AttributeRule };
  readonly manifest: ManifestForm;

  /** The attribute that holds its name (default: its logical name); undefined when it has none. */
  readonly nameAttribute?: string;
  /**
   * The choice of its parent that, with the name, identifies it: the attribute that declares it, and the computed
   * attribute with its id. If none is declared, a move is drift and changes nothing.
   */
  readonly place?: { readonly attribute: string; readonly id: string };
  /** The first that applies; empty for a root type. */
  readonly parents: readonly Parent[];
  /** Types under the same parent that are applied before it. */
  readonly follows: readonly string[];
  readonly removal: "delete" | "forget";
  /** The service deletes it together with its parent, without a request of its own. */
  readonly removedWithParent: boolean;
  /** A boolean attribute that declares it as created elsewhere: never created or deleted, an error if missing. */
  readonly preservedBy?: string;

  /** Returns the service's defaults by attribute path (column C of DESIGN section 4), for one `variant` where given. */
  readonly defaults: (catalog: Catalog, variant?: string) => Attributes;
  /** Returns the words that the service's catalog offers for an attribute. */
  readonly offeredWords?: (path: string, catalog: Catalog) => readonly string[];
  /** The attribute whose value is the variant: its defaults differ from those of the type. */
  readonly variantAttribute?: string;
  /** Returns declared choices that the catalog or the parent does not offer, and combinations that cannot be. */
  readonly check?: (
    declared: Attributes<ResolvedValue>,
    catalog: Catalog,
    context?: CheckContext,
  ) => readonly Finding[];
  /** The same against its siblings, in every plan. `offered`: the choices that the service shows, where known. */
  readonly checkSiblings?: (
    declared: Attributes<ResolvedValue>,
    offered: Offers | undefined,
    siblings: readonly Neighbour[],
  ) => readonly Finding[];
  /** Returns a choice that only so many resources of a workspace may have in common. */
  readonly sharedLimit?: (
    attributes: AttributeLookup,
    catalog: Catalog,
  ) => { readonly choice: string; readonly most: number } | undefined;
  /** Returns the choices of the resources in it once it is created. */
  readonly offersWhenNew?: (catalog: Catalog) => Offers;
  /** Returns the estimated monthly price of `attributes`; undefined: unpriced. */
  readonly monthlyCost?: (attributes: AttributeLookup, catalog: Catalog) => Money | undefined;

  readonly archives?: Archives;
  readonly reacts?: Reaction;
  /** A further hint where the service accepts an update and applies no field of it. */
  readonly unappliedHint?: string;
}

/** Returns the rule of an attribute path: its own, or that of the further fields of an open group. */
export const ruleAt = (type: Pick<ResourceType, "rules" | "open">, path: string): AttributeRule | undefined =>
  type.rules[path] ?? (isOpenField(type, path) ? type.open?.rule : undefined);

/** Returns whether a path is that of a further field: in the open group of its type, and none that its schema names. */
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

/** Returns whether a path is a setting: a field of one of the groups. */
export const isSetting = ({ groups }: Pick<ResourceType, "groups">, path: string): boolean =>
  groups.some((group) => path.startsWith(`${group}.`));

export const isParentAttribute = ({ parents }: Pick<ResourceType, "parents">, path: string): boolean =>
  parents.some(({ attribute }) => attribute === path);

export const pathsWith = (
  { rules }: Pick<ResourceType, "rules">,
  flag: "secret" | "alwaysManaged" | "kept",
): readonly string[] => Object.keys(rules).filter((path) => rules[path]?.[flag]);

/** Returns whether a resource is declared as made elsewhere (`preserve`). */
export const isPreserved = (
  { preservedBy }: Pick<ResourceType, "preservedBy">,
  declared: AttributeLookup,
): boolean => preservedBy !== undefined && declared.get(preservedBy) === true;

/** Returns whether no list of the service shows a resource with these attributes. */
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
