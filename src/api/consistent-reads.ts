import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import { shortList } from "../model/text";
import { type Clock, isoTime, systemClock } from "../model/time";
import { ApiError, GAP_OFF } from "./api-error";
import type { CanvasScope, DeploymentsPage, Endpoints } from "./endpoints";
import { isOlder, type Known, KnownVersions, newestById, type Shown } from "./known-versions";
import type { ApiRequest, Send } from "./send";
import type { Canvas, Deletion, Project, Service, Variable } from "./wire/shapes";

/** How long a read that is older than our last write is repeated, milliseconds. */
const patienceMs = 30_000;

export interface ConsistencyOptions {
  readonly clock?: Pick<Clock, "elapsed" | "sleep">;
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

/** One reading, or its failure, and the resources that it shows as before our last write. */
type Reading<T> = { readonly stale: readonly Known[] } & (
  | { readonly value: T }
  | { readonly failure: unknown }
);

/** How a list is read. */
interface ListReading<Whole, T> {
  readonly read: () => Promise<Whole>;
  readonly entriesOf: (whole: Whole) => readonly T[];
  /** Returns true if the list has to show `known`; all of its kind unless said. */
  readonly mustShow?: (known: Known) => boolean;
  /** Reads an entry by its id; undefined where that is not possible. */
  readonly alone?: (id: string) => Promise<T | undefined>;
  readonly isStale?: (shown: T) => Promise<boolean>;
  /** Returns what the rest of the answer shows as before our last write. */
  readonly wholeStale?: (whole: Whole) => readonly Known[];
  /** Id of the project that is asked about. */
  readonly owner?: string | undefined;
}

/** The answer to a request for a list, its entries, and those that no list shows. */
interface Listed<Whole, T> {
  readonly whole: Whole;
  readonly entries: readonly T[];
  readonly hidden: readonly T[];
}

/** Repeats reads until they are as new as our last writes. Shared by all endpoint sets of a process. */
export class Consistency {
  readonly known: KnownVersions;
  readonly clock: Pick<Clock, "elapsed" | "sleep">;
  #hasTold = false;

  constructor(private readonly options: ConsistencyOptions) {
    this.known = new KnownVersions(options.serviceTime);
    this.clock = options.clock ?? systemClock;
  }

  list<Whole, T extends Shown>(kind: string, how: ListReading<Whole, T>): Promise<Listed<Whole, T>> {
    const { known } = this;
    const { read, entriesOf, alone, mustShow = () => true } = how;
    const isStale = how.isStale ?? (async (one: T) => known.isStale(one));
    return this.untilCurrent(async () => {
      const whole = await read();
      const listed = newestById(entriesOf(whole)).filter((one) => !known.wasDeleted(one));
      known.lists(listed);
      const shown = new Map(listed.map((one) => [one.id, one]));
      const missing = known.listed(kind).filter((one) => !shown.has(one.id) && mustShow(one));
      const older: Known[] = [];
      for (const one of listed)
        if (await isStale(one))
          older.push(known.of(one.id) ?? { id: one.id, kind, about: `${kind} ${one.id}` });
      const hidden: T[] = [];
      const stale = [...(how.wholeStale?.(whole) ?? [])];
      for (const one of [...missing, ...older]) {
        const found = await alone?.(one.id);
        if (found === undefined || (await isStale(found))) {
          stale.push(one);
          continue;
        }
        if (isListed(found)) shown.set(one.id, found);
        else {
          shown.delete(one.id);
          hidden.push(found);
          if (isLeaving(found)) known.noteDeleting(one.id, kind);
        }
      }
      return { value: { whole, entries: [...shown.values()], hidden }, stale };
    }, how.owner);
  }

  /** Reads one resource. After a 404 it is looked for `elsewhere`: "no route" where a 404 says nothing of it. */
  one<T extends Shown>(
    id: string,
    read: () => Promise<T>,
    elsewhere: () => Promise<T | "no route" | undefined>,
    isStale: (shown: T) => Promise<boolean> = async (shown) => this.known.isStale(shown),
  ): Promise<T> {
    return this.untilCurrent<T>(async () => {
      const known = this.known.of(id);
      try {
        const value = await read();
        const stale = known && (await isStale(value)) ? [known] : [];
        if (known && stale.length === 0 && isLeaving(value)) this.known.noteDeleting(id, known.kind);
        return { value, stale };
      } catch (failure) {
        if (!isNotFound(failure) || !known || !this.known.mustExist(known)) throw failure;
        const found = await elsewhere();
        if (found === "no route") throw failure;
        return found && !(await isStale(found)) ? { value: found, stale: [] } : { failure, stale: [known] };
      }
    });
  }

  /**
   * Repeats `attempt` until nothing in it is stale; a 404 is stale where `owner`, which it is asked about, must exist.
   * Throws `DiagnosticsError` (`live.stale`) after 30 seconds.
   */
  async untilCurrent<T>(attempt: () => Promise<Reading<T>>, owner = ""): Promise<T> {
    const { clock } = this;
    const { signal, say } = this.options;
    const endsAt = clock.elapsed() + patienceMs;
    for (let pause = 250; ; pause = Math.min(2 * pause, 4000)) {
      const reading = await attempt().catch((failure: unknown): Reading<T> => {
        const known = isNotFound(failure) ? this.known.of(owner) : undefined;
        if (!known || !this.known.mustExist(known)) throw failure;
        return { failure, stale: [known] };
      });
      const isOver = clock.elapsed() >= endsAt;
      if (reading.stale.length === 0 || (isOver && reading.stale.every((one) => this.#accepts(one)))) {
        if ("failure" in reading) throw reading.failure;
        return reading.value;
      }
      if (isOver) throw staleError(reading.stale, this.options.restoredHint);
      if (!this.#hasTold) say?.("The service's reads are behind our last write; looking again …");
      this.#hasTold = true;
      await clock.sleep(pause, signal);
    }
  }

  /**
   * Looks for what an unanswered write may have made, and while nothing is shown again, until `forMs` milliseconds after
   * `since` (by the clock's `elapsed`): 30 seconds from now unless said. `onWait` is called once where that takes longer
   * than two seconds.
   */
  async untilVisible<T>(
    look: (looks: number) => Promise<readonly T[] | undefined>,
    wait: {
      readonly since?: number;
      readonly forMs?: number;
      readonly onWait?: (() => void) | undefined;
    } = {},
  ): Promise<readonly T[] | undefined> {
    const { clock } = this;
    const { signal } = this.options;
    const { since = clock.elapsed(), forMs = patienceMs, onWait } = wait;
    for (let looks = 0; ; looks += 1) {
      const seen = await look(looks);
      // A look that tells nothing may have failed in passing: it is repeated once.
      if (seen === undefined && looks === 0) continue;
      const left = since + forMs - clock.elapsed();
      if (seen === undefined || seen.length > 0 || left <= 0) return seen;
      if (looks === 2) onWait?.();
      await clock.sleep(Math.min(left, [500, 1500][looks] ?? 2000), signal);
    }
  }

  #accepts({ acceptsOlder, isWritten }: Known): boolean {
    return !isWritten && (acceptsOlder === true || this.options.acceptsOlder === true);
  }
}

/** Endpoints whose reads are as new as our writes, over `raw` ones. */
export interface ConsistentEndpoints extends Endpoints {
  readonly raw: Endpoints;
  readonly consistency: Consistency;
  /** `sent` is the answer to a request that was sent before the record was read. */
  listProjects(sent?: Promise<readonly Project[]>): Promise<readonly Project[]>;
  canvas(scope?: CanvasScope, sent?: Promise<Canvas>): Promise<ConsistentCanvas>;
}

/** A canvas, and the services that were read by their ids because it does not show them. */
export interface ConsistentCanvas extends Canvas {
  readonly hidden?: readonly Service[];
}

/** Returns a maker of endpoints whose reads are as new as the record, and as the writes that go through any of them. */
export function consistently(
  make: (send: Send) => Endpoints,
  options: ConsistencyOptions = {},
): (send: Send) => ConsistentEndpoints {
  const consistency = new Consistency(options);
  const { known } = consistency;
  return (send) => {
    const raw = make((request, how) => send(makingNew(request, known), how));
    return { ...raw, raw, consistency, ...reads(raw, consistency), ...notedWrites(raw, known) };
  };
}

/** Returns the same request; where it makes something, an answer with what existed before is about another. */
function makingNew(request: ApiRequest, known: KnownVersions): ApiRequest {
  const { method, path, about } = request;
  if (method !== "POST" || !about) return request;
  const isPreexisting = known.preexisting();
  const sentAt = isoTime(known.serviceTime());
  return {
    ...request,
    about: (body) => {
      const found = about(body);
      const { id, createdAt } = found;
      if (found.mismatch !== undefined || id === undefined || path.includes(id)) return found;
      if (isPreexisting(id)) {
        const mismatch = "its id was there before, or is recorded for something else";
        return { ...found, mismatch, isKnown: true };
      }
      if (!isOlder(createdAt, sentAt)) return found;
      return { ...found, mismatch: "it was created before the request", isKnown: true };
    },
  };
}

function reads(raw: Endpoints, consistency: Consistency) {
  const { known } = consistency;
  const isServiceStale = (service: Service) => isStale({ raw, consistency }, service);
  return {
    listProjects: async (sent) => {
      const alone = (id: string) => unlessAbsent(() => raw.getProject(id));
      const entriesOf = (listed: readonly Project[]) => listed;
      const read = firstFrom(sent, raw.listProjects);
      return (await consistency.list("project", { read, alone, entriesOf })).entries;
    },
    getProject: (id) => {
      const listed = async () => (await raw.listProjects()).find((one) => one.id === id);
      return consistency.one(id, () => raw.getProject(id), listed);
    },
    canvas: async (scope = {}, sent) => {
      const { projectId, environmentId } = scope;
      const layout = known.of(projectId ?? "", "layout");
      const { whole, entries, hidden } = await consistency.list("service", {
        owner: projectId,
        read: firstFrom(sent, () => raw.canvas(scope)),
        entriesOf: ({ nodes }: Canvas) => nodes,
        mustShow: ({ parentId }) =>
          environmentId === undefined && (projectId === undefined || parentId === projectId),
        alone: (id) => unlessAbsent(() => raw.getService(id)),
        isStale: isServiceStale,
        wholeStale: (canvas) => (layout && canvas.layout.revision < (layout.revision ?? 0) ? [layout] : []),
      });
      return { ...whole, nodes: [...entries], hidden };
    },
    getService: (id) => {
      const elsewhere = async () => ((await isRouteMissing(raw, id)) ? ("no route" as const) : undefined);
      return consistency.one(id, () => raw.getService(id), elsewhere, isServiceStale);
    },
    listVariables: async (serviceId) => {
      const { entries } = await consistency.list("variable", {
        read: () => raw.listVariables(serviceId),
        entriesOf: (listed: readonly Variable[]) => listed,
        mustShow: ({ parentId }) => parentId === serviceId,
      });
      return entries;
    },
    getDeployment: (serviceId, id) => {
      const listed = async () => (await raw.listDeployments(serviceId)).items.find((one) => one.id === id);
      return consistency.one(id, () => raw.getDeployment(serviceId, id), listed);
    },
    listDeployments: (serviceId, page = {}) => {
      const read = (): Promise<DeploymentsPage> => raw.listDeployments(serviceId, page);
      if (page.cursor !== undefined) return read();
      return consistency.untilCurrent(async () => {
        const value = await read();
        known.lists(value.items);
        const last = known.lastDeployment(serviceId);
        if (!last || !value.available || !known.mustExist(last)) return { value, stale: [] };
        const isShown = value.items.some(
          ({ id, createdAt }) => id === last.id || isOlder(last.updatedAt, createdAt),
        );
        return { value, stale: isShown ? [] : [last] };
      }, serviceId);
    },
  } satisfies Partial<ConsistentEndpoints>;
}

/** Returns true if a project or service is shown as before our last write of it, or before our last deployment. */
export async function isStale(
  { raw, consistency: { known } }: Pick<ConsistentEndpoints, "raw" | "consistency">,
  shown: Project | Service,
): Promise<boolean> {
  if (known.isStale(shown)) return true;
  const { id, deploymentId: latest, deploymentUpdatedAt, liveDeploymentId: serving } = shown as Service;
  const last = known.lastDeployment(id);
  if (last === undefined) return false;
  if (latest == null) return known.isRecentWrite(last);
  if (latest !== last.id) return isOlder(deploymentUpdatedAt, last.updatedAt);
  if (serving === latest || !known.isRecentWrite(last)) return false;
  return (await unlessAbsent(() => raw.getDeployment(id, latest)))?.status === "live";
}

/** What is known of a route that the interface does not show. */
export type RouteProof = "unproven" | "works" | "missing";

/** Returns whether there is a read of one service: a 404 of one says nothing while services that exist answer the same. */
export async function proveRoute(raw: Endpoints, services: readonly Service[]): Promise<RouteProof> {
  // Two ids, because a service may have been deleted since.
  const known = services.slice(0, 2);
  for (const { id } of known) if (await unlessAbsent(() => raw.getService(id))) return "works";
  return known.length === 0 ? "unproven" : "missing";
}

/** Returns true if a 404 says nothing of `id`: the canvas shows it, or there is no read of one service. */
async function isRouteMissing(raw: Endpoints, id: string): Promise<boolean> {
  const { nodes } = await raw.canvas().catch((failure: unknown) => {
    if (failure instanceof ApiError && failure.status === 413) return { nodes: [] };
    throw failure;
  });
  return nodes.some((node) => node.id === id) || (await proveRoute(raw, nodes)) === "missing";
}

function notedWrites(raw: Endpoints, known: KnownVersions) {
  const project = async (answer: Promise<Project>) => known.wrote("project", await answer);
  const service = async (answer: Promise<Service>) => known.wrote("service", await answer);
  const deletes = (kind: string, id: string, answer: Promise<Deletion>) => {
    known.noteDeleting(id, kind);
    return answer;
  };
  return {
    createProject: (body) => project(raw.createProject(body)),
    updateProject: (...args) => project(raw.updateProject(...args)),
    deleteProject: (id, name) => deletes("project", id, raw.deleteProject(id, name)),
    createService: (body) => service(raw.createService(body)),
    updateService: (...args) => service(raw.updateService(...args)),
    archiveService: (...args) => service(raw.archiveService(...args)),
    restoreService: (...args) => service(raw.restoreService(...args)),
    deleteService: (id, name) => deletes("service", id, raw.deleteService(id, name)),
    createVariable: async (id, body) => known.wrote("variable", await raw.createVariable(id, body), id),
    updateVariable: async (service, ...args) =>
      known.wrote("variable", await raw.updateVariable(service, ...args), service),
    deleteVariable: (service, id) => deletes("variable", id, raw.deleteVariable(service, id)),
    queueDeployment: async (id, body) => known.queued(id, await raw.queueDeployment(id, body)),
    runDeployAction: async (id, action) => known.queued(id, await raw.runDeployAction(id, action)),
    rollBack: async (id, ...args) => known.queued(id, await raw.rollBack(id, ...args)),
    saveCanvas: async (scope, body) => known.saved(scope.projectId ?? "", await raw.saveCanvas(scope, body)),
  } satisfies Partial<Endpoints>;
}

/** Returns true if a list shows it. */
const isListed = (shown: Shown): boolean =>
  (shown as Partial<Service>).archived !== true && !isLeaving(shown);

const isLeaving = (shown: Shown): boolean => {
  const { deletedAt, deletionRequestedAt } = shown as Partial<Service>;
  return deletedAt != null || deletionRequestedAt != null;
};

/** Returns a read whose first answer is that of a request that was sent already, if any. */
function firstFrom<T>(sent: Promise<T> | undefined, read: () => Promise<T>): () => Promise<T> {
  let first = sent;
  return () => {
    const answer = first ?? read();
    first = undefined;
    return answer;
  };
}

const isNotFound = (failure: unknown): boolean => failure instanceof ApiError && failure.status === 404;

/** Returns undefined where the service answers 404 or 405, or a setting turned the route off. */
async function unlessAbsent<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (failure) {
    if (!(failure instanceof ApiError)) throw failure;
    if (failure.status === 404 || failure.status === 405 || failure.code === GAP_OFF) return undefined;
    throw failure;
  }
}

const staleError = (stale: readonly Known[], restoredHint = "rnv apply -refresh-only"): DiagnosticsError => {
  const names = stale.map(({ about }) => about);
  return new DiagnosticsError([
    error("live.stale", `the API still shows ${shortList(names)} as before our last change`, {
      ...(names.length === 1 && { address: names[0] }),
      detail:
        "rnv read it again for 30 seconds. What is not shown may exist, and what is shown may be deleted.",
      hint: `Run the command again in two minutes. If the platform was restored from a backup: ${restoredHint}`,
    }),
  ]);
};
