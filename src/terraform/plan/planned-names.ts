import { canonicalId } from "../../model/text";

/** A resource of a plan, and whether it gets its name by this plan. */
interface NameHolder {
  /** Undefined of one that is made. */
  readonly id: string | undefined;
  readonly takes: boolean;
}

/** What bears which name once a plan is applied, by type, parent and name. */
export type PlannedNames = Map<string, readonly NameHolder[]>;

interface PlannedName {
  readonly type: string;
  readonly parentId: string | undefined;
  readonly name: string;
}

/**
 * Remembers the name of what is planned. Returns another resource of the plan that has it too, where one of the two is to
 * get it: an apply that is half done would find out. Two that bear one name already may go on.
 */
export function notePlannedName(
  names: PlannedNames,
  { type, parentId = "", name }: PlannedName,
  holder: NameHolder,
): NameHolder | undefined {
  const key = [type, canonicalId(parentId), name].join("\0");
  const holders = names.get(key) ?? [];
  names.set(key, [...holders, holder]);
  const isOther = (one: NameHolder): boolean => holder.id === undefined || one.id !== holder.id;
  return holders.find((one) => (holder.takes || one.takes) && isOther(one));
}
