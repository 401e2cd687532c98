import type { Address } from "../model/address";
import type { Desired, DesiredResource } from "../model/desired";
import type { ResourceType } from "../model/resource-type";
import type { State } from "../model/state";
import { declaredName } from "./graph";
import { applyMoves } from "./instances";

/**
 * Adds the move of each recorded variable whose key is declared at a new address of its service. It keeps its ID, and
 * so a generated value.
 */
export function moveParts(
  desired: Desired,
  state: State | undefined,
  types: readonly ResourceType[],
): Desired {
  const parts = new Map(types.filter(isNamedPart).map((type) => [type.type, type]));
  const { recorded, previous } = applyMoves(state?.resources ?? {}, desired);
  const left = new Map<string, Address>();
  for (const [address, { type, parent, name }] of recorded)
    if (parts.has(type) && !desired.resources.has(address))
      left.set(placeOf(type, parent, name), previous.get(address) ?? address);
  const fromOf = (made: DesiredResource): Address | undefined => {
    const type = parts.get(made.type);
    if (!type || left.size === 0 || recorded.has(made.address)) return undefined;
    return left.get(
      placeOf(type.type, made.parent, declaredName({ address: made.address, desired: made, type })),
    );
  };
  const moves = [...desired.resources.values()].flatMap((made) => {
    const from = fromOf(made);
    return from ? [{ from, to: made.address, range: made.range }] : [];
  });
  return moves.length === 0 ? desired : { ...desired, moved: [...desired.moved, ...moves] };
}

const isNamedPart = (type: ResourceType): boolean =>
  type.removedWithParent && type.nameAttribute !== undefined;

const placeOf = (type: string, parent = "", name = ""): string => `${type} ${parent} ${name}`;
