import type { Change, ShownValue } from "./plan";
import { shownValue } from "./shown-value";

/** A resource before and after the plan, by attribute path; null where it does not exist. */
export interface Sides {
  readonly before: ReadonlyMap<string, ShownValue> | null;
  readonly after: ReadonlyMap<string, ShownValue> | null;
}

export function sidesOf(change: Change): Sides {
  const before = flattenedBefore(change);
  const isNew = change.action === "create" || (change.id === undefined && before.size === 0);
  const isEnded = change.action === "delete" || change.action === "forget";
  const after = change.action === "no-op" ? before : afterOf(change, before);
  return { before: isNew ? null : before, after: isEnded ? null : after };
}

/** Declared and recorded fields as they are now: live, else recorded. */
export function flattenedBefore({ instance, attributes }: Change): Map<string, ShownValue> {
  const changed = new Map(attributes.map((change) => [change.path, change.before]));
  const { resolved, recorded, live, fingerprints } = instance;
  const paths = new Set([...resolved.keys(), ...Object.keys(recorded?.applied ?? {}), ...changed.keys()]);
  const before = new Map<string, ShownValue>();
  for (const path of [...paths].sort()) {
    const applied = recorded?.applied[path];
    const isSecret =
      path in fingerprints || (applied !== null && typeof applied === "object" && "fingerprint" in applied);
    const value =
      live?.attributes.get(path) ?? (isSecret ? null : (applied as Exclude<typeof applied, object>));
    const shown = changed.get(path) ?? (value === undefined ? undefined : shownValue(value, isSecret));
    if (shown && shown.kind !== "absent") before.set(path, shown);
  }
  return before;
}

function afterOf({ attributes }: Change, before: ReadonlyMap<string, ShownValue>): Map<string, ShownValue> {
  const after = new Map(before);
  for (const { path, after: value } of attributes) after.set(path, value);
  return after;
}
