import type { StoredProject, StoredService } from "./records";
import type { World } from "./world";

/** The readings of times (`readings.ts`). */

/** Returns `updatedAt` of a service after an event that may move it. */
export const moved = (
  { readings: { serviceUpdatedAt: moves }, store }: World,
  { updatedAt }: StoredService,
  event: "queuing" | "status" | "variable" | "payment",
  at = store.stamp(),
): string => {
  // Each deployment that is queued has a status too.
  const isMoving = moves === event || (moves === "status" && event === "queuing");
  return isMoving && at > updatedAt ? at : updatedAt;
};

/** Notes that a variable of the service was written. */
export function noteVariable(world: World, serviceId: string): void {
  const { store, readings } = world;
  const service = store.get("services", serviceId);
  if (service === undefined || readings.serviceUpdatedAt !== "variable") return;
  store.put("services", { ...service, updatedAt: moved(world, service, "variable") });
}

/** Checks the health of each service that runs, every second. */
export function checkHealth({ store, readings, replicas }: World, now: number): void {
  if (readings.serviceUpdatedAt !== "health") return;
  const second = Math.floor(now / 1000) * 1000;
  const at = new Date(second).toISOString();
  const isDue = ({ runtime, updatedAt }: StoredService): boolean => runtime === "running" && updatedAt < at;
  const due = [...store.all("services")].filter(isDue);
  replicas.during(second, () => {
    for (const service of due) store.put("services", { ...service, updatedAt: at, healthCheckedAt: at });
  });
}

/** Returns `deploymentUpdatedAt` as a service shows it. */
export function deploymentTime({ readings, store }: World, service: StoredService): object {
  const { deploymentId, deploymentUpdatedAt, updatedAt, healthCheckedAt } = service;
  const times = {
    status: deploymentUpdatedAt,
    created: store.get("deployments", deploymentId ?? "")?.createdAt ?? null,
    service: updatedAt,
    health: healthCheckedAt,
    null: null,
  };
  const { deploymentUpdatedAt: reading } = readings;
  return reading === "absent" ? {} : { deploymentUpdatedAt: times[reading] };
}

/** Returns `updatedAt` as the reads after a change show it: a rename may move it again. */
export const timeAfter = (
  { store, readings }: World,
  before: { readonly name: string },
  { name, updatedAt }: StoredService | StoredProject,
): string => (readings.renameTime === "later" && name !== before.name ? store.stamp() : updatedAt);
