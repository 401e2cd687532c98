import type { Address } from "../model/address";
import type { Attributes } from "../model/attributes";
import { isUnlisted, type Neighbour, type Upstream } from "../model/resource-type";
import type { ResolvedValue } from "../model/value";
import type { Decision } from "./decision";

/** What is declared over what is live: also what nobody declared can stand in the way. */
export function attributesAfter(decision: Decision): Pick<Attributes<ResolvedValue>, "get"> {
  const { resolved, instance, action, attributes } = decision;
  const live = action === "replace" ? undefined : instance.live?.attributes;
  const get = (path: string): ResolvedValue | undefined => {
    if (resolved.has(path)) return resolved.get(path);
    const isReset = attributes.some((change) => change.path === path);
    return isReset ? instance.defaults.get(path) : live?.get(path);
  };
  return { get };
}

const isMade = ({ action }: Decision): boolean => action === "create" || action === "replace";

/** Only what the plan sends changes: what is declared may be ignored. */
function isHiddenAfter(decision: Decision): boolean {
  const { instance, attributes } = decision;
  const { live, type } = instance;
  const after = attributesAfter(decision);
  const isSent = (path: string): boolean => isMade(decision) || attributes.some((one) => one.path === path);
  const get = (path: string) => (isSent(path) || !live ? after.get(path) : live.attributes.get(path));
  return isUnlisted(type, { get });
}

/** Its name once the plan is applied. */
export function nameAfter(decision: Decision): string | undefined {
  const { instance } = decision;
  const { nameAttribute } = instance.type;
  const name = nameAttribute === undefined ? undefined : attributesAfter(decision).get(nameAttribute);
  return typeof name === "string" ? name : instance.live?.name;
}

/** Whether lists of the service show it, under its name, only once the plan is applied, and why. */
export function appearanceOf(decision: Decision): Upstream["appears"] {
  const { instance } = decision;
  if (instance.removed || isHiddenAfter(decision)) return undefined;
  if (isMade(decision)) return "made";
  const { live, type } = instance;
  if (live && isUnlisted(type, live.attributes)) return "restored";
  return live && nameAfter(decision) !== live.name ? "renamed" : undefined;
}

/** What lies beside a resource, of the types that it follows. */
export function neighboursOf(
  { instance }: Decision,
  decisions: ReadonlyMap<Address, Decision>,
): readonly Neighbour[] {
  const neighbours: Neighbour[] = [];
  for (const decision of decisions.values()) {
    const { address, type, parent, live, recorded, removed } = decision.instance;
    if (parent !== instance.parent || !instance.type.follows.includes(type.type)) continue;
    const idBefore = live?.id ?? recorded?.id;
    const id = isMade(decision) ? undefined : idBefore;
    const name = nameAfter(decision);
    neighbours.push({
      ...{ address, isHidden: isHiddenAfter(decision), isRemoved: removed },
      ...(id !== undefined && { id }),
      ...(idBefore !== undefined && { idBefore }),
      ...(name !== undefined && { name }),
    });
  }
  return neighbours;
}
