import type { Resource } from "../../api/reads";
import { bareRecord } from "../../apply/change-context";
import { type Diagnostic, error } from "../../diagnostics/diagnostic";
import { canonicalId, generatedName } from "../../model/text";
import { isOlder } from "../../model/time";
import { generatedChanged } from "../../plan/diff";
import { readParent } from "../../resources";
import { service } from "../../resources/service";
import { variable } from "../../resources/variable";
import { diagnosticMessages, pathMessage } from "../messages";
import { readPrivate, writePrivate } from "../private-data";
import type { Message, ProviderMethod } from "../protocol";
import type { RpcAnswer } from "../provider";
import { carryOut } from "../resource/apply-resource-change";
import {
  confirmDeleted,
  parentChange,
  requirePlannedParent,
  requireWorkspace,
} from "../resource/confirm-deleted";
import { findParent } from "../resource/plan-findings";
import { mustBeReplaced, plannedAs } from "../resource/plan-resource-change";
import { locateImport } from "../resource/resource-state";
import { secretFindings, sizeFindings } from "../resource/validate-resource-config";
import { emptyValue } from "../schema/block";
import { checkConfig } from "../schema/check-config";
import { variablesSchema } from "../schema/variables-schema";
import { decodeObject, encodeMessage, type TerraformObject, type TerraformValue, textIn } from "../values";
import { applyVariables } from "./apply-variables";
import { elementsOf, entryType, managesNothing, planVariables } from "./variables";

const { valueType } = variablesSchema;
const decoded = (value: Message<"Value"> | null): TerraformObject | undefined =>
  decodeObject(valueType, value);
const encoded = (value: TerraformValue): Message<"Value"> => encodeMessage(valueType, value);

const maps = { name: "values", writeOnlyName: "values_wo", versionName: "values_wo_version" };

const validate: RpcAnswer<"ValidateResourceConfig"> = async (_provider, request) => {
  const config = decoded(request.config) ?? {};
  const [shown, secret] = [elementsOf(config.values), elementsOf(config.values_wo)];
  const declared = { ...shown, ...secret };
  const made = Object.keys(elementsOf(config[generatedName])).filter((key) => key in declared);
  const twice = (key: string, summary: string, attribute: string) =>
    error("plan.invalid_combination", `${key} ${summary}`, { attribute, hint: "keep one of the two" });
  const found = [
    ...checkConfig(variablesSchema.block, config),
    ...secretFindings([maps], { ...config, values: null, [generatedName]: null }, request),
    ...made.map((key) => twice(key, "has a value and is to be made up", generatedName)),
    ...Object.keys(secret)
      .filter((key) => key in shown)
      .map((key) => twice(key, "is in values and in values_wo", "values_wo")),
    ...Object.values(declared).flatMap((value) => sizeFindings([value])),
  ];
  return { diagnostics: diagnosticMessages(found, (attribute) => attribute.split(".")) };
};

const read: RpcAnswer<"ReadResource"> = async ({ session }, { currentState, private: kept }) => {
  const state = decoded(currentState);
  const unchanged = { newState: currentState, private: kept };
  if (session === undefined || state === undefined) return unchanged;
  const { reads } = session;
  const known = readPrivate(kept);
  const serviceId = textIn(state, "service_id") ?? textIn(state, "id") ?? "";
  requireWorkspace(session, service, serviceId, known);
  const { writtenAt } = known;
  const recordedIds = Object.entries(elementsOf(state.ids)).filter(([, id]) => typeof id === "string");
  for (const [name, id] of recordedIds) {
    const updatedAt = textIn(elementsOf(state.updated_at), name);
    const recorded = { ...bareRecord({ type: variable.type, id: `${id}`, name }), updatedAt, writtenAt };
    reads.expect(`variable "${name}"`, recorded, { parentId: serviceId });
  }
  const owner = await readParent(reads, variable, serviceId);
  if (owner?.kind === "gone" && owner.ending === undefined) {
    const missing = { resource: variable, name: serviceId };
    const { isGone, diagnostics: found } = confirmDeleted(session, missing, owner);
    const diagnostics = diagnosticMessages(found);
    return isGone ? { newState: encoded(null), diagnostics } : { ...unchanged, diagnostics };
  }
  const listed = owner?.kind === "found" ? await reads.variables(serviceId) : undefined;
  if (listed === undefined || state.ids === null) return unchanged;
  const made = elementsOf(state[generatedName]);
  const next = { ids: {}, updated_at: {}, values: {}, [generatedName]: {} };
  const left: Diagnostic[] = [];
  for (const [key, id] of recordedIds) {
    // By its name too: the answer to its creation may have been that of another.
    const live = listed.find((one) => one.id === id) ?? listed.find((one) => one.key === key);
    if (live === undefined) continue;
    const known = textIn(elementsOf(state.updated_at), key);
    const updatedAt = live.updatedAt ?? known ?? "";
    const isTouched = live.key !== key || known === undefined || isOlder(known, updatedAt);
    if (isTouched && key in made)
      left.push(generatedChanged(entryType.addressOf(key), { attribute: generatedName }));
    // Without its time a value is sent again; a generated one only where its name is to be sent.
    const isTimed = !isTouched || (key in made ? live.key === key : key in elementsOf(state.values));
    Object.assign(next.ids, { [key]: live.id });
    if (isTimed) Object.assign(next.updated_at, { [key]: updatedAt });
    for (const name of ["values", generatedName] as const)
      if (key in elementsOf(state[name]))
        Object.assign(next[name], {
          [key]: isTouched && name === "values" ? null : elementsOf(state[name])[key],
        });
  }
  const maps = {
    values: state.values === null ? null : next.values,
    [generatedName]: state[generatedName] === null ? null : next[generatedName],
  };
  const newState = encoded({ ...state, ...next, ...maps, service_id: serviceId });
  return { newState, private: kept, diagnostics: diagnosticMessages(left) };
};

const planMap: RpcAnswer<"PlanResourceChange"> = async ({ session }, request) => {
  const [prior, config] = [request.priorState, request.config].map(decoded);
  if (config === undefined) return plannedAs(variablesSchema, request, prior, undefined);
  const serviceId = textIn(config, "service_id");
  const listed = managesNothing(prior) && serviceId ? await session?.reads.variables(serviceId) : [];
  const takenOver = new Map(listed?.map((one) => [one.key, one]));
  const parent = prior ? await parentChange(session?.reads, entryType, prior, config) : "same";
  if (session && prior && parent === "other")
    await requirePlannedParent({ session, type: entryType }, prior, config);
  const { planned, diagnostics } = planVariables({ prior, config, takenOver, parent });
  const isMoved = parent === "other";
  const isChecked = session !== undefined && serviceId !== undefined && (prior === undefined || isMoved);
  const { finding } = isChecked ? await findParent(session, variable, canonicalId(serviceId)) : {};
  const moved = `these variables are deleted from their service and created in service ${serviceId}`;
  const found = [
    ...diagnostics,
    ...(isMoved ? [mustBeReplaced(moved, "service_id")] : []),
    ...(finding === undefined ? [] : [{ ...finding, attribute: "service_id" }]),
  ];
  return {
    ...plannedAs(variablesSchema, request, prior, planned),
    requiresReplace: isMoved ? [pathMessage(["service_id"])] : [],
    diagnostics: diagnosticMessages(found),
  };
};

const apply: RpcAnswer<"ApplyResourceChange"> = async (provider, request) =>
  carryOut(variablesSchema, request, async (change) => applyVariables(provider.requireSession(), change));

/** The map as messages about its import name it: it has the ID of its service, and no name. */
const importedType: Resource = { ...variable, terraformName: variablesSchema.name, nameAttribute: undefined };

/** Imports a service's map. What it declares is not known yet: nothing is managed before the next apply. */
const importMap: RpcAnswer<"ImportResourceState"> = async (provider, request) => {
  const session = provider.requireSession();
  const { id: serviceId } = await locateImport(session, service, request.id, undefined, importedType);
  const kept = writePrivate({ workspace: session.workspaceId });
  const state = encoded({ ...emptyValue(variablesSchema), service_id: serviceId, id: serviceId });
  return { importedResources: [{ typeName: variablesSchema.name, state, private: kept }] };
};

/** Answers about a map of variables; calls without one here are answered as of a single resource. */
export const variablesAnswers: Partial<{ readonly [Method in ProviderMethod]: RpcAnswer<Method> }> = {
  ValidateResourceConfig: validate,
  ReadResource: read,
  PlanResourceChange: planMap,
  ApplyResourceChange: apply,
  ImportResourceState: importMap,
};
