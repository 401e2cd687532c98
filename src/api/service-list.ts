import { newestById } from "./etags";
import type { Canvas, Service } from "./wire/shapes";

/** The services of a workspace, from its canvas or from those of its projects. */
export interface ServiceList {
  readonly services: readonly Service[];
  readonly byId: ReadonlyMap<string, Service>;
  readonly groups: Canvas["groups"];
  readonly edges: Canvas["edges"];
  readonly complete: boolean;
}

export const isDeleted = ({ deletedAt }: Service): boolean => deletedAt != null;

/** A canvas shows active services only (interface, "Canvas", rule 2), whatever `deletionRequestedAt` an earlier deletion left. */
export function listOf(
  canvases: readonly Canvas[],
  { complete }: Pick<ServiceList, "complete">,
): ServiceList {
  const nodes = newestById(canvases.flatMap((canvas) => canvas.nodes));
  const services = nodes.filter((service) => !isDeleted(service));
  const byId = new Map(nodes.map((service) => [service.id, service]));
  const groups = canvases.flatMap((canvas) => canvas.groups);
  return { services, byId, groups, edges: canvases.flatMap((canvas) => canvas.edges), complete };
}
