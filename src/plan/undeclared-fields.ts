import type { Address } from "../model/address";
import { isSetting, type ResourceType, ruleAt } from "../model/resource-type";
import { type Plain, plainEqual } from "../model/value";
import { isIgnored } from "./diff-attributes";
import type { Plan } from "./plan";

/** A setting of something managed that nobody declares, with a live value that is not the default. */
export interface UndeclaredField {
  readonly address: Address;
  readonly path: string;
  readonly value: Plain;
  readonly default: Plain;
}

/** The settings that somebody made outside of rnv and that no manifest speaks of. */
export function undeclaredFields(plan: Plan, types: readonly ResourceType[]): readonly UndeclaredField[] {
  const known = new Map(types.map((type) => [type.type, type]));
  return plan.changes.flatMap(({ address, type: name, instance }) => {
    const type = known.get(name);
    const { desired, recorded, live, defaults } = instance;
    if (!type || !desired || !live) return [];
    const fields: UndeclaredField[] = [];
    for (const [path, byDefault] of defaults) {
      const rule = ruleAt(type, path);
      const isOurs = desired.attributes.has(path) || recorded?.applied[path] !== undefined;
      if (!rule || !isSetting(type, path) || isOurs || isIgnored(desired, path)) continue;
      const value = live.attributes.get(path);
      if (value === undefined || (rule.equal ?? plainEqual)(value, byDefault)) continue;
      fields.push({ address, path, value, default: byDefault });
    }
    return fields;
  });
}
