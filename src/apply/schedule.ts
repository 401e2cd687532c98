export interface Task {
  readonly id: string;
  /** Ids of tasks that must be done before. */
  readonly dependsOn: readonly string[];
}

export interface Schedule<T extends Task> {
  /** At most this many run at once. */
  readonly parallelism: number;
  /** False when it failed: what depends on it is skipped. */
  readonly run: (task: T, slot: Slot) => Promise<boolean>;
  readonly skip: (task: T, because: readonly string[]) => void;
  /** Once true, nothing new is started. */
  readonly stopped: () => boolean;
}

/** A place among those that run at once; given back while a task only waits for the service. */
export interface Slot {
  readonly release: () => void;
  readonly take: () => Promise<void>;
}

/**
 * Runs tasks as soon as what they depend on is done. A dependency that is not among the tasks counts as done.
 * The failure of one task skips its dependants, never the others.
 */
export async function schedule<T extends Task>(tasks: readonly T[], options: Schedule<T>): Promise<void> {
  const slots = new Semaphore(options.parallelism);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const waitingFor = new Map<string, number>();
  const dependants = new Map<string, T[]>();
  const failed = new Map<string, readonly string[]>();
  for (const task of tasks) {
    const known = task.dependsOn.filter((id) => byId.has(id));
    waitingFor.set(task.id, known.length);
    for (const id of known) append(dependants, id, task);
  }
  const finish = (task: T): Promise<unknown>[] => {
    const ready: T[] = [];
    for (const next of dependants.get(task.id) ?? []) {
      const left = (waitingFor.get(next.id) ?? 0) - 1;
      waitingFor.set(next.id, left);
      if (left === 0) ready.push(next);
    }
    return ready.map(start);
  };
  const start = async (task: T): Promise<void> => {
    const because =
      failed.size === 0 ? [] : [...new Set(task.dependsOn.flatMap((id) => failed.get(id) ?? []))];
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

function append<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

/** So many places; whoever finds none waits in line. */
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
