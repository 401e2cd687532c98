import type { Reads } from "../api/reads";
import type { Resource } from "../api/resource";
import type { Plan } from "../plan/plan";
import { resourceTypes } from "../resources";

export interface UnmanagedParts {
  readonly found: Plan["unmanaged"];
  readonly unchecked: Plan["unchecked"];
}

/**
 * The parts of managed things, such as variables of a service, that nobody declares. One read for each thing that the
 * plan has not read already.
 */
export async function unmanagedParts(reads: Reads, plan: Plan): Promise<UnmanagedParts> {
  const found: Plan["unmanaged"][number][] = [];
  const unchecked: Plan["unchecked"][number][] = [];
  for (const type of resourceTypes) {
    const { listIn } = type;
    if (listIn === undefined) continue;
    const managed = managedIds(plan, type);
    const holders = plan.changes.filter(
      ({ type: name, subject }) => subject.desired && type.parents.some((parent) => parent.type === name),
    );
    await Promise.all(
      holders.map(async ({ address, subject: { live } }) => {
        if (live === undefined) return;
        const parts = await listIn(reads, live.id);
        if (parts === undefined)
          unchecked.push({
            address,
            reason: `the service does not list what is in it: undeclared ${type.type}s are not known`,
          });
        for (const { id, name } of parts ?? [])
          if (!managed.has(id)) found.push({ type: type.type, id, name, within: address });
      }),
    );
  }
  return { found: found.sort(byPlace), unchecked: unchecked.sort(byPlace) };
}

const managedIds = (plan: Plan, { type }: Resource): ReadonlySet<string> =>
  new Set(
    plan.changes
      .filter((change) => change.type === type)
      .flatMap(({ subject: { recorded, live } }) => [recorded?.id ?? [], live?.id ?? []].flat()),
  );

const placeOf = (one: {
  readonly within?: string;
  readonly address?: string;
  readonly name?: string;
}): string => `${one.within ?? one.address ?? ""} ${one.name ?? ""}`;

const byPlace = (a: Parameters<typeof placeOf>[0], b: Parameters<typeof placeOf>[0]): number =>
  placeOf(a) < placeOf(b) ? -1 : 1;
