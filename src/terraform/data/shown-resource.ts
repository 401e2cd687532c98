import type { LiveResource } from "../../model/live";
import { snakeCase } from "../../model/terraform-name";
import type { AttributeSchema } from "../schema/block";
import type { Binding, ManagedType } from "../schema/managed-type";
import { setValue, shownAs } from "../values/attributes";
import { type ObjectType, objectOf, type TerraformType } from "../values/terraform-type";
import type { TerraformObject, TerraformValue } from "../values/terraform-value";

/** What a data source shows of a managed type: all that can be declared and all that is computed, secrets left out. */
const shownBindings = ({ declared, computed, resource }: ManagedType): readonly Binding[] => [
  ...declared.filter(({ path }) => resource.rules[path]?.change !== "local"),
  ...computed,
];

/** The type of one resource as a data source shows it; groups are nested objects. */
export function shownType(type: ManagedType): ObjectType {
  const fields: Record<string, TerraformType> = {};
  for (const { steps, type: field } of shownBindings(type)) {
    const [first = "", second] = steps;
    if (second === undefined) fields[first] = field;
    else fields[first] = objectOf({ ...(fields[first] as ObjectType | undefined)?.[1], [second]: field });
  }
  return objectOf(fields);
}

/** One computed attribute for each field of `shownType`, with the words of the resource type. */
export function shownAttributes(type: ManagedType): readonly AttributeSchema[] {
  const described = new Map(type.schema.block.attributes.map(({ name, doc }) => [name, doc]));
  for (const group of type.resource.groups)
    described.set(snakeCase(group), type.resource.schema.shape[group]?.description ?? "");
  return Object.entries(shownType(type)[1]).map(([name, field]) => ({
    name,
    type: field,
    doc: described.get(name) ?? "",
    computed: true,
  }));
}

/** A live resource in the shape of `shownType`. */
export function shownResource(type: ManagedType, live: LiveResource): TerraformObject {
  const shown: Record<string, TerraformValue> = {};
  for (const binding of shownBindings(type)) {
    const value = live.attributes.get(binding.path) ?? live.computed.get(binding.path);
    setValue(shown, binding.steps, shownAs(binding, value));
  }
  return shown;
}
