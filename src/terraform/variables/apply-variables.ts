import { randomBytes } from "node:crypto";
import type { Variable } from "../../api/wire/shapes";
import { type Diagnostic, DiagnosticsError, error, hasErrors, warning } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import { Secret } from "../../model/secret";
import { generatedName, shortList } from "../../model/text";
import { generatedText, isGeneratedLength } from "../../model/value";
import { service } from "../../resources/service";
import { liveVariable, variable } from "../../resources/variable";
import { diagnosticsOf } from "../messages";
import { noPrivateData } from "../private-data";
import { mostAgeMs, type Session } from "../provider";
import { unappliedFields } from "../resource/after-write";
import type { Applied } from "../resource/applied";
import { createOnce, withRevision } from "../resource/create-resource";
import { deleteResource } from "../resource/delete-resource";
import { leavesDeletedParent } from "../resource/parent-change";
import { sendUpdate } from "../resource/update-resource";
import { addressIn, emptyValue } from "../schema/attributes";
import { asObject, isUnknown, type TerraformObject, type TerraformValue } from "../values/terraform-value";
import { declaredMap, entryType, generatedMap, serviceOf, textsIn } from "./variables";

/** The values of a change of a map. */
export interface AppliedChange {
  readonly prior: TerraformObject | undefined;
  /** Undefined deletes them all. */
  readonly planned: TerraformObject | undefined;
  readonly config: TerraformObject | undefined;
  /** The idempotency keys of this apply are made of it. */
  readonly nonce: string;
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
  { prior: recorded, planned, config, nonce }: AppliedChange,
): Promise<Omit<Applied, "kept">> {
  const isMoved = recorded && planned && (await isLeft(session, recorded, planned));
  const prior = isMoved ? undefined : recorded;
  const serviceId = String((planned ?? prior)?.service_id ?? "");
  const entries: Entries = {
    ids: { ...textsIn(prior?.ids) },
    updatedAt: { ...textsIn(prior?.updated_at) },
    values: { ...asObject(prior?.values) },
    made: generatedMap(prior),
    timeouts: (planned ?? prior)?.timeouts ?? null,
  };
  const wanted = wantedKeys(planned);
  const values = valuesOf(planned, config);
  const stored = textsIn(planned?.values);
  await requireFree(session, serviceId, wanted, prior === undefined);
  const diagnostics: Diagnostic[] = [];
  const attempt = async (name: string, work: () => Promise<void>): Promise<void> => {
    if (session.signal.aborted && diagnostics.length > 0) return;
    await work().catch((failure: unknown) => {
      for (const one of diagnosticsOf(failure))
        diagnostics.push({ ...one, summary: `${name}: ${one.summary}`, attribute: declaring(config, name) });
    });
  };
  for (const name of Object.keys(entries.ids))
    if (!wanted.has(name))
      await attempt(name, () => removeEntry(session, { serviceId, name, nonce }, entries));
  for (const [name, { id, isKept }] of wanted) {
    const value = values[name];
    if (isKept || value === undefined) continue;
    await attempt(name, () => setEntry(session, { serviceId, name, value, id, nonce }, entries));
    if (name in stored && !diagnostics.some(({ summary }) => summary.startsWith(`${name}: `)))
      entries.values[name] = value;
  }
  const state = appliedState({ prior, planned }, serviceId, entries, hasErrors(diagnostics));
  const revised = state && planned ? withRevision(entryType, planned, state, nonce) : state;
  return { state: revised, diagnostics: isMoved ? [...diagnostics, ...madeAgain(planned)] : diagnostics };
}

/** Returns true if the recorded service is deleted, and another one is planned. */
const isLeft = ({ reads }: Session, prior: TerraformObject, planned: TerraformObject): Promise<boolean> =>
  leavesDeletedParent(
    reads,
    { parent: service, before: serviceOf(prior), after: serviceOf(planned) },
    "service_id",
  );

const madeAgain = (planned: TerraformObject): readonly Diagnostic[] =>
  Object.keys(generatedMap(planned)).map((name) =>
    warning("plan.live_changed_too", `a new value was generated for ${name}`, {
      detail: "The service that had the first one is deleted.",
    }),
  );

/** Throws `DiagnosticsError` where a variable that is to be created exists: nothing is sent then. */
async function requireFree(
  { reads }: Session,
  serviceId: string,
  wanted: ReturnType<typeof wantedKeys>,
  isNew: boolean,
): Promise<void> {
  const added = [...wanted].filter(([, { id }]) => id === undefined).map(([name]) => name);
  if (added.length === 0) return;
  reads.invalidate(mostAgeMs);
  const listed = new Set((await reads.variables(serviceId))?.map(({ key }) => key));
  const taken = added.filter((name) => listed.has(name));
  if (taken.length > 0) throw new DiagnosticsError([alreadyThere(taken, serviceId, isNew)]);
}

const alreadyThere = (taken: readonly string[], serviceId: string, isNew: boolean): Diagnostic =>
  error(
    "live.unmanaged_exists",
    `${shortList([...taken].sort(), 20)} already exists in service ${serviceId}`,
    {
      attribute: "values",
      detail: isNew
        ? `To manage what is declared here, add this import block:\n\n  import {\n    to = rnv_variables.NAME # the address that Terraform prints for this error\n    id = "${serviceId}"\n  }`
        : "Another state, the dashboard or another resource of this configuration created it.",
      hint: isNew
        ? "or leave it out"
        : "leave it out, delete it there, or take this resource out of the state and import it again",
    },
  );

/** Returns the values to send by name: as planned, write-only ones as configured, and generated ones. */
const valuesOf = (
  planned: TerraformObject | undefined,
  config: TerraformObject | undefined,
): Readonly<Record<string, string>> => ({
  ...textsIn(declaredMap({ values: planned?.values ?? null, values_wo: config?.values_wo ?? null })),
  ...generatedTexts(planned),
});

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
  { planned, prior }: Pick<AppliedChange, "planned" | "prior">,
  serviceId: string,
  entries: Entries,
  failed: boolean,
): TerraformObject | null {
  if (planned === undefined && !failed) return null;
  if (planned === undefined) return { ...prior, ids: entries.ids, updated_at: entries.updatedAt };
  if (failed && prior === undefined && Object.keys(entries.ids).length === 0) return null;
  const kept = { ...planned, id: serviceId, ids: entries.ids, updated_at: entries.updatedAt };
  if (!failed) return kept;
  return {
    ...kept,
    values: planned.values === null ? null : entries.values,
    values_wo_version: prior?.values_wo_version ?? null,
    [generatedName]: prior?.[generatedName] ?? null,
  };
}

interface EntryChange {
  readonly serviceId: string;
  readonly name: string;
  readonly nonce: string;
}

interface Entry extends EntryChange {
  readonly value: string;
  /** Undefined of one that is created. */
  readonly id: string | undefined;
}

async function setEntry(
  session: Session,
  { serviceId, name, value, id, nonce }: Entry,
  entries: Entries,
): Promise<void> {
  const address = addressIn(entryType, name);
  const attributes = new Map<string, string | Secret>([
    ["serviceId", serviceId],
    ["key", name],
    ["value", new Secret(value)],
  ]);
  const input = { address, name, attributes };
  const defaults = new Map();
  if (id === undefined) {
    const creation = { type: entryType, input, parentId: serviceId, defaults, nonce };
    const made = await createOnce(session, creation, (writes) => variable.create(writes, input));
    return record(name, made.id, made.live, entries);
  }
  // What its last read found changed may have another name by now.
  const isTouched =
    entries.updatedAt[name] === undefined || entries.values[name] === null || entries.made[name] === null;
  const shown = isTouched ? await shownNow(session, serviceId, id) : undefined;
  const before = entries.updatedAt[name] ?? shown?.updatedAt ?? undefined;
  const changed = new Set((shown?.key ?? name) === name ? ["value"] : ["key", "value"]);
  const sent = new Map([...changed].map((path) => [path, attributes.get(path) ?? null]));
  const live = { ...liveVariable({ ...shown, id, key: name, updatedAt: before }, serviceId) };
  const update = { ...input, id, changed, live, parentId: serviceId, defaults };
  const set = await sendUpdate(session, entryType, nonce, update);
  const refused = unappliedFields(entryType, { sent, live: set.live, defaults, before }, error);
  if (refused.length > 0) throw new DiagnosticsError(refused);
  record(name, id, set.live, entries);
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
  { serviceId, name, nonce }: EntryChange,
  entries: Entries,
): Promise<void> {
  const { ids, timeouts } = entries;
  const place = { id: ids[name] ?? null, key: name, service_id: serviceId };
  const prior = { ...emptyValue(entryType), ...place, timeouts };
  const removed = await deleteResource(session, entryType, { prior, kept: noPrivateData, nonce });
  if (removed.state !== null) throw new DiagnosticsError(removed.diagnostics);
  delete ids[name];
  delete entries.updatedAt[name];
  delete entries.values[name];
}
