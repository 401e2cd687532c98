import { fromJson } from "./from-json";
import type { TerraformType } from "./terraform-type";
import { DynamicValue, type TerraformValue } from "./terraform-value";

/** A value out of the JSON of a state, whatever schema wrote it: what is missing or does not fit is null. */
export function fromState(type: TerraformType, json: unknown): TerraformValue {
  if (json === null || json === undefined) return null;
  if (type === "dynamic") {
    const { type: actual, value } = json as { readonly type?: TerraformType; readonly value?: unknown };
    return actual === undefined ? null : new DynamicValue(actual, fromState(actual, value));
  }
  if (Array.isArray(type) && type[0] === "object") {
    if (typeof json !== "object") return null;
    const fields = type[1] as Readonly<Record<string, TerraformType>>;
    const stored = json as Readonly<Record<string, unknown>>;
    return Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, fromState(field, stored[name])]),
    );
  }
  return fromJson(type, json);
}
