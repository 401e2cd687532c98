import { type DiagnosticsError, failure } from "../diagnostics/diagnostic";
import type { RecordedResource, State } from "../model/state";
import { type Clock, hasFraction, isOlder, isoTime } from "../model/time";
import { shortList } from "../model/wording";
import type { Endpoints } from "./endpoints";
import { contentDigest, type ResourceVersion } from "./resource-version";
import type { Deletion, Deployment, Project, Service, Variable } from "./wire/shapes";

/** The newest version of a resource that our writes or the record prove. */
export interface KnownVersion {
  readonly id: string;
  readonly kind: string;
  /** Its address, else its kind and name. */
  readonly about: string;
  readonly name?: string | undefined;
  /** Id of its project or service. */
  readonly parentId?: string | undefined;
  /** By the service's clock, ISO 8601; of a deployment, when it was queued. */
  readonly updatedAt?: string | undefined;
  /** When it was written, by the service's clock, where it has no `updatedAt`. */
  readonly writtenAt?: string | undefined;
  /** Digest of the fields that writes set, from the answer to our last write; only if two versions may have the same time. */
  readonly content?: string | undefined;
  readonly revision?: number | undefined;
  /** This process wrote it. */
  readonly isWritten?: boolean;
  /** When the request to delete it was answered, by the clock's `elapsed`. */
  readonly deletionAnsweredAt?: number | undefined;
  /** Why no list may show it: it is archived, its deletion was requested, or has ended. */
  readonly absence?: "archived" | "deleting" | "deleted" | undefined;
}

/** A resource that is shown as before our last write of it, or is missing. */
export type DoubtfulVersion = KnownVersion & { readonly isMissing?: boolean };

export type VersionFilter = (known: KnownVersion) => boolean;

export class KnownVersions {
  /** By id; layouts have that of their project. */
  readonly #known = new Map<string, KnownVersion>();
  /** The ids of each kind, and of each kind under one parent. */
  readonly #ids = new Map<string, Set<string>>();
  /** The last deployment of each service, by the id of the service. */
  readonly #deployments = new Map<string, KnownVersion>();

  /**
   * `serviceTime` returns the `Date` of the service's latest answer, milliseconds; undefined where it had none. With
   * `acceptsOlder` older versions than the recorded ones may be accepted.
   */
  constructor(
    readonly serviceTime: () => number | undefined = () => undefined,
    private acceptsOlder = false,
  ) {}

  /** Replaces the record by that of a state. */
  remember(
    { resources, deleted = {}, open }: Pick<State, "resources" | "deleted" | "open">,
    acceptsOlder = false,
  ): void {
    this.acceptsOlder = acceptsOlder;
    for (const [key, { isWritten }] of this.#known) if (!isWritten) this.#known.delete(key);
    for (const [id, { type: kind, address: about, at: writtenAt }] of Object.entries(deleted))
      this.#expect({ id, kind, about, writtenAt, absence: "deleted" });
    const openAt = new Map(open.map(({ address, method }) => [`${address}`, method]));
    for (const [about, recorded] of Object.entries(resources)) {
      const { applied, parent } = recorded;
      const parentId = applied.serviceId ?? applied.projectId ?? (parent && resources[parent]?.id);
      this.expect(about, recorded, {
        parentId: typeof parentId === "string" ? parentId : undefined,
        openMethod: openAt.get(about),
      });
    }
  }

  /** Takes in the record of one resource. `openMethod`: that of its last write, which was not answered. */
  expect(
    about: string,
    recorded: RecordedResource,
    { parentId, openMethod }: { readonly parentId?: string; readonly openMethod?: string | undefined },
  ): void {
    const { type: kind, id, name, updatedAt, writtenAt, computed, applied } = recorded;
    const isDeleting =
      recorded.pending?.deletes || recorded.deletionFailed !== undefined || openMethod === "DELETE";
    const isArchived = recorded.retained || applied.archived === true;
    this.#expect({
      id,
      kind,
      name,
      about,
      parentId,
      updatedAt,
      writtenAt,
      // A write without an answer may have changed it in the same second.
      content: openMethod === undefined ? recorded.content : undefined,
      revision: typeof computed.revision === "number" ? computed.revision : undefined,
      absence: isDeleting ? "deleting" : isArchived ? "archived" : undefined,
    });
  }

  noteWrite<T extends ResourceVersion>(kind: string, shown: T, parentId?: string): T {
    const { id, name, key, projectId, archived, updatedAt } = shown as T & Partial<Service & Variable>;
    this.#noteOwn({
      id,
      kind,
      name: name ?? key,
      about: `${kind} ${JSON.stringify(name ?? key)}`,
      content: hasFraction(updatedAt) ? undefined : contentDigest(shown),
      parentId: parentId ?? projectId ?? undefined,
      updatedAt: updatedAt ?? undefined,
      absence: archived ? "archived" : undefined,
    });
    return shown;
  }

  noteDeployment(parentId: string, deployment: Deployment): Deployment {
    const { id, createdAt } = deployment;
    const about = `deployment ${id}`;
    this.#noteOwn({ id, kind: "deployment", about, parentId, updatedAt: createdAt ?? undefined });
    return deployment;
  }

  noteLayout(id: string, revision: number): void {
    this.#noteOwn({ id, kind: "layout", about: "the layout", revision });
  }

  /** Takes in that a deletion is requested, by us or by another user; `answeredAt`: when ours was answered. */
  noteDeleting(id: string, kind: string, answeredAt?: number): void {
    const known = this.of(id) ?? { id, kind, about: `${kind} ${id}` };
    const deletionAnsweredAt = answeredAt ?? known.deletionAnsweredAt;
    if (known.absence !== "deleted")
      this.#store({ ...known, isWritten: true, absence: "deleting", deletionAnsweredAt });
  }

  /** Returns true if our request to delete it was answered after `elapsed`: a read from then proves nothing. */
  wasDeletedSince(id: string, elapsed: number): boolean {
    return (this.of(id)?.deletionAnsweredAt ?? Number.NEGATIVE_INFINITY) >= elapsed;
  }

  /** Takes in that a deletion is proven. */
  noteDeleted(id: string): void {
    const known = this.of(id);
    if (known) this.#noteOwn({ ...known, updatedAt: undefined, absence: "deleted" });
  }

  /** Returns the digest from the answer to our last write, if that is of `updatedAt`. */
  contentAt(id: string, updatedAt: string | undefined): string | undefined {
    const known = this.of(id);
    return known?.updatedAt === updatedAt ? known?.content : undefined;
  }

  /** Returns the known version of a resource; with `layout` that of the layout of a project. */
  of(id: string, kind?: "layout"): KnownVersion | undefined {
    return this.#known.get(keyOf(id, kind));
  }

  listed(kind: string, parentId = ""): readonly KnownVersion[] {
    const known = [...(this.#ids.get(`${kind} ${parentId}`) ?? [])].flatMap((id) => this.of(id) ?? []);
    return known.filter(
      (version) => version.kind === kind && (parentId === "" || version.parentId === parentId),
    );
  }

  lastDeployment(serviceId: string): KnownVersion | undefined {
    return this.#deployments.get(serviceId);
  }

  /**
   * Returns when a service or its variables last changed, as far as the writes and the record tell: an earlier deployment
   * does not bring that.
   */
  changedAt(serviceId: string): string | undefined {
    const changed = [this.of(serviceId), ...this.listed("variable", serviceId)].map(
      (known) => known?.updatedAt,
    );
    // The answer to a deletion tells no time but the `Date`.
    const deleted = this.listed("variable").filter(({ absence }) => absence === "deleted");
    const deletedAt = deleted.map(({ writtenAt }) => this.timeAt(writtenAt));
    return [...changed, ...deletedAt].reduce(
      (newest, time) => (newest === undefined || isOlder(newest, time) ? time : newest),
      undefined,
    );
  }

  /** Returns the time that an answer with this `Date` would have shown: our writes have both. */
  timeAt(date: string | undefined): string | undefined {
    if (date === undefined) return undefined;
    const ahead = [...this.#known.values()]
      .map(({ writtenAt = "", updatedAt = "" }) => Date.parse(writtenAt) - Date.parse(updatedAt))
      .map((ms) => 1000 * Math.ceil(ms / 1000))
      .filter((ms) => ms >= 0 && ms <= mostSkewMs);
    return isoTime(Date.parse(date) - (ahead.length > 0 ? Math.min(...ahead) : 0));
  }

  mayAccept = (stale: readonly KnownVersion[]): boolean =>
    this.acceptsOlder && !stale.some(({ isWritten }) => isWritten);

  /** Keeps the version that this process wrote, unless the record is newer. */
  #expect(known: KnownVersion): void {
    const before = this.#known.get(keyOf(known.id, known.kind));
    const isOurs = before?.isWritten && !isOlder(before.updatedAt, known.updatedAt);
    this.#store(isOurs ? { ...before, about: known.about } : known);
  }

  #noteOwn(known: KnownVersion): void {
    const now = this.serviceTime();
    const writtenAt = now === undefined ? undefined : new Date(now).toISOString();
    this.#store({ ...known, writtenAt, isWritten: true });
  }

  #store(known: KnownVersion): void {
    const { id, kind, parentId, updatedAt } = known;
    this.#known.set(keyOf(id, kind), known);
    for (const list of [`${kind} `, `${kind} ${parentId ?? ""}`])
      this.#ids.set(list, (this.#ids.get(list) ?? new Set()).add(id));
    if (kind !== "deployment" || parentId === undefined) return;
    if (!isOlder(updatedAt, this.#deployments.get(parentId)?.updatedAt))
      this.#deployments.set(parentId, known);
  }
}

/** Most milliseconds between clocks: that of an answer's `Date`, those behind its times, and ours. */
export const mostSkewMs = 300_000;

const keyOf = (id: string, kind: string | undefined): string => (kind === "layout" ? `layout ${id}` : id);

export function recordWrites(raw: Endpoints, known: KnownVersions, clock: Pick<Clock, "elapsed">) {
  const project = async (answer: Promise<Project>) => known.noteWrite("project", await answer);
  const service = async (answer: Promise<Service>) => known.noteWrite("service", await answer);
  const deletes = async (kind: string, id: string, answer: Promise<Deletion>) => {
    known.noteDeleting(id, kind);
    const deletion = await answer;
    known.noteDeleting(id, kind, clock.elapsed());
    return deletion;
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
    createVariable: async (id, body) => known.noteWrite("variable", await raw.createVariable(id, body), id),
    updateVariable: async (service, ...args) =>
      known.noteWrite("variable", await raw.updateVariable(service, ...args), service),
    deleteVariable: (service, id) => deletes("variable", id, raw.deleteVariable(service, id)),
    queueDeployment: async (id, body) => known.noteDeployment(id, await raw.queueDeployment(id, body)),
    clearCache: async (id) => known.noteDeployment(id, await raw.clearCache(id)),
    rollBack: async (id, ...args) => known.noteDeployment(id, await raw.rollBack(id, ...args)),
  } satisfies Partial<Endpoints>;
}

export function staleError(
  stale: readonly DoubtfulVersion[],
  restoredHint = "rnv apply -refresh-only",
): DiagnosticsError {
  const names = stale.map(({ about }) => about);
  const isDelay = stale.every(({ isMissing }) => isMissing);
  const [address, ...others] = names;
  const wasWritten = `${others.length === 0 ? "it was" : "they were"} written a minute ago`;
  const summary = isDelay
    ? `the API does not show ${shortList(names)} any more; ${wasWritten}, so this may be a delay`
    : `the API still shows ${shortList(names)} as before our last change`;
  const restored = isDelay ? "" : ` If the platform was restored from a backup: ${restoredHint}`;
  return failure("live.stale", summary, {
    address: others.length === 0 ? address : undefined,
    detail:
      "rnv read it again for 30 seconds. What is not shown may exist, and what is shown may be deleted.",
    hint: `Run the command again in a few minutes.${restored}`,
  });
}
