import type { Construct } from "constructs";
import type { Library, ReferableLike } from "./library";
import { isWritten, typeOfConstruct } from "./parents";
import { sharedMark } from "./shared";

/** Refuses a name that is empty or that another construct of the stack has: the JSON would hold one of the two. */
export function claimName(library: Library, construct: ReferableLike, prefix = ""): void {
  const { terraformResourceType, friendlyUniqueId: name, node } = construct;
  const address = `${prefix}${terraformResourceType}.${name}`;
  if (name === "")
    throw new Error(
      `${node.path} has no name in the stack: its id ${JSON.stringify(node.id)} has none of the letters A to Z, ` +
        `digits, _ and -. Write another id, or overrideLogicalId("name") and the field name for what people read`,
    );
  const names = namesOf(library.TerraformStack.of(construct));
  const other = names.get(address);
  names.set(address, construct);
  if (other === undefined || other === construct) return;
  if (other.friendlyUniqueId !== name || !isWritten(other)) return;
  throw new Error(
    `${other.node.path} and ${node.path} are both ${address} in the stack: the second would replace the first. ` +
      `Write another id for one of them, or overrideLogicalId("name")`,
  );
}

const namesOf = (stack: Construct): Map<string, ReferableLike> => sharedMark(stack, "names", () => new Map());

/** Returns the move that `moveFromId` or `moveToId` noted. */
export const movesOf = (construct: Construct): { readonly from: string } | undefined =>
  (construct as { readonly _movedById?: { readonly from: string } })._movedById;

/** Returns the name that a construct had below another name of the nearest construct above that has moved. */
export function nameBefore(construct: ReferableLike): string | undefined {
  let at = construct.node.scope;
  while (at !== undefined && typeOfConstruct(at) !== undefined) {
    const before = movesOf(at)?.from.split(".")[1];
    if (before !== undefined) {
      const above = (at as ReferableLike).friendlyUniqueId;
      const rest = construct.friendlyUniqueId.slice(above.length);
      const isBelow = construct.friendlyUniqueId.startsWith(above) && (rest === "" || rest.startsWith("__"));
      return isBelow ? `${before}${rest}` : undefined;
    }
    at = at.node.scope;
  }
  return undefined;
}
