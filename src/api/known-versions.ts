import type { RecordedResource, State } from "../model/state";
import { sha256 } from "../model/text";
import { canonicalJson, type Plain } from "../model/value";
import type { Canvas, Deployment, Project, Service, Variable } from "./wire/shapes";

/** How long after our last write of a resource its absence does not prove a deletion, milliseconds. */
const recentMs = 120_000;

/** The newest version of a resource that our writes or the record prove. */
export interface Known {
  readonly id: string;
  readonly kind: string;
  /** Its address, else its kind and name. */
  readonly about: string;
  /** Id of its project or service. */
  readonly parentId?: string | undefined;
  /** By the service's clock, ISO 8601; of a deployment, when it was queued. */
  readonly updatedAt?: string | undefined;
  /** When it was written, by the service's clock, where it has no `updatedAt`. */
  readonly writtenAt?: string | undefined;
  /** Digest of what a write sets, in the answer to our last write. */
  readonly content?: string | undefined;
  /** Of a layout. */
  readonly revision?: number | undefined;
  /** This process wrote it. */
  readonly isWritten?: boolean;
  /** No list shows it: it is archived. */
  readonly isUnlisted?: boolean;
  /** Its deletion was requested. */
  readonly mayBeGone?: boolean;
  readonly isDeleted?: boolean;
  /** An older version is believed once it has lasted: the service may have been restored from a backup. */
  readonly acceptsOlder?: boolean;
}

/** A resource as an answer shows it. */
export interface Shown {
  readonly id: string;
  readonly updatedAt?: string | null | undefined;
}

type Written = "project" | "service" | "variable";

/** What our writes and the record prove of the resources of a workspace. */
export class KnownVersions {
  readonly #written = new Map<string, Known>();
  #recorded = new Map<string, Known>();
  /** Ids that lists have shown, by the order in which they came. */
  readonly #listed = new Map<string, number>();
  /** The last deployment of each service, by the id of the service. */
  readonly #deployments = new Map<string, Known>();

  /** `serviceTime` returns the `Date` of the service's latest answer, milliseconds; undefined where it had none. */
  constructor(readonly serviceTime: () => number | undefined = () => undefined) {}

  /** Takes in what a state records, in place of an earlier record. `acceptsOlder`: older versions may be accepted. */
  remember(
    { resources, deleted = {}, open }: Pick<State, "resources" | "deleted" | "open">,
    acceptsOlder = false,
  ): void {
    const openAt = new Map(open.map(({ address, method }) => [`${address}`, method]));
    this.#recorded = new Map(
      Object.entries(deleted).map(([id, { type: kind, address: about, at: writtenAt }]) => [
        id,
        { id, kind, about, writtenAt, isDeleted: true },
      ]),
    );
    for (const [about, recorded] of Object.entries(resources)) {
      const { applied, parent } = recorded;
      const parentId = applied.serviceId ?? applied.projectId ?? (parent && resources[parent]?.id);
      const more = { acceptsOlder, mayBeGone: openAt.get(about) === "DELETE" };
      // A write without an answer may have changed it in the same second.
      const known = openAt.has(about) ? { ...recorded, content: undefined } : recorded;
      this.expect(about, known, typeof parentId === "string" ? { ...more, parentId } : more);
    }
  }

  /** Takes in the record of one resource. */
  expect(
    about: string,
    { id, type: kind, applied, computed, pending, retained, ...recorded }: RecordedResource,
    { mayBeGone, ...more }: Pick<Known, "parentId" | "mayBeGone" | "acceptsOlder">,
  ): void {
    this.#take(this.#recorded, {
      ...{ id, kind, about, ...more, updatedAt: recorded.updatedAt, writtenAt: recorded.writtenAt },
      content: recorded.content,
      ...(typeof computed.revision === "number" && { revision: computed.revision }),
      isUnlisted: retained === true || applied.archived === true,
      mayBeGone: pending?.deletes === true || recorded.deletionFailed !== undefined || mayBeGone === true,
    });
  }

  /** Takes in what a list shows. */
  lists(shown: readonly Shown[]): void {
    for (const { id } of shown) if (!this.#listed.has(id)) this.#listed.set(id, this.#listed.size);
  }

  /** Returns whether an id is known that something has which is made from now on. */
  preexisting(): (id: string) => boolean {
    const before = this.#listed.size;
    return (id) => this.of(id) !== undefined || (this.#listed.get(id) ?? before) < before;
  }

  /** Takes in the answer to a write. */
  wrote<T extends Shown>(kind: Written, shown: T, parentId?: string): T {
    const { id, name, key, projectId, archived } = shown as T & Partial<Service & Variable>;
    this.#take(this.#written, {
      ...{ id, kind, about: `${kind} ${JSON.stringify(name ?? key)}`, content: contentOf(shown) },
      ...{ parentId: parentId ?? projectId ?? undefined, isUnlisted: archived === true, isWritten: true },
      ...{ updatedAt: shown.updatedAt ?? undefined, writtenAt: this.#timeNow() },
    });
    return shown;
  }

  /** Takes in the deployment that a write queued. */
  queued(parentId: string, deployment: Deployment): Deployment {
    const { id, createdAt } = deployment;
    const times = { updatedAt: createdAt ?? undefined, writtenAt: this.#timeNow() };
    const about = `deployment ${id}`;
    this.#take(this.#written, { id, kind: "deployment", about, parentId, ...times, isWritten: true });
    return deployment;
  }

  /** Takes in the layout that a write saved. */
  saved(id: string, canvas: Canvas): Canvas {
    const { revision } = canvas.layout;
    this.#take(this.#written, { id, kind: "layout", about: "the layout", revision, isWritten: true });
    return canvas;
  }

  /** Takes in that a deletion is requested, by us or by another user. */
  noteDeleting(id: string, kind: string): void {
    const known = this.of(id) ?? { id, kind, about: `${kind} ${id}` };
    this.#take(this.#written, { ...known, mayBeGone: true });
  }

  /** Takes in that a deletion is proven: lists that show the resource from now on are stale. */
  noteDeleted(id: string): void {
    const known = this.of(id);
    const times = { updatedAt: undefined, writtenAt: this.#timeNow() };
    if (known) this.#take(this.#written, { ...known, ...times, isDeleted: true, isWritten: true });
  }

  /** Returns the digest of what the answer to our last write showed, if that is of `updatedAt`. */
  contentAt(id: string, updatedAt: string | undefined): { readonly content?: string | undefined } {
    const known = this.of(id);
    return known?.content !== undefined && known.updatedAt === updatedAt ? { content: known.content } : {};
  }

  /** Returns the later of what this process wrote and what is recorded. */
  of(id: string, kind?: "layout"): Known | undefined {
    const key = kind === "layout" ? `layout ${id}` : id;
    const [written, recorded] = [this.#written.get(key), this.#recorded.get(key)];
    if (!written || !recorded) return written ?? recorded;
    return isOlder(written.updatedAt, recorded.updatedAt) ? recorded : { ...written, about: recorded.about };
  }

  /** Returns the resources of a kind that must exist and that lists show. */
  listed(kind: string): readonly Known[] {
    const ids = new Set([...this.#recorded.keys(), ...this.#written.keys()]);
    const known = [...ids].flatMap((id) => this.of(id) ?? []);
    return known.filter((one) => one.kind === kind && !one.isUnlisted && this.mustExist(one));
  }

  /** Returns the last deployment of a service that is known. */
  lastDeployment(serviceId: string): Known | undefined {
    return this.#deployments.get(serviceId);
  }

  /** Returns true if `shown` is from before our last write of it. */
  isStale(shown: Shown): boolean {
    const known = this.of(shown.id);
    if (known === undefined) return false;
    if (isOlder(shown.updatedAt, known.updatedAt)) return true;
    // Two versions may have one time where the service counts in whole seconds.
    const mayShareTime = !hasFraction(known.updatedAt) && !isOlder(known.updatedAt, shown.updatedAt);
    const isOther = known.content !== undefined && contentOf(shown) !== known.content;
    return mayShareTime && isOther && this.isRecentWrite(known);
  }

  /** Returns true if variables of a service are shown as before our last writes, or are left out. */
  areStale(variables: readonly Shown[], serviceId: string): boolean {
    const shown = new Set(variables.map(({ id }) => id));
    const isLeftOut = ({ id, parentId }: Known): boolean => parentId === serviceId && !shown.has(id);
    return variables.some((one) => this.isStale(one)) || this.listed("variable").some(isLeftOut);
  }

  /** Returns true if only a stale read leaves it out. */
  mustExist(known: Known): boolean {
    return !known.isDeleted && !known.mayBeGone && this.isRecentWrite(known);
  }

  /** Returns true if `id` was deleted by us: a list that shows it is stale. */
  wasDeleted({ id }: Shown): boolean {
    const known = this.of(id);
    return known?.isDeleted === true && this.isRecentWrite(known);
  }

  /** Returns true if it was written in the last two minutes by the service's clock, or it is unknown when. */
  isRecentWrite({ updatedAt, writtenAt, isWritten }: Known): boolean {
    const at = updatedAt ?? writtenAt;
    if (at === undefined) return isWritten === true;
    const now = this.serviceTime();
    return now === undefined || now - Date.parse(at) < recentMs;
  }

  #take(versions: Map<string, Known>, known: Known): void {
    const { id, kind, parentId, updatedAt } = known;
    versions.set(kind === "layout" ? `layout ${id}` : id, known);
    if (kind !== "deployment" || parentId === undefined) return;
    if (!isOlder(updatedAt, this.#deployments.get(parentId)?.updatedAt))
      this.#deployments.set(parentId, known);
  }

  #timeNow(): string | undefined {
    const now = this.serviceTime();
    return now === undefined ? undefined : new Date(now).toISOString();
  }
}

const contentOf = (shown: Shown): string => {
  const { name, key, kind, description, color, archived, configuration, projectId, environmentId } =
    shown as Partial<Service & Project & Variable>;
  const parts = [name, key, kind, description, color, archived, configuration, projectId, environmentId];
  return sha256(canonicalJson(parts.map((part) => part ?? null) as Plain)).slice(0, 16);
};

/** Returns the newest copy of each id. */
export function newestById<T extends Shown>(listed: readonly T[]): readonly T[] {
  const found = new Map<string, T>();
  for (const one of listed) if (!isOlder(one.updatedAt, found.get(one.id)?.updatedAt)) found.set(one.id, one);
  return [...found.values()];
}

/** Returns true if one time is before another; where one is in whole seconds, both are compared in whole seconds. */
export function isOlder(time: string | null | undefined, than: string | null | undefined): boolean {
  if (time == null || than == null) return false;
  const step = hasFraction(time) && hasFraction(than) ? 1 : 1000;
  return Math.floor(Date.parse(time) / step) < Math.floor(Date.parse(than) / step);
}

const hasFraction = (time: string | undefined): boolean => /:\d\d\.\d*[1-9]/.test(time ?? "");
