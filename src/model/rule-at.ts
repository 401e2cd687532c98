import type { Attributes } from "./attributes";
import type { AttributeRule, ResourceType } from "./resource-type";

/** The rule of an attribute path: its own, or that of the further fields of an open group. */
export const ruleAt = (type: Pick<ResourceType, "rules" | "open">, path: string): AttributeRule | undefined =>
  type.rules[path] ?? (isOpenField(type, path) ? type.open?.rule : undefined);

/** Whether a path is that of a further field: in the open group of its type, and none that its schema names. */
export function isOpenField({ rules, open }: Pick<ResourceType, "rules" | "open">, path: string): boolean {
  if (open === undefined || !path.startsWith(`${open.group}.`) || Object.hasOwn(rules, path)) return false;
  return /^[A-Za-z]\w*$/.test(path.slice(open.group.length + 1));
}

/** Returns the attributes that the schema of a type names: a further field of an open group is shown only when asked for. */
export const withoutOpenFields = (
  { rules, open }: Pick<ResourceType, "rules" | "open">,
  attributes: Attributes,
): Attributes =>
  open === undefined
    ? attributes
    : new Map(
        [...attributes].filter(([path]) => Object.hasOwn(rules, path) || !path.startsWith(`${open.group}.`)),
      );
