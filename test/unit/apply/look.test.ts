import { ApiError } from "../../../src/api/api-error";
import type { Reads } from "../../../src/api/reads";
import {
  isUncertain,
  keyLifetimeMs,
  keyStillCounts,
  lookAgain,
  lookForCreated,
  lookForLost,
  lookWithGrace,
  mayLackReceipt,
  observeCreated,
  sharedWait,
  staleReads,
  staleWrite,
} from "../../../src/apply/look";
import { manualClock } from "../../../src/emulator/testing";
import { api, intentOf, liveOf, recovering, start, stateOf, timeAt, typeOf } from "./fixtures";

const failure = (kind: ApiError["kind"], status?: number): ApiError =>
  new ApiError({
    ...{ kind, status, message: "", operation: "createService", method: "POST", path: "/" },
    ...{ requestId: "", attempts: 1 },
  });

/** Reads whose looks are told, with the moment of each and whether what was read before had been dropped. */
function looking(answers: readonly (readonly string[] | undefined)[], signal = new AbortController().signal) {
  const clock = manualClock({ sleepMoves: true });
  const looks: { readonly at: number; readonly isFresh: boolean }[] = [];
  let isFresh = false;
  const reads = {
    invalidate: () => {
      isFresh = true;
    },
  } as unknown as Reads;
  const look = async () => {
    looks.push({ at: clock.now() - start, isFresh });
    isFresh = false;
    return answers[Math.min(looks.length, answers.length) - 1];
  };
  const moments = () => looks.map(({ at }) => at);
  return { clock, reads, signal, look, looks, moments };
}

describe("the key of an open write", () => {
  const counts = (at: string, more: { readonly credential?: string; readonly hasRun?: boolean } = {}) => {
    const state = stateOf({}, []);
    return keyStillCounts(
      {
        state: more.hasRun === false ? { ...state, run: null } : state,
        credential: () => more.credential ?? "mine",
        clock: manualClock(),
      },
      intentOf({ at }),
    );
  };

  it("counts for less than 23 hours, in whichever direction clocks disagree", () => {
    expect(keyLifetimeMs).toBe(23 * 3_600_000);
    expect(counts(timeAt(0))).toBe(true);
    expect(counts(timeAt(1 - keyLifetimeMs))).toBe(true);
    expect(counts(timeAt(-keyLifetimeMs))).toBe(false);
    expect(counts(timeAt(keyLifetimeMs - 1))).toBe(true);
    expect(counts(timeAt(keyLifetimeMs))).toBe(false);
  });

  it("counts for the API key alone that it was sent with, and never without its run", () => {
    expect(counts(timeAt(0), { credential: "another" })).toBe(false);
    expect(counts(timeAt(0), { hasRun: false })).toBe(false);
  });
});

describe("a failed write", () => {
  it("may have happened where its answer is missing or makes no sense, and nowhere else", () => {
    expect(isUncertain(failure("uncertain"))).toBe(true);
    expect(isUncertain(failure("malformed", 200))).toBe(true);
    expect(isUncertain(failure("refused", 400))).toBe(false);
    expect(isUncertain(failure("unavailable", 503))).toBe(false);
    expect(isUncertain(Object.assign(new Error("x"), { kind: "uncertain" }))).toBe(false);
  });

  it("may have no receipt where the service failed", () => {
    expect(mayLackReceipt(failure("uncertain", 500))).toBe(true);
    expect(mayLackReceipt(failure("uncertain", 502))).toBe(false);
    expect(mayLackReceipt(failure("uncertain"))).toBe(false);
  });
});

describe("the look for what was written just now", () => {
  it("drops what was read before, and ends with the first thing that it finds", async () => {
    const around = looking([["a"]]);
    expect(await lookWithGrace(around, around.look)).toEqual(["a"]);
    expect(around.looks).toEqual([{ at: 0, isFresh: true }]);
  });

  it("is repeated after half a second and after two seconds, with fresh reads, while nothing is there", async () => {
    const around = looking([[]]);
    expect(await lookWithGrace(around, around.look)).toEqual([]);
    expect(around.looks).toEqual([0, 500, 2000].map((at) => ({ at, isFresh: true })));
  });

  it("goes on as long as reads may lag where a receipt may be missing, and says so once", async () => {
    const around = looking([[]]);
    let saidAfter = 0;
    let said = 0;
    await lookWithGrace(around, around.look, () => {
      said += 1;
      saidAfter = around.looks.length;
    });
    expect(around.moments()).toEqual([0, 500, ...Array.from({ length: 15 }, (_, at) => 2000 * (at + 1))]);
    expect({ said, saidAfter }).toEqual({ said: 1, saidAfter: 3 });
  });

  it("is not repeated where nobody can look", async () => {
    const around = looking([undefined]);
    expect(await lookWithGrace(around, around.look, () => undefined)).toBeUndefined();
    expect(around.moments()).toEqual([0]);
  });

  it("ends with an interrupt", async () => {
    const stop = new AbortController();
    const around = looking([[]], stop.signal);
    stop.abort(new Error("stopped"));
    await expect(lookWithGrace(around, around.look)).rejects.toThrow("stopped");
    expect(around.moments()).toEqual([0]);
  });
});

describe("the look for what an unanswered create made", () => {
  const search = { name: "api", parentId: "p1", preexistingIds: ["old"], since: timeAt(0) };
  const typeFinding = (answers: readonly (readonly string[] | undefined)[]) => {
    const around = looking(answers);
    const asked: unknown[] = [];
    const candidates = async (_: unknown, asks: unknown) => {
      asked.push(asks);
      return (await around.look())?.map((id) => liveOf(id));
    };
    const events: unknown[] = [];
    const run = { ...around, emit: (event: unknown) => void events.push(event) };
    return { ...around, type: typeOf({ candidates }), asked, run, events };
  };

  it("is repeated once, with fresh reads, where it tells nothing", async () => {
    const { type, reads, looks, asked } = typeFinding([undefined, ["a"]]);
    expect(await lookForCreated(type, reads, search)).toMatchObject([{ id: "a" }]);
    expect(looks.map(({ isFresh }) => isFresh)).toEqual([false, true]);
    expect(asked).toEqual([search, search]);
  });

  it("is not repeated where it tells that there is nothing, nor for a type that nobody can look up", async () => {
    const { type, reads, looks } = typeFinding([[]]);
    expect(await lookForCreated(type, reads, search)).toEqual([]);
    expect(looks).toHaveLength(1);
    expect(await lookForCreated(typeOf({}), reads, search)).toBeUndefined();
  });

  it("takes the one thing it finds, and none where there is none", async () => {
    const one = typeFinding([["a"]]);
    const uncertain = failure("uncertain", 502);
    expect(await observeCreated(one.type, one.run, api, search, uncertain)).toMatchObject({ id: "a" });
    const none = typeFinding([[]]);
    expect(await observeCreated(none.type, none.run, api, search, uncertain)).toBeUndefined();
    expect(none.moments()).toEqual([0, 500, 2000]);
    expect(none.events).toEqual([]);
    const unknown = typeFinding([undefined]);
    expect(await observeCreated(unknown.type, unknown.run, api, search, uncertain)).toBeUndefined();
  });

  it("is patient after a failure of the service, and tells that it is", async () => {
    const { type, run, moments, events } = typeFinding([[]]);
    await observeCreated(type, run, api, search, failure("uncertain", 500));
    expect(moments().at(-1)).toBe(30_000);
    expect(events).toMatchObject([{ type: "progress", address: api, action: "create" }]);
  });

  it("leaves several to a person, by their ids", async () => {
    const { type, run } = typeFinding([["a", "b"]]);
    await expect(observeCreated(type, run, api, search, failure("uncertain"))).rejects.toMatchObject({
      diagnostics: [
        {
          code: "apply.uncertain",
          address: api,
          detail: expect.stringContaining("a, b"),
          hint: expect.stringContaining(`rnv import ${api} ID`),
        },
      ],
    });
  });
});

describe("the look for what an interrupted run may have left", () => {
  /** Looks while the write is `ageMs` old; of the same API key unless said. */
  const looks = async (
    ageMs: number,
    more: { readonly credential?: string; readonly wait?: boolean; readonly found?: readonly string[] } = {},
  ) => {
    const around = recovering(stateOf({}, []), [], {
      credential: () => more.credential ?? "mine",
      wait: more.wait ?? true,
    });
    const moments: number[] = [];
    const shared = sharedWait(around);
    const found = await lookForLost({ ...around, shared }, intentOf({ at: timeAt(-ageMs) }), async () => {
      moments.push(around.clock.now() - start);
      return more.found ?? [];
    });
    return { found, moments, said: around.said, again: around, shared };
  };
  const everyTwoSeconds = Array.from({ length: 16 }, (_, at) => 2000 * at);

  it("is repeated once after two seconds, and ends with what it finds", async () => {
    expect((await looks(0)).moments).toEqual([0, 2000]);
    const { found, moments } = await looks(0, { found: ["a"] });
    expect({ found, moments }).toEqual({ found: ["a"], moments: [0] });
  });

  it("is repeated for half a minute where the key proves nothing and the write is younger than two minutes", async () => {
    const { moments, said } = await looks(119_999, { credential: "another" });
    expect(moments).toEqual(everyTwoSeconds);
    expect(said).toHaveLength(1);
    expect((await looks(120_000, { credential: "another" })).moments).toEqual([0, 2000]);
    // From before the clock was set back: nobody knows how old it is.
    expect((await looks(-keyLifetimeMs)).moments).toEqual(everyTwoSeconds);
  });

  it("is one look for a command that waits for nothing", async () => {
    const { moments, said } = await looks(0, { wait: false, credential: "another" });
    expect({ moments, said }).toEqual({ moments: [0], said: [] });
  });

  it("shares its pauses with the looks for other writes", async () => {
    const { again, shared } = await looks(0);
    const moments: number[] = [];
    await lookForLost({ ...again, shared }, intentOf(), async () => {
      moments.push(again.clock.now() - start);
      return [];
    });
    // Two seconds have passed for it as well.
    expect(moments).toEqual([2000]);
  });

  it("drops what was read before with each pause", async () => {
    const dropped: number[] = [];
    const reads = { invalidate: () => void dropped.push(0) } as unknown as Reads;
    const around = recovering(stateOf({}, []), [], { reads });
    const shared = sharedWait(around);
    expect(await shared.waitUntil(2000)).toBe(true);
    expect(dropped).toHaveLength(1);
    expect({ waited: shared.waited, at: around.clock.now() - start }).toEqual({ waited: 2000, at: 2000 });
    expect(await shared.waitUntil(2000)).toBe(false);
    expect(await shared.waitUntil(3000)).toBe(true);
    expect(dropped).toHaveLength(2);
    expect(around.clock.now() - start).toBe(3000);
  });
});

describe("a look at reads that lag", () => {
  const looks = (until: number, forMs?: number) => {
    const clock = manualClock({ sleepMoves: true });
    const moments: number[] = [];
    const said: string[] = [];
    const dropped: number[] = [];
    const context = {
      clock,
      signal: new AbortController().signal,
      reads: { invalidate: () => void dropped.push(clock.now()) },
      say: (line: string) => void said.push(line),
    };
    const look = () => {
      moments.push(clock.now() - start);
      return clock.now() - start;
    };
    return lookAgain(context, look, (seen) => seen < until, forMs).then((looked) => ({
      ...{ looked, moments, said, dropped },
    }));
  };

  it("is one where nothing lags", async () => {
    const { looked, moments, said } = await looks(0);
    expect({ looked, moments, said }).toEqual({
      looked: { seen: 0, isStale: false },
      moments: [0],
      said: [],
    });
  });

  it("is repeated after pauses that grow to four seconds, each with fresh reads, and says so once", async () => {
    const { looked, moments, said, dropped } = await looks(10_000);
    expect(moments).toEqual([0, 250, 750, 1750, 3750, 7750, 11_750]);
    expect(looked).toEqual({ seen: 11_750, isStale: false });
    expect(said).toHaveLength(1);
    expect(dropped).toHaveLength(6);
  });

  it("ends after half a minute, or the time it is given, and tells that it was not enough", async () => {
    const { looked, moments } = await looks(Number.POSITIVE_INFINITY);
    expect(looked.isStale).toBe(true);
    expect(moments.at(-1)).toBe(31_750);
    expect((await looks(Number.POSITIVE_INFINITY, 250)).moments).toEqual([0, 250]);
    expect((await looks(Number.POSITIVE_INFINITY, 251)).moments).toEqual([0, 250, 750]);
  });

  it("that stayed behind to the end is an error about what was written", () => {
    const about = { severity: "error", code: "live.stale" };
    expect(staleReads("behind", api)).toMatchObject({ ...about, summary: "behind", address: api });
    expect(staleWrite("what")).toMatchObject({ ...about, summary: expect.stringContaining("what") });
    expect(staleWrite("what")).not.toHaveProperty("address");
  });

  it("is shared by those who look with the same reads at the same time", async () => {
    const clock = manualClock({ sleepMoves: true });
    const signal = new AbortController().signal;
    const dropped: number[] = [];
    const context = { clock, signal, reads: { invalidate: () => void dropped.push(clock.now()) } };
    const isBehind = () => clock.now() - start < 700;
    await Promise.all([1, 2, 3].map(() => lookAgain(context, () => undefined, isBehind)));
    expect(dropped).toHaveLength(2);
  });
});
