import { randomUUID } from "node:crypto";
import type { Clock } from "../model/clock";
import { type TableName, type Tables, tableNames } from "./records";

/** One record put (or, with null, removed); what persistence writes. */
export type StoreChange = readonly [table: TableName, id: string, record: Tables[TableName] | null];

type Owned = "deployments" | "variables";

/**
 * Everything the service knows, in memory. Records are immutable: a change puts a new one, so a record's identity
 * stands for its version.
 */
export class Store {
  readonly #tables = Object.fromEntries(tableNames.map((name) => [name, new Map()])) as {
    readonly [Name in TableName]: Map<string, Tables[Name]>;
  };
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
    return this.#tables[table].get(id);
  }

  all<Name extends TableName>(table: Name): IterableIterator<Tables[Name]> {
    return this.#tables[table].values();
  }

  count(table: TableName): number {
    return this.#tables[table].size;
  }

  /** Deployments or variables of one service, oldest first. */
  ofService<Name extends Owned>(table: Name, serviceId: string): Tables[Name][] {
    const records = this.#tables[table];
    return [...(this.#byService[table].get(serviceId) ?? [])].map((id) => records.get(id) as Tables[Name]);
  }

  put<Name extends TableName>(table: Name, record: Tables[Name]): Tables[Name] {
    this.#place(table, record);
    this.#changes.push([table, record.id, record]);
    this.#onChange?.([table, record.id, record]);
    return record;
  }

  remove(table: TableName, id: string): void {
    this.#drop(table, id);
    this.#changes.push([table, id, null]);
    this.#onChange?.([table, id, null]);
  }

  /** Tells of every change from here on, and of the moment when all of it is read from disk anew. */
  watch(onChange: (change: StoreChange) => void, onReload: () => void): void {
    this.#onChange = onChange;
    this.#onReload = onReload;
  }

  /** Deployments and operations that move on their own, with the moment of their next move. */
  nextDue(): { table: "deployments" | "operations"; id: string; at: number } | undefined {
    let next: { table: "deployments" | "operations"; id: string; at: number } | undefined;
    for (const [id, table] of this.#due) {
      const at = this.#tables[table].get(id)?.dueAt ?? Number.POSITIVE_INFINITY;
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
    for (const table of tableNames) {
      for (const record of this.#tables[table].values()) yield [table, record.id, record];
    }
  }

  clear(): void {
    for (const table of tableNames) this.#tables[table].clear();
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

  #place<Name extends TableName>(table: Name, record: Tables[Name]): void {
    this.#tables[table].set(record.id, record);
    if ((table === "deployments" || table === "variables") && "serviceId" in record) {
      const index = this.#byService[table as Owned];
      const ids = index.get(record.serviceId);
      if (ids === undefined) index.set(record.serviceId, new Set([record.id]));
      else ids.add(record.id);
    }
    if ((table === "deployments" || table === "operations") && "dueAt" in record) {
      if (record.dueAt === null) this.#due.delete(record.id);
      else this.#due.set(record.id, table);
    }
  }

  #drop(table: TableName, id: string): void {
    const record = this.#tables[table].get(id);
    if (record === undefined) return;
    this.#tables[table].delete(id);
    this.#due.delete(id);
    if ((table === "deployments" || table === "variables") && "serviceId" in record) {
      this.#byService[table].get(record.serviceId)?.delete(id);
    }
  }
}
