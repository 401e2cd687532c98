import { type Diagnostic, warning } from "../diagnostics/diagnostic";
import type { Plan } from "../plan/plan";
import { resourceTypes } from "../resources";
import type { Connection } from "./context";

/** What the service says now that stands in the way of a plan, before its first write (DESIGN section 7): warnings. */
export async function foresee({ reads }: Connection, plan: Plan): Promise<readonly Diagnostic[]> {
  const found: Diagnostic[] = [];
  const ids = new Map(plan.changes.map(({ address, id }) => [address, id]));
  for (const { type, runs } of resourceTypes) {
    const planned = plan.changes.filter(
      (change) => change.type === type && (change.action === "create" || change.action === "update"),
    );
    const [first] = planned;
    if (!runs || first === undefined) continue;
    const parentIds = planned.flatMap(({ instance: { desired, recorded } }) => {
      const parent = desired?.parent ?? recorded?.parent;
      return (parent && ids.get(parent)) ?? [];
    });
    for (const { code, summary, detail, hint } of await runs.foresee(reads, {
      count: planned.length,
      parentIds,
    }))
      found.push(
        warning(code, summary, { detail, hint, ...(planned.length === 1 && { address: first.address }) }),
      );
  }
  return found;
}
