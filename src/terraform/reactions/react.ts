import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import { type Address, typeOf } from "../../model/address";
import type { LiveResource } from "../../model/live";
import { shownIds, type Upstream } from "../../model/resource-type";
import { canonicalId } from "../../model/text";
import { timeNow } from "../../model/time";
import { typeNamed } from "../../resources";
import { addressOfId } from "../confirm-deleted";
import { isLost, type PrivateData } from "../messages";
import type { Provider, Session } from "../provider";
import { bareRecord } from "../record";
import { addressIn, knownIn, parentIn, textIn } from "../schema/attributes";
import type { TerraformShape } from "../schema/terraform-shape";
import type { TerraformObject } from "../values/terraform-value";
import {
  bareName,
  followsChanges,
  insideOf,
  isAllBegun,
  type KnownChange,
  placesOthers,
} from "./known-changes";
import type { Patience, Room } from "./traffic";

/** While plans are made nothing takes long. */
const planning: Patience = { quietMs: 50, patienceMs: 50 };
/** What is waited for may itself wait for another provider. */
const applying: Patience = { quietMs: 500, patienceMs: 5000 };

/** Instead of a time: this plan changes it; it is not there any more. */
const planned = "planned";
const gone = "gone";

const isLater = (time: string | undefined, than: string | undefined): boolean =>
  time !== undefined && than !== undefined && Date.parse(time) > Date.parse(than);

const laterOf = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || isLater(b, a) ? b : a;

/**
 * Returns the private data of what reacts, as its read leaves it: when it last ran, which resources of its parent are
 * managed, and which of them are to take effect with the next run. A plan and the apply of it read this alone, so they
 * agree. Waits until the resources that were managed before have been planned.
 */
export async function noteUpstream(
  provider: Pick<Provider, "inState">,
  session: Session,
  type: TerraformShape,
  live: LiveResource,
  kept: PrivateData,
): Promise<PrivateData> {
  const parentId = live.parentId ?? undefined;
  if (!followsChanges(type.resource) || parentId === undefined) return kept;
  const { changes: known, traffic, signal } = session;
  const managed = Object.values(kept.inputs ?? {}).map((address) => address as Address);
  const isKnown = (): boolean => managed.every((one) => insideOf(known, parentId).has(one));
  const isWhole = await traffic.wait(isKnown, planning, signal);
  if (isRefreshAlone(provider, session, type, parentId, kept)) return kept;
  known.read.add(live.id);
  const ranAt = await lastRunOf(session, type, live, kept);
  const inside = [...insideOf(known, parentId).values()];
  const around = known.byId.get(canonicalId(parentId));
  const due = Object.fromEntries(
    [...(around ? [around] : []), ...inside]
      .filter(({ changes, changedAt }) => changes || isLater(changedAt, ranAt))
      .map(({ address, stage, changes, changedAt }) => [
        address,
        changes ? (stage === "planned" ? planned : gone) : (changedAt ?? gone),
      ]),
  );
  const hidden = (address: Address): boolean => !isWhole && !insideOf(known, parentId).has(address);
  for (const [address, since] of await changedSince(session, type, { parentId, kept, ranAt }, hidden))
    due[address] ??= since;
  const isOwed = isStillOwed(live, kept);
  if (isOwed) due[addressIn(type, live.name)] ??= gone;
  const inputs = { ...kept.inputs };
  for (const { id, address, isRemoved } of inside) if (id !== undefined && !isRemoved) inputs[id] = address;
  const isPartial = !isWhole && Object.keys(due).length > 0;
  return {
    ...kept,
    ...{ ranAt, inputs: orNone(inputs), due: orNone(due) },
    ...{ owed: isOwed ? kept.owed : undefined, isPartial: isPartial || undefined },
  };
}

/**
 * Whether this walk only refreshes: what a resource reacts to was read, stays, and was not planned. Nothing is noted for a
 * plan there, as Terraform would tell other private data as a difference, of which it shows nothing.
 */
const isRefreshAlone = (
  { inState }: Pick<Provider, "inState">,
  { changes, existence }: Session,
  { resource }: TerraformShape,
  parentId: string,
  { inputs = {} }: PrivateData,
): boolean =>
  !changes.hasPlans &&
  [
    ...resource.parents.map(({ type }) => ({ type, id: parentId })),
    ...resource.follows.flatMap((type) => Object.keys(inputs).map((id) => ({ type, id }))),
  ].some(({ type, id }) => {
    const key = addressOfId({ type }, id);
    // What another state manages is read, too, where something in it is missing; and is not planned.
    const isRead = inState.has(key) && existence.byId.get(key)?.live !== undefined;
    return isRead && changes.byId.get(id)?.isRemoved !== true;
  });

/** Whether a run whose call was answered before it never came, or failed; or one did whose provider died. */
function isStillOwed({ id, asOf, standing = [] }: LiveResource, kept: PrivateData): boolean {
  const { owed, ranAt } = kept;
  if (owed === undefined && !(isLost(kept) && ranAt === undefined)) return false;
  if (standing.some(({ code }) => code === "failed" || code === "cancelled")) return true;
  const isNewer = asOf !== undefined && (ranAt === undefined || isLater(asOf, ranAt));
  return id === owed && !isNewer;
}

const orNone = (texts: Readonly<Record<string, string>>): Record<string, string> | undefined =>
  Object.keys(texts).length === 0 ? undefined : texts;

/** Returns the service's time of the last run that serves. */
async function lastRunOf(
  session: Session,
  type: TerraformShape,
  live: LiveResource,
  kept: PrivateData,
): Promise<string | undefined> {
  const own = kept.ranAt ?? kept.updatedAt;
  const servingSince = ({ asOf, ...shown }: LiveResource): string | undefined =>
    new Set(shownIds(type.resource, shown)).size === 1 ? asOf : undefined;
  const shown = servingSince(live);
  if (own !== undefined || shown !== undefined) return laterOf(own, shown);
  // Asked for only of a run that is not known to be the last one.
  const recorded = bareRecord({ type: type.resource.type, id: "", name: live.name });
  const declared = new Map(live.attributes);
  const target = { address: addressIn(type, live.name), name: live.name, id: live.id, declared, recorded };
  const read = await type.resource.read(session.reads, target);
  return read.kind === "found" ? servingSince(read.live) : undefined;
}

interface LastRun {
  readonly parentId: string;
  readonly kept: PrivateData;
  readonly ranAt: string | undefined;
}

/**
 * Returns what was managed when it last ran and is not there any more, and what of the `hidden` ones changed since, with
 * the time: their own calls, which would tell, come later.
 */
async function changedSince(
  { reads }: Session,
  { resource }: TerraformShape,
  { parentId, kept: { inputs = {} }, ranAt }: LastRun,
  hidden: (address: Address) => boolean,
): Promise<readonly (readonly [string, string])[]> {
  if (Object.keys(inputs).length === 0) return [];
  const lists = await Promise.all(resource.follows.map((type) => typeNamed(type)?.list(reads, parentId)));
  if (lists.some((list) => list === undefined)) return [];
  const there = new Map(lists.flatMap((list) => list ?? []).map((live) => [live.id, live]));
  return Object.entries(inputs).flatMap(([id, address]) => {
    const live = there.get(id);
    if (live === undefined) return [[address, gone] as const];
    const { updatedAt } = live;
    const isLate = hidden(address as Address) && updatedAt !== undefined && isLater(updatedAt, ranAt);
    return isLate ? [[address, updatedAt] as const] : [];
  });
}

interface ReactionInput {
  readonly type: TerraformShape;
  readonly prior: TerraformObject;
  readonly config: TerraformObject;
  readonly kept: PrivateData;
  /** Something else of it is changed by this plan. */
  readonly isEdited: boolean;
}

/** Returns what of a parent appears, of the types that a resource follows. */
const appearingIn = (
  { changes: known }: Session,
  { resource }: TerraformShape,
  parentId: string,
): readonly KnownChange[] =>
  [...insideOf(known, parentId).values()].filter(
    ({ address, appears, isRemoved }) =>
      appears === true && !isRemoved && resource.follows.includes(typeOf(address)),
  );

/**
 * Returns whether a resource runs because others appear beside it. Its apply asks once more: what appears and was not
 * known then gets its place from the next one.
 */
async function placesThem(
  session: Session,
  { type, config }: ReactionInput,
  parentId: string,
): Promise<boolean> {
  await session.traffic.wait(() => true, planning, session.signal);
  const upstream = appearingIn(session, type, parentId).map(({ address, changes }) => ({
    ...{ address, changes, writes: 0, name: bareName(address), appears: "made" as const },
  }));
  return typeof type.resource.reacts?.reason({ declared: knownIn(type, config), upstream }) === "string";
}

/** Returns whether what reacts runs because of what it reacts to. The same in the plan and in the apply of it. */
export async function runsBecauseOfOthers(
  session: Session | undefined,
  input: ReactionInput,
): Promise<boolean> {
  const { type, prior, config, kept, isEdited } = input;
  const declared = knownIn(type, config);
  const parentId = parentIn(type, declared);
  if (session !== undefined && parentId !== undefined && placesOthers(type.resource))
    return placesThem(session, input, parentId);
  if (session === undefined || !followsChanges(type.resource) || parentId === undefined) return false;
  const { changes: known, traffic, signal } = session;
  const { due = {}, ranAt } = kept;
  const isTold = Object.keys(due).length > 0 || known.read.has(textIn(prior, "id") ?? "");
  if (!isTold) {
    // It was not read, or this is the apply of a plan in which nothing but itself changed.
    if (isEdited) return false;
    await traffic.wait(() => true, planning, signal);
  }
  const around = known.byId.get(canonicalId(parentId));
  const seen = [...(around ? [around] : []), ...insideOf(known, parentId).values()];
  const upstream = seen.map((one) => upstreamOf(one, ranAt));
  const told = new Set(seen.map(({ address }) => address));
  for (const address of Object.keys(due) as Address[])
    if (!told.has(address)) upstream.push({ address, writes: 0, changes: true });
  const reason = type.resource.reacts?.reason({ declared, upstream, parent: around?.attributes });
  known.planned.set(canonicalId(parentId), typeof reason === "string");
  return typeof reason === "string";
}

/** What changed since the last run was written once more than that run knew of. */
const upstreamOf = (
  { address, id, changes, changedAt }: KnownChange,
  ranAt: string | undefined,
): Upstream => ({
  ...{ address, id, changes },
  writes: isLater(changedAt, ranAt) ? 1 : 0,
});

/**
 * Waits, before what reacts is run, until the changes of this apply that it reacts to are made. Returns what of them was
 * not: an error where one failed, a warning where one comes later, which the next plan runs for.
 */
export async function awaitUpstream(
  session: Session,
  type: TerraformShape,
  parentId: string | undefined,
  { kept, room }: { readonly kept: PrivateData; readonly room?: Room },
): Promise<readonly Diagnostic[]> {
  if (parentId === undefined) return [];
  const { changes: known, traffic, signal } = session;
  if (placesOthers(type.resource)) {
    const isMade = (): boolean =>
      appearingIn(session, type, parentId).every(({ stage }) => stage !== "planned");
    await traffic.wait(isMade, applying, signal);
  }
  if (!followsChanges(type.resource)) return [];
  const awaited = Object.entries(kept.due ?? {}).flatMap(([address, since]) =>
    since === planned ? [address as Address] : [],
  );
  const stageOf = (address: Address): KnownChange["stage"] | undefined =>
    [insideOf(known, parentId).get(address), known.byId.get(canonicalId(parentId))].find(
      (one) => one?.address === address,
    )?.stage;
  const pending = (): readonly Address[] => {
    const changing = [...insideOf(known, parentId).values()].filter(({ changes }) => changes);
    const all = new Set([...awaited, ...changing.map(({ address }) => address)]);
    return [...all].filter((one) => [undefined, "planned"].includes(stageOf(one)));
  };
  const isKnown = (awaited.length > 0 && !kept.isPartial) || isAllBegun(known);
  const isSure = isKnown && pending().length === 0;
  // What has all been begun needs no place.
  const needed = room && { ...room, canMake: () => !isAllBegun(known) && room.canMake() };
  if (!isSure) await traffic.wait(() => pending().length === 0, applying, signal, needed);
  const failed = [...insideOf(known, parentId).values()].filter(({ stage }) => stage === "failed");
  if (failed.length > 0)
    return [
      notRun(
        type,
        failed.map(({ address }) => address),
      ),
    ];
  const missed = pending();
  return missed.length === 0 ? [] : [ranBefore(type, missed)];
}

const namesOf = (addresses: readonly Address[]): string => addresses.map(bareName).sort().join(", ");

const notRun = ({ resource }: TerraformShape, failed: readonly Address[]): Diagnostic =>
  error("apply.skipped", `the ${resource.type} was not made: what it is for was not written`, {
    detail: `Not written: ${namesOf(failed)}.`,
    hint: "apply again: what is written by then is part of it",
  });

const ranBefore = ({ resource }: TerraformShape, missed: readonly Address[]): Diagnostic =>
  warning("plan.not_deployed", `the ${resource.type} was made before all that it is for was written`, {
    detail: `Written later: ${namesOf(missed)}. The next plan shows one more ${resource.type} for it.`,
    hint: "name the resources of these variables in its depends_on: then it comes after them",
  });

/** Returns what is said of a change that was planned after what reacts to it was, and for which that does not run. */
export const plannedLate = (change: KnownChange): Diagnostic =>
  warning("plan.not_deployed", `no deployment is planned for the change of ${bareName(change.address)}`, {
    detail:
      "It was planned after the deployment of its service. The plan after the next apply shows one for it.",
    hint: "name the resource in depends_on of the deployment, or plan with a -parallelism above the number of deployments",
  });

/**
 * Returns the service's time of the latest change that a run is for: with what ran before, it tells one run from
 * another, also after a process that died.
 */
export function latestChange(
  { changes: known }: Pick<Session, "changes">,
  parentId: string | undefined,
  { due = {} }: PrivateData,
): string {
  const around = known.byId.get(canonicalId(parentId ?? ""));
  const applied = [...(around ? [around] : []), ...insideOf(known, parentId ?? "").values()]
    .filter(({ changes }) => changes)
    .map(({ changedAt }) => changedAt);
  const times = [...applied, ...Object.values(due)].filter((time) => !Number.isNaN(Date.parse(time ?? "")));
  return times.reduce<string | undefined>((latest, time) => laterOf(latest, time), undefined) ?? "";
}

/** Returns what a run that is sent now is made of: without what this apply has removed, which no refresh told. */
export function inputsNow(
  { changes }: Session,
  parentId: string | undefined,
  { inputs = {} }: PrivateData,
): PrivateData["inputs"] {
  const inside = insideOf(changes, parentId ?? "");
  const isRemoved = (id: string, address: string): boolean => {
    const known = inside.get(address as Address);
    return known?.isRemoved === true && known.stage === "applied" && (known.id ?? id) === id;
  };
  return Object.fromEntries(Object.entries(inputs).filter(([id, address]) => !isRemoved(id, address)));
}

/** Returns what private data remembers of a run: when it was made, and what it was made of. */
export function ranNow(
  session: Session,
  type: TerraformShape,
  parentId: string | undefined,
  { kept, live }: { readonly kept: PrivateData; readonly live: LiveResource | undefined },
): Pick<PrivateData, "ranAt" | "inputs"> {
  if (!followsChanges(type.resource) || parentId === undefined) return {};
  const inside = insideOf(session.changes, parentId);
  // What was made anew bears another id: the one of before would be missed by every later read.
  const isThere = (id: string, address: string): boolean => {
    const known = inside.get(address as Address);
    if (known?.isRemoved === false) return known.id === undefined || known.id === id;
    return !(address in (kept.due ?? {}));
  };
  const inputs = Object.fromEntries(
    Object.entries(kept.inputs ?? {}).filter(([id, address]) => isThere(id, address)),
  );
  for (const { id, address, isRemoved } of inside.values())
    if (id !== undefined && !isRemoved) inputs[id] = address;
  return { ranAt: live?.asOf ?? timeNow(session), inputs: orNone(inputs) };
}
