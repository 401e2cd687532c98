import type { Resource } from "../api/resource";
import { terminalStatuses } from "../api/wire/deployment";
import { pollOperation } from "../resources/deletion";
import { pollDeployment } from "../resources/deployment-poll";

export type RuntimeAction =
  | "deploy"
  | "clear-cache"
  | "restart"
  | "suspend"
  | "resume"
  | "rollback"
  | "cancel";

/** How to look at what an action left pending: its operation, its deployment, or the end of a cancelled one. */
export function pollRuntimeAction(action: RuntimeAction): Resource["poll"] {
  if (action === "cancel") return pollCancelled;
  return (reads, pending) =>
    pending.kind === "deployment"
      ? pollDeployment(reads, pending)
      : pollOperation(reads, pending, async () => ({
          kind: "failed",
          summary: `the service no longer knows operation ${pending.id}`,
        }));
}

/** A cancellation is done once the deployment has ended; one that went live came too late. */
const pollCancelled: Resource["poll"] = async (reads, { serviceId = "", id }) => {
  const { status } = await reads.live.getDeployment(serviceId, id);
  if (status === "live")
    return { kind: "failed", summary: `deployment ${id} was live before it could be cancelled` };
  const ended = (terminalStatuses as readonly string[]).includes(status);
  return ended ? { kind: "done" } : { kind: "waiting", status };
};
