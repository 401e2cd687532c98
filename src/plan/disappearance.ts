import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { SourceRange } from "../diagnostics/source-range";
import type { Address } from "../model/address";
import { shortList } from "../model/short-list";
import { isGone, isRetained, type ResourceInstance, type ResourceInstances } from "./subject";

/** A recorded resource, as far as the proof of a disappearance asks for it. */
export interface Existence {
  readonly address: Address;
  /** A read shows it. */
  readonly isLive: boolean;
  /** No read shows it, and nobody is deleting it. */
  readonly isLost: boolean;
  /** Lives and dies with its parent. */
  readonly isDependent: boolean;
  /** False where nobody misses it, or its parent is gone too. */
  readonly isCounted: boolean;
  readonly range?: SourceRange;
}

/**
 * Returns why what is lost among `recorded` is not believed to be gone, empty where it is. Gone needs proof (DESIGN
 * section 5): another recorded resource is still readable, and not more than a third of what is recorded vanished at
 * once; a lost membership looks the same. Resources that live and die with their parent are counted among themselves.
 */
export function findUnprovenLosses(recorded: readonly Existence[]): readonly Diagnostic[] {
  const counted = recorded.filter(({ isCounted }) => isCounted);
  const independent = counted.filter(({ isDependent }) => !isDependent);
  const dependent = counted.filter(({ isDependent }) => isDependent);
  const masses = [independent, dependent].flatMap(massDisappearance);
  if (masses.length > 0 || recorded.some(({ isLive }) => isLive)) return masses;
  return independent.filter(({ isLost }) => isLost).map(unproven);
}

/** Keeps what is lost without proof as it is recorded, and says why. */
export function checkMassDeletion(instances: ResourceInstances): {
  readonly instances: ResourceInstances;
  readonly diagnostics: readonly Diagnostic[];
} {
  const recorded = [...instances.values()].filter((instance) => instance.recorded && !isRetained(instance));
  const isAnyLive = recorded.some((instance) => instance.live);
  const isRetainedLost = !isAnyLive && [...instances.values()].some((one) => isRetained(one) && isLost(one));
  const diagnostics = recorded.some(isLost)
    ? findUnprovenLosses(recorded.map((instance) => existenceOf(instance, instances)))
    : [];
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

function existenceOf(instance: ResourceInstance, instances: ResourceInstances): Existence {
  const { address, type, desired, live, removed } = instance;
  const isDependent = type.removedWithParent;
  return {
    address,
    isLive: live !== undefined,
    isLost: isLost(instance),
    isDependent,
    isCounted: !isDependent || (!removed && hasParent(instance, instances)),
    range: desired?.range,
  };
}

/** Whether its parent still stands. What took the parent's place in a replacement does not count: it starts empty. */
function hasParent({ parent, recorded, type }: ResourceInstance, instances: ResourceInstances): boolean {
  const found = parent === undefined ? undefined : instances.get(parent);
  if (found?.recorded === undefined || isGone(found)) return false;
  return type.parents.some(({ attribute }) => recorded?.applied[attribute] === found.recorded?.id);
}

function massDisappearance(counted: readonly Existence[]): Diagnostic[] {
  const gone = counted.filter(({ isLost }) => isLost).map(({ address }) => address);
  if (gone.length < 3 || gone.length * 3 <= counted.length) return [];
  const summary = `${gone.length} of ${counted.length} recorded resources are gone at once`;
  return [
    error("live.mass_disappearance", summary, {
      detail: `A key that lost its membership sees the same. Gone: ${shortList(gone, mostNamed)}`,
      hint: "check the key and the workspace; if they were really deleted: rnv state rm ADDRESS …",
    }),
  ];
}

const unproven = ({ address, range }: Existence): Diagnostic =>
  error("live.gone_unproven", `${address} cannot be found, and nothing else that is recorded can`, {
    address,
    detail: "A key that lost its membership sees the same, so this is no proof that it was deleted.",
    hint: `check the key and the workspace; if it was really deleted: rnv state rm ${address}`,
    ...(range && { range }),
  });
