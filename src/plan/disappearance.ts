import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { shortList } from "../model/short-list";
import { isGone, isRetained, type ResourceInstance, type ResourceInstances } from "./subject";

/**
 * Gone needs proof (DESIGN section 5): something else that is recorded must still be readable, and not more than a
 * third of what is recorded may vanish at once; a lost membership looks the same. Without proof, what seems gone is
 * planned from what is recorded. Things that live and die with their parent are counted among themselves, and not
 * where their parent is gone or nobody wants them any more.
 */
export function checkMassDeletion(instances: ResourceInstances): {
  readonly instances: ResourceInstances;
  readonly diagnostics: readonly Diagnostic[];
} {
  const recorded = [...instances.values()].filter((instance) => instance.recorded && !isRetained(instance));
  const gone = recorded.filter(isLost);
  const isAnyLive = recorded.some((instance) => instance.live);
  const isRetainedLost = !isAnyLive && [...instances.values()].some((one) => isRetained(one) && isLost(one));
  if (gone.length === 0 && !isRetainedLost) return { instances, diagnostics: [] };

  const independent = recorded.filter((instance) => !instance.type.removedWithParent);
  const dependent = recorded.filter(
    (instance) => instance.type.removedWithParent && !instance.removed && hasParent(instance, instances),
  );
  const masses = [independent, dependent].flatMap(massDisappearance);
  const diagnostics = masses.length > 0 || isAnyLive ? masses : independent.filter(isLost).map(unproven);
  if (diagnostics.length === 0 && !isRetainedLost) return { instances, diagnostics };
  const doubted = new Map<Address, ResourceInstance>();
  for (const [address, instance] of instances) {
    const read = { kind: "unchecked", reason: "it seems gone, which is not proven" } as const;
    doubted.set(address, isLost(instance) ? { ...instance, read } : instance);
  }
  return { instances: doubted, diagnostics };
}

const mostNamed = 5;

/** The service shows that its deletion goes on, or we asked for it ourselves. */
const isBeingDeleted = ({ read, recorded }: ResourceInstance): boolean =>
  (read.kind === "gone" && read.ending !== undefined) || recorded?.pending?.deletes === true;

const isLost = (instance: ResourceInstance): boolean => isGone(instance) && !isBeingDeleted(instance);

/** Whether what held it still stands. What took the place of that in a replacement does not count: it starts empty. */
function hasParent({ parent, recorded, type }: ResourceInstance, instances: ResourceInstances): boolean {
  const found = parent === undefined ? undefined : instances.get(parent);
  if (found?.recorded === undefined || isGone(found)) return false;
  return type.parents.some(({ attribute }) => recorded?.applied[attribute] === found.recorded?.id);
}

function massDisappearance(counted: readonly ResourceInstance[]): Diagnostic[] {
  const gone = counted.filter(isLost).map(({ address }) => address);
  if (gone.length < 3 || gone.length * 3 <= counted.length) return [];
  const summary = `${gone.length} of ${counted.length} recorded resources are gone at once`;
  return [
    error("live.mass_disappearance", summary, {
      detail: `A key that lost its membership sees the same. Gone: ${shortList(gone, mostNamed)}`,
      hint: "check the key and the workspace; if they were really deleted: rnv state rm ADDRESS …",
    }),
  ];
}

const unproven = (instance: ResourceInstance): Diagnostic =>
  error("live.gone_unproven", `${instance.address} cannot be found, and nothing else that is recorded can`, {
    address: instance.address,
    detail: "A key that lost its membership sees the same, so this is no proof that it was deleted.",
    hint: `check the key and the workspace; if it was really deleted: rnv state rm ${instance.address}`,
    ...(instance.desired && { range: instance.desired.range }),
  });
