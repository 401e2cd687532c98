import { AdaptiveRate, RateLimiter } from "../../../src/api/rate-limiter";

interface Served {
  /** Accepted requests in each second. */
  readonly accepted: readonly number[];
  readonly refused: number;
  readonly sent: number;
}

/** A service with a fixed window of so many requests, asked for `seconds` by as many requests as may start. */
async function serve(limit: number, seconds: number, latencyMs = 20): Promise<Served> {
  let now = 0;
  const timers: { at: number; run: () => void }[] = [];
  const after = (ms: number, run: () => void): void => void timers.push({ at: now + ms, run });
  const limiter = new RateLimiter(
    { now: () => now, elapsed: () => now, sleep: (ms) => new Promise<void>((resolve) => after(ms, resolve)) },
    32,
  );
  const accepted = Array.from({ length: seconds }, () => 0);
  let refused = 0;
  let sent = 0;
  let window = { start: Number.NEGATIVE_INFINITY, count: 0 };
  const patient = { isRetry: false, latestStart: () => Number.POSITIVE_INFINITY };
  const worker = async (): Promise<void> => {
    while (now < seconds * 1000) {
      const permit = await limiter.acquire(patient);
      if (now >= seconds * 1000) return permit.release("unclear");
      sent += 1;
      if (now - window.start >= 1000) window = { start: now, count: 0 };
      window.count += 1;
      const isAccepted = window.count <= limit;
      await new Promise<void>((resolve) => after(latencyMs, resolve));
      if (isAccepted) {
        const second = Math.floor(now / 1000);
        if (second < seconds) accepted[second] = (accepted[second] as number) + 1;
      } else {
        refused += 1;
        limiter.pauseUntil(now + 1000);
      }
      permit.release(isAccepted ? "clean" : "overloaded");
    }
  };
  const workers = Promise.all(Array.from({ length: 32 }, worker));
  let isOver = false;
  workers.then(() => {
    isOver = true;
  });
  while (!isOver) {
    for (let i = 0; i < 20; i += 1) await Promise.resolve();
    timers.sort((a, b) => a.at - b.at);
    const next = timers.shift();
    if (next === undefined) continue;
    now = Math.max(now, next.at);
    next.run();
  }
  return { accepted, refused, sent };
}

describe("the rate of requests", () => {
  it.each([40, 100, 400])(
    "keeps to four fifths of a limit of %i requests a second, with few refusals",
    async (limit) => {
      const { accepted, refused, sent } = await serve(limit, 30);
      const settled = accepted.slice(5);
      const mean = settled.reduce((sum, count) => sum + count, 0) / settled.length;
      expect(mean).toBeGreaterThan(0.8 * limit);
      expect(mean).toBeLessThanOrEqual(limit);
      expect(refused / sent).toBeLessThan(0.05);
    },
  );

  it("rises again when the service bears more than it did", () => {
    const rate = new AdaptiveRate();
    for (let i = 0; i < 10; i += 1) rate.succeeded(0);
    rate.refused(0, 1000);
    for (let now = 1000; now < 61_000; now += 100) rate.succeeded(now);
    expect(rate.perSecond).toBeGreaterThan(20);
  });
});
