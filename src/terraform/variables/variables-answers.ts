import type { Resource } from "../../api/reads";
import { type Diagnostic, error } from "../../diagnostics/diagnostic";
import { canonicalId } from "../../model/address";
import { generatedName } from "../../model/terraform-names";
import { isOlder } from "../../model/time";
import { generatedChanged } from "../../plan/diff";
import { readParent } from "../../resources";
import { service } from "../../resources/service";
import { variable } from "../../resources/variable";
import { decodeObject, encodeMessage, type TerraformObject, type TerraformValue, textIn } from "../codec";
import { diagnosticMessages, pathMessage } from "../messages";
import { type PrivateData, readPrivate, recordedOf, writePrivate } from "../private-data";
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
import { keyInUse } from "../resource/namesakes";
import { mustBeReplaced, plannedAs } from "../resource/plan-resource-change";
import { locateImport } from "../resource/resource-state";
import { secretFindings, sizeFindings } from "../resource/validate-resource-config";
import { emptyValue } from "../schema/block";
import { checkConfig } from "../schema/check-config";
import { variablesSchema } from "../schema/variables-schema";
import { applyVariables } from "./apply-variables";
import { elementsOf, entryType, planVariables, type Row, rowsIn, variableIn, withRows } from "./rows";

const { valueType } = variablesSchema;
const decoded = (value: Message<"Value"> | null): TerraformObject | undefined =>
  decodeObject(valueType, value);
const encoded = (value: TerraformValue): Message<"Value"> => encodeMessage(valueType, value);

const maps = { name: "values", writeOnlyName: "values_wo", versionName: "values_wo_version" };

const validate: RpcAnswer<"ValidateResourceConfig"> = async (_provider, request) => {
  const config = decoded(request.config) ?? {};
  const keys = new Map<string, string>();
  const found: Diagnostic[] = [
    ...checkConfig(variablesSchema.block, config),
    ...secretFindings([maps], { ...config, values: null, [generatedName]: null }, request),
  ];
  for (const attribute of ["values", "values_wo", generatedName])
    for (const [key, value] of Object.entries(elementsOf(config[attribute]))) {
      const summary = `${key} is in ${keys.get(key)} and in ${attribute}`;
      if (keys.has(key))
        found.push(error("plan.invalid_combination", summary, { attribute, hint: "keep one of the two" }));
      keys.set(key, attribute);
      found.push(...sizeFindings([value]));
    }
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
  const rows = rowsIn(state);
  for (const [key, row] of rows) {
    const writtenAt = writtenAtOf(row, rows, known);
    const recorded = recordedOf(entryType, variableIn(state, key, row), { ...known, writtenAt });
    reads.expect(entryType.addressOf(key), recorded, { parentId: serviceId });
  }
  const owner = await readParent(reads, variable, serviceId);
  if (owner?.kind === "gone" && owner.ending === undefined) {
    const { isGone, diagnostics: found } = confirmDeleted(session, variable, serviceId, owner);
    const diagnostics = diagnosticMessages(found);
    return isGone ? { newState: encoded(null), diagnostics } : { ...unchanged, diagnostics };
  }
  const listed = owner?.kind === "found" ? await reads.variables(serviceId) : undefined;
  if (listed === undefined || state.ids === null) return unchanged;
  const left: Diagnostic[] = [];
  const taken = new Set([...rows.values()].map(({ ids }) => ids));
  for (const [key, row] of [...rows]) {
    // By its name too: the answer to its creation may have been that of another.
    const named = listed.find((one) => one.key === key && !taken.has(one.id));
    const live = listed.find((one) => one.id === row.ids) ?? named;
    rows.delete(key);
    if (live === undefined) continue;
    const { updated_at: time, values, [generatedName]: made } = row;
    const known = typeof time === "string" ? time : undefined;
    const shown = { ...row, ids: live.id, updated_at: live.updatedAt ?? known ?? "" };
    const isTouched = live.key !== key || known === undefined || isOlder(known, shown.updated_at);
    if (isTouched && made)
      left.push(generatedChanged(entryType.addressOf(key), { attribute: generatedName }));
    // Without its time a value is sent again; of a generated one only the name.
    const isTimed = !isTouched || (made ? live.key === key : values !== undefined);
    const value = isTouched && values !== undefined ? null : values;
    rows.set(key, { ...shown, updated_at: isTimed ? shown.updated_at : undefined, values: value });
  }
  const newState = encoded(withRows({ ...state, service_id: serviceId }, rows));
  return { newState, private: kept, diagnostics: diagnosticMessages(left) };
};

/** Returns when a key was written: before the last write of the map by as much as its time is before the newest. */
function writtenAtOf(
  row: Row,
  rows: ReadonlyMap<string, Row>,
  { writtenAt }: PrivateData,
): string | undefined {
  const timeOf = ({ updated_at: time }: Row): number => Date.parse(String(time));
  const before = Math.max(...[...rows.values()].map(timeOf)) - timeOf(row);
  return writtenAt && new Date(Date.parse(writtenAt) - (before || 0)).toISOString();
}

const planMap: RpcAnswer<"PlanResourceChange"> = async ({ session }, request) => {
  const [prior, config] = [request.priorState, request.config].map(decoded);
  if (config === undefined) return plannedAs(variablesSchema, request, prior, undefined);
  const serviceId = textIn(config, "service_id");
  const listed = prior?.ids === null && serviceId ? await session?.reads.variables(serviceId) : [];
  const takenOver = new Map(
    listed?.map(({ key, id, updatedAt }) => [key, { ids: id, updated_at: updatedAt ?? "" }]),
  );
  const parent = prior ? await parentChange(session, entryType, prior, config) : "same";
  const { planned, diagnostics } = planVariables({ prior, config, takenOver, parent });
  const isMoved = parent === "other";
  const isChecked = session !== undefined && serviceId !== undefined && (prior === undefined || isMoved);
  const owner = isChecked ? await findReferred(session, service, canonicalId(serviceId), "service_id") : {};
  const isReplacement = isMoved || readPrivate(request.priorPrivate).workspace !== undefined;
  const moved = `these variables are deleted from their service and created in service ${serviceId}`;
  const inTarget = isMoved && session && serviceId ? ((await session.reads.variables(serviceId)) ?? []) : [];
  const isInUse = inTarget.some(({ key }) => key in elementsOf(planned?.ids));
  const found = [
    ...diagnostics,
    ...(isInUse && session && serviceId ? [await keyInUse(session.reads, serviceId, false)] : []),
    ...(isMoved ? [mustBeReplaced(moved, "service_id")] : []),
    ...parentFindings(owner, isReplacement ? "error" : "warning"),
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

/** Imports a service's map. It declares nothing yet: nothing is managed before the next apply. */
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
