import type { OperationStatus } from "../model/resource-operations";
import { type Clock, hasFraction, isOlder, systemClock } from "../model/time";
import { type ApiError, unlessAbsent } from "./api-error";
import { checkingCreatedId, SeenIds } from "./created-ids";
import type { CanvasScope, Endpoints } from "./endpoints";
import {
  type DoubtfulVersion,
  type KnownVersion,
  KnownVersions,
  mostSkewMs,
  recordWrites,
  staleError,
  type VersionFilter,
} from "./known-versions";
import type { Send } from "./request";
import { contentDigest, isDeleting, newestById, type ResourceVersion } from "./resource-version";
import type { Canvas, Deployment, Project, Service, Variable } from "./wire/shapes";

/** Milliseconds during which a read is repeated that contradicts our last write or another read. */
export const patienceMs = 30_000;

/** Milliseconds after our last write of a resource in which its absence does not prove a deletion. */
export const recentMs = 120_000;

export interface ConsistencyOptions {
  readonly clock?: Pick<Clock, "elapsed" | "now" | "sleep">;
  readonly signal?: AbortSignal;
  /** Returns the `Date` of the latest answer, milliseconds; undefined where it had none. */
  readonly serviceTime?: () => number | undefined;
  /** Tells people, once, that reads are repeated. */
  readonly say?: ((line: string) => void) | undefined;
  /** Older versions than the recorded ones are believed once they have lasted for 30 seconds. */
  readonly acceptsOlder?: boolean;
  /** The command that accepts a service restored from a backup. */
  readonly restoredHint?: string;
}

/** A reading, or its failure, and the resources that it shows as before our last write. */
type CheckedRead<T> = { readonly stale: readonly DoubtfulVersion[] } & (
  | { readonly value: T }
  | { readonly failure: unknown }
);

interface ListReading<T> {
  readonly read: () => Promise<readonly T[]>;
  /** Id of the project or service whose children it shows; all of the kind unless said. */
  readonly parentId?: string | undefined;
  /** Reads an entry by its id; undefined where that is not possible. */
  readonly readAlone?: (id: string) => Promise<T | undefined>;
  readonly isStale?: (shown: T) => Promise<boolean>;
  /** Returns other parts of the answer that are from before our last write. */
  readonly findOtherStale?: () => readonly KnownVersion[];
  /** Id of the project that is asked about. */
  readonly owner?: string | undefined;
}

/** Repeats reads until they are as new as our last writes. Shared by all endpoint sets of a process. */
export class Consistency {
  readonly known: KnownVersions;
  readonly seen = new SeenIds();
  readonly clock: Pick<Clock, "elapsed" | "now" | "sleep">;
  /** Rises with each write of ours, and with each demand for a new read. */
  order = 0;
  /** The order at the answer to our last write. */
  lastWrite = 0;
  /** Doubtful entries that each list leaves out after 30 seconds, by its kind and parent. */
  readonly #doubts = new Map<string, readonly DoubtfulVersion[]>();
  #hasReported = false;

  constructor(readonly options: ConsistencyOptions) {
    this.known = new KnownVersions(options.serviceTime, options.acceptsOlder);
    this.clock = options.clock ?? systemClock;
  }

  nextOrder(): number {
    this.order += 1;
    return this.order;
  }

  /** Marks all earlier reads as outdated: after a write of ours, or where they repeat a new secret. */
  expireReads(): void {
    this.lastWrite = this.nextOrder();
  }

  /**
   * Reads a list. Entries that are missing, or are from before our last write, are read by their ids. Entries in doubt
   * after 30 seconds are left out: `refuseDoubtful` fails callers that need them.
   */
  readList<T extends ResourceVersion>(kind: string, how: ListReading<T>): Promise<readonly T[]> {
    const { known, seen } = this;
    const { read, readAlone, parentId, findOtherStale = () => [] } = how;
    const isStale = how.isStale ?? (async (resource: T) => this.isStale(resource));
    const key = `${kind} ${parentId}`;
    const before = this.#doubts.get(key) ?? [];
    this.#doubts.delete(key);
    return this.retryUntilCurrent(async (isOver) => {
      const listed = newestById(await read()).filter(({ id }) => !this.#wasDeleted(id));
      seen.add(listed);
      const shown = new Map(listed.map((resource) => [resource.id, resource]));
      const checked = await Promise.all(listed.map(isStale));
      const doubtful = this.#missingFrom(kind, shown, parentId);
      for (const [at, { id }] of listed.entries())
        if (checked[at]) doubtful.push(known.of(id) ?? { id, kind, about: `${kind} ${id}` });
      const doubts: DoubtfulVersion[] = [];
      for (const version of doubtful) {
        const found = await readAlone?.(version.id);
        if (found === undefined || (await isStale(found)))
          doubts.push({ ...version, isMissing: found === undefined && !shown.has(version.id) });
        else if (found.archived !== true && !isDeleting(found)) shown.set(version.id, found);
        else {
          shown.delete(version.id);
          if (isDeleting(found)) known.noteDeleting(version.id, kind);
        }
      }
      const isWaitedFor = isOver || doubts.every(({ id }) => before.some((doubt) => doubt.id === id));
      if (!isWaitedFor || known.mayAccept(doubts))
        return { value: [...shown.values()], stale: [...findOtherStale(), ...doubts] };
      if (doubts.length > 0) this.#doubts.set(key, doubts);
      for (const { id } of doubts) shown.delete(id);
      return { value: [...shown.values()], stale: findOtherStale() };
    }, how.owner);
  }

  /** Throws `DiagnosticsError` (`live.stale`) where one of a kind that is asked for is in doubt. */
  refuseDoubtful(kind: string, asks: VersionFilter = () => true): void {
    const doubtful = [...this.#doubts.values()].flat().filter((doubt) => doubt.kind === kind && asks(doubt));
    if (doubtful.length > 0) throw staleError(doubtful, this.options.restoredHint);
  }

  /** Reads one resource. An id that is known of another kind is not expected to be found. */
  readById<T extends ResourceVersion>(
    kind: string,
    id: string,
    read: () => Promise<T>,
    isStale: (shown: T) => Promise<boolean> = async (shown) => this.isStale(shown),
    isInconclusive?: () => Promise<boolean>,
  ): Promise<T> {
    const attempt = async (): Promise<CheckedRead<T>> => {
      const value = await read();
      const known = this.known.of(id);
      const stale = known && (await isStale(value)) ? [known] : [];
      if (known && stale.length === 0 && isDeleting(value)) this.known.noteDeleting(id, known.kind);
      return { value, stale };
    };
    return this.retryUntilCurrent(attempt, this.known.of(id)?.kind === kind ? id : "", isInconclusive);
  }

  /**
   * Repeats `attempt` until nothing in it is stale. A missing resource is stale if one of `asked` must exist, unless
   * `isInconclusive` says that a 404 proves nothing. Throws `DiagnosticsError` (`live.stale`) with the last attempt after 30 seconds.
   */
  async retryUntilCurrent<T>(
    attempt: (isOver: boolean) => Promise<CheckedRead<T>>,
    asked: string | readonly string[] = [],
    isInconclusive = async () => false,
  ): Promise<T> {
    const { clock } = this;
    const { signal, say, restoredHint } = this.options;
    const endsAt = clock.elapsed() + patienceMs;
    for (let pause = 250; ; pause = Math.min(2 * pause, 4000)) {
      const isOver = clock.elapsed() >= endsAt;
      const reading = await attempt(isOver).catch(async (failure: unknown): Promise<CheckedRead<T>> => {
        const { status, code } = failure as Partial<ApiError>;
        const ids = status === 404 || code === "canvas_invalid_node" ? [asked].flat() : [];
        const stale = ids.flatMap((id) => this.known.of(id) ?? []).filter((one) => this.mustExist(one));
        if (stale.length === 0 || (await isInconclusive())) throw failure;
        return { failure, stale: stale.map((one) => ({ ...one, isMissing: true })) };
      });
      if (reading.stale.length === 0 || (isOver && this.known.mayAccept(reading.stale))) {
        if ("failure" in reading) throw reading.failure;
        return reading.value;
      }
      if (isOver) throw staleError(reading.stale, restoredHint);
      if (!this.#hasReported) say?.("The platform's reads are behind our last write; looking again …");
      this.#hasReported = true;
      await clock.sleep(pause, signal);
    }
  }

  /** Returns true if `shown` is from before our last write of it. */
  isStale(shown: ResourceVersion): boolean {
    const known = this.known.of(shown.id);
    if (known === undefined) return false;
    if (isOlder(shown.updatedAt, known.updatedAt)) return true;
    // Two versions may have one time where the service counts in whole seconds.
    const isWhole = ![known.updatedAt, shown.updatedAt].some(hasFraction);
    const mayShareTime = isWhole && !isOlder(known.updatedAt, shown.updatedAt);
    if (!mayShareTime || known.content === undefined || !this.isRecentWrite(known)) return false;
    return contentDigest(shown) !== known.content;
  }

  /** Returns true if variables of a service, asked for at `askedAt`, are shown as before our last writes, or are left out. */
  areStale(variables: readonly ResourceVersion[], serviceId: string, askedAt: number): boolean {
    const shown = new Map(variables.map((variable) => [variable.id, variable]));
    const doubts = this.#doubts.get(`variable ${serviceId}`) ?? [];
    return (
      this.#missingFrom("variable", shown, serviceId).some(
        ({ id }) => !doubts.some((doubt) => doubt.id === id),
      ) ||
      variables.some((variable) => this.isStale(variable) || this.known.wasDeletedSince(variable.id, askedAt))
    );
  }

  /** Returns true if only a stale read leaves it out. */
  mustExist(known: KnownVersion): boolean {
    return (known.absence ?? "archived") === "archived" && this.isRecentWrite(known);
  }

  /** Returns true if it was written in the last two minutes by the service's clock, or may have been, as far as ours tells. */
  isRecentWrite({ updatedAt, writtenAt, isWritten }: KnownVersion): boolean {
    const at = writtenAt ?? updatedAt;
    if (at === undefined) return isWritten === true;
    const now = this.known.serviceTime() ?? this.clock.now() - mostSkewMs;
    return now - Date.parse(at) < recentMs;
  }

  /** Returns the resources of a kind, and of a parent where that is given, that a list has to show and leaves out. */
  #missingFrom(
    kind: string,
    shown: ReadonlyMap<string, ResourceVersion>,
    parentId: string | undefined,
  ): KnownVersion[] {
    const isMissing = (known: KnownVersion): boolean =>
      known.absence === undefined && !shown.has(known.id) && this.isRecentWrite(known);
    return this.known.listed(kind, parentId).filter(isMissing);
  }

  /** Returns true if it was deleted by us: a list that shows it is stale. */
  #wasDeleted(id: string): boolean {
    const known = this.known.of(id);
    return known?.absence === "deleted" && this.isRecentWrite(known);
  }
}

/** Reads a deployment by the ids of its service and its own. */
type ReadDeployment = (serviceId: string, id: string) => Promise<Deployment | undefined>;

/** Endpoints whose reads are as new as our writes, over `raw` ones. */
export interface ConsistentEndpoints extends Endpoints {
  readonly raw: Endpoints;
  readonly consistency: Consistency;
  /** `read` sends the request, or returns the answer to a request that was sent already. */
  listProjects(read?: () => Promise<readonly Project[]>): Promise<readonly Project[]>;
  canvas(scope?: CanvasScope, read?: () => Promise<Canvas>, deployment?: ReadDeployment): Promise<Canvas>;
  listVariables(serviceId: string, read?: () => Promise<readonly Variable[]>): Promise<readonly Variable[]>;
  /** `isRouteMissing` returns true if a 404 says nothing, because there is no read of one service. */
  getService(id: string, isRouteMissing?: () => Promise<boolean>): Promise<Service>;
}

/** Returns a maker of endpoints whose reads are as new as the record, and as the writes that go through any of them. */
export function consistently(
  make: (send: Send) => Endpoints,
  options: ConsistencyOptions = {},
): (send: Send) => ConsistentEndpoints {
  const consistency = new Consistency(options);
  return (send) => {
    const raw = make(async (request, how) => {
      const isRead = request.method === "GET" || request.reveals !== undefined;
      try {
        return await send(checkingCreatedId(request, consistency), how);
      } finally {
        if (!isRead) consistency.expireReads();
      }
    });
    const writes = recordWrites(raw, consistency.known, consistency.clock);
    return { ...raw, raw, consistency, ...reads(raw, consistency), ...writes };
  };
}

function reads(raw: Endpoints, consistency: Consistency) {
  const { known, seen } = consistency;
  const deploymentIn: ReadDeployment = (...ids) => unlessAbsent(() => raw.getDeployment(...ids));
  return {
    listProjects: async (read = raw.listProjects) => {
      const readAlone = (id: string) => unlessAbsent(() => raw.getProject(id));
      return consistency.readList("project", { read, readAlone });
    },
    getProject: (id) => consistency.readById("project", id, () => raw.getProject(id)),
    canvas: async (scope = {}, read = () => raw.canvas(scope), deployment = deploymentIn) => {
      const { projectId, environmentId } = scope;
      // A layout that was reset may be unsaved again, at revision 0 (interface, "Canvas", rules 3 and 4).
      const isOutdated = (revision: number, saved: KnownVersion): boolean =>
        revision < (saved.revision ?? 0) && (revision > 0 || consistency.isRecentWrite(saved));
      const layout = environmentId === undefined ? known.of(projectId ?? "", "layout") : undefined;
      // The canvas that was read last.
      let whole = {} as Canvas;
      const nodes = await consistency.readList("service", {
        owner: projectId,
        read: async () => {
          whole = await read();
          return whole.nodes;
        },
        parentId: projectId,
        readAlone: (id) => unlessAbsent(() => raw.getService(id)),
        isStale: (service) => isStale(consistency, deployment, service),
        findOtherStale: () => (layout && isOutdated(whole.layout.revision, layout) ? [layout] : []),
      });
      return {
        ...whole,
        nodes: nodes.filter((node) => [undefined, node.environmentId].includes(environmentId)),
      };
    },
    // The platform refuses places of nodes that its canvas does not show yet.
    saveCanvas: (scope, body) =>
      consistency.retryUntilCurrent<Canvas>(async () => {
        const value = await raw.saveCanvas(scope, body);
        known.noteLayout(scope.projectId ?? "", value.layout.revision);
        return { value, stale: [] };
      }, Object.keys(body.positions)),
    getService: (id, isRouteMissing) =>
      consistency.readById(
        "service",
        id,
        () => raw.getService(id),
        (service) => isStale(consistency, deploymentIn, service),
        isRouteMissing,
      ),
    listVariables: (serviceId, read = () => raw.listVariables(serviceId)) =>
      consistency.readList("variable", { read, parentId: serviceId }),
    getDeployment: (serviceId, id) =>
      consistency.readById("deployment", id, () => raw.getDeployment(serviceId, id)),
    listDeployments: (serviceId, page = {}) => {
      const read = () => raw.listDeployments(serviceId, page);
      if (page.cursor !== undefined) return read();
      return consistency.retryUntilCurrent(async () => {
        const value = await read();
        seen.add(value.items);
        const last = known.lastDeployment(serviceId);
        if (!last || !value.available) return { value, stale: [] };
        // The list is newest first, and a page may end between two of one time.
        const isCut = value.page?.hasMore;
        const isShown = value.items.some(({ id, createdAt }) =>
          isCut && id !== last.id
            ? !isOlder(createdAt, last.updatedAt)
            : id === last.id || isOlder(last.updatedAt, createdAt),
        );
        const isBefore = isOlder(value.items[0]?.createdAt, last.updatedAt);
        return { value, stale: !isShown && (isBefore || consistency.mustExist(last)) ? [last] : [] };
      }, serviceId);
    },
  } satisfies Partial<ConsistentEndpoints>;
}

/** Returns true if a project or service is shown as before our last write of it, or before our last deployment. */
export async function isStale(
  consistency: Consistency,
  deployment: ReadDeployment,
  shown: Project | Service,
): Promise<boolean> {
  if (consistency.isStale(shown)) return true;
  const { id, deploymentId: latest, liveDeploymentId: serving } = shown as Service;
  const last = consistency.known.lastDeployment(id);
  if (last === undefined || !consistency.isRecentWrite(last)) return false;
  if (latest == null) return true;
  // A deployment of the same time, or that cannot be read, is another user's.
  if (latest !== last.id) return isOlder((await deployment(id, latest))?.createdAt, last.updatedAt);
  // A suspended or archived service may show no release.
  if (serving == null || serving === latest) return false;
  return (await deployment(id, latest))?.status === "live";
}

/** Returns that reads do not show an end that has to come. Where that lasts, it has failed, or no read ever shows it. */
export const unprovenStatus = (
  status: string,
  summary: string,
  kind: "failed" | "unproven" = "failed",
): OperationStatus => ({ kind: "waiting", status, atMost: { ms: patienceMs, end: { kind, summary } } });
