import { randomBytes } from "node:crypto";
import type { Variable } from "../../api/wire/shapes";
import { type Diagnostic, DiagnosticsError, error, hasErrors } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import { Secret } from "../../model/secret";
import { generatedName } from "../../model/text";
import { generatedText, isGeneratedLength } from "../../model/value";
import { sendSecret, unappliedFields } from "../apply/after-write";
import { type Applied, applyDelete } from "../apply/apply-delete";
import { createOnce, takeUp } from "../apply/create-once";
import { findTaken } from "../apply/twins";
import { diagnosticsOf, noPrivateData, withoutTaint } from "../messages";
import type { Session } from "../provider";
import { addressIn, emptyValue } from "../schema/attributes";
import { asObject, isUnknown, type TerraformObject, type TerraformValue } from "../values/terraform-value";
import { declaredMap, entryType, generatedMap, textsIn } from "./variables";

/** The values of a change of a map. */
export interface AppliedChange {
  readonly prior: TerraformObject | undefined;
  /** Undefined deletes them all. */
  readonly planned: TerraformObject | undefined;
  readonly config: TerraformObject | undefined;
}

/** The variables that are there by name, while a map is being applied. */
interface Entries {
  readonly ids: Record<string, string>;
  readonly updatedAt: Record<string, string>;
  /** Values as far as they were sent; only those that Terraform keeps. */
  readonly values: Record<string, TerraformValue>;
  /** Lengths of the values that were made up, null of one that was changed outside. */
  readonly made: TerraformObject;
  /** How long to wait for the service. */
  readonly timeouts: TerraformValue;
}

/** Carries a map out, one variable at a time; what was done stays in the state whatever fails after it. */
export async function applyVariables(
  session: Session,
  change: AppliedChange,
): Promise<Omit<Applied, "kept">> {
  const { prior, planned, config } = change;
  const serviceId = String((planned ?? prior)?.service_id ?? "");
  const entries: Entries = {
    ids: { ...textsIn(prior?.ids) },
    updatedAt: { ...textsIn(prior?.updated_at) },
    values: { ...asObject(prior?.values) },
    made: generatedMap(prior),
    timeouts: (planned ?? prior)?.timeouts ?? null,
  };
  const wanted = wantedKeys(planned);
  // Write-only values are in no plan; all others are sent as they were planned.
  const declared = declaredMap({ values: planned?.values ?? null, values_wo: config?.values_wo ?? null });
  const values = { ...textsIn(declared), ...generatedTexts(planned) };
  const stored = textsIn(planned?.values);
  const adopts = planned?.adopt === true;
  const diagnostics: Diagnostic[] = [];
  const attempt = async (name: string, work: () => Promise<void>): Promise<void> => {
    if (session.signal.aborted && diagnostics.length > 0) return;
    await work().catch((failure: unknown) => {
      for (const one of diagnosticsOf(failure))
        diagnostics.push({ ...one, summary: `${name}: ${one.summary}`, attribute: declaring(config, name) });
    });
  };
  for (const name of Object.keys(entries.ids))
    if (!wanted.has(name)) await attempt(name, () => removeEntry(session, serviceId, name, entries));
  for (const [name, { id, isKept }] of wanted) {
    const value = values[name];
    if (isKept || value === undefined) continue;
    await attempt(name, () => setEntry(session, { serviceId, name, value, id, adopts }, entries));
    if (name in stored && !diagnostics.some(({ summary }) => summary.startsWith(`${name}: `)))
      entries.values[name] = value;
  }
  if (hasErrors(diagnostics)) session.incomplete.add(serviceId);
  const state = appliedState(change, serviceId, entries, diagnostics.length > 0);
  const isCreated = prior === undefined && state !== null;
  return { state, diagnostics: isCreated ? withoutTaint(diagnostics) : diagnostics };
}

/** Returns the attribute that declares a variable; `values` of one that none declares any more. */
const declaring = (config: TerraformObject | undefined, name: string): string =>
  [generatedName, "values_wo"].find((one) => name in (asObject(config?.[one] ?? null) ?? {})) ?? "values";

/** Makes a text for each value that is to be made up; it is used where the plan sends it. */
const generatedTexts = (planned: TerraformObject | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(generatedMap(planned)).flatMap(([key, made]) => {
      const length = asObject(made)?.length;
      return isGeneratedLength(length) ? [[key, generatedText(randomBytes, length)]] : [];
    }),
  );

/** Returns the planned keys: with the id that is known, and whether the value stays as it is. */
function wantedKeys(planned: TerraformObject | undefined) {
  const ids = textsIn(planned?.ids);
  const times = asObject(planned?.updated_at);
  const isKept = (key: string): boolean => times !== undefined && !isUnknown(times[key] ?? null);
  return new Map(
    Object.keys(asObject(planned?.ids) ?? {}).map((key) => [key, { id: ids[key], isKept: isKept(key) }]),
  );
}

function appliedState(
  { planned, prior }: AppliedChange,
  serviceId: string,
  entries: Entries,
  failed: boolean,
): TerraformObject | null {
  if (planned === undefined && !failed) return null;
  if (planned === undefined) return { ...prior, ids: entries.ids, updated_at: entries.updatedAt };
  if (failed && prior === undefined && Object.keys(entries.ids).length === 0) return null;
  const kept = { ...planned, id: serviceId, ids: entries.ids, updated_at: entries.updatedAt };
  if (!failed) return kept;
  // A create is told as it was planned: what has no id yet is added by the next plan.
  if (prior === undefined) {
    const missing = Object.keys(asObject(planned.ids) ?? {}).map((key) => [key, null] as const);
    return { ...kept, ids: { ...Object.fromEntries(missing), ...entries.ids } };
  }
  return {
    ...kept,
    values: planned.values === null ? null : entries.values,
    values_wo_version: prior?.values_wo_version ?? null,
    [generatedName]: prior?.[generatedName] ?? null,
  };
}

interface Entry {
  readonly serviceId: string;
  readonly name: string;
  readonly value: string;
  /** Undefined of one that is created. */
  readonly id: string | undefined;
  /** It may be there already. */
  readonly adopts: boolean;
}

async function setEntry(
  session: Session,
  { serviceId, name, value, id, adopts }: Entry,
  entries: Entries,
): Promise<void> {
  const { resource } = entryType;
  const address = addressIn(entryType, name);
  const attributes = new Map<string, string | Secret>([
    ["serviceId", serviceId],
    ["key", name],
    ["value", new Secret(value)],
  ]);
  if (id === undefined) {
    const create = {
      ...{ type: resource, parentId: serviceId, defaults: new Map(), seed: "create\0variable" },
      input: { address, name, attributes },
    };
    const taken = await findTaken(session, create, adopts).catch(asOfMap);
    if (taken === undefined) {
      const made = await createOnce(session, create);
      record(name, made.id, made.live, entries);
      return;
    }
    await takeUp(session, create, taken);
    // Its value may be that of another apply.
    record(name, taken.live.id, taken.live, entries);
    return setEntry(session, { serviceId, name, value, id: taken.live.id, adopts }, entries);
  }
  // What its last read found changed may bear another name by now.
  const isTouched =
    entries.updatedAt[name] === undefined || entries.values[name] === null || entries.made[name] === null;
  const shown = isTouched ? await shownNow(session, serviceId, id) : undefined;
  const before = entries.updatedAt[name] ?? shown?.updatedAt ?? undefined;
  const seed = ["update", "variable", id, before ?? ""].join("\0");
  const changed = new Set((shown?.key ?? name) === name ? ["value"] : ["key", "value"]);
  const sent = new Map([...changed].map((path) => [path, attributes.get(path) ?? null]));
  const set = await sendSecret(session, {
    ...{ type: resource, name, parentId: serviceId, sent, before, seed },
    send: (writes) => resource.update(writes, { address, name, attributes, id, changed }),
  });
  const write = { sent, live: set.live, defaults: new Map(), before };
  const refused = unappliedFields(entryType, write, error);
  if (refused.length > 0) throw new DiagnosticsError(refused);
  record(name, id, set.live, entries);
}

/** A map is not imported by its keys: one that somebody set since the plan is taken over, or left out. */
function asOfMap(failure: unknown): never {
  const isTaken =
    failure instanceof DiagnosticsError && failure.diagnostics[0]?.code === "live.unmanaged_exists";
  if (!isTaken) throw failure;
  throw new DiagnosticsError([
    error("live.unmanaged_exists", "there already, and not managed by this resource", {
      hint: "set adopt = true to take it over with the next apply, or leave it out",
    }),
  ]);
}

const shownNow = async ({ reads }: Session, serviceId: string, id: string): Promise<Variable | undefined> =>
  (await reads.variables(serviceId))?.find((one) => one.id === id);

function record(name: string, id: string, live: LiveResource | undefined, entries: Entries): void {
  entries.ids[name] = id;
  // One that is not told is no sign of a change outside.
  entries.updatedAt[name] = live?.updatedAt ?? "";
}

async function removeEntry(
  session: Session,
  serviceId: string,
  name: string,
  entries: Entries,
): Promise<void> {
  const { ids, timeouts } = entries;
  const place = { id: ids[name] ?? null, key: name, service_id: serviceId };
  const state = { ...emptyValue(entryType), ...place, timeouts };
  const removed = await applyDelete(session, entryType, state, noPrivateData);
  if (removed.state !== null) throw new DiagnosticsError(removed.diagnostics);
  delete entries.ids[name];
  delete entries.updatedAt[name];
  delete entries.values[name];
}
