// What only bindings write that the libraries generate from the schema of the Terraform provider (`cdktf get`).
import { protectionAttribute, terraformPrefix } from "../model/text";
import { isObject, type Json, type JsonNode } from "./document";
import type { StackType } from "./names";
import type { BlockReader } from "./resolve";
import { StackProblem, type StackResource, unsupported } from "./stack";

/** Attributes of Terraform alone, besides those of its language. */
export const bindingKeys: readonly string[] = [protectionAttribute];

/** Whether `deletion_protection` is set; refuses what a type does not have. */
export function protectionOf(block: JsonNode, isProtectable: boolean, { refuse }: BlockReader): boolean {
  const at = block.at(protectionAttribute);
  const value = at.value ?? false;
  if (value === false || (value === true && isProtectable)) return value;
  refuse(
    new StackProblem(
      "stack.invalid_value",
      isProtectable
        ? `${protectionAttribute} is true or false`
        : `nothing of this type has ${protectionAttribute}`,
    ),
    at,
  );
  return false;
}

/** Returns the problem of `triggers`: reasons besides those that rnv sees by itself. Undefined where there is none. */
export function triggersProblem(
  resource: StackResource,
  type: StackType,
  { stack, context: { types } }: BlockReader,
): StackProblem | undefined {
  const { value: triggers = null } = resource.block.at("triggers");
  if (triggers === null) return undefined;
  const parent = parentOf(resource, type);
  const isSeen = (name: string): boolean =>
    parent !== undefined &&
    (name === parent ||
      (stack.named.get(name) ?? []).some((other) => {
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
function parentOf({ block }: StackResource, { parents }: StackType): string | undefined {
  const [id] = [...parents.keys()].map((key) => block.at(key).value ?? null).filter((one) => one !== null);
  return typeof id === "string" ? id.match(named)?.[0] : undefined;
}
