import type { Variable } from "../../api/wire/shapes";
import { type Diagnostic, DiagnosticsError } from "../../diagnostics/diagnostic";
import { canonicalId, generatedName, variablesResource } from "../../model/text";
import { service } from "../../resources/service";
import { variable } from "../../resources/variable";
import type { PrivateData } from "../private-data";
import type { Session } from "../provider";
import { confirmDeleted, otherWorkspace } from "../resource/confirm-deleted";
import { bareRecord } from "../resource/record";
import { textIn } from "../schema/attributes";
import { computed, optional, required, schemaOf } from "../schema/block";
import { generatedType, revision, shapeOf, timeouts } from "../schema/terraform-shape";
import { asObject, mapOf, type TerraformObject, type TerraformValue } from "../values/terraform-value";

/** The type that each entry of the map is: all it does, the map does. */
export const entryType = shapeOf(variable);

export const variablesSchema = schemaOf(variablesResource, {
  doc: "Several variables of one service in one map. It manages the names that it declares, after an import too, and leaves all others alone.",
  attributes: [
    required("service_id", "string", "Id of the service they belong to."),
    optional(
      "values",
      mapOf("string"),
      "Values by name. Terraform keeps them in its state; `values_wo` are kept nowhere.",
      { sensitive: true },
    ),
    optional(
      "values_wo",
      mapOf("string"),
      "As `values`, but never stored. Sent when `values_wo_version` changes or a name is new.",
      { writeOnly: true },
    ),
    optional("values_wo_version", "number", "Raise it to send `values_wo` again."),
    optional(
      generatedName,
      mapOf(generatedType),
      "Values by name that the provider makes up, besides the others: `{ SESSION_KEY = { length = 32 } }`. Each is made once and stored " +
        "nowhere else; another length, or a value that was changed outside, makes a new one.",
    ),
    computed("id", "string", "Id of the service."),
    computed("ids", mapOf("string"), "Ids of the variables by name."),
    computed("updated_at", mapOf("string"), "When each of them last changed, ISO 8601."),
    revision,
  ],
  groups: [timeouts],
});

/** Returns the texts of a map by name; none where the whole map is null or not known. */
export const textsIn = (value: TerraformValue | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(asObject(value) ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    ),
  );

/** Returns the ID of the service; undefined where it is unknown. */
export const serviceOf = ({ service_id: id }: TerraformObject): string | undefined =>
  typeof id === "string" ? canonicalId(id) : undefined;

/** Returns the declared values: `values`, or `values_wo`. */
export const declaredMap = ({ values, values_wo }: TerraformObject): TerraformValue =>
  values ?? values_wo ?? null;

/** Returns the declared lengths of values that are made up, by name. */
export const generatedMap = (config: TerraformObject | undefined): TerraformObject =>
  asObject(config?.[generatedName] ?? null) ?? {};

/** Variables of a service as they are shown. */
interface ShownVariables {
  readonly isServiceGone: boolean;
  /** Undefined where they cannot be listed. */
  readonly listed?: readonly Variable[];
}

async function lookAt(session: Session, serviceId: string): Promise<ShownVariables> {
  const service = await session.reads.service(serviceId);
  if (service.kind !== "found") return { isServiceGone: service.kind === "gone" };
  return { isServiceGone: false, listed: await session.reads.variables(serviceId) };
}

/** Finds an entry by its id, else by its name: the answer to its creation may have been another's. */
const ofEntry = (listed: readonly Variable[], name: string, id: string): Variable | undefined =>
  listed.find((one) => one.id === id) ?? listed.find((one) => one.key === name);

/** The state after a refresh; null when the service is deleted, undefined where that is not proven. */
export interface VariablesRead {
  readonly next: TerraformObject | null | undefined;
  readonly diagnostics?: readonly Diagnostic[];
}

/**
 * Reads the variables of a map. A value that was changed outside cannot be seen: it leaves the state, so that the next
 * plan sends it again. A variable that is not shown was deleted.
 */
export async function readVariables(
  session: Session,
  state: TerraformObject,
  { workspace, writtenAt }: PrivateData,
): Promise<VariablesRead> {
  const serviceId = textIn(state, "service_id") ?? textIn(state, "id") ?? "";
  const elsewhere = otherWorkspace(session, service, serviceId, workspace);
  if (elsewhere !== undefined) throw new DiagnosticsError([elsewhere]);
  const times = textsIn(state.updated_at);
  for (const [name, id] of Object.entries(textsIn(state.ids))) {
    const recorded = { ...bareRecord({ type: variable.type, id, name }), updatedAt: times[name], writtenAt };
    session.reads.expect(`variable "${name}"`, recorded, { parentId: serviceId });
  }
  const { isServiceGone, listed } = await lookAt(session, serviceId);
  if (isServiceGone) {
    const missing = { resource: variable, id: "", name: serviceId, parentId: serviceId };
    const doubt = await confirmDeleted(session, missing);
    const isDeleted = doubt === undefined || doubt.isAccepted === true;
    return { next: isDeleted ? null : undefined, diagnostics: doubt?.diagnostics ?? [] };
  }
  if (listed === undefined || state.ids === null) return { next: state };
  return { next: { ...state, service_id: serviceId, ...shownEntries(state, listed) } };
}

/** Returns the attributes of a state as `listed` shows them. */
function shownEntries(state: TerraformObject, listed: readonly Variable[]) {
  const ids: Record<string, string> = {};
  const updatedAt: Record<string, string> = {};
  const values: Record<string, TerraformValue> = { ...asObject(state.values) };
  const keepsValues = state.values !== null;
  const made = { ...generatedMap(state) };
  for (const [name, id] of Object.entries(textsIn(state.ids))) {
    const live = ofEntry(listed, name, id);
    const known = textsIn(state.updated_at)[name];
    // One without a time was found changed before, and is not set back yet.
    const isNewer = known === undefined || Date.parse(live?.updatedAt ?? known) > Date.parse(known);
    const isTouched = live === undefined || live.key !== name || isNewer;
    if (live === undefined) {
      delete values[name];
      delete made[name];
    } else {
      ids[name] = live.id;
      // A value that is not known any more is null: another is sent, and one whose changes are ignored is left alone.
      for (const map of [values, made]) if (isTouched && name in map) map[name] = null;
      // Nothing tells of a write-only value but its time: without it, it is sent again.
      if (!isTouched || name in values || name in made) updatedAt[name] = live.updatedAt ?? known ?? "";
    }
  }
  return {
    ids,
    updated_at: updatedAt,
    values: keepsValues ? values : null,
    [generatedName]: (state[generatedName] ?? null) === null ? null : made,
  };
}
