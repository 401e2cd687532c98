import { type Load, RateLimiter, type Release } from "../../../src/api/rate-limiter";
import { fc } from "../../support/fixed-seed";
import { steppingClock } from "./stepping-clock";

const patient = { isRetry: false, latestStart: () => Number.POSITIVE_INFINITY };
const settle = async () => {
  for (let i = 0; i < 3; i += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe("the rate limiter", () => {
  it("starts exactly as many as its concurrency lets, never more than its maximum, and everyone in the end", async () => {
    const loads = fc.array(fc.constantFrom<Load>("clean", "overloaded", "unclear"), {
      minLength: 1,
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(loads, fc.integer({ min: 1, max: 8 }), async (script, max) => {
        const limiter = new RateLimiter(steppingClock(), max);
        const inFlight: Release[] = [];
        let passed = 0;
        for (const _ of script)
          void limiter.acquire(patient).then((release) => {
            passed += 1;
            inFlight.push(release);
          });
        await settle();
        expect(inFlight).toHaveLength(Math.min(4, max, script.length));
        for (const load of script) {
          const before = limiter.concurrency;
          const release = inFlight.shift();
          const [left, waiting] = [inFlight.length, script.length - passed];
          release?.(load);
          await settle();
          const { concurrency } = limiter;
          if (load !== "clean") expect(concurrency).toBeLessThanOrEqual(before);
          else expect(concurrency).toBeGreaterThanOrEqual(before);
          expect(inFlight.length - left).toBe(Math.max(0, Math.min(waiting, concurrency - left)));
          expect(inFlight.length).toBeLessThanOrEqual(max);
        }
        expect(passed).toBe(script.length);
      }),
      { numRuns: 50 },
    );
  });
});
