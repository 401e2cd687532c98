import { randomUUID } from "node:crypto";
import type { Resource } from "../../api/reads";
import type { Variable } from "../../api/wire/shapes";
import { type Diagnostic, error } from "../../diagnostics/diagnostic";
import { canonicalId, generatedName } from "../../model/text";
import { service } from "../../resources/service";
import { variable } from "../../resources/variable";
import { unmetExpectations } from "../expectation";
import { idFindings } from "../ids";
import { diagnosticMessages, diagnosticsOf, pathMessage } from "../messages";
import { noPrivateData, readPrivate, writePrivate } from "../private-data";
import type { Message, ProviderMethod } from "../protocol";
import type { RpcAnswer, Session } from "../provider";
import { isParentDeleted } from "../resource/parent-change";
import { parentFindings } from "../resource/plan-findings";
import { mustBeReplaced } from "../resource/plan-resource-change";
import { writtenNow } from "../resource/record";
import { isFromHere, locateImport } from "../resource/resource-state";
import { generatedFindings, sizeFindings, timeoutFindings } from "../resource/validate-resource-config";
import { textIn } from "../schema/attributes";
import { revisionName } from "../schema/terraform-shape";
import { decodeObject, decodeState, encodeMessage, fromState, parseState } from "../values/codec";
import { asObject, isSameValue, type TerraformObject, type TerraformValue } from "../values/terraform-value";
import { applyVariables } from "./apply-variables";
import { declaredKeys, isOnlyImported, nothingDeclared, planVariables } from "./plan-variables";
import { declaredMap, entryType, generatedMap, readVariables, serviceOf, variablesSchema } from "./variables";

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
  if (isSet("values_wo") !== isSet("values_wo_version"))
    addFinding(
      isSet("values_wo") ? "values_wo" : "values_wo_version",
      "values_wo and values_wo_version go together",
      "set values_wo_version to 1, and raise it with every new value",
    );
  if (isSet("values_wo") && clientCapabilities?.writeOnlyAttributesAllowed !== true)
    addFinding("values_wo", "write-only attributes need Terraform 1.11", "use values, or a newer Terraform");
  found.push(...idFindings(given));
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
    found.push(...generatedFindings(made, name));
    if (name in (asObject(declaredMap(given)) ?? {}))
      addFinding(generatedName, `${name} has a value and is to be made up`, "keep one of the two");
  }
  const values = Object.values(asObject(declaredMap(given)) ?? {});
  found.push(...timeoutFindings(given), ...values.flatMap((value) => sizeFindings([value])));
  return { diagnostics: diagnosticMessages(found) };
};

/** Returns the names that no variable can have, each with the reason. */
function unfitNames(names: TerraformObject): readonly (readonly [string, string])[] {
  const rule = entryType.declared.find(({ path }) => path === variable.nameAttribute)?.schema;
  if (rule === undefined) return [];
  return Object.keys(names).flatMap((name) =>
    unmetExpectations(rule, name).map((message) => [name, message] as const),
  );
}

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
  // One that is preserved is not ours before the map sets it.
  if ((json as TerraformObject)[variable.preservedBy ?? ""] === true)
    return { targetState: encoded(importedMap(serviceId)) };
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
    timeouts: null,
    [revisionName]: null,
    [generatedName]: null,
  },
  ...entries,
});

/** A map that manages nothing yet: what it declares, and exists, it takes over with its first apply. */
const importedMap = (serviceId: string): TerraformObject =>
  stateOf(serviceId, { values: null, ids: null, updated_at: null });

const read: RpcAnswer<"ReadResource"> = async ({ session }, { currentState, private: kept }) => {
  const state = decoded(currentState);
  if (session === undefined || state === undefined) return { newState: currentState, private: kept };
  const { next, diagnostics = [] } = await readVariables(session, state, readPrivate(kept));
  return {
    newState: next === undefined ? currentState : encoded(next),
    private: next === null ? undefined : kept,
    diagnostics: diagnosticMessages(diagnostics),
  };
};

const planMap: RpcAnswer<"PlanResourceChange"> = async ({ session }, request) => {
  const { proposedNewState, priorState, priorPrivate } = request;
  const config = decoded(request.config);
  const prior = decoded(priorState);
  const { nonce = randomUUID() } = readPrivate(request.plannedPrivate);
  const plannedPrivate = writePrivate({ ...readPrivate(priorPrivate), nonce });
  if (config === undefined || decoded(proposedNewState) === undefined)
    return { plannedState: proposedNewState, plannedPrivate };
  const serviceId = textIn(config, "service_id");
  const isImported = isOnlyImported(prior);
  const listed = isImported && session ? await listedIn(session, serviceId) : [];
  const takenOver = new Map(listed.map((one) => [one.key, one]));
  const change = { parent: service, before: prior && serviceOf(prior), after: serviceOf(config) };
  const isServiceDeleted = session !== undefined && (await isParentDeleted(session.reads, change));
  const { planned, replaces, diagnostics } = planVariables({ prior, config, takenOver, isServiceDeleted });
  const isIdle = isImported && declaredKeys(config, prior) === null && diagnostics.length === 0;
  const found = isIdle ? [nothingDeclared([...takenOver.keys()].sort())] : diagnostics;
  const isChecked = session !== undefined && serviceId !== undefined && (prior === undefined || replaces);
  const unplaced = isChecked ? await parentFindings(session, entryType, canonicalId(serviceId)) : [];
  const isUnchanged = prior !== undefined && isSameValue(planned, prior);
  return {
    plannedState: isUnchanged ? priorState : encoded(planned),
    plannedPrivate: isUnchanged ? priorPrivate : plannedPrivate,
    requiresReplace: replaces ? [pathMessage(["service_id"])] : [],
    diagnostics: [
      ...diagnosticMessages(replaces ? [...found, movedTo(serviceId)] : found),
      ...diagnosticMessages(unplaced, entryType.stepsOf),
    ],
  };
};

const movedTo = (serviceId = ""): Diagnostic =>
  mustBeReplaced(
    `these variables are deleted from their service and created in service ${serviceId}`,
    "service_id",
  );

const listedIn = async ({ reads }: Session, serviceId: string | undefined): Promise<readonly Variable[]> =>
  serviceId === undefined ? [] : ((await reads.variables(serviceId)) ?? []);

const apply: RpcAnswer<"ApplyResourceChange"> = async (provider, request) => {
  const [prior, planned] = [decoded(request.priorState), decoded(request.plannedState)];
  const { nonce = randomUUID(), ...kept } = readPrivate(request.plannedPrivate);
  const change = { prior, planned, config: decoded(request.config), nonce };
  const { state, diagnostics } = await (async () =>
    applyVariables(provider.requireSession(), change))().catch((failure: unknown) => ({
    state: prior ?? null,
    diagnostics: diagnosticsOf(failure),
  }));
  // Reads need not be as new as a write that never was.
  const isAsBefore = prior !== undefined && state !== null && isSameValue(state, prior);
  const { workspace, writtenAt } =
    isAsBefore || provider.session === undefined ? kept : writtenNow(provider.session, undefined);
  return {
    newState: encoded(state),
    private: state === null ? undefined : writePrivate({ ...noPrivateData, workspace, writtenAt }),
    diagnostics: diagnosticMessages(diagnostics),
  };
};

/** The map as messages about its import name it: it bears the id of its service, and no name. */
const importedType: Resource = { ...variable, terraformName: variablesSchema.name, nameAttribute: undefined };

/** Imports a service's map. What it declares is not known yet: nothing is managed before the next apply. */
const importMap: RpcAnswer<"ImportResourceState"> = async (provider, request) => {
  const session = provider.requireSession();
  const { id: serviceId } = await locateImport(session, service, request.id, undefined, importedType);
  const state = encoded(importedMap(serviceId));
  const kept = writePrivate({ workspace: session.workspaceId });
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
