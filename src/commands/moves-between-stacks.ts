import type { Address } from "../model/address";
import { isDataAddress } from "../model/data-source";
import type { Desired, DesiredResource } from "../model/desired";
import type { RecordedResource, State } from "../model/state";
import { Template } from "../model/value";
import { applyMoves } from "../plan/instances";
import type { PlanInput, StackMove } from "../plan/plan";
import { resourceTypes } from "../resources";
import { type Context, originOf, type PlanRequest } from "./context";
import { load } from "./load";

/** Finds resources that move between the stacks of an app: recorded in the state of a stack, declared in another stack. */
export async function movesBetweenStacks(
  context: Context,
  { files, mode }: PlanRequest,
  { desired, state }: { readonly desired: Desired; readonly state: State | undefined },
): Promise<Pick<PlanInput, "ownedElsewhere" | "declaredElsewhere">> {
  const { stack: { name: own, state: ownState = "", crossValues, others } = {} } = context;
  if (own === undefined || others === undefined) return {};
  const stage = originOf(context).stage?.name;
  const moveTo = (to: string, from: string, address: Address): string =>
    `rnv state mv --stack ${from}${stage === undefined ? "" : ` --stage ${stage}`} --to ${to} ${address}`;
  const ownedElsewhere = new Map<string, StackMove>();
  for (const [stack, { ids }] of others)
    for (const [address, id] of ids)
      ownedElsewhere.set(id, { stack, address, command: moveTo(ownState, stack, address) });
  const { recorded } = applyMoves(state?.resources ?? {}, desired);
  const leaving = new Map([...recorded].filter(([address]) => !desired.resources.has(address)));
  if (leaving.size === 0 || mode !== "apply") return { ownedElsewhere };
  const ids = new Map([...recorded].map(([address, { id }]) => [address, id]));
  const declaredElsewhere = new Map<Address, StackMove>();
  for (const [stack, { state: to, ids: known }] of others) {
    const unit = { name: stack, crossValues, others: new Map([...others, [own, { state: ownState, ids }]]) };
    const { desired: there } = await load({ ...context, stack: unit }, files, "skip");
    const undone = [...(there?.resources.values() ?? [])].filter(({ address }) => !known.has(address));
    for (const [from, { address }] of namesakes(leaving, undone, known))
      declaredElsewhere.set(from, { stack, address, command: moveTo(to, own, from) });
  }
  return { ownedElsewhere, declaredElsewhere };
}

/** Pairs records, with their parts, with declared resources of their type, name, parent and place; `known` are ids of their stack. */
function namesakes(
  records: ReadonlyMap<Address, RecordedResource>,
  declared: readonly DesiredResource[],
  known: ReadonlyMap<Address, string>,
): ReadonlyMap<Address, DesiredResource> {
  const found = new Map<Address, DesiredResource>();
  for (const { type, nameAttribute, parents, place, removedWithParent } of resourceTypes)
    for (const [address, record] of records) {
      const { parent, applied, name } = record;
      const around = parent && found.get(parent);
      if (record.type !== type || record.retained) continue;
      const isNamesake = ({ type: other, attributes }: DesiredResource): boolean => {
        const written = (path = ""): unknown => attributes.get(path)?.value ?? null;
        const isParent = parents.every(({ attribute }) => {
          const value = written(attribute);
          const [refers] = value instanceof Template ? value.references : [];
          if (refers === undefined) return value === (applied[attribute] ?? null);
          const id = known.get(refers.address);
          if (id !== undefined) return id === applied[attribute];
          return refers.address === around?.address || isDataAddress(refers.address);
        });
        const isPlaced =
          place === undefined || written(place.attribute) === (applied[place.attribute] ?? null);
        return other === type && written(nameAttribute) === name && isParent && isPlaced;
      };
      const one = removedWithParent ? around : declared.find(isNamesake);
      if (one !== undefined) found.set(address, one);
    }
  return found;
}
