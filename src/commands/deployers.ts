import { ApiError } from "../api/api-error";
import type { Reads } from "../api/reads";
import type { Deployment } from "../api/wire/shapes";
import { DiagnosticsError } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { State } from "../model/state";
import { type Change, isChangedOutside, type Plan } from "../plan/plan";
import { timeAgo } from "../report/time-text";

/**
 * Returns the plan, its drift with the deployment of others since the last run: one request per drifted service. What
 * cannot be read is left out: the plan is right without it.
 */
export async function withDeployers(
  reads: Reads,
  state: State | undefined,
  plan: Plan,
  now: number,
): Promise<Plan> {
  const drifted = new Set(plan.changes.filter(isChangedOutside).map(serviceOf));
  if (drifted.size === 0) return plan;
  const { resources = {}, lastRunAt = "" } = state ?? {};
  const own = new Set(Object.values(resources).map(({ id }) => id));
  const isOther = ({ id, createdAt }: Deployment): boolean =>
    !own.has(id) && Date.parse(createdAt ?? "") > Date.parse(lastRunAt);
  const found = new Map<Address | undefined, string>();
  const look = async (address: Address | undefined): Promise<void> => {
    const service = address && resources[address];
    if (service?.type !== "service") return;
    const { items } = await reads.live.listDeployments(service.id, { limit: 20 });
    const other = items.find(isOther);
    if (other) found.set(address, deployedText(other, now));
  };
  await Promise.all([...drifted].map(look)).catch((failure: unknown) => {
    if (!(failure instanceof ApiError || failure instanceof DiagnosticsError)) throw failure;
  });
  const told = (change: Change) => (isChangedOutside(change) ? found.get(serviceOf(change)) : undefined);
  return { ...plan, changes: plan.changes.map((change) => ({ ...change, deployed: told(change) })) };
}

const serviceOf = ({ address, type, parent }: Change): Address | undefined =>
  type === "service" ? address : parent;

function deployedText({ actor, trigger, branch, createdAt }: Deployment, now: number): string {
  const by = actor || trigger || "another user";
  return `deployed by ${by}${branch ? ` from branch ${branch}` : ""} ${timeAgo(createdAt ?? "", now)}`;
}
