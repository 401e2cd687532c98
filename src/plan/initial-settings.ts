import type { Attributes } from "../model/attributes";
import { isSetting, type ResourceType, ruleAt } from "../model/resource-type";
import type { Plain } from "../model/value";
import { plainEqual } from "../model/value";

/**
 * Gap "defaults of kinds": the settings of something new, as `live` shows them, that were not sent with it (`sent`,
 * attribute paths) and differ from `defaults`, which are those of its type.
 */
export function initialSettings(
  type: ResourceType,
  live: Pick<Attributes, "get">,
  defaults: Attributes,
  sent: ReadonlySet<string>,
): Readonly<Record<string, Plain>> {
  const initial: Record<string, Plain> = {};
  for (const [path, byCatalog] of defaults) {
    const value = live.get(path);
    if (!isSetting(type, path) || value === undefined || sent.has(path)) continue;
    if (!(ruleAt(type, path)?.equal ?? plainEqual)(value, byCatalog)) initial[path] = value;
  }
  return initial;
}
