import type { StateSession } from "../../../src/state/backend";
import { fc } from "../../support/fixed-seed";
import { diskError, MemoryDisk } from "../../support/memory-disk";
import { inSoak } from "../../support/soak";
import { holder, localBackend } from "./fixtures";

jest.setTimeout(120_000);

/** Takes turns in an order that a seed decides: every call of every process waits here for its own. */
class Turns {
  readonly #waiting: (() => void)[] = [];
  #running = true;

  readonly next = (): Promise<void> => new Promise((resolve) => this.#waiting.push(resolve));

  async run(pick: (count: number) => number): Promise<void> {
    for (let idle = 0; this.#running && idle < 50; ) {
      const [chosen] = this.#waiting.splice(pick(this.#waiting.length), 1);
      idle = chosen === undefined ? idle + 1 : 0;
      chosen?.();
      for (let i = 0; i < 10; i += 1) await Promise.resolve();
    }
  }

  stop(): void {
    this.#running = false;
  }
}

interface Taker {
  /** Dies at this call; never when it makes fewer. */
  readonly crashAt: number;
  /** Gives the lock back at once. */
  readonly releases: boolean;
}

interface Outcome {
  /** How many held the lock at one moment. */
  readonly most: number;
  /** What a run gets that comes when all of them are gone. */
  readonly newcomer: StateSession | undefined;
}

async function race(takers: readonly Taker[], seed: readonly number[]): Promise<Outcome> {
  const disk = new MemoryDisk();
  const dead = new Set([1]);
  const isAlive = (pid: number): boolean => !dead.has(pid);
  const backend = (pid: number, on: MemoryDisk | ReturnType<MemoryDisk["view"]>) =>
    localBackend({ disk: on, pid, isAlive });
  await backend(1, disk).lock(holder("dead", 1), 0);

  const turns = new Turns();
  const holding = new Set<number>();
  let most = 0;
  const take = async ({ crashAt, releases }: Taker, pid: number): Promise<void> => {
    let calls = 0;
    const view = disk.view(turns.next, () => {
      calls += 1;
      if (calls >= crashAt) {
        dead.add(pid);
        holding.delete(pid);
        throw diskError("DEAD");
      }
      return undefined;
    });
    const session: StateSession | undefined = await backend(pid, view)
      .lock(holder(`taker-${pid}`, pid), 2000)
      .catch(() => undefined);
    if (session === undefined || dead.has(pid)) return;
    holding.add(pid);
    most = Math.max(most, holding.size);
    for (let i = 0; i < 5; i += 1) await turns.next();
    if (!releases) return;
    holding.delete(pid);
    await session.release();
  };
  let step = 0;
  const done = Promise.all(takers.map((taker, i) => take(taker, i + 10))).then(() => turns.stop());
  await turns.run((count) => (seed[step++ % seed.length] ?? 0) % Math.max(1, count));
  await done;
  for (let pid = 10; pid < 10 + takers.length; pid += 1) dead.add(pid);
  const newcomer = await backend(99, disk)
    .lock(holder("newcomer", 99), 0)
    .catch(() => undefined);
  return { most, newcomer };
}

const seeds = fc.array(fc.nat(1000), { minLength: 20, maxLength: 200 });
const taker = fc.record({
  crashAt: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 1, max: 45 })),
  releases: fc.boolean(),
});

describe("runs that take over a dead lock at once", () => {
  it("never hold it together, in whatever order their calls fall and wherever some of them die", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(taker, { minLength: 2, maxLength: 4 }), seeds, async (takers, seed) => {
        expect((await race(takers, seed)).most).toBeLessThanOrEqual(1);
      }),
      { numRuns: inSoak(400, 30) },
    );
  });

  it("leave a lock that the next run can have, wherever they died", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(taker, { minLength: 1, maxLength: 4 }), seeds, async (takers, seed) => {
        expect((await race(takers, seed)).newcomer).toBeDefined();
      }),
      { numRuns: inSoak(400, 30) },
    );
  });
});
