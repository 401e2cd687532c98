import type { Diagnostic } from "../diagnostics/diagnostic";
import { type Address, addressOf } from "./address";
import type { LiveResource } from "./live";
import { snakeCase } from "./terraform-names";
import type { Plain, Reference } from "./value";

export type DataRead =
  | {
      readonly kind: "found";
      /** Attributes by name, groups as objects. */
      readonly values: { readonly [name: string]: Plain };
      /** The resource that was found; undefined for a listing. */
      readonly live?: LiveResource;
    }
  /** No resource or several were found, or it cannot be looked up yet. No diagnostic when another lookup failed. */
  | { readonly kind: "failed"; readonly diagnostic?: Diagnostic };

export const dataType = "data";

/** Stands in the place of a type of Terraform in the address of an output of another stack. */
export const crossStackData = "output";

/** The segments that name a data source in a reference; the attribute follows them. */
export const dataSegments = (stack: string, terraformType: string, name: string): readonly string[] => [
  dataType,
  stack,
  terraformType,
  name,
];

/** The address and the attribute of a reference that begins with `dataSegments`. */
export function splitDataReference(segments: readonly string[]): Reference {
  const [type, stack = "", terraformType = "", name = "", ...attribute] = segments;
  return { address: addressOf(type ?? "", stack, terraformType, name), attribute: attribute.join(".") };
}

export const isDataAddress = (address: Address): boolean => address.startsWith(`${dataType}.`);

/**
 * Returns a value of a result by its path: `configuration.port`, `regions.0.id`. Names below an attribute are those of
 * Terraform or of rnv. Undefined for a path that does not exist; null for an attribute that the service does not
 * report.
 */
export function dataValue(values: { readonly [name: string]: Plain }, path: string): Plain | undefined {
  const [first = "", ...others] = path.split(".");
  let found: Plain | undefined = Object.hasOwn(values, first) ? values[first] : null;
  for (const step of others) found = partOf(found, step);
  return found;
}

function partOf(value: Plain | undefined, step: string): Plain | undefined {
  if (value === null || typeof value !== "object") return undefined;
  if (Array.isArray(value)) return /^\d+$/.test(step) ? value[Number(step)] : undefined;
  const key = Object.hasOwn(value, step) ? step : Object.keys(value).find((name) => snakeCase(name) === step);
  return key === undefined ? undefined : (value as { readonly [name: string]: Plain })[key];
}
