import type { Address } from "../model/address";
import { nameOf } from "../model/address";
import type { RecordedResource, State } from "../model/state";
import type { Plain } from "../model/value";
import { unflatten } from "../model/value";
import { inertJson } from "./inert";
import { isFingerprint, recordedAddresses } from "./state-text";

/** `show -json`: the recorded state in the shape of Terraform's, one document. Secrets are null. */
export const stateJson = (state: State): string => `${inertJson(stateDocument(state), 2)}\n`;

/** The document of `stateJson`. `sensitive_values` is true wherever `values` hides a secret. */
export const stateDocument = (state: State) => ({
  format_version: "1.0",
  lineage: state.lineage,
  serial: state.serial,
  workspace_id: state.workspaceId,
  base_url: state.baseUrl,
  values: {
    outputs: outputsDocument(state.outputs),
    root_module: {
      resources: recordedAddresses(state).flatMap((address) => {
        const resource = state.resources[address];
        return resource === undefined ? [] : [resourceDocument(address, resource)];
      }),
    },
  },
  open_writes: state.open.map(({ address, operation, at }) => ({ address, operation, at })),
});

/** One resource of the document (`state show -json`). */
export function resourceDocument(address: Address, resource: RecordedResource) {
  const values = new Map<string, Plain>(Object.entries(resource.computed));
  const sensitive = new Map<string, Plain>();
  for (const [path, value] of Object.entries(resource.applied)) {
    if (isFingerprint(value)) sensitive.set(path, true);
    values.set(path, isFingerprint(value) ? null : (value as Plain));
  }
  return {
    address,
    mode: "managed" as const,
    type: resource.type,
    name: nameOf(address),
    id: resource.id,
    display_name: resource.name,
    values: unflatten(values),
    sensitive_values: unflatten(sensitive),
    depends_on: resource.dependsOn,
    parent: resource.parent ?? null,
    prevent_destroy: resource.preventDestroy,
    on_remove: resource.onRemove,
    updated_at: resource.updatedAt ?? null,
    ...(resource.retained ? { retained: true } : {}),
    ...(resource.deletionFailed === undefined ? {} : { deletion_failed: resource.deletionFailed }),
  };
}

/** `output -json`, as Terraform writes it: `{name: {sensitive, type, value}}`. */
export const outputsJson = (outputs: Readonly<Record<string, Plain>>): string =>
  `${inertJson(outputsDocument(outputs), 2)}\n`;

const outputsDocument = (outputs: Readonly<Record<string, Plain>>) =>
  Object.fromEntries(
    Object.entries(outputs)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [name, { sensitive: false, type: typeText(value), value }]),
  );

/** The type of a value in Terraform's JSON notation: `"string"`, `["tuple", […]]`, `["object", {…}]`. */
function typeText(value: Plain): Plain {
  if (value === null) return "dynamic";
  if (typeof value === "boolean") return "bool";
  if (typeof value !== "object") return typeof value;
  if (Array.isArray(value)) return ["tuple", value.map(typeText)];
  return [
    "object",
    Object.fromEntries(
      Object.entries(value as Record<string, Plain>).map(([key, item]) => [key, typeText(item)]),
    ),
  ];
}
