import { append } from "../model/collections";
import type { Consumer, Consumers } from "../model/live";
import { entriesNamed, sameName } from "../model/names";
import type { ResourceType } from "../model/resource-type";
import { ApiError, isNoRoute, unlessAbsent } from "./api-error";
import { type Consistency, type ConsistentEndpoints, isStale, patienceMs } from "./consistent-reads";
import type { Endpoints } from "./endpoints";
import { environmentOf } from "./gap-rules";
import { gapVariable } from "./gaps";
import type { KnownVersions, VersionFilter } from "./known-versions";
import { isDeleted, listOf, type ServiceList, VariableLists } from "./live-lists";
import { type Freshness, ReadCache } from "./read-cache";
import { isDeleting } from "./resource-version";
import type { Canvas, Deployment, Project, Service, Variable } from "./wire/shapes";

export type ById<T> =
  | { readonly kind: "found"; readonly value: T }
  /** 404 by id and absent from a schema-valid list; or its deletion was requested, and has ended unless `deleting` shows it. */
  | { readonly kind: "gone"; readonly deleting?: T }
  /** The route is missing and no list shows it: it may be archived, deleting, or gone. */
  | { readonly kind: "unreadable"; readonly reason: string };

/** The live state of a workspace. Each part is read at most once, and again after a write of ours. */
export type Reads = Pick<CachedReads, keyof CachedReads>;

/** A resource type that can be read and written. */
export type Resource = ResourceType<Reads, Endpoints>;

/** Reads live state over one endpoint set; failures are forgotten (DESIGN section 5). */
export const createReads = (endpoints: ConsistentEndpoints): Reads => new CachedReads(endpoints);

/** More requests ahead would keep the canvases of a large workspace waiting, and their answers in memory. */
const maxListsAhead = 500;

type RouteProof = "unproven" | "works" | "missing";

interface ReadFacts {
  isPrefetched?: true;
  serviceRoute: RouteProof;
  readonly variableLists: VariableLists;
  /** The canvas of the workspace was refused as too large. */
  isAboveLimit?: true;
}

/**
 * Live state, shared by every resource of a run: three requests (catalog, projects, canvas) show every active service with
 * its configuration (DESIGN section 5).
 */
class CachedReads {
  /** Uncached, for polling. */
  readonly live: Pick<
    Endpoints,
    Extract<keyof Endpoints, `${"get" | "list" | "reveal"}${string}` | "canvas">
  >;
  readonly remember: KnownVersions["remember"] = (...record) => this.#known.remember(...record);
  readonly expect: KnownVersions["expect"] = (...record) => this.#known.expect(...record);
  readonly contentAt: KnownVersions["contentAt"] = (...version) => this.#known.contentAt(...version);
  readonly changedAt: KnownVersions["changedAt"] = (serviceId) => this.#known.changedAt(serviceId);
  readonly timeAt: KnownVersions["timeAt"] = (date) => this.#known.timeAt(date);
  readonly noteDeleted: KnownVersions["noteDeleted"] = (id) => this.#known.noteDeleted(id);
  readonly serviceTime: KnownVersions["serviceTime"] = () => this.#known.serviceTime();

  readonly refuseDoubtful: Consistency["refuseDoubtful"] = (...asked) =>
    this.endpoints.consistency.refuseDoubtful(...asked);

  constructor(
    private readonly endpoints: ConsistentEndpoints,
    private readonly cache = new ReadCache(endpoints.consistency),
    /** Shared by all reads of a connection. */
    private readonly facts: ReadFacts = {
      serviceRoute: "unproven",
      variableLists: new VariableLists(endpoints.raw.listVariables),
    },
    private readonly preexistingIds: readonly string[] = [],
  ) {
    const listDeployments = this.#laterDeployments;
    this.live = preexistingIds.length === 0 ? endpoints : { ...endpoints, listDeployments };
  }

  /** Returns the same reads, as new as is asked for. */
  fresh(freshness: Freshness = {}): Reads {
    return new CachedReads(this.endpoints, this.cache.fresh(freshness), this.facts, this.preexistingIds);
  }

  /** Returns the same reads, whose lists leave out resources that existed before. */
  excluding(preexistingIds: readonly string[]): Reads {
    return new CachedReads(this.endpoints, this.cache, this.facts, preexistingIds);
  }

  #excludePreexisting<T extends { readonly id: string }>(listed: readonly T[]): readonly T[] {
    const { preexistingIds } = this;
    return preexistingIds.length === 0 ? listed : listed.filter(({ id }) => !preexistingIds.includes(id));
  }

  /** The list is newest first: a deployment behind a known one is older. */
  readonly #laterDeployments: Endpoints["listDeployments"] = async (...asked) => {
    const page = await this.endpoints.listDeployments(...asked);
    const end = page.items.findIndex(({ id }) => this.preexistingIds.includes(id));
    return end === -1 ? page : { ...page, items: page.items.slice(0, end) };
  };

  get #known(): KnownVersions {
    return this.endpoints.consistency.known;
  }

  /**
   * Looks for a resource that an unanswered write may have made, again with new reads while nothing is shown. It ends
   * `forMs` milliseconds after `since` (by the clock's `elapsed`), by default 30 seconds from now. After two seconds it
   * calls `onWait`.
   */
  async pollUntilVisible<T>(
    look: (reads: Reads) => Promise<readonly T[] | undefined>,
    wait: { readonly since?: number; readonly forMs?: number; readonly onWait?: () => void } = {},
  ): Promise<readonly T[] | undefined> {
    const { clock, options } = this.endpoints.consistency;
    const { since = clock.elapsed(), forMs = patienceMs, onWait } = wait;
    for (let looks = 0; ; looks += 1) {
      const seen = await look(looks > 0 ? this.fresh() : this);
      // A look that tells nothing may have failed in passing: it is repeated once.
      if (seen === undefined && looks === 0) continue;
      const remaining = since + forMs - clock.elapsed();
      if (seen === undefined || seen.length > 0 || remaining <= 0) return seen;
      if (looks === 2) onWait?.();
      await clock.sleep(Math.min(remaining, [500, 1500][looks] ?? 2000), options.signal);
    }
  }

  catalog() {
    this.prefetch();
    return this.cache.once("catalog", () => this.endpoints.catalog());
  }

  /** Every project. Throws `DiagnosticsError` (`live.stale`) if a project is in doubt, as the other reads do. */
  async projects(): Promise<readonly Project[]> {
    const { projects } = await this.#projects();
    this.refuseDoubtful("project");
    return this.#excludePreexisting(projects);
  }

  /** Returns true if the workspace shows anything: to a key that lost its membership, it shows nothing (DESIGN section 5). */
  async showAnything(): Promise<boolean> {
    if ((await this.#projects()).projects.length > 0) return true;
    const { services, complete } = await this.#services();
    return services.length > 0 || !complete;
  }

  /** From the list, else by id. */
  async project(id: string): Promise<ById<Project>> {
    const listed = await this.#entry("project", id, () => this.#projects());
    if (listed !== undefined) return { kind: "found", value: listed };
    return this.cache.once(`project ${id}`, () => this.#projectById(id));
  }

  /** Every active service of the workspace. Above the canvas limit it is read with a canvas per project. */
  async services(): Promise<readonly Service[]> {
    const { services } = await this.#services();
    this.refuseDoubtful("service");
    return services;
  }

  /** Returns the active services of a name in one project; null: outside of projects. */
  async servicesNamed(name: string, projectId: string | null): Promise<readonly Service[]> {
    // Above the canvas limit only the project is read: others may be many.
    const isApart = this.facts.isAboveLimit && projectId !== null;
    const listed = isApart ? (await this.layout(projectId)).nodes : (await this.#services()).services;
    this.refuseDoubtful("service", (known) => known.name === undefined || sameName(known.name, name));
    const named = this.#excludePreexisting(entriesNamed(listed, name));
    return named.filter((service) => (service.projectId ?? null) === projectId);
  }

  async groups(): Promise<Canvas["groups"]> {
    return (await this.#services()).groups;
  }

  /** The references between the services that the canvases show; the key of an environment group's edge is the group. */
  async consumers(): Promise<Consumers> {
    const { services, edges, complete } = await this.#services();
    this.refuseDoubtful("service");
    const { byId: projects } = await this.#projects();
    const byId = new Map(services.map((service) => [service.id, service]));
    const byProvider = new Map<string, Consumer[]>();
    for (const { kind, source, target, keys = [] } of edges) {
      const consumer = byId.get(source);
      if (kind !== "reference" || consumer === undefined || source === target) continue;
      const { name: project, environments = [] } = projects.get(consumer.projectId ?? "") ?? {};
      const at = environments.map(environmentOf).find(({ id }) => id === consumer.environmentId);
      const environment = at?.isProduction ? undefined : at?.name;
      append(byProvider, target, { id: source, name: consumer.name, keys, project, environment });
    }
    return { byProvider, isComplete: complete };
  }

  /** False when a canvas above its limit left ungrouped services out of `services()`. */
  async servicesAreComplete(): Promise<boolean> {
    return (await this.#services()).complete;
  }

  /** From the canvas, else by id: archived and deleting services are not on the canvas. */
  async service(id: string): Promise<ById<Service>> {
    const shown = await this.#entry("service", id, () => this.#services());
    if (shown !== undefined) return isDeleted(shown) ? { kind: "gone" } : { kind: "found", value: shown };
    return this.cache.once(`service ${id}`, () => this.#serviceById(id));
  }

  /** The same; gone only where a read by id has been seen to work. */
  async provenService(id: string): Promise<ById<Service>> {
    const read = await this.service(id);
    const isProven =
      read.kind !== "gone" || read.deleting !== undefined || this.facts.serviceRoute !== "unproven";
    return isProven ? read : noServiceRoute;
  }

  /** Undefined when the service has no route to list variables (404/405 for a service that exists). */
  async variables(
    serviceId: string,
    asks: VersionFilter = () => true,
  ): Promise<readonly Variable[] | undefined> {
    const part = `variables ${serviceId}`;
    const isOutdated = async (listed: readonly Variable[] | undefined, askedAt: number) =>
      listed !== undefined && this.endpoints.consistency.areStale(listed, serviceId, askedAt);
    const listed = await this.cache.current(part, () => this.#variables(part, serviceId), isOutdated);
    this.refuseDoubtful("variable", (known) => known.parentId === serviceId && asks(known));
    return listed && this.#excludePreexisting(listed);
  }

  #variables(part: string, serviceId: string): Promise<readonly Variable[] | undefined> {
    const { variableLists } = this.facts;
    return this.cache.once(part, async () => {
      if (variableLists.refusal !== undefined) return undefined;
      const exists = () =>
        this.service(serviceId).then(
          ({ kind }) => kind === "found",
          () => false,
        );
      const read = this.cache.sentAhead(part, () => variableLists.ask(serviceId, exists));
      const listing = this.endpoints.listVariables(serviceId, read);
      // Others could be too old when they are asked for.
      const beside = this.cache.hasAgeLimit ? [] : variableLists.leavingWith(serviceId);
      for (const id of beside) this.#sendListAhead(id);
      try {
        return await listing;
      } catch (failure) {
        // An archived service may not list its own.
        if (statusOf(failure) === 409) return undefined;
        if (!isNoRoute(failure) && statusOf(failure) !== 404) throw failure;
        return (await this.service(serviceId)).kind === "gone" ? [] : undefined;
      }
    });
  }

  /** Undefined where the service does not show it. */
  async deployment(serviceId: string, id: string): Promise<Deployment | undefined> {
    const shown = await this.#deployment(serviceId, id);
    return shown ?? unlessAbsent(() => this.endpoints.getDeployment(serviceId, id));
  }

  readonly #deployment = (serviceId: string, id: string) =>
    this.cache.once(`deployment ${id}`, () =>
      unlessAbsent(() => this.endpoints.raw.getDeployment(serviceId, id)),
    );

  layout(projectId: string): Promise<Canvas> {
    return this.cache.once(`canvas ${projectId}`, () =>
      this.endpoints.canvas({ projectId }, undefined, this.#deployment),
    );
  }

  /** Sends the three requests that show a workspace, whose answers are read once they are needed. */
  prefetch(): void {
    if (this.facts.isPrefetched) return;
    this.facts.isPrefetched = true;
    const { raw } = this.endpoints;
    this.catalog().catch(() => {});
    this.cache.sendAhead("projects", raw.listProjects);
    this.cache.sendAhead("services", () => raw.canvas());
  }

  /** Sends the requests for the variables of services that a state records, or of those with recorded variables. */
  prefetchVariables(of: "recorded services" | "recorded variables"): void {
    const recorded =
      of === "recorded services"
        ? this.#known.listed("service").map(({ id }) => id)
        : this.#known.listed("variable").flatMap(({ parentId }) => parentId ?? []);
    for (const id of recorded.slice(0, maxListsAhead))
      if (this.#known.of(id)?.absence === undefined) this.#sendListAhead(id);
  }

  /** Has the variables of a service asked for beside those of others. */
  expectVariables(serviceId: string): void {
    this.facts.variableLists.expected.add(serviceId);
  }

  #sendListAhead(id: string): void {
    this.cache.sendAhead(`variables ${id}`, () => this.facts.variableLists.ask(id));
  }

  async #entry<T extends Project | Service>(
    kind: "project" | "service",
    id: string,
    read: () => Promise<{ readonly byId: ReadonlyMap<string, T> }>,
  ): Promise<T | undefined> {
    const { byId } = await this.cache.current(`${kind}s`, read, async (list, askedAt) => {
      const shown = list.byId.get(id);
      if (shown === undefined) return false;
      return (
        this.#known.wasDeletedSince(id, askedAt) ||
        isStale(this.endpoints.consistency, this.#deployment, shown)
      );
    });
    this.refuseDoubtful(kind, (known) => known.id === id);
    return byId.get(id);
  }

  #projects() {
    this.prefetch();
    const read = this.cache.sentAhead("projects", this.endpoints.raw.listProjects);
    return this.cache.once("projects", async () => {
      const projects = await this.endpoints.listProjects(read);
      return { projects, byId: new Map(projects.map((project) => [project.id, project])) };
    });
  }

  #services(): Promise<ServiceList> {
    this.prefetch();
    return this.cache.once("services", () => this.#readServices());
  }

  async #readServices(): Promise<ServiceList> {
    try {
      const read = this.cache.sentAhead("services", () => this.endpoints.raw.canvas());
      return listOf([await this.endpoints.canvas({}, read, this.#deployment)], { complete: true });
    } catch (failure) {
      if (statusOf(failure) !== 413) throw failure;
      this.facts.isAboveLimit = true;
    }
    const { projects } = await this.#projects();
    return listOf(await Promise.all(projects.map(({ id }) => this.layout(id))), { complete: false });
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
    if (this.facts.serviceRoute === "missing") return noServiceRoute;
    try {
      const service = await this.endpoints.getService(id, () => this.#isServiceRouteMissing());
      this.facts.serviceRoute = "works";
      return serviceResult(service);
    } catch (failure) {
      if (isNoRoute(failure)) this.facts.serviceRoute = "missing";
      else if (statusOf(failure) !== 404) throw failure;
      return (await this.#isServiceRouteMissing()) ? noServiceRoute : { kind: "gone" };
    }
  }

  /** Returns true if there is no read of one service: a 404 says nothing while services that exist answer the same. */
  async #isServiceRouteMissing(): Promise<boolean> {
    if (this.facts.serviceRoute !== "unproven") return this.facts.serviceRoute === "missing";
    // Two ids, because a service may have been deleted since.
    const shown = (await this.#services()).services.slice(0, 2);
    for (const { id } of shown) {
      if ((await unlessAbsent(() => this.endpoints.raw.getService(id))) === undefined) continue;
      this.facts.serviceRoute = "works";
      return false;
    }
    if (shown.length > 0) this.facts.serviceRoute = "missing";
    return shown.length > 0;
  }
}

const noServiceRoute: ById<never> = {
  kind: "unreadable",
  reason:
    "the platform offers no way to read one service, and the canvas does not show it " +
    `(${gapVariable("readService")} names another path)`,
};

function serviceResult(service: Service): ById<Service> {
  if (!isDeleting(service)) return { kind: "found", value: service };
  return isDeleted(service) ? { kind: "gone" } : { kind: "gone", deleting: service };
}

const statusOf = (failure: unknown): number | undefined =>
  failure instanceof ApiError ? failure.status : undefined;
