import type { StoredProject, StoredService } from "./records";
import type { World } from "./world";

/** The readings of times (`readings.ts`). */

/** Moves `updatedAt` of a service where an event does that. */
export function touch(
  { readings: { serviceUpdatedAt: moves }, store }: World,
  serviceId: string,
  event: "queuing" | "status" | "variable" | "payment",
  time?: string,
): void {
  const service = store.get("services", serviceId);
  // Each deployment that is queued has a status too.
  const isMoving = moves === event || (moves === "status" && event === "queuing");
  if (service === undefined || !isMoving) return;
  const updatedAt = time ?? store.stamp();
  if (updatedAt > service.updatedAt) store.put("services", { ...service, updatedAt });
}

/** Checks the health of each service that runs, every second. */
export function checkHealth({ store, readings, replicas }: World, now: number): void {
  if (readings.serviceUpdatedAt !== "health") return;
  const second = Math.floor(now / 1000) * 1000;
  const at = new Date(second).toISOString();
  replicas.during(second, () => {
    for (const service of store.all("services"))
      if (service.runtime === "running" && service.updatedAt < at)
        store.put("services", { ...service, updatedAt: at, healthCheckedAt: at });
  });
}

export const deploymentTime = ({ readings, store }: World, service: StoredService) =>
  ({
    status: service.deploymentUpdatedAt,
    created: store.get("deployments", service.deploymentId ?? "")?.createdAt ?? null,
    service: service.updatedAt,
    health: service.healthCheckedAt,
    null: null,
    absent: undefined,
  })[readings.deploymentUpdatedAt];

/** Returns `updatedAt` as the reads after a change show it: a rename may move it again. */
export const timeAfter = (
  { store, readings }: World,
  before: { readonly name: string },
  { name, updatedAt }: StoredService | StoredProject,
): string => (readings.renameTime === "later" && name !== before.name ? store.stamp() : updatedAt);
