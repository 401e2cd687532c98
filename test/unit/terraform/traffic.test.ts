import { Traffic } from "../../../src/terraform/reactions/traffic";

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
