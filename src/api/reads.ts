import { isOlder } from "../model/freshness";
import type { ResourceOperations } from "../model/resource-operations";
import type { ResourceType } from "../model/resource-type";
import { ApiError, GAP_OFF } from "./api-error";
import type { Endpoints } from "./endpoints";
import { environmentOf, gapVariable } from "./gap-rules";
import type { Canvas, CanvasGroup, Project, Service, Variable } from "./wire/shapes";

/** The result of looking up a resource by its id. */
export type ById<T> =
  | { readonly kind: "found"; readonly value: T }
  /** 404 by id and absent from a schema-valid list; or its deletion was requested, and has ended unless `deleting` shows it. */
  | { readonly kind: "gone"; readonly deleting?: T }
  /** The route is missing and no list shows it: it may be archived, deleting, or gone. */
  | { readonly kind: "unreadable"; readonly reason: string };

/**
 * Live state, each part read at most once until it is invalidated, shared by every resource of a run: three
 * requests (catalog, projects, canvas) show every active service with its configuration (DESIGN section 5).
 */
export interface Reads {
  catalog(): ReturnType<Endpoints["catalog"]>;
  projects(): Promise<readonly Project[]>;
  /** From the list, else by id; also by id where the list shows it as of before `notOlderThan`. */
  project(id: string, notOlderThan?: string): Promise<ById<Project>>;
  /** Every active service of the workspace. Above the canvas limit it is read with a canvas per project. */
  services(): Promise<readonly Service[]>;
  /** Every group that the canvases of the workspace show. */
  groups(): Promise<readonly CanvasGroup[]>;
  /** False when a canvas above its limit left ungrouped services out of `services()`. */
  servicesAreComplete(): Promise<boolean>;
  /** From the canvas, else by id, as `project`: archived and deleting services are not on the canvas. */
  service(id: string, notOlderThan?: string): Promise<ById<Service>>;
  /** The same, uncached: by id, and from a list that is asked for anew before a 404 is believed. */
  serviceNow(id: string): Promise<ById<Service>>;
  /** Undefined when the service has no route to list variables (404/405 for a service that exists). */
  variables(serviceId: string): Promise<readonly Variable[] | undefined>;
  /** The canvas of one project, for its layout. */
  layout(projectId: string): Promise<Canvas>;
  /** Uncached, for polling. */
  readonly live: Pick<
    Endpoints,
    | "canvas"
    | "getDeployment"
    | "getOperation"
    | "getProject"
    | "getProjectOperation"
    | "getService"
    | "listDeployments"
    | "listProjects"
    | "listVariables"
    | "revealVariable"
    | "revealVariableText"
  >;
  /** Drops what was cached, after a write. */
  invalidate(): void;
}

/** A resource type with the half that talks to the service. */
export type Resource = ResourceType & ResourceOperations<Reads, Endpoints>;

interface ProjectList {
  readonly projects: readonly Project[];
  readonly byId: ReadonlyMap<string, Project>;
}

interface ServiceList {
  readonly services: readonly Service[];
  readonly byId: ReadonlyMap<string, Service>;
  readonly groups: readonly CanvasGroup[];
  readonly complete: boolean;
}

/**
 * Reads live state over one endpoint set: every part at most once; failures are forgotten (DESIGN section 5). What it
 * reads it has in common with `beside`, until one of the two is invalidated.
 */
export function createReads(endpoints: Endpoints, beside?: Reads): Reads {
  return new CachedReads(endpoints, beside instanceof CachedReads ? beside : undefined);
}

class CachedReads implements Reads {
  readonly live: Reads["live"];
  #cache = new Map<string, Promise<unknown>>();
  #started = false;
  /** Whether the gap routes exist: facts about the service, which outlive the cache. */
  #serviceRoute: "unproven" | "works" | "missing" = "unproven";
  #variablesRoute: "unproven" | "works" | "missing" = "unproven";
  #listing?: Promise<ServiceList>;
  #nextListing?: Promise<ServiceList>;

  constructor(
    private readonly endpoints: Endpoints,
    beside: CachedReads | undefined,
  ) {
    this.live = endpoints;
    if (beside !== undefined) this.#cache = beside.#cache;
  }

  catalog() {
    this.#start();
    return this.#once("catalog", () => this.endpoints.catalog());
  }

  async projects(): Promise<readonly Project[]> {
    return (await this.#projects()).projects;
  }

  async project(id: string, notOlderThan?: string): Promise<ById<Project>> {
    const listed = (await this.#projects()).byId.get(id);
    if (listed !== undefined && !isOlder(listed.updatedAt, notOlderThan))
      return { kind: "found", value: listed };
    return this.#once(`project ${id}`, async () => {
      if (listed === undefined) return this.#projectById(id);
      const value = await newer(listed, () => this.endpoints.getProject(id));
      const { projects } = await this.#projects();
      this.#correct("projects", projectList(projects.map((one) => (one.id === id ? value : one))));
      return { kind: "found", value };
    });
  }

  async services(): Promise<readonly Service[]> {
    return (await this.#services()).services;
  }

  async groups(): Promise<readonly CanvasGroup[]> {
    return (await this.#services()).groups;
  }

  async servicesAreComplete(): Promise<boolean> {
    return (await this.#services()).complete;
  }

  async service(id: string, notOlderThan?: string): Promise<ById<Service>> {
    const shown = (await this.#services()).byId.get(id);
    if (shown !== undefined && !isOlder(shown.updatedAt, notOlderThan)) return foundOrGone(shown);
    return this.#once(`service ${id}`, async () => {
      if (shown === undefined) return this.#serviceById(id);
      const value = await newer(shown, () => this.endpoints.getService(id));
      const list = await this.#services();
      const byId = new Map(list.byId).set(id, value);
      // No list shows an archived service.
      const services = [...byId.values()].filter((one) => !isDeleted(one) && !one.archived);
      this.#correct("services", { ...list, byId, services } satisfies ServiceList);
      return foundOrGone(value);
    });
  }

  async serviceNow(id: string): Promise<ById<Service>> {
    const read = await this.#serviceById(id);
    if (read.kind === "found" || (read.kind === "gone" && read.deleting !== undefined)) return read;
    const shown = (await this.#listedAnew()).byId.get(id);
    if (shown !== undefined) return foundOrGone(shown);
    // Nobody knows yet whether the route exists.
    return this.#serviceRoute === "unproven" ? noServiceRoute : read;
  }

  variables(serviceId: string): Promise<readonly Variable[] | undefined> {
    return this.#once(`variables ${serviceId}`, async () => {
      if (this.#variablesRoute === "missing") return undefined;
      try {
        const listed = await this.endpoints.listVariables(serviceId);
        this.#variablesRoute = "works";
        return listed;
      } catch (failure) {
        if (!isNoRoute(failure) && statusOf(failure) !== 404) throw failure;
        if (isNoRoute(failure)) this.#variablesRoute = "missing";
        const service = await this.service(serviceId);
        if (service.kind === "gone") return [];
        // A service that exists is enough to know; others need not ask again.
        if (service.kind === "found" && this.#variablesRoute === "unproven") this.#variablesRoute = "missing";
        return undefined;
      }
    });
  }

  layout(projectId: string): Promise<Canvas> {
    return this.#once(`canvas ${projectId}`, () => this.endpoints.canvas({ projectId }));
  }

  invalidate(): void {
    this.#cache = new Map();
  }

  /** The three requests that show a workspace leave together, the first time one of them is needed. */
  #start(): void {
    if (this.#started) return;
    this.#started = true;
    for (const first of [this.catalog(), this.#projects(), this.#services()]) first.catch(() => {});
  }

  #once<T>(part: string, read: () => Promise<T>): Promise<T> {
    // A read that was sent before a write must not count as known after it.
    const cache = this.#cache;
    const before = cache.get(part);
    if (before !== undefined) return before as Promise<T>;
    const reading = read();
    cache.set(part, reading);
    reading.catch(() => cache.delete(part));
    return reading;
  }

  /** Replaces a cached part by a later read. */
  #correct(part: string, value: ProjectList | ServiceList): void {
    this.#cache.set(part, Promise.resolve(value));
  }

  #projects(): Promise<ProjectList> {
    this.#start();
    return this.#once("projects", async () => {
      return projectList(await this.endpoints.listProjects());
    });
  }

  #services(): Promise<ServiceList> {
    this.#start();
    return this.#once("services", () =>
      this.#readServices(
        async () => (await this.#projects()).projects,
        (projectId) => this.layout(projectId),
      ),
    );
  }

  async #readServices(
    projects: () => Promise<readonly Project[]>,
    canvasOf: (projectId: string) => Promise<Canvas>,
  ): Promise<ServiceList> {
    try {
      return listOf([await this.endpoints.canvas()], true);
    } catch (failure) {
      if (statusOf(failure) !== 413) throw failure;
    }
    const canvases = await Promise.all(
      (await projects()).map((project) => this.#canvasesIn(project, canvasOf)),
    );
    return listOf(canvases.flat(), false);
  }

  /** Reads a project as one canvas; where that is too large, as a canvas for each of its environments. */
  async #canvasesIn(
    { id: projectId, environments }: Project,
    canvasOf: (projectId: string) => Promise<Canvas>,
  ): Promise<readonly Canvas[]> {
    try {
      return [await canvasOf(projectId)];
    } catch (failure) {
      if (statusOf(failure) !== 413 || environments.length === 0) throw failure;
    }
    const scopes = environments.map((record) => ({ projectId, environmentId: environmentOf(record).id }));
    return Promise.all(scopes.map((scope) => this.endpoints.canvas(scope)));
  }

  /** Reads a list that is asked for after this call. Callers that come while a list is on its way share the next. */
  #listedAnew(): Promise<ServiceList> {
    const begin = (): Promise<ServiceList> => {
      const listing = this.#readServices(
        () => this.endpoints.listProjects(),
        (projectId) => this.endpoints.canvas({ projectId }),
      );
      this.#listing = listing;
      this.#nextListing = undefined;
      // Before the next begins, which waits for the same.
      const end = (): void => {
        this.#listing = undefined;
      };
      listing.then(end, end);
      return listing;
    };
    if (this.#listing === undefined) return begin();
    this.#nextListing ??= this.#listing.then(begin, begin);
    return this.#nextListing;
  }

  async #projectById(id: string): Promise<ById<Project>> {
    try {
      return { kind: "found", value: await this.endpoints.getProject(id) };
    } catch (failure) {
      if (statusOf(failure) === 404) return { kind: "gone" };
      throw failure;
    }
  }

  async #serviceById(id: string): Promise<ById<Service>> {
    if (this.#serviceRoute === "missing") return noServiceRoute;
    try {
      const service = await this.endpoints.getService(id);
      this.#serviceRoute = "works";
      return foundOrGone(service);
    } catch (failure) {
      if (isNoRoute(failure)) this.#serviceRoute = "missing";
      else if (statusOf(failure) !== 404) throw failure;
      else if (this.#serviceRoute === "unproven") this.#serviceRoute = await this.#proveServiceRoute();
      return (this.#serviceRoute as string) === "missing" ? noServiceRoute : { kind: "gone" };
    }
  }

  /** A 404 says nothing while the route may not exist: ids that the canvas shows are read the same way. */
  async #proveServiceRoute(): Promise<"unproven" | "works" | "missing"> {
    // Two ids, because a service may have been deleted since.
    const known = (await this.services()).slice(0, 2);
    for (const { id } of known) {
      try {
        await this.endpoints.getService(id);
        return "works";
      } catch (failure) {
        if (!isNoRoute(failure) && statusOf(failure) !== 404) throw failure;
      }
    }
    return known.length === 0 ? "unproven" : "missing";
  }
}

const projectList = (projects: readonly Project[]): ProjectList => ({
  projects,
  byId: new Map(projects.map((project) => [project.id, project])),
});

/** Returns the later of `listed` and the same resource read by id, where it can be read by id. */
async function newer<T extends { readonly updatedAt?: string | null }>(
  listed: T,
  read: () => Promise<T>,
): Promise<T> {
  const alone = await read().catch((failure: unknown) => {
    if (statusOf(failure) === 404 || isNoRoute(failure)) return undefined;
    throw failure;
  });
  return alone === undefined || isOlder(alone.updatedAt, listed.updatedAt ?? undefined) ? listed : alone;
}

const noServiceRoute: ById<never> = {
  kind: "unreadable",
  reason:
    "the service offers no way to read one service, and the canvas does not show it " +
    `(${gapVariable("readService")} names another path)`,
};

function listOf(canvases: readonly Canvas[], complete: boolean): ServiceList {
  const byId = new Map(canvases.flatMap(({ nodes }) => nodes.map((service) => [service.id, service])));
  const services = [...byId.values()].filter((service) => !isDeleted(service));
  return { services, byId, groups: canvases.flatMap(({ groups }) => groups), complete };
}

const isDeleted = (service: Service): boolean =>
  service.deletedAt != null || service.deletionRequestedAt != null;

function foundOrGone(service: Service): ById<Service> {
  if (!isDeleted(service)) return { kind: "found", value: service };
  return service.deletedAt == null ? { kind: "gone", deleting: service } : { kind: "gone" };
}

const statusOf = (failure: unknown): number | undefined =>
  failure instanceof ApiError ? failure.status : undefined;

/** The route itself is missing (405), or turned off by a setting. */
const isNoRoute = (failure: unknown): boolean =>
  failure instanceof ApiError && (failure.status === 405 || failure.code === GAP_OFF);
