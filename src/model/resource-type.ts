import type { ZodObject } from "zod";
import type { DiagnosticCode } from "../diagnostics/codes";
import type { Address } from "./address";
import type { Attributes } from "./attributes";
import type { Catalog } from "./catalog";
import type { LiveResource, Offers, ReadResult } from "./live";
import type { Pending } from "./pending";
import type { Secret } from "./secret";
import type { RecordedResource } from "./state";
import type { Plain, ResolvedValue } from "./value";

/** What a change does beyond the field itself; shown in every plan. */
export type Effect = "deploys" | "restarts" | "billing" | "destructive";

export interface AttributeRule {
  /**
   * `update`: changed in place. `replace`: immutable, a change is a replacement. `local`: read by rnv only,
   * never compared, recorded or sent.
   */
  readonly change: "update" | "replace" | "local";
  readonly secret?: true;
  /** Equality of two values; deep equality unless said. */
  readonly equal?: (a: Plain, b: Plain) => boolean;
  readonly effects?: readonly Effect[];
  /**
   * When a change of it takes effect: with the next run of what reacts to its resource (a deployment) unless said.
   * `at once`: nothing that is deployed reads it, so a change of it alone is no reason to deploy.
   */
  readonly takesEffect?: "at once";
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
}

/** Where a type stands in the YAML manifest. */
export interface ManifestPlace {
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
  /** `lifecycle` and `import` may be written in the block. */
  readonly meta?: true;
  /** Words that people write for the key by mistake; told what it is called. */
  readonly alsoCalled?: readonly string[];
}

export interface Parent {
  readonly type: string;
  /** The attribute that holds the parent's id: `projectId`. */
  readonly attribute: string;
}

export interface Finding {
  readonly code: DiagnosticCode;
  readonly summary: string;
  readonly detail?: string;
  readonly hint?: string;
  /** Attribute path the finding points at. */
  readonly attribute?: string;
  /** It stands in the way of nothing; said where something is sent. */
  readonly isWarning?: true;
}

/** Where a declared resource is to be. */
export interface Around {
  /** It is made anew. */
  readonly isNew: boolean;
  /** What its parent offers; undefined where that is not known. */
  readonly offers?: Offers;
  /** Its parent is made anew. */
  readonly isParentNew: boolean;
}

export interface Money {
  readonly usd: number;
  readonly ngn: number;
}

/** One thing a reacting resource depends on: its parent, or a sibling of a type it follows. */
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

/** What a resource lies beside once the plan is applied. */
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
  /** Attributes of the parent: what is declared, references resolved, over what is live. */
  readonly parent?: Pick<Attributes<ResolvedValue>, "get">;
  /** Whether the parent's block writes an attribute. */
  readonly parentDeclares?: (path: string) => boolean;
  readonly upstream: readonly Upstream[];
}

/**
 * The pure description of one resource type. Manifest validation, JSON Schema, diff, masking, the Terraform
 * schema, the constructs' types and the reference docs derive from it; no engine code tests `type`.
 */
export interface ResourceType {
  readonly type: string;
  /** Its name in Terraform and in stacks; `rnv_` and the type unless said. */
  readonly terraformName?: string;
  readonly doc: string;
  /** One block as written: strict, camelCase, every field optional unless the service needs it. */
  readonly schema: ZodObject;
  /** One rule for every attribute path of the schema, and for the parent attribute. */
  readonly rules: Readonly<Record<string, AttributeRule>>;
  readonly computed: Readonly<Record<string, ComputedRule>>;
  /** Words that people write by mistake for a key of the block, by attribute path or group; told what it is called. */
  readonly alsoCalled?: Readonly<Record<string, readonly string[]>>;
  /** Nested objects of the schema, flattened one level: `configuration`. */
  readonly groups: readonly string[];
  /** One of the groups takes further fields: those that `defaults` names and the schema does not, typed by it. */
  readonly open?: { readonly group: string; readonly rule: AttributeRule };
  /** The first that applies; empty for a root type. */
  readonly parents: readonly Parent[];
  readonly manifest: ManifestPlace;
  /** The attribute that holds its name (default: its logical name); undefined when it has none. */
  readonly nameAttribute?: string;
  /** What becomes of it when it is no longer declared: a request, gone with its parent, or only forgotten. */
  readonly removal: "delete" | "forget";
  /** The service deletes it together with its parent: no request of its own then. */
  readonly removedWithParent: boolean;
  /** `onRemove: archive` is possible. */
  readonly archivable: boolean;
  /** Attribute paths that are managed even where nobody writes them: declared, or the default. */
  readonly ours?: readonly string[];
  /** What the service lists of it leaves something out that stands: in the words of people. */
  readonly unlisted?: string;
  /** Types under the same parent that are applied before it. */
  readonly follows: readonly string[];
  /** The service's defaults by attribute path (column C of DESIGN section 4). */
  readonly defaults: (catalog: Catalog) => Attributes;
  /** Defaults that differ from those by what the resource is; `attributes` as it is live, else as declared. */
  readonly ownDefaults?: (attributes: Pick<Attributes<ResolvedValue>, "get">, catalog: Catalog) => Attributes;
  /** What the catalog or the parent does not offer, and what cannot go together. */
  readonly check: (
    declared: Attributes<ResolvedValue>,
    catalog: Catalog,
    around?: Around,
  ) => readonly Finding[];
  /**
   * What is declared in the light of what lies beside it, in every plan; `offered` is what the service shows, undefined
   * where that is not known.
   */
  readonly checkBeside?: (
    declared: Attributes<ResolvedValue>,
    offered: Offers | undefined,
    beside: readonly Neighbour[],
  ) => readonly Finding[];
  /** What is shown is from before what is recorded: of a type whose live things bear no time. */
  readonly isBehind?: (live: LiveResource, recorded: RecordedResource) => boolean;
  /** With these attributes no list of the service shows it. */
  readonly isHidden?: (attributes: Pick<Attributes<ResolvedValue>, "get">) => boolean;
  /** What those in it may choose from once it is created. */
  readonly offersWhenNew?: (catalog: Catalog) => Offers;
  /** Estimated monthly price of these attributes (live or default where not declared); undefined: unpriced. */
  readonly monthlyCost?: (
    attributes: Pick<Attributes<ResolvedValue>, "get">,
    catalog: Catalog,
  ) => Money | undefined;
  /**
   * A resource without a life of its own, such as a deployment: why it must run again. Undefined: no reason but what
   * differs in its own fields; null: it must not run, whatever differs.
   */
  readonly reaction?: (context: ReactionContext) => string | null | undefined;
  /** What else may be the reason where the service accepts an update and no field takes. */
  readonly untaken?: string;
  /** Why a reacting resource cannot run now although it should: said by the plan, and no success of an apply. */
  readonly held?: (context: ReactionContext) => string | undefined;
  /** Declared as made by someone else (`preserve`): found or an error, never created, forgotten instead of deleted. */
  readonly mustExist?: (declared: Attributes<ResolvedValue>) => boolean;
  /** Whether and how long apply waits for a pending write; waits 15 minutes unless said. */
  readonly waitPolicy?: (declared: Attributes<ResolvedValue>) => WaitPolicy;
}

export interface WaitPolicy {
  readonly wait: boolean;
  readonly timeoutMs: number;
}

/** What `read` looks for. */
export interface ReadTarget {
  readonly address: Address;
  /** A recorded or imported id; without one the name is looked up in its scope. */
  readonly id?: string;
  readonly name: string;
  /** Declared attributes with references resolved as far as known; empty for what is only recorded. */
  readonly declared: Attributes<ResolvedValue>;
  /** Id of the parent, when there is one and it is known. */
  readonly parentId?: string;
  /** The parent was found in this run. */
  readonly parentIsLive?: boolean;
  /** It was written a moment ago: a list that shows it as of an earlier time is behind (its `updatedAt`). */
  readonly notOlderThan?: string;
  readonly recorded?: RecordedResource;
}

/** A write was accepted; `pending` says how to find out when it has settled. Plain data: it survives a crash. */
export interface Accepted {
  readonly id: string;
  /** The thing as the write's answer showed it, where it did. */
  readonly live?: LiveResource;
  readonly pending?: Pending;
  /** What was made stands, but a later request of the same write failed with this: record it, then report. */
  readonly failure?: unknown;
}

export type OperationStatus =
  | {
      readonly kind: "waiting";
      readonly status: string;
      readonly note?: string;
      readonly next?: Pending;
      /** Seen without a break for that long, it has failed; with `isUnseen` nobody can tell, and no longer wait is worth it. */
      readonly atMost?: { readonly ms: number; readonly summary: string; readonly isUnseen?: true };
    }
  /** With `showsNothing` the service shows nothing at all: no proof of an end while anything else is recorded. */
  | { readonly kind: "done"; readonly live?: LiveResource; readonly showsNothing?: true }
  | { readonly kind: "failed"; readonly summary: string; readonly detail?: string }
  /** Saved; the dashboard must complete a checkout first. */
  | { readonly kind: "checkout"; readonly summary: string };

export interface CreateInput {
  readonly address: Address;
  readonly name: string;
  readonly attributes: Attributes<AppliableValue>;
  /** Computed attributes of the parent as far as known; they save a request that looks them up. */
  readonly parent?: Attributes;
  /** A plan has proven that what it names is there: what lists do not show now is hidden, and is left out. */
  readonly isProven?: true;
}

export interface UpdateInput extends CreateInput {
  readonly id: string;
  /** Attribute paths to send; all others keep their values. */
  readonly changed: ReadonlySet<string>;
  readonly live?: LiveResource;
  readonly recorded?: RecordedResource;
}

export interface DeleteInput {
  readonly address: Address;
  readonly id: string;
  /** The planned name, for the service's `confirm`. */
  readonly name: string;
  readonly parentId?: string;
}

/** Known values only; a secret stays closed until `src/api` opens it. */
export type AppliableValue = Plain | Secret;

/** Something that lies in a resource and is none itself. */
export interface Holding {
  /** In the words of people: `environment group`. */
  readonly kind: string;
  readonly id: string;
  readonly name: string;
}

/** Runs of one type in a plan. */
export interface Planned {
  readonly count: number;
  /** Ids of what they lie in, where it is there already. */
  readonly parentIds: readonly string[];
}

/** What a verb does to one resource, with what its command names. */
export interface ActionInput {
  readonly address: Address;
  readonly id: string;
  /** Live name, for the service's `confirm`. */
  readonly name: string;
  readonly deploymentId?: string;
  readonly commit?: string;
}

/** What an action is about, found out before it is sent. */
export interface ActionAim {
  /** Where the command named none. */
  readonly deploymentId?: string;
  readonly commit?: string;
  /** Commit of that deployment, for people. */
  readonly commitSha?: string;
  /** Ids of what could be taken for what the action makes. */
  readonly preexistingIds: readonly string[];
  /** What will keep it waiting. */
  readonly warnings?: readonly Finding[];
  /** Nothing was found out: what was looked at does not show yet what was made a moment ago. */
  readonly isBehind?: true;
}

/** The record of the part of a resource that an action is about. */
export interface RecordedPart {
  readonly recorded: RecordedResource;
  /** It was written a moment ago: what does not show it is behind. */
  readonly isYoung: boolean;
}

/** What a request of a verb made. */
export interface Made {
  readonly id: string;
  /** When, by the service: what it lists as made before that is something else. ISO 8601. */
  readonly madeAt?: string;
}

/** What a verb does to a resource at once, outside of a plan: `rnv restart` (interface, "Services", actions). */
export interface ResourceAction<Reads, Writes> {
  /** The part of the resource that it makes anew, whose record says what runs. */
  readonly makes?: {
    readonly type: string;
    /** What holds of that part from then on, given what held before. */
    readonly applied: (
      before: RecordedResource["applied"],
      input: ActionInput,
    ) => RecordedResource["applied"];
  };
  /** Its end takes something away from those who use it: the name of the resource must be typed. */
  readonly mustBeConfirmed?: true;
  /** The type of the part that it is about: `last` of its aim. */
  readonly lastOf?: string;
  /** Looks at what it is about, with one read at most. Throws `DiagnosticsError` where there is nothing to do it to. */
  readonly aim?: (reads: Reads, input: ActionInput, last: RecordedPart | undefined) => Promise<ActionAim>;
  /** Sends its one write; returns what it made, or is about. */
  readonly send: (writes: Writes, input: ActionInput) => Promise<Made>;
  /** How to see the end of what was accepted, from its id alone. */
  readonly pendingOf: (input: ActionInput, made: Made) => Pending;
  /** Ids of what a request that was not answered may have left; undefined, or absent: nobody can tell. */
  readonly find?: (
    reads: Reads,
    input: ActionInput,
    preexistingIds: readonly string[],
  ) => Promise<readonly string[] | undefined>;
  /** One look at what it left pending. */
  readonly poll: (reads: Reads, pending: Pending) => Promise<OperationStatus>;
}

export interface CandidateSearch {
  readonly name: string;
  readonly parentId?: string;
  readonly preexistingIds: readonly string[];
  /** When the create was first sent, by our clock. */
  readonly since?: string;
}

/**
 * The half of a resource type that talks to the service. `Reads` and `Writes` are the capabilities of `src/api`;
 * writes go through an endpoint set that already keys and journals them.
 */
export interface ResourceOperations<Reads, Writes> {
  readonly read: (reads: Reads, target: ReadTarget) => Promise<ReadResult>;
  /** What lies in it besides resources, without which alone the service deletes it. */
  readonly holdings?: (reads: Reads, id: string) => Promise<readonly Holding[]>;
  /** Everything of this type that is live, for `export`, `import` and the count of what is not managed. */
  readonly list: (reads: Reads) => Promise<readonly LiveResource[]>;
  /** What of this type lies in one parent, for what nobody declares there; undefined where that cannot be listed. */
  readonly listIn?: (reads: Reads, parentId: string) => Promise<readonly LiveResource[] | undefined>;
  readonly create: (writes: Writes, input: CreateInput) => Promise<Accepted>;
  readonly update: (writes: Writes, input: UpdateInput) => Promise<Accepted>;
  readonly remove: (writes: Writes, input: DeleteInput) => Promise<Accepted>;
  readonly archive?: (writes: Writes, input: DeleteInput) => Promise<Accepted>;
  /**
   * What an unanswered create may have made: everything that bears the name there, except what stood there before
   * (`preexistingIds`). Undefined when it cannot be looked up. Absent for a type that has no creates of its own.
   */
  readonly candidates?: (
    reads: Reads,
    search: CandidateSearch,
  ) => Promise<readonly LiveResource[] | undefined>;
  /** Ids to keep out of `candidates`, from what was live when the plan was made; its id unless said. */
  readonly preexistingIds?: (live: LiveResource) => readonly string[];
  /** What a create or update of a reacting type leaves pending, from the id alone: recorded with the answer. */
  readonly pendingOf?: (id: string, parentId: string | undefined, commit: Plain | undefined) => Pending;
  /** Secret values as they are live, by attribute path. Audited by the service: asked for by name only. */
  readonly reveal?: (reads: Reads, live: LiveResource) => Promise<ReadonlyMap<string, Secret>>;
  /**
   * How to see the end of a deletion that was asked for, from ids alone; absent where a deletion has ended with its
   * answer.
   */
  readonly deletion?: (id: string, operationId: string | undefined, parentId: string | undefined) => Pending;
  /**
   * Asks for a thing by its id where only lists show it, with a write that changes nothing; undefined when it is not
   * there.
   */
  readonly find?: (writes: Writes, input: DeleteInput) => Promise<LiveResource | undefined>;
  /** One look at a pending write; `apply` decides how often. */
  readonly poll: (reads: Reads, pending: Pending) => Promise<OperationStatus>;
  /** What the service says now that stands in the way of what is planned; at most one request. */
  readonly foresee?: (reads: Reads, planned: Planned) => Promise<readonly Finding[]>;
  /** What verbs do to it at once, by the name of the action. */
  readonly actions?: Readonly<Record<string, ResourceAction<Reads, Writes>>>;
}
