import type { Diagnostic, SourceRange } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Catalog } from "../model/catalog";
import type { Consumers } from "../model/consumer";
import type { Desired, DesiredCondition, DesiredResource } from "../model/desired";
import type { LiveResource, Pending, ReadResult, Standing } from "../model/live";
import type { Check } from "../model/policy";
import type { Holding } from "../model/resource-operations";
import type { Effect, Money, ResourceType } from "../model/resource-type";
import type { RecordedResource, State } from "../model/state";
import type { Attributes } from "../model/value";
import { isPlain, type Plain, type ResolvedValue, Unknown } from "../model/value";
import type { DataUse } from "./data";

export type Action = "create" | "update" | "replace" | "delete" | "adopt" | "forget" | "no-op";

/** Why a field changes (DESIGN section 4). */
export type ChangeCause = "edit" | "drift" | "removed" | "take-over" | "released";

/** One side of a field's change, safe to print and to save: a secret or an unknown has no value. */
export type ShownValue =
  | { readonly kind: "value"; readonly value: Plain }
  | { readonly kind: "absent" }
  | { readonly kind: "secret" }
  | { readonly kind: "unknown" };

export interface AttributeChange {
  /** `configuration.branch`. */
  readonly path: string;
  readonly before: ShownValue;
  readonly after: ShownValue;
  readonly cause: ChangeCause;
  readonly forcesReplacement: boolean;
  /** Of an `edit` that nobody made in the manifest: what it refers to, which the service has changed. */
  readonly from?: readonly string[];
  /** Of something new: where it lies. The address says it already; people need not read it twice. */
  readonly isPlacement?: boolean;
  /** The declared value; a removed field has none. */
  readonly range?: SourceRange;
}

/** Why a change may not be applied as it stands. */
export interface Guard {
  readonly code:
    | "guard.prevent_destroy"
    | "guard.delete_unconfirmed"
    | "guard.name_changed"
    | "guard.holds_others"
    | "guard.consumers";
  readonly summary: string;
  readonly hint: string;
}

/** The live resource that a change saw; a saved plan is stale once it moved. */
export interface Binding {
  readonly id: string;
  readonly updatedAt: string | null;
  /** SHA-256 of its canonical live attributes. */
  readonly digest: string;
}

export interface Change {
  readonly address: Address;
  readonly type: string;
  readonly action: Action;
  /** Undefined for a create. */
  readonly id?: string;
  /** Live (else declared) name; what a deletion confirms. */
  readonly name: string;
  /** Set when the resource was recorded under another address. */
  readonly previousAddress?: Address;
  /** The construct that declares it, and the project or service that it goes to: an address or an id. */
  readonly construct?: { readonly path: string; readonly in?: string };
  /** Fields that this change sends; for an adopt the fields that it takes over. Empty for no-op and delete. */
  readonly attributes: readonly AttributeChange[];
  /**
   * Fields whose live value differs but which this change leaves alone: cause `released`. Recorded value before,
   * live value after. On a no-op the state still drops them, so that they are mentioned once.
   */
  readonly released: readonly AttributeChange[];
  /**
   * What apply writes to the state besides fields: `lifecycle.preventDestroy`. An update with nothing else sends no
   * request (`changesRecordOnly`).
   */
  readonly lifecycle?: readonly AttributeChange[];
  /** Every field whose live value is neither the recorded nor the declared one. Recorded before, live after. */
  readonly drift?: readonly AttributeChange[];
  /** Recorded, but the service has it no longer. */
  readonly missing?: true;
  /** Its deletion is declared: `removed:`. */
  readonly isRemovalDeclared?: true;
  /** Why a reacting resource runs: `service.shop.api changes`. */
  readonly reason?: string;
  readonly effects: readonly Effect[];
  /** Addresses in its declared values and in `dependsOn`, without its parent; of a removed resource, those that were. */
  readonly references?: readonly Address[];
  /** Changes that must be done before this one; for a replacement before its create. */
  readonly dependsOn: readonly Address[];
  /** Replacement only: changes whose deletion must be done before its own, such as those of services in a project. */
  readonly deletesAfter?: readonly Address[];
  /** A deletion (of a replacement: its first half) that happens with its parent's, without a request of its own. */
  readonly withParent: boolean;
  /** The fate of a resource that is no longer declared. A `delete` with `archive` archives it. */
  readonly onRemove: "delete" | "archive" | "retain";
  /** Its record stays in the state, marked retained. */
  readonly retains?: true;
  /** It was retained, and is declared again. */
  readonly restores?: true;
  /** It should run and cannot, and why. */
  readonly held?: string;
  /** Conditions that only apply can judge; in memory only. */
  readonly conditions?: readonly DesiredCondition[];
  readonly guard?: Guard;
  readonly cost?: { readonly before: Money | null; readonly after: Money | null };
  readonly binding: Binding | null;
  /** In memory only, for apply: never rendered, never saved. */
  readonly instance: ChangeInstance;
}

interface ChangeInstance {
  readonly desired?: DesiredResource;
  /** Declared attributes with references resolved; Unknown where this plan must create something first. */
  readonly resolved: Attributes<ResolvedValue>;
  /** The defaults of its fields (column C of DESIGN section 4). */
  readonly defaults: Attributes;
  readonly recorded?: RecordedResource;
  readonly live?: LiveResource;
  /** Its secrets were revealed and compared with what is declared. */
  readonly isRevealed?: true;
  /** It is being deleted: how to find out when that has ended. */
  readonly ending?: Pending;
  /** Fingerprints of declared secrets, by attribute path. */
  readonly fingerprints: Readonly<Record<string, string>>;
  /** Returns the reason why a reacting resource runs. */
  readonly trigger?: () => Trigger;
}

/**
 * What makes a reacting resource run: its type in every run, whatever changed; something of its own, such as a run cut
 * short; or other changes of this plan, each enough by itself.
 */
export type Trigger =
  | { readonly kind: "always" | "itself" }
  | { readonly kind: "changes"; readonly of: readonly Address[] };

export interface Unchecked {
  readonly address: Address;
  /**
   * The declared secret that was not compared with what is recorded. Undefined: the whole resource could not be read,
   * and is planned from what is recorded.
   */
  readonly attribute?: string;
  readonly reason: string;
}

/** A live secret that was compared in the clear, on request. */
interface RevealedValue {
  readonly address: Address;
  readonly attribute: string;
  /** It equals the declared value: nothing is sent. */
  readonly isEqual: boolean;
}

export interface PlanSummary {
  readonly add: number;
  readonly change: number;
  readonly destroy: number;
  readonly adopt: number;
  readonly forget: number;
}

export interface OutputChange {
  readonly name: string;
  readonly before: ShownValue;
  readonly after: ShownValue;
}

/** Options that decide what a plan contains; a saved plan repeats them. */
export interface PlanOptions {
  readonly mode: "apply" | "destroy" | "refresh-only";
  readonly targets: readonly Address[];
  readonly excludes: readonly Address[];
  readonly replace: readonly Address[];
  /** Take over live things of the same name without an import line. */
  readonly adopt: boolean;
  readonly allowEmpty: boolean;
  /** Deletions confirmed by name on the command line. */
  readonly confirmedDeletes: readonly Address[];
  /** Deletions confirmed on the command line although others refer to what they delete. */
  readonly confirmedConsumers?: readonly Address[];
  /** `rnv destroy` asks for everything at once; a plan of it, shown or saved, is confirmed by name. */
  readonly confirmsAll?: boolean;
}

/** A live resource that is neither declared nor recorded. */
interface UnmanagedResource {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  /** The managed resource it is a part of. */
  readonly within?: Address;
}

export interface PlanStanding extends Standing {
  readonly address: Address;
}

export interface Plan {
  readonly options: PlanOptions;
  /** Every declared or recorded resource, no-ops too, sorted by address. */
  readonly changes: readonly Change[];
  readonly outputs: readonly OutputChange[];
  /** Every output as it is once the plan is applied, unchanged ones too; a secret one has no value. */
  readonly plannedOutputs: Readonly<Record<string, ShownValue>>;
  /** The stage that it is about: `preview/12`; undefined without stages. */
  readonly stage?: string;
  /** When it was made, ISO 8601; no part of what it says. */
  readonly timestamp?: string;
  /** Of what it changes: the same wherever the same would be done (`plan/digest.ts`). */
  readonly digest?: string;
  readonly summary: PlanSummary;
  /** Live things that are neither declared nor recorded. */
  readonly unmanaged: readonly UnmanagedResource[];
  /** Managed resources that do not run as they were deployed last, sorted by address. */
  readonly standing: readonly PlanStanding[];
  /** Resources and secrets that this plan could not check. */
  readonly unchecked: readonly Unchecked[];
  /** Undefined unless values were to be revealed; the service keeps an audit event of each. */
  readonly revealed?: readonly RevealedValue[];
  /** Estimated monthly price of everything managed. */
  readonly cost: { readonly before: Money; readonly after: Money; readonly estimate: boolean };
  /** Results of policies and of conditions; undefined where none were judged. */
  readonly checks?: readonly Check[];
  readonly diagnostics: readonly Diagnostic[];
  readonly binding: {
    /** Null before the first apply. */
    readonly lineage: string | null;
    readonly serial: number;
    readonly workspaceId: string;
    readonly baseUrl: string;
  };
}

/** Everything a plan is made from. Planning itself sees no HTTP, file, clock or randomness. */
export interface PlanInput {
  readonly desired: Desired;
  readonly state: State | undefined;
  readonly workspaceId: string;
  readonly baseUrl: string;
  /** One result for every declared and every recorded address. */
  readonly reads: ReadonlyMap<Address, ReadResult>;
  /** Everything live, by type, for counting what is not managed. */
  readonly inventory: readonly LiveResource[];
  /** Live ids that the states of other stacks of the app record. */
  readonly ownedElsewhere?: ReadonlySet<string>;
  /** Elements of recorded resources that are no resources, by live id. Default: none. */
  readonly holdings?: ReadonlyMap<string, readonly Holding[]>;
  /** References between live services. Default: none. */
  readonly consumers?: Consumers;
  /** Data sources, whose values stand in `desired` already; none unless said. */
  readonly data?: readonly DataUse[];
  readonly catalog: Catalog;
  /** The stage that the plan is about: `preview/12`. */
  readonly stage?: string;
  /** When the plan is made, ISO 8601. */
  readonly timestamp?: string;
  readonly types: readonly ResourceType[];
  readonly options: PlanOptions;
  /** Key of secret fingerprints; undefined when there is none yet and none is recorded. */
  readonly fingerprintKey?: Uint8Array;
  /** Live secrets that were asked for; undefined when none were to be. */
  readonly revealed?: ReadonlyMap<Address, Revealed>;
  /** While keys are changed: what was recorded may still bear fingerprints of this one. */
  readonly previousFingerprintKey?: Uint8Array;
}

/** The fingerprints of one secret: of the declared value, and those that the same value may have been recorded with. */
export interface SecretPrints {
  readonly now: string | undefined;
  /** Under its recorded address; with the key of now and with the one before it. */
  readonly asRecorded: readonly string[];
}

/** A live secret that was revealed, as fingerprints: its text stays with the caller. */
export interface Revealed {
  /** Of what was revealed; of something else, or after a change of it, they say nothing. */
  readonly id: string;
  readonly updatedAt?: string;
  readonly prints: Readonly<Record<string, SecretPrints>>;
}

/** Live fields are neither as recorded nor as declared. */
export const isChangedOutside = (change: Change): boolean => (change.drift ?? []).length > 0;

/** Whether the plan shows it: what it does, and in a refresh-only plan what it records. */
export const isListed = (change: Change, plan: Pick<Plan, "options">): boolean =>
  change.action !== "no-op" || (plan.options.mode === "refresh-only" && isChangedOutside(change));

/** Whether applying it writes something, if only to the state. */
export const isWritten = (change: Change, plan: Pick<Plan, "options">): boolean =>
  isListed(change, plan) || change.previousAddress !== undefined;

/** Something would be written by applying the plan, if only to the state. */
export const hasChanges = (plan: Plan): boolean =>
  plan.changes.some((change) => isWritten(change, plan)) || plan.outputs.length > 0;

export const absent: ShownValue = { kind: "absent" };
export const secret: ShownValue = { kind: "secret" };

/** Returns a value as a plan may show and save it: a value that is not plain, or of a secret field, loses its text. */
export function shownValue(value: ResolvedValue | undefined, isSecret: boolean): ShownValue {
  if (value === undefined) return absent;
  if (value instanceof Unknown) return { kind: "unknown" };
  return isSecret || !isPlain(value) ? secret : { kind: "value", value: value as Plain };
}
