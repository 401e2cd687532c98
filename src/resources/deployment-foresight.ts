import { ApiError } from "../api/api-error";
import { hostingIsOff } from "../api/gap-answers";
import type { Reads } from "../api/reads";
import type { PlannedRuns } from "../model/resource-operations";
import type { Finding } from "../model/resource-type";

/**
 * What keeps deployments from running, in the words of the service: the catalog's capabilities, and of one service the
 * list of deployments (interface, "Catalog", and "Deployments", rule 1). At most one request.
 */
export async function foreseeDeployments(reads: Reads, planned: PlannedRuns): Promise<readonly Finding[]> {
  const { capabilities } = await reads.catalog();
  const them = planned.count === 1 ? "the planned deployment" : `${planned.count} planned deployments`;
  const reason = await reasonOfList(reads, planned);
  if (reason !== undefined || hostingIsOff(capabilities))
    return [
      {
        code: "live.hosting_off",
        summary: `hosting is off: ${them} cannot run`,
        detail: reason === undefined ? "The catalog of the service says so." : `The service says: ${reason}`,
        hint: "enable hosting in the dashboard; everything else of the plan can be applied",
      },
    ];
  return workerFindings(reads, them);
}

/** What the catalog says of the worker, which `them` wait for. */
export async function workerFindings(reads: Reads, them: string): Promise<readonly Finding[]> {
  const { capabilities } = await reads.catalog();
  if (capabilities.workerOnline !== false) return [];
  return [
    {
      code: "live.worker_offline",
      summary: `no worker is online: ${them} will wait in the queue`,
      detail: "The catalog of the service says workerOnline: false.",
      hint: "what is queued starts once a worker is online; rnv waits for that as long as its timeout says",
    },
  ];
}

/** Of a service that nothing runs of, where there is one: the list says more of it. */
async function reasonOfList(reads: Reads, { parentIds }: PlannedRuns): Promise<string | undefined> {
  const services = await Promise.all(parentIds.map((id) => reads.service(id)));
  const idle = services.findIndex((one) => one.kind === "found" && one.value.liveDeploymentId == null);
  const id = parentIds[Math.max(0, idle)];
  if (id === undefined) return undefined;
  try {
    const { available, reason } = await reads.live.listDeployments(id, { limit: 1 });
    return available ? undefined : reason || "no reason is given";
  } catch (failure) {
    if (failure instanceof ApiError) return undefined;
    throw failure;
  }
}
