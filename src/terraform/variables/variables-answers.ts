import type { Resource } from "../../api/reads";
import type { Variable } from "../../api/wire/shapes";
import { bareRecord } from "../../apply/change-context";
import { error } from "../../diagnostics/diagnostic";
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
  findReferred,
  parentChange,
  parentFindings,
  requireWorkspace,
} from "../resource/confirm-deleted";
import { importIdOf } from "../resource/identity";
import { mustBeReplaced, plannedAs } from "../resource/plan-resource-change";
import { locateImport } from "../resource/resource-state";
import { secretFindings, sizeFindings } from "../resource/validate-resource-config";
import { emptyValue } from "../schema/block";
import { checkConfig } from "../schema/check-config";
import { variablesSchema } from "../schema/variables-schema";
import { decodeObject, encodeMessage, type TerraformObject, type TerraformValue, textIn } from "../values";
import { applyVariables } from "./apply-variables";
import {
  elementsOf,
  entriesIn,
  entryType,
  type MapMember,
  managesNothing,
  planVariables,
  withEntries,
} from "./variables";

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
  const entries = entriesIn(state);
  for (const [name, { id, updatedAt }] of entries) {
    const recorded = { ...bareRecord({ type: variable.type, id, name }), updatedAt, writtenAt };
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
  const shown = [...entries].flatMap(([key, entry]) => {
    // By its name too: the answer to its creation may have been that of another.
    const live = listed.find((one) => one.id === entry.id) ?? listed.find((one) => one.key === key);
    return live === undefined ? [] : [[key, entryAsShown(key, entry, live, state)] as const];
  });
  const left = shown
    .filter(([key, { isTouched }]) => isTouched && key in elementsOf(state[generatedName]))
    .map(([key]) => generatedChanged(entryType.addressOf(key), { attribute: generatedName }));
  const next = withEntries({ ...state, service_id: serviceId }, new Map(shown));
  return { newState: encoded(next), private: kept, diagnostics: diagnosticMessages(left) };
};

/**
 * Returns an entry as the service shows it. A value that was changed outside is null, so that the next plan sends it again;
 * a write-only one loses its time. A generated value stays, and loses its time where its name is to be sent.
 */
function entryAsShown(key: string, entry: MapMember, live: Variable, state: TerraformObject) {
  const { updatedAt: known, source } = entry;
  const { id, key: liveKey, updatedAt } = { ...live, updatedAt: live.updatedAt ?? known ?? "" };
  const isTouched = liveKey !== key || known === undefined || isOlder(known, updatedAt);
  const isMade = key in elementsOf(state[generatedName]);
  const isSent = isTouched && !isMade;
  const isTimed = !isTouched || (isMade ? liveKey === key : key in elementsOf(state.values));
  return { id, isTouched, source: isSent ? null : source, updatedAt: isTimed ? updatedAt : undefined };
}

const planMap: RpcAnswer<"PlanResourceChange"> = async ({ session }, request) => {
  const [prior, config] = [request.priorState, request.config].map(decoded);
  if (config === undefined) return plannedAs(variablesSchema, request, prior, undefined);
  const serviceId = textIn(config, "service_id");
  const listed = managesNothing(prior) && serviceId ? await session?.reads.variables(serviceId) : [];
  const takenOver = new Map(listed?.map((one) => [one.key, one]));
  const parent = prior ? await parentChange(session?.reads, entryType, prior, config) : "same";
  const { planned, diagnostics } = planVariables({ prior, config, takenOver, parent });
  const isMoved = parent === "other";
  const isChecked = session !== undefined && serviceId !== undefined && (prior === undefined || isMoved);
  const owner = isChecked ? await findReferred(session, service, canonicalId(serviceId), "service_id") : {};
  const isReplacement = isMoved || readPrivate(request.priorPrivate).workspace !== undefined;
  const moved = `these variables are deleted from their service and created in service ${serviceId}`;
  const found = [
    ...diagnostics,
    ...(isMoved ? [mustBeReplaced(moved, "service_id")] : []),
    ...parentFindings(owner, isReplacement),
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
  const importId = importIdOf(session, request);
  const { id: serviceId } = await locateImport(session, service, importId, undefined, importedType);
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
