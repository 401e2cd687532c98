import * as z from "zod";
import type { Diagnostic } from "../diagnostics/diagnostic";
import { type Address, nameOf } from "../model/address";
import { findingSchema, locationSchema } from "../model/apply-event";
import { isKeyed } from "../model/state";
import type { TargetNames } from "../model/target-location";
import { isPlain, plainEqual, Unknown } from "../model/value";
import { shownPlan } from "./document";
import {
  type AttributeChange,
  type Change,
  type InMemory,
  instanceOf,
  isRun,
  operationOf,
  type Plan,
  type PlannedInstance,
} from "./plan";
import {
  actionSchema,
  addressSchema,
  fieldSchema,
  json,
  revealedSchema,
  standingSchema,
} from "./plan-schema";

/** Classes of which `--fail-on` speaks; the first two always count as drift (DESIGN section 4). */
export const driftClasses = ["drifted", "missing", "unmanaged", "pending"] as const;
export type DriftClass = (typeof driftClasses)[number];
const alwaysDrift: readonly DriftClass[] = ["drifted", "missing"];

const field = fieldSchema.pick({ path: true, cause: true, before: true, after: true, from: true });

const acceptance = {
  address: z.string(),
  attribute: z.string().optional(),
  until: z.string(),
  reason: z.string(),
};

const deed = {
  address: addressSchema,
  action: actionSchema,
  reason: z.string().optional(),
  runs: z.literal(true).optional().describe("A `create` or `update` that runs, as a deployment does."),
};

const diagnostics = z.array(findingSchema({ location: locationSchema.optional() }));

const reportSchema = z.strictObject({
  format_version: z.literal("1.1"),
  has_drift: z.boolean().describe("Something of a class in `fail_on` was found; the exit code is 2 then."),
  fail_on: z
    .array(z.enum(driftClasses))
    .describe("`drifted`, `missing`, and what `--fail-on` or `--strict` adds."),
  drifted: z
    .array(
      z.strictObject({
        address: addressSchema,
        attributes: z.array(field),
        deployed: z.string().optional(),
        updated: z.string().optional().describe("When the platform last updated it, ISO 8601."),
      }),
    )
    .describe(
      "Changed outside of rnv: the recorded value before, the live one after; `deployed`: by whom since the last run.",
    ),
  missing: z.array(addressSchema).describe("Declared and recorded, and no longer there."),
  consequences: z
    .array(
      z.strictObject({
        ...deed,
        because: z.array(addressSchema).describe("What is drifted or missing behind it."),
      }),
    )
    .describe("Changes that nothing but the repair of drift brings about."),
  pending: z
    .array(
      z.strictObject({
        ...deed,
        archives: z.literal(true).optional().describe("A `delete` that archives it."),
        previous_address: addressSchema.optional(),
        attributes: z.array(field),
        standing: standingSchema.optional(),
      }),
    )
    .describe("Declared and not applied yet, or a deployment that has failed or awaits a checkout."),
  running: z
    .array(standingSchema)
    .describe("What runs and is not what was deployed last; never counted as drift."),
  unmanaged: z
    .array(
      z.strictObject({
        type: z.string(),
        id: z.string(),
        name: z.string(),
        within: addressSchema.optional().describe("Address of the managed thing that it is a part of."),
      }),
    )
    .describe("There, and neither declared nor recorded."),
  undeclared: z
    .array(z.strictObject({ address: addressSchema, path: z.string(), value: json, default: json }))
    .describe("Settings that are not in the manifest and not at their default; only with `--strict`."),
  unchecked: z.array(z.strictObject({ address: addressSchema, reason: z.string() })),
  accepted: z
    .array(z.strictObject({ class: z.enum(driftClasses), ...acceptance }))
    .optional()
    .describe("What `rnv.drift.yaml` accepts; it is in no other list, and does not count."),
  expired: z
    .array(z.strictObject(acceptance))
    .optional()
    .describe("Expired entries of `rnv.drift.yaml`; the exit code is 1 where nothing else is found."),
  revealed: z
    .array(revealedSchema)
    .optional()
    .describe(
      "Values that were revealed to compare them with what is recorded; only with `--verify-values`.",
    ),
  diagnostics: diagnostics.optional(),
});

export const driftDocumentSchema = z.union([
  reportSchema,
  reportSchema.pick({ format_version: true }).extend({ errored: z.literal(true), diagnostics }),
]);
export type DriftDocument = z.infer<typeof driftDocumentSchema>;

type ReportDocument = z.infer<typeof reportSchema>;

export type AcceptedDrift = InMemory<NonNullable<ReportDocument["accepted"]>[number]>;

/** A setting of a managed resource that is not declared, with a live value that is not the default. */
export type UndeclaredField = InMemory<ReportDocument["undeclared"][number]>;

type WithFields<Part extends { attributes: unknown }> = Omit<InMemory<Part>, "attributes"> & {
  readonly fields: readonly AttributeChange[];
};

export type Consequence = InMemory<ReportDocument["consequences"][number]>;

export type PendingResource = WithFields<ReportDocument["pending"][number]>;

export interface DriftReport
  extends Omit<
    InMemory<ReportDocument>,
    "formatVersion" | "diagnostics" | "drifted" | "consequences" | "pending" | "revealed"
  > {
  readonly drifted: readonly WithFields<ReportDocument["drifted"][number]>[];
  readonly consequences: readonly Consequence[];
  readonly pending: readonly PendingResource[];
  readonly revealed?: Plan["revealed"];
}

type DriftRequested = Partial<Pick<DriftReport, "failOn" | "unmanaged" | "undeclared" | "unchecked">>;

export function driftReport(
  raw: Plan,
  { failOn = [], unmanaged = [], undeclared = [], unchecked = [] }: DriftRequested = {},
): DriftReport {
  const plan = shownPlan(raw);
  const causeOf = causesIn(plan);
  const drifted = plan.changes
    .map((change) => ({
      address: change.address,
      fields: (change.drift ?? []).filter(isDrift),
      deployed: change.deployed,
      updated: instanceOf(plan, change).live?.updatedAt,
    }))
    .filter(({ fields }) => fields.length > 0);
  const missing = plan.changes.filter(isMissing).map(({ address }) => address);
  const standing = new Map(
    plan.standing.filter((one) => one.class === "pending").map((one) => [one.address, one]),
  );
  const found = {
    drifted,
    missing,
    consequences: plan.changes.flatMap((change) => consequenceOf(change, causeOf)),
    pending: plan.changes.flatMap((change) =>
      pendingOf(change, causeOf, standing.get(change.address) ?? standingOfHeld(change)),
    ),
    running: plan.standing.filter((one) => one.class === "running"),
    unmanaged: [...plan.unmanaged, ...unmanaged],
    undeclared,
    // Drift of a value shows by its time: its text is not needed.
    unchecked: [...plan.unchecked.filter(({ attribute }) => attribute === undefined), ...unchecked],
    revealed: plan.revealed,
    failOn: driftClasses.filter((one) => alwaysDrift.includes(one) || failOn.includes(one)),
  };
  return { ...found, hasDrift: hasDriftLeft(found) };
}

export const hasDriftLeft = (report: Omit<DriftReport, "hasDrift">): boolean =>
  report.failOn.some((one) => countOf(report, one) > 0);

export const countOf = (report: Pick<DriftReport, DriftClass | "undeclared">, counted: DriftClass): number =>
  report[counted].length + (counted === "unmanaged" ? report.undeclared.length : 0);

/** Returns the addresses of the changes that do more than undo drift. */
export const changesBeyondRepair = (plan: Plan): readonly Address[] =>
  driftReport(plan).pending.flatMap(({ address, action }) => (action === "no-op" ? [] : [address]));

function consequenceOf(change: Change, causeOf: CauseOf): Consequence[] {
  const { address, action, reason } = change;
  const cause = causeOf(address);
  if (!cause || cause.isRepair || cause.isPending || !isOnlyRepair(cause)) return [];
  return [{ address, action, runs: isRun(change) || undefined, reason, because: cause.because }];
}

type Standing = Plan["standing"][number];

/** Returns the standing of a resource that should run and cannot: an apply ends with exit 7 until it does. */
const standingOfHeld = ({ address, held }: Change): Standing | undefined =>
  held === undefined
    ? undefined
    : { address, code: "held", class: "pending", summary: `cannot run: ${held}` };

function pendingOf(change: Change, causeOf: CauseOf, standing: Standing | undefined): PendingResource[] {
  const { address, action, previousAddress, reason } = change;
  const cause = causeOf(address);
  if (!cause?.isPending) return standing ? [{ address, action: "no-op", fields: [], standing }] : [];
  const archives = operationOf(change) === "archive" || undefined;
  const runs = isRun(change) || undefined;
  return [{ address, action, archives, runs, previousAddress, reason, fields: cause.fields, standing }];
}

interface DriftCause {
  /** The manifest says something that was not applied yet, or something of its own makes it run. */
  readonly isPending: boolean;
  /** The same, and a request is sent: dependants of the change are pending, too. */
  readonly isAsked: boolean;
  readonly isRepair: boolean;
  /** The drifted or missing resources behind it, where those are others. */
  readonly because: readonly Address[];
  readonly fields: readonly AttributeChange[];
}

type CauseOf = (address: Address) => DriftCause | undefined;

const nothing: DriftCause = { isPending: false, isAsked: false, isRepair: false, because: [], fields: [] };
const asked: DriftCause = { ...nothing, isPending: true, isAsked: true };

function causesIn(plan: Plan): CauseOf {
  const changes = new Map(plan.changes.map((change) => [change.address, change]));
  const known = new Map<Address, DriftCause>();
  const causeOf: CauseOf = (address) => {
    const change = changes.get(address);
    const before = known.get(address);
    if (before || !change) return before;
    known.set(address, asked);
    const cause = findCause(change, instanceOf(plan, change), causeOf);
    known.set(address, cause);
    return cause;
  };
  return causeOf;
}

function findCause(change: Change, instance: PlannedInstance, causeOf: CauseOf): DriftCause {
  const { action, attributes, released, lifecycle = [], previousAddress } = change;
  const { recorded, live } = instance;
  const isRepair = isMissing(change);
  const isRecorded = released.length + lifecycle.length > 0 || previousAddress !== undefined;
  if (action === "no-op" && !isRepair) return { ...nothing, isPending: isRecorded, fields: released };
  const holder = recorded?.parent && !live ? causeOf(recorded.parent) : undefined;
  // It was deleted by itself, or with its holder, and comes back.
  if (isRepair || (holder && isOnlyRepair(holder))) {
    const { isEdited, fields } = editsOfLost(change, instance);
    const because = !isRepair && holder ? rootsOf(recorded?.parent, holder) : [];
    return { isPending: isEdited, isAsked: isEdited, isRepair, because, fields };
  }
  const own = attributes.filter((field) => !isDrift(field));

  const behind = own.map((field) => ({ field, repairs: repairsBehind(instance, field, causeOf) }));
  const declared = behind.flatMap(({ field, repairs }) => (repairs ? [] : [field]));
  const runsAlways = change.reason === "always";
  const repairs = onlyRepairs(runsAlways ? [] : triggersOf(change), causeOf);
  const because = [...behind.flatMap((one) => one.repairs ?? []), ...(repairs ?? [])];
  const hasDrifted = attributes.some(isDrift);
  const isSaid = declared.length > 0 || repairs === undefined;
  const isUnexplained = !isRecorded && !hasDrifted && because.length === 0 && !runsAlways;
  const isAsked = isSaid || isUnexplained;
  return {
    isPending: isAsked || isRecorded,
    isAsked,
    isRepair: hasDrifted,
    because: [...new Set(because)].sort(),
    fields: [...declared, ...released, ...lifecycle],
  };
}

/** Returns the fields with which a lost resource is not created again as it was applied; `isEdited`: or it lacks one. */
function editsOfLost({ attributes }: Change, { resolved, recorded, fingerprints }: PlannedInstance) {
  const applied = recorded?.applied ?? {};
  const fields = attributes.filter(({ path }) => {
    const declared = resolved.get(path) ?? null;
    const before = applied[path] ?? null;
    if (declared instanceof Unknown) return false;
    if (isPlain(declared)) return !plainEqual(declared, before);
    return isKeyed(before) && (fingerprints[path] ?? before.fingerprint) !== before.fingerprint;
  });
  return { fields, isEdited: fields.length > 0 || Object.keys(applied).some((path) => !resolved.has(path)) };
}

function triggersOf(change: Change): readonly Address[] {
  const { parent } = change;
  if (change.reason === undefined || parent === undefined) return [];
  return change.dependsOn.filter((on) => on === parent || nameOf(on).startsWith(`${nameOf(parent)}.`));
}

const isOnlyRepair = ({ isAsked, isRepair, because }: DriftCause): boolean =>
  !isAsked && (isRepair || because.length > 0);

const rootsOf = (address: Address | undefined, cause: DriftCause): readonly Address[] =>
  cause.isRepair && address ? [address] : cause.because;

/** Returns the drifted or missing resources behind these changes; undefined if any of them has another reason, too. */
function onlyRepairs(addresses: readonly Address[], causeOf: CauseOf): readonly Address[] | undefined {
  const roots: Address[] = [];
  for (const address of addresses) {
    const cause = causeOf(address);
    if (!cause || !isOnlyRepair(cause)) return undefined;
    roots.push(...rootsOf(address, cause));
  }
  return roots;
}

/** Returns the same for a field that is only unknown because of its references, which it had before. */
function repairsBehind(
  { resolved, recorded }: PlannedInstance,
  { path }: AttributeChange,
  causeOf: CauseOf,
): readonly Address[] | undefined {
  const value = resolved.get(path);
  if (!(value instanceof Unknown) || !recorded) return undefined;
  const referred = value.references.map(({ address }) => address);
  const isOld = referred.every(
    (address) => address === recorded.parent || recorded.dependsOn.includes(address),
  );
  return isOld && referred.length > 0 ? onlyRepairs(referred, causeOf) : undefined;
}

const isDrift = ({ cause }: AttributeChange): boolean => cause === "drift";

/** Returns true if it is declared, recorded and no longer live. */
const isMissing = ({ missing, action }: Change): boolean => missing === true && action !== "forget";

export interface StageDrift extends TargetNames {
  /** 32 hex digits; absent where the service was not asked. */
  readonly runId?: string | undefined;
  readonly exitCode: number;
  readonly seconds: number;
  /** Absent where the stage could not be read to its end. */
  readonly report?: DriftReport;
  /** The id of each recorded resource: several may have one. Absent with the report. */
  readonly recordedIds?: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface DriftJob {
  /** Path of the manifest from the root of its repository. */
  readonly manifest: string;
  readonly at: string;
  readonly seconds: number;
  readonly commit?: string | undefined;
  readonly page?: string | undefined;
  readonly stages: readonly StageDrift[];
  readonly exitCode: number;
}

/**
 * Returns the stages of a job without unmanaged resources that another stage of it records. The rest decides the result of
 * a stage.
 */
export function withoutOthers(stages: readonly StageDrift[]): readonly StageDrift[] {
  const recorded = stages.map(({ recordedIds }) => new Set(recordedIds));
  return stages.map((one, at) => {
    const { report, exitCode } = one;
    const isOthers = (id: string): boolean => recorded.some((ids, of) => of !== at && ids.has(id));
    const unmanaged = report?.unmanaged.filter(({ id }) => !isOthers(id));
    if (!report || unmanaged === undefined || unmanaged.length === report.unmanaged.length) return one;
    const remaining = { ...report, unmanaged };
    const hasDrift = hasDriftLeft(remaining);
    const clean = report.expired === undefined ? 0 : 1;
    return {
      ...one,
      report: { ...remaining, hasDrift },
      exitCode: exitCode === 2 && !hasDrift ? clean : exitCode,
    };
  });
}

export const countsOfStage = ({ report }: Pick<StageDrift, "report">) =>
  report &&
  (Object.fromEntries(driftClasses.map((one) => [one, countOf(report, one)])) as Record<DriftClass, number>);
