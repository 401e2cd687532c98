import type { Construct } from "constructs";
import type { Library, ReferableLike } from "./host-library";
import { hasMoved, isWritten, typeOfConstruct } from "./parents";
import { sharedMark } from "./shared";

const addressIn = ({ terraformResourceType, friendlyUniqueId }: ReferableLike): string =>
  `${terraformResourceType}.${friendlyUniqueId}`;

/** Refuses a name that is empty or that another construct of the stack has: the JSON would hold one of the two. */
export function claimName(library: Library, construct: ReferableLike, prefix = ""): void {
  const { node } = construct;
  if (construct.friendlyUniqueId === "")
    throw new Error(
      `${node.path} has no name in the stack: its id ${JSON.stringify(node.id)} has none of the letters A to Z, ` +
        `digits, _ and -. Write another id, or overrideLogicalId("name") and the field name for what people read`,
    );
  const addressOf = (one: ReferableLike): string => `${prefix}${addressIn(one)}`;
  const other = claim(library, construct, addressOf(construct), (one) => [addressOf(one)]);
  if (other !== undefined)
    throw new Error(
      `${other.node.path} and ${node.path} are both ${addressOf(construct)} in the stack: the second would replace the ` +
        `first. Write another id for one of them, or overrideLogicalId("name")`,
    );
}

/** Returns another construct of the stack with this key among its own, and records this construct as the owner. */
export function claim<One extends ReferableLike>(
  library: Library,
  construct: One,
  key: string,
  keysOf: (one: One) => readonly string[],
): One | undefined {
  const owners = sharedMark(library.TerraformStack.of(construct), "names", () => new Map<string, One>());
  const other = owners.get(key);
  owners.set(key, construct);
  const isOther = other !== undefined && other !== construct && isWritten(other);
  return isOther && keysOf(other).includes(key) ? other : undefined;
}

export const movesOf = (construct: Construct): { readonly from: string } | undefined =>
  (construct as { readonly _movedById?: { readonly from: string } })._movedById;

/** Returns the name that a construct had below another name of the nearest construct above that has moved. */
export const nameBefore = (construct: ReferableLike): string | undefined =>
  nameBelow(construct, (above) => movesOf(above)?.from.split(".")[1]);

/** Returns the name that a construct gets where a construct above it moves to another, along with its contents. */
export const nameAfter = (construct: ReferableLike): string | undefined =>
  nameBelow(construct, (above) => {
    if (!hasMoved(above)) return undefined;
    const { moved } = above.toTerraform() as { readonly moved?: readonly { readonly to: string }[] };
    return moved?.[0]?.to.split(".")[1];
  });

/** Returns the name of a construct below another name of the nearest construct of rnv above for which there is one. */
function nameBelow(
  construct: ReferableLike,
  otherNameOf: (above: ReferableLike) => string | undefined,
): string | undefined {
  let at = construct.node.scope;
  while (at !== undefined && typeOfConstruct(at) !== undefined) {
    const above = at as ReferableLike;
    const other = otherNameOf(above);
    if (other !== undefined) {
      const rest = construct.friendlyUniqueId.slice(above.friendlyUniqueId.length);
      const isBelow = construct.friendlyUniqueId.startsWith(above.friendlyUniqueId);
      return isBelow && (rest === "" || rest.startsWith("__")) ? `${other}${rest}` : undefined;
    }
    at = at.node.scope;
  }
  return undefined;
}

export const isInStack = (library: Library, construct: Construct, address: string): boolean =>
  library.TerraformStack.of(construct)
    .node.findAll()
    .some((one) => addressIn(one as ReferableLike) === address);
