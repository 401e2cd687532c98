import type { Endpoints } from "../api/endpoints";
import type { Reads, Resource } from "../api/reads";
import type { Send } from "../api/send";
import type { Diagnostic } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { ApplyEvent } from "../model/apply-event";
import type { ReadResult } from "../model/live";
import { append } from "../model/multimap";
import type { AppliableValue, ReadTarget } from "../model/resource-operations";
import type { Secret } from "../model/secret";
import type { Intent, JournalEntry, RunRecord, State } from "../model/state";
import type { Clock } from "../model/time";
import {
  type Attributes,
  Computed,
  type DesiredValue,
  GeneratedSecret,
  type Plain,
  type Reference,
  Unknown,
  UnreadSecret,
} from "../model/value";
import { type Change, instanceOf, type Plan, type PlannedInstance } from "../plan/plan";
import { resolveValue } from "../plan/resolve";
import type { RunJournal } from "./run-journal";

export interface Run {
  readonly types: ReadonlyMap<string, Resource>;
  readonly send: Send;
  readonly endpoints: (send: Send) => Endpoints;
  readonly reads: Reads;
  readonly journal: RunJournal;
  readonly mode: "apply" | "destroy" | "refresh-only";
  readonly record: RunRecord;
  /** Open writes of an interrupted run under the same credential, younger than 23 h. */
  readonly retriableIntents: readonly Intent[];
  readonly clock: Clock;
  readonly generate: (length: number) => Secret;
  /** Key of secret fingerprints; without one a run that needs it does not start. */
  readonly fingerprintKey: Uint8Array;
  readonly defaults: (type: string) => Attributes;
  readonly lookup: RunLookup;
  readonly emit: (event: ApplyEvent) => void;
  /** Someone watches: how long a step took in the deployment before is worth a request. */
  readonly isWatched?: boolean;
  /** Aborted by Ctrl-C, or by an answer after which nothing more can work. */
  readonly signal: AbortSignal;
}

/** Reads a resource again, of which nothing is declared unless `target` says. */
export function readNow(
  { reads }: Pick<Run, "reads">,
  type: Resource,
  target: Omit<ReadTarget, "declared"> & Partial<ReadTarget>,
): Promise<ReadResult> {
  return type.read(reads.fresh(), { declared: new Map(), ...target });
}

export type ChangeEnd =
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly diagnostic: Diagnostic; readonly exitCode: 1 | 3 | 7 | 8 }
  | { readonly kind: "interrupted" };

/** Returns the value of an attribute once its resource is done; undefined while the service has not told it. */
export type RunLookup = (address: Address, attribute: string) => Plain | undefined;

export class UnknownReference extends Error {
  constructor(
    readonly address: Address,
    readonly attribute: string,
  ) {
    super(`${address}.${attribute} is not known`);
    this.name = "UnknownReference";
  }
}

/** Returns a declared value with every reference filled in. Throws `UnknownReference`. */
export function knownValue(
  value: DesiredValue,
  lookup: RunLookup,
  generate: (length: number) => Secret,
): AppliableValue {
  if (value instanceof GeneratedSecret) return generate(value.length);
  if (value instanceof UnreadSecret) throw new Error("a plan that sends values was made without them");
  const found = resolveValue(value, (reference) => {
    const known = lookup(reference.address, reference.attribute);
    // Functions may take null; a text cannot hold it.
    const isOpen = known === undefined || (known === null && !(value instanceof Computed));
    return isOpen ? new Unknown([reference]) : known;
  });
  if (!(found instanceof Unknown)) return found as AppliableValue;
  const [{ address, attribute }] = found.references as [Reference];
  throw new UnknownReference(address, attribute);
}

interface Schedule {
  readonly parallelism: number;
  /** False when it failed: what depends on it is skipped, because of it. */
  readonly run: (task: RunTask, slot: Slot) => Promise<boolean>;
  readonly skip: (task: RunTask, because: readonly string[]) => void;
  readonly stopped: () => boolean;
}

/** A permit to run; given back while a task only waits for the service. */
export interface Slot {
  readonly release: () => void;
  readonly take: () => Promise<void>;
}

/**
 * Runs tasks as soon as what they depend on is done. A dependency that is not among the tasks counts as done.
 * The failure of one task skips its dependants, never the others.
 */
export async function schedule(tasks: readonly RunTask[], options: Schedule): Promise<void> {
  const slots = new Semaphore(options.parallelism);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const waitingFor = new Map<string, number>();
  const dependants = new Map<string, RunTask[]>();
  const failed = new Map<string, readonly string[]>();
  for (const task of tasks) {
    const known = task.dependsOn.filter((id) => byId.has(id));
    waitingFor.set(task.id, known.length);
    for (const id of known) append(dependants, id, task);
  }
  const finish = (task: RunTask): Promise<unknown>[] => {
    const ready: RunTask[] = [];
    for (const next of dependants.get(task.id) ?? []) {
      const left = (waitingFor.get(next.id) ?? 0) - 1;
      waitingFor.set(next.id, left);
      if (left === 0) ready.push(next);
    }
    return ready.map(start);
  };
  const start = async (task: RunTask): Promise<void> => {
    const because = [...new Set(task.dependsOn.flatMap((id) => failed.get(id) ?? []))];
    if (because.length > 0) {
      failed.set(task.id, because);
      options.skip(task, because);
    } else {
      await slots.take();
      if (options.stopped()) {
        options.skip(task, []);
      } else if (!(await options.run(task, slots))) {
        failed.set(task.id, [task.id]);
      }
      slots.release();
    }
    await Promise.all(finish(task));
  };
  await Promise.all(tasks.filter((task) => waitingFor.get(task.id) === 0).map(start));
}

class Semaphore implements Slot {
  #free: number;
  readonly #queue: (() => void)[] = [];

  constructor(size: number) {
    this.#free = Math.max(1, size);
  }

  readonly release = (): void => {
    const next = this.#queue.shift();
    if (next) next();
    else this.#free += 1;
  };

  readonly take = async (): Promise<void> => {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve) => this.#queue.push(resolve));
  };
}

/** A replacement is two tasks, because its children must go between them; everything else is one, `whole`. */
export type ReplacePhase = "whole" | "delete" | "create";

export interface RunTask {
  readonly id: string;
  readonly dependsOn: readonly string[];
  readonly change: Change;
  readonly instance: PlannedInstance;
  readonly phase: ReplacePhase;
  /** The change of its parent. */
  readonly around?: Change | undefined;
}

/** Returns the tasks of a plan: the task that others wait for has the address of its change. */
export function runTasks(plan: Plan): RunTask[] {
  const byAddress = new Map(plan.changes.map((change) => [change.address, change]));
  return plan.changes.flatMap((change): RunTask[] => {
    const { address, dependsOn } = change;
    const instance = instanceOf(plan, change);
    const around = change.parent && byAddress.get(change.parent);
    if (change.action !== "replace")
      return [{ id: address, change, instance, phase: "whole", dependsOn, around }];
    const deletion = deletionTask(address, byAddress);
    const before = beforeDeletion(change, instance.recorded?.parent, byAddress);
    return [
      { id: deletion, change, instance, phase: "delete", dependsOn: before },
      { id: address, change, instance, phase: "create", dependsOn: [deletion, ...dependsOn] },
    ];
  });
}

/**
 * What goes with its parent waits for the parent's deletion. Anything else waits for the deletions of its children,
 * and for its own dependencies, but for those that are themselves replaced: they may wait for this deletion.
 */
function beforeDeletion(
  change: Change,
  parent: Address | undefined,
  byAddress: ReadonlyMap<Address, Change>,
): string[] {
  if (change.withParent && parent !== undefined) return [deletionTask(parent, byAddress)];
  const inside = (change.deletesAfter ?? []).map((address) => deletionTask(address, byAddress));
  const needed = change.dependsOn.filter((address) => byAddress.get(address)?.action !== "replace");
  return [...inside, ...needed];
}

const deletionTask = (address: Address, byAddress: ReadonlyMap<Address, Change>): string =>
  byAddress.get(address)?.action === "replace" ? `${address} (delete)` : address;

export interface RecoveryContext {
  readonly state: State;
  readonly types: ReadonlyMap<string, Resource>;
  readonly reads: Reads;
  readonly clock: Clock;
  readonly credential: () => string;
  /** False for a plan: it looks once and waits for nothing. */
  readonly wait: boolean;
  /** `false` where what is pending is none of the command's business, `look` where no end of it is waited for. */
  readonly settlesPending?: false | "look";
  /** Writes of verbs that the command at hand asks for again. */
  readonly repeats?: (intent: Intent) => boolean;
  readonly emit: (event: ApplyEvent) => void;
  readonly say?: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface Recovery {
  /** The outcomes of the writes left open; folded into the state, and by `apply` into the journal. */
  readonly entries: readonly JournalEntry[];
  /** Writes that did not happen as far as reads show: sent again, if at all, under the same key. */
  readonly retriableIntents: readonly Intent[];
  readonly diagnostics: readonly Diagnostic[];
}

export const nothingRecovered: Recovery = { entries: [], retriableIntents: [], diagnostics: [] };
