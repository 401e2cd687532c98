import type { Plain } from "../model/value";
import type { AttributeChange, Change } from "./plan";
import type { ResourceInstance } from "./subject";

const none: readonly never[] = [];

/**
 * What apply writes to the state of a declared resource besides its fields: protection, what its removal becomes, what
 * is ignored. Recorded before, declared after. Nothing of it is sent.
 */
export function diffLifecycle({ desired, recorded, type }: ResourceInstance): readonly AttributeChange[] {
  if (!desired || !recorded) return none;
  const { preventDestroy, onRemove, ignoreChanges } = desired.lifecycle;
  const ignored = recorded.ignoreChanges ?? none;
  // Only what has a block of its own says what its removal becomes; of all else the type does.
  const becomesOther = type.manifest.meta === true && onRemove !== recorded.onRemove;
  const ignoresOther = !areSame(ignoreChanges, ignored);
  // By far the most.
  if (preventDestroy === recorded.preventDestroy && !becomesOther && !ignoresOther) return none;
  return [
    ...(ignoresOther ? [changed("ignoreChanges", ignored, ignoreChanges)] : []),
    ...(becomesOther ? [changed("onRemove", recorded.onRemove, onRemove)] : []),
    ...(preventDestroy === recorded.preventDestroy
      ? []
      : [changed("preventDestroy", recorded.preventDestroy, preventDestroy)]),
  ];
}

const areSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((path) => b.includes(path));

const changed = (key: string, before: Plain, after: Plain): AttributeChange => ({
  path: `lifecycle.${key}`,
  before: { kind: "value", value: before },
  after: { kind: "value", value: after },
  cause: "edit",
  forcesReplacement: false,
});

/** Only what the state keeps of the resource changes: no request is sent, and nothing that waits for it is moved. */
export const changesRecordOnly = ({
  action,
  attributes,
  reason,
}: Pick<Change, "action" | "attributes" | "reason">): boolean =>
  action === "update" && attributes.length === 0 && reason === undefined;
