// What only bindings write that the libraries generate from the schema of the Terraform provider (`cdktf get`).
import { protectionAttribute, terraformPrefix } from "../model/text";
import { isObject, type Json, type JsonObject } from "./document";
import type { StackType } from "./names";
import { type Stack, type StackContext, StackProblem, type StackResource, unsupported } from "./stack";

/** Attributes of Terraform alone, besides those of its language. */
export const bindingKeys: readonly string[] = [protectionAttribute];

/** Whether `deletion_protection` is set; refuses what a type does not have. */
export function protectionOf(
  body: JsonObject,
  isProtectable: boolean,
  refuse: (problem: StackProblem, key: string) => void,
): boolean {
  const value = body[protectionAttribute] ?? false;
  if (value === false || (value === true && isProtectable)) return value;
  refuse(
    new StackProblem(
      "stack.invalid_value",
      isProtectable
        ? `${protectionAttribute} is true or false`
        : `nothing of this type has ${protectionAttribute}`,
    ),
    protectionAttribute,
  );
  return false;
}

/** Returns the problem of `triggers`: reasons besides those that rnv sees by itself. Undefined where there is none. */
export function triggersProblem(
  resource: StackResource,
  type: StackType,
  stack: Stack,
  { types }: StackContext,
): StackProblem | undefined {
  const { triggers } = resource.body;
  if (triggers === undefined || triggers === null) return undefined;
  const parent = parentOf(resource, type);
  const isSeen = (name: string): boolean =>
    parent !== undefined &&
    (name === parent ||
      resourcesNamed(stack, name).some((other) => {
        const otherType = types.get(other.terraformType);
        return (
          otherType !== undefined &&
          type.placed.type.follows.includes(otherType.placed.type.type) &&
          parentOf(other, otherType) === parent
        );
      }));
  const reasons = isObject(triggers) ? Object.values(triggers) : [triggers];
  if (reasons.every((reason) => isAbout(reason, isSeen))) return undefined;
  return new StackProblem(
    "stack.unsupported",
    unsupported("triggers").message,
    `a ${type.placed.type.type} of rnv follows what it belongs to, and what lies beside it, without any; for other reasons run the stack with Terraform`,
  );
}

const named = new RegExp(`\\b${terraformPrefix}_\\w+\\.[\\w-]+`, "g");
const others = /\b(var|local|data|each|count|path|terraform|module)\./;

/** Whether a value is made of resources alone that are seen. */
function isAbout(value: Json, isSeen: (name: string) => boolean): boolean {
  const names = typeof value === "string" && !others.test(value) ? [...value.matchAll(named)] : [];
  return names.length > 0 && names.every(([name]) => isSeen(name));
}

/** The resource that holds a resource, `rnv_service.api`; undefined where none is declared. */
function parentOf({ body }: StackResource, { parents }: StackType): string | undefined {
  const [id] = [...parents.keys()].flatMap((key) => body[key] ?? []);
  return typeof id === "string" ? id.match(named)?.[0] : undefined;
}

const indexes = new WeakMap<Stack, ReadonlyMap<string, readonly StackResource[]>>();

/** The resources of a name, `rnv_service.api`; all of a map where it names one. */
export function resourcesNamed(stack: Stack, name: string): readonly StackResource[] {
  const known = indexes.get(stack);
  if (known !== undefined) return known.get(name) ?? [];
  const index = new Map<string, StackResource[]>();
  for (const one of stack.resources) {
    const key = one.partOf ?? `${one.terraformType}.${one.name}`;
    index.set(key, [...(index.get(key) ?? []), one]);
  }
  indexes.set(stack, index);
  return index.get(name) ?? [];
}
