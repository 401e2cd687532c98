import { type Diagnostic, DiagnosticsError, error } from "../../diagnostics/diagnostic";
import type { LiveResource } from "../../model/live";
import { Secret } from "../../model/secret";
import { service } from "../../resources/service";
import { sendSecret, unappliedFields, writtenNow } from "../apply/after-write";
import { type Applied, applyDelete } from "../apply/apply-delete";
import { createOnce } from "../apply/create-once";
import {
  diagnosticMessages,
  diagnosticsOf,
  noPrivateData,
  pathMessage,
  readPrivate,
  writePrivate,
} from "../messages";
import type { Message, ProviderMethod } from "../protocol";
import type { RpcAnswer, Session } from "../provider";
import { isFromHere, locateImport } from "../rpc/resource-state";
import { addressIn, emptyValue } from "../schema/attributes";
import { decodeObject, decodeState, encodeMessage, fromState, parseState } from "../values/codec";
import { asObject, type TerraformObject, type TerraformValue } from "../values/terraform-value";
import { declaredMap, entryType, planVariables, readVariables, textsIn, variablesSchema } from "./variables";

const { valueType } = variablesSchema;
const decoded = (value: Message<"Value"> | null): TerraformObject | undefined =>
  decodeObject(valueType, value);
const encoded = (value: TerraformValue): Message<"Value"> => encodeMessage(valueType, value);

const validate: RpcAnswer<"ValidateResourceConfig"> = async (_provider, { config, clientCapabilities }) => {
  const given = decoded(config) ?? {};
  const isSet = (name: string): boolean => (given[name] ?? null) !== null;
  const found: Diagnostic[] = [];
  const addFinding = (attribute: string, summary: string, hint: string): void => {
    found.push(error("plan.invalid_combination", summary, { attribute, hint }));
  };
  if (isSet("values") && isSet("values_wo"))
    addFinding("values_wo", "values and values_wo are both set", "keep one of the two");
  if (!isSet("values") && !isSet("values_wo"))
    addFinding("values", "there are no values", "set values or values_wo");
  if (isSet("values_wo") !== isSet("values_wo_version"))
    addFinding(
      isSet("values_wo") ? "values_wo" : "values_wo_version",
      "values_wo and values_wo_version go together",
      "set values_wo_version to 1, and raise it with every new value",
    );
  if (isSet("values_wo") && clientCapabilities?.writeOnlyAttributesAllowed !== true)
    addFinding("values_wo", "write-only attributes need Terraform 1.11", "use values, or a newer Terraform");
  for (const [name, value] of Object.entries(asObject(declaredMap(given)) ?? {}))
    if (value === null)
      addFinding(
        isSet("values") ? "values" : "values_wo",
        `${name} is null`,
        "give it a value, or leave it out",
      );
  return { diagnostics: diagnosticMessages(found) };
};

const upgrade: RpcAnswer<"UpgradeResourceState"> = async (_provider, { rawState }) => ({
  upgradedState: encoded(decodeState(valueType, rawState?.json)),
});

/** A single variable becomes a map with one entry; the same map may come from another address of this provider. */
const move: RpcAnswer<"MoveResourceState"> = async (_provider, request) => {
  const json = parseState(request.sourceState?.json) as Record<string, string>;
  const isOurs = isFromHere(request);
  if (isOurs && request.sourceTypeName === variablesSchema.name)
    return { targetState: encoded(fromState(valueType, json)) };
  const { key, service_id: serviceId, id, updated_at: updatedAt, value } = json;
  if (!isOurs || request.sourceTypeName !== "rnv_variable" || !key || !serviceId || !id) {
    const summary = `a ${request.sourceTypeName} cannot become a ${variablesSchema.name}`;
    return { diagnostics: diagnosticMessages([error("manifest.moved", summary)]) };
  }
  const times = { [key]: updatedAt ?? "" };
  const values = value == null ? null : { [key]: value };
  return { targetState: encoded(stateOf(serviceId, { values, ids: { [key]: id }, updated_at: times })) };
};

const stateOf = (
  serviceId: string,
  entries: Pick<TerraformObject, "values" | "ids" | "updated_at">,
): TerraformObject => ({
  ...{ service_id: serviceId, id: serviceId, values_wo: null, values_wo_version: null },
  ...entries,
});

const read: RpcAnswer<"ReadResource"> = async ({ session }, { currentState, private: kept }) => {
  const state = decoded(currentState);
  if (session === undefined || state === undefined) return { newState: currentState, private: kept };
  const now = await readVariables(session, state, readPrivate(kept));
  if ("next" in now) return { newState: encoded(now.next), private: kept };
  return { newState: currentState, private: kept, diagnostics: diagnosticMessages(now.doubt.diagnostics) };
};

const plan: RpcAnswer<"PlanResourceChange"> = async (_provider, request) => {
  const config = decoded(request.config);
  if (config === undefined || decoded(request.proposedNewState) === undefined)
    return { plannedState: request.proposedNewState, plannedPrivate: request.priorPrivate };
  const { planned, replaces } = planVariables(decoded(request.priorState), config);
  return {
    plannedState: encoded(planned),
    plannedPrivate: request.priorPrivate,
    requiresReplace: replaces ? [pathMessage(["service_id"])] : [],
  };
};

const apply: RpcAnswer<"ApplyResourceChange"> = async (provider, request) => {
  const session = provider.requireSession();
  const { state, diagnostics } = await applyVariables(session, {
    prior: decoded(request.priorState),
    planned: decoded(request.plannedState),
    config: decoded(request.config),
  });
  const kept = writePrivate({ ...noPrivateData, ...writtenNow(session, undefined) });
  return {
    newState: encoded(state),
    private: state === null ? undefined : kept,
    diagnostics: diagnosticMessages(diagnostics),
  };
};

/** Imports every variable of a service; their values are not revealed, and are sent with the next apply. */
const importAll: RpcAnswer<"ImportResourceState"> = async (provider, request) => {
  const session = provider.requireSession();
  const { id: serviceId } = await locateImport(session, service, request.id);
  const listed = (await session.reads.variables(serviceId)) ?? [];
  const ids = Object.fromEntries(listed.map(({ key, id }) => [key, id]));
  const times = Object.fromEntries(listed.map(({ key, updatedAt }) => [key, updatedAt ?? ""]));
  const state = encoded(stateOf(serviceId, { values: null, ids, updated_at: times }));
  const kept = writePrivate({ ...noPrivateData, workspace: session.workspaceId });
  return { importedResources: [{ typeName: variablesSchema.name, state, private: kept }] };
};

/** Answers about a map of variables; calls without one here are answered as of a single resource. */
export const variablesAnswers: Partial<{ readonly [Method in ProviderMethod]: RpcAnswer<Method> }> = {
  ValidateResourceConfig: validate,
  UpgradeResourceState: upgrade,
  MoveResourceState: move,
  ReadResource: read,
  PlanResourceChange: plan,
  ApplyResourceChange: apply,
  ImportResourceState: importAll,
};

/** The values of a change of a map. */
export interface VariablesChange {
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
  readonly values: Record<string, string>;
}

/** Carries a map out, one variable at a time; what was done stays in the state whatever fails after it. */
export async function applyVariables(
  session: Session,
  change: VariablesChange,
): Promise<Omit<Applied, "kept">> {
  const { prior, planned, config } = change;
  const serviceId = String((planned ?? prior)?.service_id ?? "");
  const entries: Entries = {
    ids: { ...textsIn(prior?.ids) },
    updatedAt: { ...textsIn(prior?.updated_at) },
    values: { ...textsIn(prior?.values) },
  };
  // Write-only values alone are not in the plan, and `ignore_changes` is nowhere else.
  const values = planned?.values ?? null;
  const isKept = values !== null;
  const wanted = textsIn(isKept ? values : config?.values_wo);
  const diagnostics: Diagnostic[] = [];
  const attempt = async (name: string, work: () => Promise<void>): Promise<void> => {
    if (session.signal.aborted && diagnostics.length > 0) return;
    await work().catch((failure: unknown) => {
      for (const one of diagnosticsOf(failure))
        diagnostics.push({ ...one, summary: `${name}: ${one.summary}`, attribute: "values" });
    });
  };
  for (const name of Object.keys(entries.ids))
    if (!(name in wanted)) await attempt(name, () => removeEntry(session, serviceId, name, entries));
  const isResent = prior?.values_wo_version !== planned?.values_wo_version;
  for (const [name, value] of Object.entries(wanted)) {
    const isCurrent = name in entries.ids && (isKept ? entries.values[name] === value : !isResent);
    if (!isCurrent) await attempt(name, () => setEntry(session, { serviceId, name, value }, entries));
    if (isKept && !diagnostics.some(({ summary }) => summary.startsWith(`${name}: `)))
      entries.values[name] = value;
  }
  return { state: appliedState(change, serviceId, entries, diagnostics.length > 0), diagnostics };
}

function appliedState(
  { planned, prior }: VariablesChange,
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
  };
}

interface Entry {
  readonly serviceId: string;
  readonly name: string;
  readonly value: string;
}

async function setEntry(
  session: Session,
  { serviceId, name, value }: Entry,
  entries: Entries,
): Promise<void> {
  const { resource } = entryType;
  const address = addressIn(entryType, name);
  const attributes = new Map<string, string | Secret>([
    ["serviceId", serviceId],
    ["key", name],
    ["value", new Secret(value)],
  ]);
  const id = entries.ids[name];
  if (id === undefined) {
    const made = await createOnce(session, {
      ...{ type: resource, parentId: serviceId, defaults: new Map(), seed: "create\0variable" },
      input: { address, name, attributes },
    });
    record(name, made.id, made.live, entries);
    return;
  }
  const before = entries.updatedAt[name];
  const seed = ["update", "variable", id, before ?? ""].join("\0");
  const changed = new Set(["value"]);
  const sent = new Map([["value", attributes.get("value") ?? null]]);
  const set = await sendSecret(session, {
    ...{ type: resource, name, parentId: serviceId, sent, before, seed },
    send: (writes) => resource.update(writes, { address, name, attributes, id, changed }),
  });
  const write = { sent, live: set.live, defaults: new Map(), before };
  const refused = unappliedFields(entryType, write, error);
  if (refused.length > 0) throw new DiagnosticsError(refused);
  record(name, id, set.live, entries);
}

function record(name: string, id: string, live: LiveResource | undefined, entries: Entries): void {
  entries.ids[name] = id;
  if (live?.updatedAt !== undefined) entries.updatedAt[name] = live.updatedAt;
}

async function removeEntry(
  session: Session,
  serviceId: string,
  name: string,
  entries: Entries,
): Promise<void> {
  const state = { ...emptyValue(entryType), id: entries.ids[name] ?? null, key: name, service_id: serviceId };
  const removed = await applyDelete(session, entryType, state, noPrivateData);
  if (removed.state !== null) throw new Error(removed.diagnostics[0]?.summary ?? `${name} was not deleted`);
  delete entries.ids[name];
  delete entries.updatedAt[name];
  delete entries.values[name];
}
