import { carryOutRun, noOwedRuns } from "../../../src/terraform/reactions/owed-runs";
import { type Room, Traffic } from "../../../src/terraform/reactions/traffic";

const forever = new AbortController().signal;
const soon = { quietMs: 5, patienceMs: 5 };

describe("calls that wait for others", () => {
  it("go on when nothing else is under way", async () => {
    const traffic = new Traffic();
    expect(await traffic.during(() => traffic.wait(() => true, soon, forever))).toBe(true);
    expect(await traffic.during(() => traffic.wait(() => false, soon, forever))).toBe(false);
  });

  it("wait for what is under way, however long it takes", async () => {
    const traffic = new Traffic();
    let isWritten = false;
    let end: () => void = () => {};
    const other = traffic.during(() => new Promise<void>((resolve) => (end = resolve)));
    const waiting = traffic.during(() => traffic.wait(() => isWritten, soon, forever));
    await new Promise((resolve) => setTimeout(resolve, 30));
    isWritten = true;
    end();
    await other;
    expect(await waiting).toBe(true);
  });

  it("let one go where all of them wait for something: its place may be what they wait for", async () => {
    const traffic = new Traffic();
    let isWritten = false;
    const results: boolean[] = [];
    const wait = async (): Promise<void> => {
      results.push(await traffic.wait(() => isWritten, soon, forever));
      // Terraform asks for the next resource in the place of the one that was answered.
      isWritten = true;
      traffic.changed();
    };
    await Promise.all([1, 2, 3].map(() => traffic.during(wait)));
    expect(results).toEqual([false, true, true]);
  });

  it("take a silence for one only when it is long for the pace at which calls come", async () => {
    jest.useFakeTimers();
    try {
      const traffic = new Traffic();
      const call = (): Promise<void> => traffic.during(async () => {});
      const let100 = () => jest.advanceTimersByTimeAsync(100);
      await call();
      await let100();
      await call();
      const gone: string[] = [];
      let isThere = false;
      const wait = async (name: string, isReady: () => boolean): Promise<void> => {
        await traffic.wait(isReady, soon, forever);
        gone.push(name);
      };
      const waiting = [
        traffic.during(() => wait("ready", () => true)),
        traffic.during(() => wait("not ready", () => isThere)),
      ];
      for (let calls = 0; calls < 5; calls += 1) {
        await let100();
        expect(gone).toEqual([]);
        await call();
      }
      isThere = true;
      await jest.advanceTimersByTimeAsync(400);
      await Promise.all(waiting);
      expect(gone).toEqual(["ready", "not ready"]);
    } finally {
      jest.useRealTimers();
    }
  });

  it("end with an interruption", async () => {
    const traffic = new Traffic();
    const stop = new AbortController();
    const patient = { quietMs: 60_000, patienceMs: 60_000 };
    const waiting = traffic.during(() => traffic.wait(() => false, patient, stop.signal));
    stop.abort();
    expect(await waiting).toBe(false);
    expect(await traffic.during(() => traffic.wait(() => true, patient, stop.signal))).toBe(true);
  });
});

describe("runs that have taken every place", () => {
  const [places, none] = [10, { diagnostics: [] }];
  const patient = { quietMs: 50, patienceMs: 60_000 };

  /** Terraform begins a call as soon as one of its places is free. */
  const walk = async (calls: readonly (() => Promise<unknown>)[], most: number): Promise<void> => {
    const queue = [...calls];
    const work = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await next();
    };
    await Promise.all(Array.from({ length: most }, work));
  };

  it("make room for what they wait for; the last call is answered when all of them have ended", async () => {
    const session = { traffic: new Traffic(), owed: noOwedRuns() };
    const events: string[] = [];
    const written = new Set<number>();
    const run = (name: number) => () =>
      session.traffic.during(async () => {
        const carryOut = async (room: Room) => {
          await session.traffic.wait(() => written.has(name), patient, forever, room);
          events.push(`ran ${written.has(name)}`);
          return none;
        };
        await carryOutRun(session, { carryOut, early: none, onEnd: () => events.push("ended") });
        events.push("answered");
      });
    const write = (name: number) => () =>
      session.traffic.during(async () => {
        written.add(name);
      });
    const names = Array.from({ length: places + 2 }, (_, index) => index);
    await walk([...names.map(run), ...names.map(write)], places);
    expect(events.filter((one) => one === "ran true")).toHaveLength(names.length);
    expect(events).not.toContain("ran false");
    expect(events.at(-1)).toBe("answered");
    expect(session.owed).toEqual({ runs: new Set(), calls: 0 });
  });
});
