import { ApiError, isNoRoute } from "./api-error";
import type { Endpoints } from "./endpoints";
import { newestById } from "./resource-version";
import type { Canvas, Service, Variable } from "./wire/shapes";

/** Requests that a list takes along: as many may be for nothing, where no variables of these services are managed. */
const listsBeside = 8;

/** Lists variables of services. A service without a route for that refuses once: the others wait for the first answer. */
export class VariableLists {
  /** The failure that shows that there is no route. */
  refusal: unknown;
  #hasRoute = false;
  /** A 404 to a request that was sent ahead: no other is. */
  #refusalAhead: unknown;
  /** Ends with the answer to the only request in flight. */
  #proof: Promise<void> | undefined;
  /** Ids of services whose lists may leave beside others. */
  readonly expected = new Set<string>();

  constructor(private readonly list: Endpoints["listVariables"]) {}

  /**
   * Sends the request. A 404 shows that there is no route if the service exists. Without `exists` the request is sent ahead of
   * those that show if it does: a 404 proves nothing.
   */
  async ask(serviceId: string, exists?: () => Promise<boolean>): Promise<readonly Variable[]> {
    while (this.#proof !== undefined) await this.#proof;
    const refusal = this.refusal ?? (exists ? undefined : this.#refusalAhead);
    if (refusal !== undefined) throw refusal;
    const asked = this.list(serviceId);
    if (!this.#hasRoute)
      this.#proof = this.#prove(asked, exists).finally(() => {
        this.#proof = undefined;
      });
    return asked;
  }

  /** Returns the ids of the services whose lists leave with that of `asked`, each once. */
  leavingWith(asked: string): readonly string[] {
    this.expected.delete(asked);
    const ids = [...this.expected].slice(0, listsBeside);
    for (const id of ids) this.expected.delete(id);
    return ids;
  }

  async #prove(asked: Promise<unknown>, exists?: () => Promise<boolean>): Promise<void> {
    const failure = await asked.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    const isAbsent = failure instanceof ApiError && failure.status === 404;
    if (isNoRoute(failure) || (isAbsent && (await exists?.()))) this.refusal = failure;
    else if (!isAbsent) this.#hasRoute = true;
    else if (exists === undefined) this.#refusalAhead = failure;
  }
}

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
