import { randomUUID } from "node:crypto";
import type { CanvasPosition, Viewport } from "../api/wire/shapes";
import type { Clock } from "../model/time";

/** Records of the store. Times are ISO 8601; `dueAt` is the next move on the clock, in ms, null while waiting. */

interface Stored {
  readonly id: string;
  readonly workspaceId: string;
}

interface Dated {
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface StoredEnvironment extends Dated {
  readonly id: string;
  readonly name: string;
  /** A reveal in a protected environment needs an admin or owner. */
  readonly protected: boolean;
}

export interface StoredProject extends Stored, Dated {
  readonly name: string;
  readonly description: string;
  readonly color: string;
  readonly environments: readonly StoredEnvironment[];
}

export type Configuration = Readonly<Record<string, unknown>>;

export interface StoredService extends Stored, Dated {
  readonly name: string;
  /** The name that its URL is made of, where a rename leaves that. */
  readonly hostName?: string;
  readonly kind: string;
  readonly projectId: string | null;
  readonly environmentId: string | null;
  readonly environmentGroupIds: readonly string[];
  readonly archived: boolean;
  readonly configuration: Configuration;
  /** Fields of the configuration that a request has set. */
  readonly sent?: readonly string[];
  readonly deletedAt: string | null;
  readonly deletionRequestedAt: string | null;
  readonly deploymentId: string | null;
  readonly deploymentStatus: DeploymentStatus | null;
  readonly deploymentUpdatedAt: string | null;
  readonly liveDeploymentId: string | null;
  readonly healthCheckedAt: string | null;
  /** Infrastructure exists from the first release that went live. */
  readonly runtime: "none" | "running" | "suspended";
  /** Paid plans whose checkout was completed in the dashboard. */
  readonly paidPlans: readonly string[];
}

export const deploymentStages = [
  "queued",
  "preparing",
  "cloning",
  "building",
  "predeploy",
  "deploying",
  "checking",
  "live",
] as const;
export type DeploymentStatus = (typeof deploymentStages)[number] | "failed" | "cancelled" | "superseded";

export interface StoredDeployment extends Stored {
  readonly serviceId: string;
  readonly status: DeploymentStatus;
  readonly trigger: string;
  readonly actor: string;
  readonly branch: string;
  readonly commitSha: string;
  readonly commitMessage: string;
  readonly blockedReason: string;
  readonly error: string;
  readonly cancelRequested: boolean;
  readonly sourceDeploymentId: string | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly stageStartedAt: string;
  readonly steps: readonly {
    readonly name: string;
    readonly startedAt: string;
    readonly finishedAt: string;
  }[];
  readonly dueAt: number | null;
  /** Scripted failure: the text it will end with. */
  readonly failure: string | null;
  /** Key of a deployment queued before receipts existed (Idempotency rule 5). */
  readonly legacyKey: string | null;
}

export interface StoredOperation extends Stored, Dated {
  /** Empty for an operation of a project. */
  readonly serviceId: string;
  /** The status of a queued deletion of something that is no service. */
  readonly deletes?: { readonly table: "projects" | "variables"; readonly id: string };
  /** The action, or `delete`. */
  readonly kind: string;
  readonly status: "queued" | "running" | "complete" | "failed";
  readonly dueAt: number | null;
  readonly fails: boolean;
}

export interface StoredVariable extends Stored, Dated {
  readonly serviceId: string;
  readonly key: string;
  readonly sealedValue: string;
}

export interface StoredGroup extends Stored {
  readonly name: string;
  readonly projectId: string | null;
  readonly environmentId: string | null;
  readonly serviceIds: readonly string[];
}

/** A configured reference: `consumer` uses variables of `provider`. */
export interface StoredReference extends Stored {
  readonly consumer: string;
  readonly provider: string;
  readonly keys: readonly string[];
}

export interface StoredLayout {
  readonly id: string;
  readonly revision: number;
  readonly positions: Readonly<Record<string, CanvasPosition>>;
  readonly viewport: Viewport | null;
}

export interface StoredReceipt {
  readonly id: string;
  readonly payload: string;
  readonly body: unknown;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export interface AuditEvent extends Stored {
  readonly kind: "variable.reveal";
  readonly actor: string;
  readonly serviceId: string;
  readonly variableId: string;
  readonly at: string;
}

export interface Tables {
  readonly projects: StoredProject;
  readonly services: StoredService;
  readonly deployments: StoredDeployment;
  readonly operations: StoredOperation;
  readonly variables: StoredVariable;
  readonly groups: StoredGroup;
  readonly references: StoredReference;
  readonly layouts: StoredLayout;
  readonly receipts: StoredReceipt;
  readonly audit: AuditEvent;
}

export type TableName = keyof Tables;

/** A record that is put or, with null, removed. Persistence writes these. */
export type StoreChange = readonly [table: TableName, id: string, record: Tables[TableName] | null];

type Owned = "deployments" | "variables";

/**
 * Everything the service knows, in memory. Records are immutable: a change puts a new one, so a record's identity
 * stands for its version.
 */
export class Store {
  readonly #tables: { [Name in TableName]?: Map<string, Tables[Name]> } = {};
  readonly #byService = {
    deployments: new Map<string, Set<string>>(),
    variables: new Map<string, Set<string>>(),
  };
  readonly #due = new Map<string, "deployments" | "operations">();
  #changes: StoreChange[] = [];
  #onChange: ((change: StoreChange) => void) | undefined;
  #onReload: (() => void) | undefined;
  #lastStamp = 0;

  constructor(
    readonly clock: Clock,
    readonly random: (() => number) | undefined,
  ) {}

  get<Name extends TableName>(table: Name, id: string): Tables[Name] | undefined {
    return this.#table(table).get(id);
  }

  all<Name extends TableName>(table: Name): IterableIterator<Tables[Name]> {
    return this.#table(table).values();
  }

  /** Deployments or variables of one service, oldest first. */
  ofService<Name extends Owned>(table: Name, serviceId: string): Tables[Name][] {
    const records = this.#table(table);
    return [...(this.#byService[table].get(serviceId) ?? [])].map((id) => records.get(id) as Tables[Name]);
  }

  put<Name extends TableName>(table: Name, record: Tables[Name]): Tables[Name] {
    this.#write([table, record.id, record]);
    return record;
  }

  remove(table: TableName, id: string): void {
    this.#write([table, id, null]);
  }

  #write(change: StoreChange): void {
    this.#changes.push(change);
    this.replay([change]);
  }

  /** Reports every change from here on, and the moment when all of it is read from disk again. */
  watch(onChange: (change: StoreChange) => void, onReload: () => void): void {
    this.#onChange = onChange;
    this.#onReload = onReload;
  }

  /** Deployments and operations that move on their own, with the moment of their next move. */
  nextDue() {
    let next: { table: "deployments" | "operations"; id: string; at: number } | undefined;
    for (const [id, table] of this.#due) {
      const at = this.#table(table).get(id)?.dueAt ?? Number.POSITIVE_INFINITY;
      if (next === undefined || at < next.at) next = { table, id, at };
    }
    return next;
  }

  /** Applies changes that came from disk: they are not written again. */
  replay(changes: Iterable<StoreChange>): void {
    for (const [table, id, record] of changes) {
      if (record === null) this.#drop(table, id);
      else this.#place(table, record as never);
      this.#onChange?.([table, id, record]);
    }
  }

  takeChanges(): readonly StoreChange[] {
    const changes = this.#changes;
    this.#changes = [];
    return changes;
  }

  *everything(): Iterable<StoreChange> {
    for (const [table, records] of Object.entries(this.#tables))
      for (const record of records.values()) yield [table as TableName, record.id, record];
  }

  clear(): void {
    for (const records of Object.values(this.#tables)) records.clear();
    this.#byService.deployments.clear();
    this.#byService.variables.clear();
    this.#due.clear();
    this.#changes = [];
    this.#onReload?.();
  }

  /** ISO 8601 now, never the same twice, so that every change moves `updatedAt`. */
  stamp(): string {
    this.#lastStamp = Math.max(this.clock.now(), this.#lastStamp + 1);
    return new Date(this.#lastStamp).toISOString();
  }

  newId(): string {
    const { random } = this;
    if (random === undefined) return randomUUID();
    const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16));
    digits[12] = "4";
    digits[16] = "89ab"[Math.floor(random() * 4)] as string;
    const hex = digits.join("");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }

  #table<Name extends TableName>(name: Name): Map<string, Tables[Name]> {
    const tables: { [Key in Name]?: Map<string, Tables[Key]> } = this.#tables;
    const table = tables[name] ?? new Map<string, Tables[Name]>();
    tables[name] = table;
    return table;
  }

  #place<Name extends TableName>(table: Name, record: Tables[Name]): void {
    this.#table(table).set(record.id, record);
    if ((table === "deployments" || table === "variables") && "serviceId" in record) {
      const index = this.#byService[table as Owned];
      index.set(record.serviceId, (index.get(record.serviceId) ?? new Set()).add(record.id));
    }
    if ((table === "deployments" || table === "operations") && "dueAt" in record) {
      if (record.dueAt === null) this.#due.delete(record.id);
      else this.#due.set(record.id, table);
    }
  }

  #drop(table: TableName, id: string): void {
    const record = this.#table(table).get(id);
    if (record === undefined) return;
    this.#table(table).delete(id);
    this.#due.delete(id);
    if ((table === "deployments" || table === "variables") && "serviceId" in record)
      this.#byService[table].get(record.serviceId)?.delete(id);
  }
}
