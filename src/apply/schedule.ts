import type { Address } from "../model/address";
import { append } from "../model/collections";
import { type Change, instanceOf, type Plan, type PlannedInstance } from "../plan/plan";

interface Schedule {
  readonly parallelism: number;
  /** Returns false for a failed task: its dependants are skipped. */
  readonly run: (task: RunTask, slot: Slot) => Promise<boolean>;
  readonly skip: (task: RunTask, because: readonly string[]) => void;
  readonly stopped: () => boolean;
}

/** A permit to run; released while a task waits for the service. */
export interface Slot {
  readonly release: () => void;
  readonly take: () => Promise<void>;
}

/**
 * Runs each task as soon as its dependencies are done. A dependency outside of the tasks counts as done. A failed task
 * skips its dependants, never the others.
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
      const count = (waitingFor.get(next.id) ?? 0) - 1;
      waitingFor.set(next.id, count);
      if (count === 0) ready.push(next);
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

/** A replacement is two tasks: its children are deleted in between. Any other change is one task, `whole`. */
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
 * Returns the tasks before a deletion. A part of its parent waits for the deletion of the parent. Any other resource
 * waits for its children and its dependencies. Dependencies that are replaced are left out: they may wait for this
 * deletion.
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
