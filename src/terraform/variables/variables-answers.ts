import { randomUUID } from "node:crypto";
import type { Resource } from "../../api/reads";
import type { Variable } from "../../api/wire/shapes";
import { type Diagnostic, error, hasErrors } from "../../diagnostics/diagnostic";
import { canonicalId, generatedName, uuidPattern } from "../../model/text";
import { plainEqual } from "../../model/value";
import { service } from "../../resources/service";
import { variable } from "../../resources/variable";
import { addressOfId } from "../confirm-deleted";
import { unmetExpectations } from "../expectation";
import { diagnosticMessages, noPrivateData, pathMessage, readPrivate, writePrivate } from "../messages";
import { parentFindings } from "../plan/plan-findings";
import type { Message, ProviderMethod } from "../protocol";
import type { RpcAnswer, Session } from "../provider";
import { writtenNow } from "../record";
import { isFromHere, locateImport } from "../rpc/resource-state";
import { generatedFindings, timeoutFindings, type Validated } from "../rpc/validate-resource-config";
import { textIn } from "../schema/attributes";
import { decodeObject, decodeState, encodeMessage, fromState, parseState } from "../values/codec";
import { asObject, type TerraformObject, type TerraformValue } from "../values/terraform-value";
import { applyVariables } from "./apply-variables";
import { noteAppliedKeys, noteKeys, notePlannedKeys, removedKeys } from "./note-keys";
import { declaredKeys, nothingDeclared, planVariables, takenKeys } from "./plan-variables";
import { declaredMap, entryType, generatedMap, readVariables, textsIn, variablesSchema } from "./variables";

const { valueType } = variablesSchema;
const decoded = (value: Message<"Value"> | null): TerraformObject | undefined =>
  decodeObject(valueType, value);
const encoded = (value: TerraformValue): Message<"Value"> => encodeMessage(valueType, value);

const validate: RpcAnswer<"ValidateResourceConfig"> = async (_provider, request: Validated) => {
  const { config, clientCapabilities, isWithholding = false } = request;
  const given = decoded(config) ?? {};
  const isSet = (name: string): boolean => (given[name] ?? null) !== null;
  const found: Diagnostic[] = [];
  const addFinding = (attribute: string, summary: string, hint: string): void => {
    found.push(error("plan.invalid_combination", summary, { attribute, hint }));
  };
  if (isSet("values") && isSet("values_wo"))
    addFinding("values_wo", "values and values_wo are both set", "keep one of the two");
  if (isSet("values_wo") !== isSet("values_wo_version") && (isSet("values_wo") || !isWithholding))
    addFinding(
      isSet("values_wo") ? "values_wo" : "values_wo_version",
      "values_wo and values_wo_version go together",
      "set values_wo_version to 1, and raise it with every new value",
    );
  if (isSet("values_wo") && clientCapabilities?.writeOnlyAttributesAllowed !== true)
    addFinding("values_wo", "write-only attributes need Terraform 1.11", "use values, or a newer Terraform");
  const serviceId = given.service_id ?? null;
  if (typeof serviceId === "string" && !uuidPattern.test(serviceId))
    found.push(
      error("manifest.invalid_value", "service_id: expected an id, which is a UUID", {
        attribute: "service_id",
      }),
    );
  const map = isSet("values") ? "values" : "values_wo";
  for (const [attribute, names] of [
    [map, asObject(declaredMap(given)) ?? {}],
    [generatedName, generatedMap(given)],
  ] as const)
    for (const [name, message] of unfitNames(names))
      addFinding(attribute, `${JSON.stringify(name)} names no variable: ${message}`, "give it another name");
  for (const [name, value] of Object.entries(asObject(declaredMap(given)) ?? {}))
    if (value === null) addFinding(map, `${name} is null`, "give it a value, or leave it out");
  for (const [name, made] of Object.entries(generatedMap(given))) {
    if (made !== null || !isWithholding) found.push(...generatedFindings(made, name));
    if (name in (asObject(declaredMap(given)) ?? {}))
      addFinding(generatedName, `${name} has a value and is to be made up`, "keep one of the two");
  }
  return { diagnostics: diagnosticMessages([...found, ...timeoutFindings(given)]) };
};

/** Returns the names that no variable can have, each with the reason. */
function unfitNames(names: TerraformObject): readonly (readonly [string, string])[] {
  const rule = entryType.declared.find(({ path }) => path === variable.nameAttribute)?.schema;
  if (rule === undefined) return [];
  return Object.keys(names).flatMap((name) =>
    unmetExpectations(rule, name).map((message) => [name, message] as const),
  );
}

const upgrade: RpcAnswer<"UpgradeResourceState"> = async ({ inState }, { rawState }) => {
  const state = decodeState(valueType, rawState?.json);
  for (const id of Object.values(textsIn(asObject(state)?.ids)))
    inState.set(addressOfId(variable, id), { isProtected: false });
  return { upgradedState: encoded(state) };
};

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
  // One that is preserved is not ours before the map sets it.
  if ((json as TerraformObject)[variable.preservedBy ?? ""] === true)
    return {
      targetState: encoded(emptyMap(serviceId)),
      targetPrivate: writePrivate({ ...noPrivateData, ...takesOver }),
    };
  const times = { [key]: updatedAt ?? "" };
  const values = value == null ? null : { [key]: value };
  const made = (json as TerraformObject)[generatedName] ?? null;
  const moved = stateOf(serviceId, { values, ids: { [key]: id }, updated_at: times });
  return { targetState: encoded({ ...moved, [generatedName]: made && { [key]: made } }) };
};

const stateOf = (
  serviceId: string,
  entries: Pick<TerraformObject, "values" | "ids" | "updated_at">,
): TerraformObject => ({
  ...{
    service_id: serviceId,
    id: serviceId,
    values_wo: null,
    values_wo_version: null,
    adopt: null,
    timeouts: null,
    [generatedName]: null,
  },
  ...entries,
});

const emptyMap = (serviceId: string): TerraformObject =>
  stateOf(serviceId, { values: null, ids: {}, updated_at: {} });

const read: RpcAnswer<"ReadResource"> = async ({ session }, { currentState, private: kept }) => {
  const state = decoded(currentState);
  if (session === undefined || state === undefined) return { newState: currentState, private: kept };
  const now = await readVariables(session, state, readPrivate(kept));
  if ("next" in now) {
    const diagnostics = diagnosticMessages(now.diagnostics ?? []);
    return { newState: encoded(now.next), private: now.next === null ? undefined : kept, diagnostics };
  }
  return { newState: currentState, private: kept, diagnostics: diagnosticMessages(now.doubt.diagnostics) };
};

const planMap: RpcAnswer<"PlanResourceChange"> = async (provider, request) => {
  const { session } = provider;
  const config = decoded(request.config);
  const prior = decoded(request.priorState);
  const before = readPrivate(request.priorPrivate);
  if (config === undefined || decoded(request.proposedNewState) === undefined) {
    const found = session && prior ? noteKeys(session, prior, removedKeys(prior), before.nonce) : [];
    if (session && prior) session.changes.count.isUncertain = true;
    const { proposedNewState: plannedState, priorPrivate: plannedPrivate } = request;
    return { plannedState, plannedPrivate, diagnostics: found };
  }
  const { nonce = randomUUID(), ...kept } = before;
  const isImported = kept.imported === true;
  const taken = isImported ? undefined : await takenKeys(provider, prior, config);
  // What adopt takes over may be let go of by another address, and made anew: the apply looks.
  const listed = isImported && session ? await listedIn(session, textIn(config, "service_id")) : [];
  const takenOver = new Map(listed.map((one) => [one.key, one]));
  const plan = planVariables({ prior, config, takenOver });
  const { planned, replaces, diagnostics } = plan;
  const isIdle = isImported && declaredKeys(config, prior) === null && diagnostics.length === 0;
  const told = isIdle ? [nothingDeclared([...takenOver.keys()].sort())] : diagnostics;
  const serviceId = textIn(config, "service_id");
  const isChecked = session !== undefined && serviceId !== undefined && (prior === undefined || replaces);
  const unplaced = isChecked ? await parentFindings(session, entryType, canonicalId(serviceId)) : [];
  return {
    plannedState: encoded(planned),
    // Tells it from another map of the same service that declares the same key.
    plannedPrivate: before.nonce === undefined ? writePrivate({ ...kept, nonce }) : request.priorPrivate,
    requiresReplace: replaces ? [pathMessage(["service_id"])] : [],
    diagnostics: [
      ...diagnosticMessages([...told, ...(taken ?? [])]),
      ...diagnosticMessages(unplaced, entryType.stepsOf),
      ...(session ? notePlannedKeys(session, prior, plan, nonce) : []),
    ],
  };
};

/** Private data of a map that takes over the variables that it declares and finds. */
const takesOver = { imported: true } as const;

const listedIn = async ({ reads }: Session, serviceId: string | undefined): Promise<readonly Variable[]> =>
  serviceId === undefined ? [] : ((await reads.variables(serviceId)) ?? []);

const apply: RpcAnswer<"ApplyResourceChange"> = async (provider, request) => {
  const session = provider.requireSession();
  const [prior, planned] = [decoded(request.priorState), decoded(request.plannedState)];
  const change = { prior, planned, config: decoded(request.config) };
  const { state, diagnostics } = await applyVariables(session, change);
  const before = readPrivate(request.plannedPrivate);
  const { imported, nonce } = before;
  noteAppliedKeys(session, { prior, planned, state, owner: nonce }, diagnostics);
  for (const id of Object.values(textsIn(state?.ids))) session.intents.record("make", variable.type, id);
  // What a failed apply left out of an imported map is taken over by the next one.
  const isPartial = imported && hasErrors(diagnostics);
  // Reads are not waited for on account of a write that never was.
  const isAsBefore = hasErrors(diagnostics) && prior !== undefined && isUnchanged(prior, state);
  const { workspace, writtenAt } = isAsBefore ? before : writtenNow(session, undefined);
  const kept = { ...noPrivateData, nonce, workspace, writtenAt, ...(isPartial && takesOver) };
  return {
    newState: encoded(state),
    private: state === null ? undefined : writePrivate(kept),
    diagnostics: diagnosticMessages(diagnostics),
  };
};

/** Whether no variable of a map was made, changed or removed. */
const isUnchanged = (prior: TerraformObject, state: TerraformObject | null): boolean =>
  state !== null &&
  plainEqual(textsIn(prior.ids), textsIn(state.ids)) &&
  plainEqual(textsIn(prior.updated_at), textsIn(state.updated_at));

/** The map as messages about its import name it: it bears the id of its service, and no name. */
const importedMap: Resource = { ...variable, terraformName: variablesSchema.name, nameAttribute: undefined };

/** Imports a service's map. What it declares is not known yet: nothing is managed before the next apply. */
const importMap: RpcAnswer<"ImportResourceState"> = async (provider, request) => {
  const session = provider.requireSession();
  const { id: serviceId } = await locateImport(session, service, request.id, undefined, importedMap);
  const state = encoded(emptyMap(serviceId));
  const kept = writePrivate({ ...noPrivateData, workspace: session.workspaceId, ...takesOver });
  return { importedResources: [{ typeName: variablesSchema.name, state, private: kept }] };
};

/** Answers about a map of variables; calls without one here are answered as of a single resource. */
export const variablesAnswers: Partial<{ readonly [Method in ProviderMethod]: RpcAnswer<Method> }> = {
  ValidateResourceConfig: validate,
  UpgradeResourceState: upgrade,
  MoveResourceState: move,
  ReadResource: read,
  PlanResourceChange: planMap,
  ApplyResourceChange: apply,
  ImportResourceState: importMap,
};
