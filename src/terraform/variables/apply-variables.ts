import type { Diagnostic } from "../../diagnostics/diagnostic";
import { generatedName, shortList } from "../../model/text";
import { diagnosticsOf, withoutTaint } from "../messages";
import { noPrivateData, writtenNow } from "../private-data";
import { mostAgeMs, type Session } from "../provider";
import type { AskedChange } from "../resource/apply-resource-change";
import { leavesParent } from "../resource/confirm-deleted";
import { createOnce } from "../resource/create-resource";
import { deleteResource } from "../resource/delete-resource";
import { type Applied, type Writing, withRevision } from "../resource/finish-write";
import { requireFreeKeys } from "../resource/namesakes";
import { incomplete } from "../resource/reactions";
import { generatedAgain, updateResource } from "../resource/update-resource";
import { emptyValue } from "../schema/block";
import { revisionName } from "../schema/resource-block";
import {
  asObject,
  isSameValue,
  isUnknown,
  type TerraformObject,
  type TerraformValue,
  textIn,
  unknown,
} from "../values";
import { elementsOf, entryType, recordedIn, takenOverAs, variableIn } from "./variables";

/** A map while it is applied: what the service has, by key, and why a key was refused. */
interface Progress {
  readonly ids: Record<string, TerraformValue>;
  readonly times: Record<string, TerraformValue>;
  readonly failed: Map<string, readonly Diagnostic[]>;
}

/** Carries a map out, one variable at a time; what was done stays in the state whatever fails after it. */
export async function applyVariables(
  session: Session,
  { prior: recorded, planned, config, kept, nonce }: AskedChange,
): Promise<Applied> {
  const at = { session, type: entryType };
  const isMoved = recorded && planned && (await leavesParent(at, recorded, planned));
  const prior = isMoved ? undefined : recorded;
  const wanted = elementsOf(planned?.ids);
  const known = Object.entries(wanted).filter(([, id]) => !isUnknown(id));
  const ids: Progress["ids"] = { ...elementsOf(prior?.ids), ...Object.fromEntries(known) };
  const times: Progress["times"] = { ...elementsOf(prior?.updated_at) };
  const failed: Progress["failed"] = new Map();
  const attempt = async (key: string, work: () => Promise<void>): Promise<void> => {
    const [last] = [...failed.values()].slice(-1);
    if (session.signal.aborted && last) failed.set(key, last);
    else await work().catch((failure: unknown) => failed.set(key, diagnosticsOf(failure)));
  };
  const written = Object.keys(wanted).filter((key) => !isKept(key, planned));
  const before = await currentOf(session, { prior, planned }, written);
  for (const key of Object.keys(ids).filter((one) => !(one in wanted)))
    await attempt(key, async () => {
      const variable = recordedIn(prior, key);
      if (variable) await deleteResource({ ...at, prior: { ...variable, key }, nonce });
      delete ids[key];
      delete times[key];
    });
  const takenOver = prior?.ids === null ? takenOverAs(session.workspaceId) : noPrivateData;
  Object.assign(times, planned && knownTimes(planned));
  for (const key of written)
    await attempt(key, async () => {
      const variable = { ...variableIn(planned ?? {}, key), updated_at: unknown };
      const values = entryType.withUnplanned(variable, variableIn(config ?? {}, key));
      const write = { ...at, planned: variable, wanted: values, config: variable, kept: takenOver, nonce };
      const { id, updated_at: time } = await setVariable(write, before.get(key));
      Object.assign(ids, { [key]: id });
      Object.assign(times, { [key]: time ?? "" });
    });
  const errors = errorsOf(failed, config);
  const isNew = recorded === undefined;
  const state = stateAfter({ prior, planned, nonce }, { ids, times, failed }, isNew);
  const again = isMoved ? Object.keys(elementsOf(planned[generatedName])) : [];
  // Reads need not be as new as a write that never was.
  const isWritten = state === null || prior === undefined || !isSameValue(state, prior);
  return {
    state,
    kept: isWritten ? { ...noPrivateData, ...writtenNow(session, undefined) } : kept,
    diagnostics: [
      ...(isNew && state ? withoutTaint(errors) : errors),
      ...again.map((key) => generatedAgain(entryType, key)),
    ],
  };
}

type Change = Pick<AskedChange, "prior" | "planned">;

const isKept = (key: string, planned: TerraformObject | undefined): boolean => {
  const times = asObject(planned?.updated_at);
  return times !== undefined && !isUnknown(times[key]);
};

const knownTimes = (planned: TerraformObject): TerraformObject =>
  Object.fromEntries(Object.entries(elementsOf(planned.updated_at)).filter(([, time]) => !isUnknown(time)));

/**
 * Returns the variables of these keys that exist, as they are now: a read that found one changed does not keep its name.
 * Throws `DiagnosticsError` where one that is to be created exists: nothing is sent then.
 */
async function currentOf(
  session: Session,
  { prior, planned = {} }: Change,
  keys: readonly string[],
): Promise<ReadonlyMap<string, TerraformObject>> {
  const recorded = new Map(keys.map((key) => [key, recordedIn(prior, key)]));
  const isCurrent = (one: TerraformObject | undefined): boolean => one !== undefined && !isTouched(one);
  const current = new Map<string, TerraformObject>();
  const isListed = ![...recorded.values()].every(isCurrent);
  const serviceId = textIn(planned, "service_id") ?? "";
  if (isListed) session.reads.invalidate(mostAgeMs);
  const listed = isListed ? ((await session.reads.variables(serviceId)) ?? []) : [];
  const byId = new Map(listed.map((one) => [one.id, one]));
  for (const [key, variable] of recorded) {
    const id = variable?.id ?? elementsOf(planned.ids)[key];
    if (typeof id !== "string") continue;
    const shown = byId.get(id);
    const named = { id, service_id: serviceId, key: shown?.key ?? key };
    const time = variable?.updated_at ?? shown?.updatedAt ?? null;
    current.set(key, { ...emptyValue(entryType), ...variable, ...named, updated_at: time });
  }
  const added = keys.filter((key) => !current.has(key));
  const at = { session, type: entryType, parentId: serviceId };
  await requireFreeKeys(
    at,
    listed.map(({ key }) => key).filter((key) => added.includes(key)),
    prior === undefined,
  );
  return current;
}

const isTouched = ({
  updated_at,
  value,
  value_wo_version,
  [generatedName]: made,
}: TerraformObject): boolean =>
  updated_at === null || [value, value_wo_version, made].every((one) => one === null);

/** Creates a variable, or updates it; `prior` is undefined for a create. */
async function setVariable(
  write: Writing,
  prior: TerraformObject | undefined,
): Promise<TerraformObject> {
  const { session, type, wanted, nonce } = write;
  if (prior !== undefined) return (await updateResource(write, prior)).state ?? prior;
  const attributes = type.appliableIn(wanted);
  const [name, parentId] = [type.nameIn(wanted), type.parentIn(attributes)];
  const input = { address: type.addressOf(name), name, attributes };
  const { id, live } = await createOnce({ session, type, input, parentId, nonce });
  return { id, updated_at: live?.updatedAt ?? null };
}

function stateAfter(
  { prior, planned, nonce }: Change & Pick<AskedChange, "nonce">,
  { ids, times, failed }: Progress,
  isNew: boolean,
): TerraformObject | null {
  const whole = planned ?? prior;
  const isNothing = planned === undefined ? failed.size === 0 : failed.size > 0 && !prior && isEmpty(ids);
  if (whole === undefined || isNothing) return null;
  const state = { ...whole, id: whole.service_id ?? null };
  if (whole.ids === null) return state;
  const next = withRevision(whole, { ...state, ids, updated_at: times }, nonce);
  if (failed.size === 0) return next;
  if (isNew) {
    const missing = Object.keys(elementsOf(whole.ids)).map((key) => [key, null]);
    return { ...next, ids: { ...Object.fromEntries(missing), ...ids }, [revisionName]: incomplete };
  }
  // What failed is as it was before. All of a version is sent again where a part of it failed.
  const mixed = (name: string): TerraformValue => {
    const [before, after] = [prior, planned].map((one) => elementsOf(one?.[name]));
    const sideOf = (key: string) => (failed.has(key) ? before : after) ?? {};
    const keys = Object.keys({ ...before, ...after }).filter((key) => key in sideOf(key));
    return keys.length === 0 && (planned?.[name] ?? null) === null
      ? null
      : Object.fromEntries(keys.map((key) => [key, sideOf(key)[key] ?? null]));
  };
  const version = prior?.values_wo_version ?? null;
  const values = { values: mixed("values"), [generatedName]: mixed(generatedName) };
  return { ...next, ...values, values_wo_version: version };
}

const isEmpty = (object: object): boolean => Object.keys(object).length === 0;

/** Returns the errors about the keys that were refused, one for each reason, at the attribute that declares the first. */
function errorsOf(failed: Progress["failed"], config: TerraformObject | undefined): readonly Diagnostic[] {
  const byReason = new Map<string, { readonly keys: string[]; readonly found: Diagnostic }>();
  for (const [key, reasons] of failed)
    for (const found of reasons) {
      const { keys } = byReason.get(found.summary) ?? { keys: [] };
      byReason.set(found.summary, { keys: [...keys, key], found });
    }
  return [...byReason.values()].map(({ keys, found }) => ({
    ...found,
    summary: `${shortList(keys, 20)}: ${found.summary}`,
    attribute: declaring(config, keys[0] ?? ""),
  }));
}

/** Returns the attribute that declares a variable; `values` of a key that is not declared any more. */
const declaring = (config: TerraformObject | undefined, key: string): string =>
  [generatedName, "values_wo"].find((name) => key in elementsOf(config?.[name])) ?? "values";
