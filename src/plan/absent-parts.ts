import { type Desired, type DesiredAttribute, defaultLifecycle, sourceAsWritten } from "../model/desired";
import { pathsWith, type ResourceType } from "../model/resource-type";
import { isFingerprint, type State } from "../model/state";
import { Template, UnreadSecret } from "../model/value";
import { applyMoves } from "./instances";

/** Declares the recorded parts that a source may hold which is not here, with values that are not read. */
export function declareAbsentParts(
  desired: Desired,
  state: State | undefined,
  types: readonly ResourceType[],
): Desired {
  if (![...desired.resources.values()].some(({ absent }) => absent)) return desired;
  const resources = new Map(desired.resources);
  const { recorded } = applyMoves(state?.resources ?? {}, desired);
  for (const [address, { type: name, parent, applied, name: live }] of recorded) {
    const holder = parent && desired.resources.get(parent);
    const type = types.find((one) => one.type === name);
    if (!type || holder?.absent?.type !== name || desired.resources.has(address)) continue;
    const { absent, range } = holder;
    const secrets = pathsWith(type, "secret");
    const isText = secrets.some((path) => applied[path] !== undefined && !isFingerprint(applied[path]));
    if (isText || absent.without.has(address.slice(address.lastIndexOf(".") + 1))) continue;
    const { attribute = "" } = type.parents.find((one) => one.type === holder.type) ?? {};
    // As the source itself would declare it, for a review of this plan.
    const unread = {
      value: new UnreadSecret(absent.reason),
      range,
      source: "dotenv",
      origin: sourceAsWritten("dotenv", "", absent.from),
      isReplaceable: true,
    } as const;
    resources.set(address, {
      address,
      type: name,
      parent,
      range,
      dependsOn: [holder.address],
      lifecycle: defaultLifecycle,
      attributes: new Map<string, DesiredAttribute>([
        [type.nameAttribute ?? "", { value: live, range }],
        ...secrets.map((path) => [path, unread] as const),
        [attribute, { value: new Template([{ address: holder.address, attribute: "id" }], false), range }],
      ]),
    });
  }
  return { ...desired, resources };
}
