import { Limiter, type Load, type Turn } from "../../../src/api/limiter";
import { fc } from "../../support/fixed-seed";
import { steppingClock } from "./stepping-clock";

const patient = { again: false, latestStart: () => Number.POSITIVE_INFINITY };
const settle = async () => {
  for (let i = 0; i < 3; i += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe("the limiter", () => {
  it("never has more in flight than its concurrency, and lets everyone through in the end", async () => {
    const loads = fc.array(fc.constantFrom<Load>("clean", "overloaded", "unclear"), {
      minLength: 1,
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(loads, fc.integer({ min: 1, max: 8 }), async (script, max) => {
        const limiter = new Limiter(steppingClock(), max);
        const inFlight: Turn[] = [];
        let passed = 0;
        for (const _ of script)
          void limiter.acquire(patient).then((turn) => {
            passed += 1;
            inFlight.push(turn);
          });
        for (const load of script) {
          await Promise.resolve();
          await Promise.resolve();
          expect(limiter.concurrency).toBeGreaterThanOrEqual(1);
          expect(limiter.concurrency).toBeLessThanOrEqual(max);
          expect(inFlight.length).toBeLessThanOrEqual(max);
          const turn = inFlight.shift();
          turn?.end(load);
          turn?.end("overloaded");
        }
        for (let i = 0; passed < script.length && i < 200; i += 1) {
          await Promise.resolve();
          inFlight.shift()?.end("clean");
        }
        expect(passed).toBe(script.length);
      }),
      { numRuns: 50 },
    );
  });

  it("doubles with each window up to 16, and grows by half from there", async () => {
    const limiter = new Limiter(steppingClock(), 64);
    const windows: number[] = [];
    for (let window = 0; window < 6; window += 1) {
      windows.push(limiter.concurrency);
      const turns = await Promise.all(
        Array.from({ length: limiter.concurrency }, () => limiter.acquire(patient)),
      );
      for (const turn of turns) turn.end("clean");
    }
    expect(windows).toEqual([4, 8, 16, 24, 36, 54]);
  });

  it("starts nothing while the gate is closed, and wakes by itself when it opens", async () => {
    const clock = steppingClock();
    const limiter = new Limiter(clock, 4);
    const opened = clock.now() + 5000;
    limiter.closeUntil(opened);
    limiter.closeUntil(opened - 3000);
    const times = await Promise.all(
      [1, 2, 3].map(async () => {
        const turn = await limiter.acquire(patient);
        turn.end("clean");
        return clock.now();
      }),
    );
    expect(times).toEqual([opened, opened, opened]);
    expect(clock.sleeps).toEqual([5000]);
  });

  it("keeps no timer for requests that were given up", async () => {
    const stop = new AbortController();
    const aborted: unknown[] = [];
    const limiter = new Limiter(
      {
        now: () => 0,
        elapsed: () => 0,
        sleep: (_, signal) =>
          new Promise((_resolve, reject) => {
            signal?.addEventListener("abort", () => {
              aborted.push(signal.reason);
              reject(signal.reason);
            });
          }),
      },
      4,
    );
    limiter.closeUntil(1000);
    const waiting = limiter.acquire({ ...patient, signal: stop.signal });
    stop.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
    await settle();
    expect(aborted).toHaveLength(1);
  });
});
