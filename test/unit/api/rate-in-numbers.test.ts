import { AdaptiveRate, type Permit, RateLimiter, RetryAfterTooLong } from "../../../src/api/rate-limiter";
import { steppingClock } from "./stepping-clock";

/** A rate that has seen so many clean answers at each time, and then a refusal. */
function refusedRate(answers: Readonly<Record<number, number>>, at: number, reopens: number): AdaptiveRate {
  const rate = new AdaptiveRate();
  for (const [time, count] of Object.entries(answers))
    for (let i = 0; i < count; i += 1) rate.succeeded(Number(time));
  rate.refused(at, reopens);
  return rate;
}

describe("the rate after a refusal", () => {
  it.each<[string, Record<number, number>, number, number, number]>([
    ["ten answers in a second", { 0: 10 }, 0, 1000, 9],
    ["answers before that second", { 0: 5, 1: 3, 1000: 7 }, 1000, 2000, 9],
    ["a pause of two seconds, which look back as far", { 0: 5, 1000: 10 }, 1000, 3000, 6.75],
    ["a pause shorter than a second", { 0: 10, 600: 10 }, 1100, 1200, 9],
    ["a pause longer than is remembered", { 0: 100, 59999: 240 }, 59_999, 179_999, 2.55],
    ["one answer in a second", { 0: 1 }, 0, 1000, 0.9],
    ["less than one answer in a second", { 0: 1 }, 0, 1001, Number.POSITIVE_INFINITY],
    ["what is no longer remembered", { 0: 300, 60000: 60 }, 60_000, 180_000, Number.POSITIVE_INFINITY],
  ])("is a tenth below what was borne: %s", (_, answers, at, reopens, perSecond) => {
    expect(refusedRate(answers, at, reopens).perSecond).toBeCloseTo(perSecond, 6);
  });

  it("starts nothing before the pause ends, then at even distances, and catches up with 50 ms at most", () => {
    const rate = refusedRate({ 0: 10 }, 0, 1000);
    expect([rate.wait(0), rate.wait(999.5), rate.wait(1000), rate.wait(5000)]).toEqual([1000, 1, 0, 0]);
    rate.start(1000);
    expect(rate.wait(1000)).toBe(112);
    rate.start(1120);
    expect(rate.wait(1120)).toBe(103);
    rate.start(2000);
    expect(rate.wait(2000)).toBe(62);
  });

  it("rises by 1 % of what was borne each second, and by 5 % once above it", () => {
    const rate = refusedRate({ 0: 10 }, 0, 1000);
    const seen = [1000, 1999, 2000, 2001, 2999, 3000].map((now) => {
      rate.succeeded(now);
      return Number(rate.perSecond.toFixed(3));
    });
    expect(seen).toEqual([9, 9, 9.1, 9.1, 9.1, 9.2]);
    for (let second = 4; second <= 14; second += 1) rate.succeeded(second * 1000);
    const above = rate.perSecond;
    rate.succeeded(15_000);
    expect(rate.perSecond - above).toBeCloseTo(0.5, 6);
  });

  it.each<[string, number, number, number]>([
    ["steady for five seconds", 6000, 0, 8.1],
    ["sooner, which bore nothing", 5999, 0, 5.67],
    ["sooner, which bore nearly as much", 1600, 8, 7.2],
    ["sooner, which bore more", 1600, 20, 8.1],
  ])("falls with the next refusal: %s", (_, at, answers, perSecond) => {
    const rate = refusedRate({ 0: 10 }, 0, 1000);
    for (let i = 0; i < answers; i += 1) rate.succeeded(1500);
    rate.refused(at, at + 1000);
    expect(rate.perSecond).toBeCloseTo(perSecond, 6);
  });
});

describe("who waits for a permit", () => {
  const until = (latest: number) => ({ isRetry: false, latestStart: () => latest });
  const never = until(Number.POSITIVE_INFINITY);

  it.each([
    [4999, 5000, 5],
    [0, 4001, 5],
    [0, 300_000, 300],
  ])(
    "is refused at once where it must start within %d ms and the pause is %d ms",
    async (latest, pause, seconds) => {
      const clock = steppingClock();
      const limiter = new RateLimiter(clock, 4);
      const begun = clock.elapsed();
      limiter.pauseUntil(begun + pause);
      const thrown = await limiter.acquire(until(begun + latest)).catch((reason: unknown) => reason);
      expect(thrown).toBeInstanceOf(RetryAfterTooLong);
      expect(thrown).toMatchObject({ seconds, name: "RetryAfterTooLong" });
      expect(clock.elapsed()).toBe(begun);
    },
  );

  it("starts where the pause ends just in time, and is refused where a later pause is too long", async () => {
    const clock = steppingClock();
    const limiter = new RateLimiter(clock, 1);
    const begun = clock.elapsed();
    limiter.pauseUntil(begun + 5000);
    const permit = await limiter.acquire(until(begun + 5000));
    expect(clock.elapsed()).toBe(begun + 5000);
    const impatient = limiter.acquire(until(begun + 9000));
    const patient = limiter.acquire(never);
    limiter.pauseUntil(begun + 9001);
    await expect(impatient).rejects.toMatchObject({ seconds: 5 });
    permit.release("clean");
    (await patient).release("clean");
    expect(clock.elapsed()).toBe(begun + 9001);
  });

  it("is nobody's business once it was interrupted: the others start in their order", async () => {
    const limiter = new RateLimiter(steppingClock(), 1);
    const first = await limiter.acquire(never);
    const stop = new AbortController();
    const started: string[] = [];
    const ask = (name: string, isRetry = false) =>
      limiter.acquire({ ...never, isRetry }).then((permit: Permit) => {
        started.push(name);
        permit.release("clean");
      });
    const second = ask("second");
    const given = limiter.acquire({ ...never, signal: stop.signal });
    const third = ask("third");
    const again = ask("again", true);
    const reason = new Error("stopped");
    stop.abort(reason);
    await expect(given).rejects.toBe(reason);
    await expect(limiter.acquire({ ...never, signal: stop.signal })).rejects.toBe(reason);
    first.release("clean");
    await Promise.all([second, third, again]);
    expect(started).toEqual(["again", "second", "third"]);
  });

  it("halves once for one burst, never below one, and not for what is unclear", async () => {
    const limiter = new RateLimiter(steppingClock(), 32);
    const take = (count: number) => Promise.all(Array.from({ length: count }, () => limiter.acquire(never)));
    const burst = await take(4);
    burst[0]?.release("unclear");
    expect(limiter.concurrency).toBe(4);
    for (const permit of burst) permit.release("overloaded");
    expect(limiter.concurrency).toBe(2);
    for (const expected of [1, 1]) {
      for (const permit of await take(limiter.concurrency)) permit.release("overloaded");
      expect(limiter.concurrency).toBe(expected);
    }
    for (const expected of [2, 2, 3]) {
      const [permit] = await take(1);
      permit?.release("clean");
      expect(limiter.concurrency).toBe(expected);
    }
  });
});
