import type * as z from "zod";
import type { Diagnostic } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Catalog } from "../model/catalog";
import type { Desired, DesiredResource } from "../model/desired";
import type { Consumers, LiveResource, Pending, ReadResult } from "../model/live";
import type { Check } from "../model/policy";
import type { Holding } from "../model/resource-operations";
import type { ResourceType } from "../model/resource-type";
import type { RecordedResource, State } from "../model/state";
import { type Attributes, isPlain, type Mask, type ResolvedValue, Unknown } from "../model/value";
import type { DataUse } from "./data";
import type { actionSchema, changeSchema, fieldSchema, PlanDocument, shownSchema } from "./plan-schema";

/** A part of the plan document in memory: its keys are in camelCase, and nothing of it changes. */
export type InMemory<Part> = {
  readonly [Key in keyof Part as CamelCase<Key & string>]: Part[Key] extends (infer Item)[] | undefined
    ? readonly (Item extends string ? Item : InMemory<Item>)[] | Extract<Part[Key], undefined>
    : Part[Key];
};

type CamelCase<Key extends string> = Key extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Key;

export type Action = z.infer<typeof actionSchema>;

/** One side of a field's change, safe to print and to save: a secret or an unknown has no value. */
export type ShownValue = Readonly<z.infer<typeof shownSchema>>;

export type AttributeChange = InMemory<z.infer<typeof fieldSchema>>;

export type ChangeCause = AttributeChange["cause"];

export interface Change extends InMemory<z.infer<typeof changeSchema>> {}

export type Guard = NonNullable<Change["blockedBy"]>;

/** The resource behind a change, to apply it: in memory only, never rendered, never saved. */
export interface PlannedInstance {
  readonly desired?: DesiredResource | undefined;
  /** In a plan that was read from its document: `isDeclared` is undefined where the document does not say it. */
  readonly document?: { readonly isDeclared?: boolean | undefined };
  /** Declared attributes with references resolved; Unknown where this plan must create something first. */
  readonly resolved: Attributes<ResolvedValue>;
  readonly defaults: Attributes;
  readonly recorded?: RecordedResource | undefined;
  readonly live?: LiveResource | undefined;
  readonly rest?: Rest | undefined;
  readonly isRevealed?: true | undefined;
  /** It is being deleted: how to find out when that has ended. */
  readonly ending?: Pending | undefined;
  readonly fingerprints: Readonly<Record<string, string>>;
}

export interface Rest extends Pick<Change, "action" | "attributes"> {
  readonly rest?: Rest | undefined;
}

export interface OutputChange {
  readonly name: string;
  readonly before: ShownValue;
  readonly after: ShownValue;
}

/** Options that decide the content of a plan; a saved plan repeats them. */
export interface PlanOptions extends InMemory<PlanDocument["options"]> {
  /** `rnv destroy` asks for everything at once; a plan of it, shown or saved, is confirmed by name. */
  readonly confirmsAll?: boolean;
}

export interface Plan
  extends Pick<
    InMemory<PlanDocument>,
    "stage" | "timestamp" | "digest" | "summary" | "cost" | "unmanaged" | "unchecked" | "revealed" | "binding"
  > {
  readonly options: PlanOptions;
  /** Every declared or recorded resource, no-ops too, sorted by address. */
  readonly changes: readonly Change[];
  readonly instances: ReadonlyMap<Address, PlannedInstance>;
  readonly outputs: readonly OutputChange[];
  /** Every output as it is once the plan is applied, unchanged ones too; a secret one has no value. */
  readonly plannedOutputs: Readonly<Record<string, ShownValue>>;
  /** Id of the newest run that the state remembers; it is not shown. */
  readonly lastRun?: string;
  /** Managed resources that do not run as they were deployed last, sorted by address. */
  readonly standing: NonNullable<InMemory<PlanDocument>["standing"]>;
  /** Results of policies and of conditions; undefined where none were judged. */
  readonly checks?: readonly Check[];
  readonly diagnostics: readonly Diagnostic[];
  /** Masks attribute values where they are shown; of a plan that was read from its document they are masked. */
  readonly mask?: Mask | undefined;
}

export interface StackMove {
  readonly stack: string;
  /** Its address there, or that of the resource which it is a part of. */
  readonly address: Address;
  readonly command: string;
}

/** Everything a plan is made from. Planning itself sees no HTTP, file, clock or randomness. */
export interface PlanInput {
  readonly desired: Desired;
  readonly state: State | undefined;
  readonly workspaceId: string;
  readonly baseUrl: string;
  /** One result for every declared and every recorded address. */
  readonly reads: ReadonlyMap<Address, ReadResult>;
  /** All live resources, to count those that are not managed. */
  readonly inventory: readonly LiveResource[];
  readonly ownedElsewhere?: ReadonlyMap<string, StackMove>;
  /** Records that another stack of the app declares now, with their parts. */
  readonly declaredElsewhere?: ReadonlyMap<Address, StackMove>;
  /** Elements of recorded resources that are no resources, by live id. Default: none. */
  readonly holdings?: ReadonlyMap<string, readonly Holding[]>;
  /** References between live services. Default: none. */
  readonly consumers?: Consumers;
  /** Data sources, whose values stand in `desired` already; none unless said. */
  readonly data?: readonly DataUse[];
  readonly catalog: Catalog;
  readonly stage?: string;
  readonly timestamp?: string;
  readonly types: readonly ResourceType[];
  readonly options: PlanOptions;
  readonly mask?: Mask;
  /** Key of secret fingerprints; undefined when there is none yet and none is recorded. */
  readonly fingerprintKey?: Uint8Array;
  readonly revealed?: ReadonlyMap<Address, Revealed>;
  /** While keys are changed: records may still have fingerprints under this key. */
  readonly previousFingerprintKey?: Uint8Array;
}

/** The fingerprints of one secret: of the declared value, and those that the same value may have been recorded with. */
export interface SecretPrints {
  readonly now: string | undefined;
  /** Under its recorded address; with the current key and with the previous key. */
  readonly asRecorded: readonly string[];
}

/** A live secret that was revealed, as fingerprints: its text stays with the caller. */
export interface Revealed {
  /** Id of the revealed resource; the fingerprints do not hold for another resource or after a change. */
  readonly id: string;
  readonly updatedAt?: string;
  readonly prints: Readonly<Record<string, SecretPrints>>;
}

const noInstance: PlannedInstance = { resolved: new Map(), defaults: new Map(), fingerprints: {} };

export const instanceOf = (
  { instances }: Pick<Plan, "instances">,
  { address }: Pick<Change, "address">,
): PlannedInstance => instances.get(address) ?? noInstance;

export const unknownIn = ({ attributes }: Change): readonly string[] =>
  attributes.flatMap(({ path, after }) => (after.kind === "unknown" ? [path] : []));

export const isChangedOutside = ({ drift = [] }: Pick<Change, "drift">): boolean => drift.length > 0;

export const operationOf = ({ action, onRemove }: Pick<Change, "action" | "onRemove">): Action | "archive" =>
  action === "delete" && onRemove === "archive" ? "archive" : action;

/** Returns true if a summary counts a change as changed: an adoption only where it sends fields. */
export const isCountedAsChange = (change: Pick<Change, "action" | "attributes" | "onRemove">): boolean =>
  ["update", "archive"].includes(operationOf(change)) ||
  (change.action === "adopt" && change.attributes.length > 0);

/** Returns true for a run, such as a deployment, in place of a creation. */
export const isRun = ({ action, reason, effects = [] }: Partial<Change>): boolean =>
  reason !== undefined && effects.includes("deploys") && (action === "create" || action === "update");

export const isListed = (change: Change, plan: Pick<Plan, "options">): boolean =>
  change.action !== "no-op" || (plan.options.mode === "refresh-only" && isChangedOutside(change));

export const isWritten = (change: Change, plan: Pick<Plan, "options">): boolean =>
  isListed(change, plan) || change.previousAddress !== undefined;

/** Something would be written by applying the plan, if only to the state. */
export const hasChanges = (plan: Plan): boolean =>
  plan.changes.some((change) => isWritten(change, plan)) || plan.outputs.length > 0;

export const isBlocked = ({ changes }: Plan): boolean =>
  changes.some(({ blockedBy }) => blockedBy !== undefined);

export const absent: ShownValue = { kind: "absent" };
export const secret: ShownValue = { kind: "secret" };

/** Returns a value as a plan may show and save it: a value that is not plain loses its text. */
export function shownValue(value: ResolvedValue | undefined): ShownValue {
  if (value === undefined) return absent;
  if (value instanceof Unknown) return { kind: "unknown" };
  return isPlain(value) ? { kind: "value", value } : secret;
}
