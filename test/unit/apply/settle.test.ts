import { waitUntilSettled } from "../../../src/apply/settle";
import { manualClock } from "../../../src/emulator/testing";
import type { Pending } from "../../../src/model/live";
import type { OperationStatus } from "../../../src/model/resource-operations";

const start = Date.UTC(2026, 0, 1);
const minute = 60_000;
const deploying: Pending = { kind: "deployment", id: "d1", serviceId: "s1" };
const busy: OperationStatus = { kind: "waiting", status: "building" };

describe("waitUntilSettled", () => {
  const waiting = async (
    poll: (pending: Pending, at: number) => OperationStatus,
    more: { readonly timeoutMs?: number; readonly stopAt?: number } = {},
  ) => {
    const clock = manualClock({ sleepMoves: true });
    const stop = new AbortController();
    const moments: number[] = [];
    const told: (readonly [number, string, string | undefined])[] = [];
    const next: string[] = [];
    const result = await waitUntilSettled(deploying, {
      type: {
        poll: async (_, pending) => {
          const at = clock.now() - start;
          moments.push(at);
          if (at >= (more.stopAt ?? Number.POSITIVE_INFINITY)) stop.abort(new Error("stopped"));
          return poll(pending, at);
        },
      },
      ...{ reads: {} as never, clock, signal: stop.signal, timeoutMs: more.timeoutMs ?? 15 * minute },
      onWaiting: (seconds, status, note) => told.push([seconds, status, note]),
      onNext: async ({ id }) => void next.push(id),
    });
    return { result, moments, told, next };
  };

  it("reports the status at once, after a change, and about every 10 s", async () => {
    const { told } = await waiting((_, at) =>
      at < 1000 ? busy : at < 25_000 ? { ...busy, note: "slow" } : { kind: "done" },
    );
    expect(told[0]).toEqual([0, "building", undefined]);
    expect(told[1]?.slice(1)).toEqual(["building", "slow"]);
    const seconds = told.slice(1).map(([second]) => second);
    expect(seconds).toHaveLength(3);
    expect((seconds[1] ?? 0) - (seconds[0] ?? 0)).toBeGreaterThanOrEqual(10);
    expect((seconds[1] ?? 0) - (seconds[0] ?? 0)).toBeLessThan(15);
  });

  it("reports a changed note", async () => {
    const { told } = await waiting((_, at) =>
      at < 5000 ? { ...busy, note: at < 1000 ? "one" : "another" } : { kind: "done" },
    );
    expect(told.map(([, , note]) => note)).toEqual(["one", "another"]);
  });

  it("follows the operation that replaces the first one, and polls it at least once", async () => {
    const second: Pending = { ...deploying, id: "d2" };
    const poll = ({ id }: Pending): OperationStatus =>
      id === "d1" ? { ...busy, next: second } : { kind: "done" };
    const { result, next, moments } = await waiting(poll, { timeoutMs: 0 });
    const ended = { kind: "done", pending: second };
    expect({ result, next, moments }).toEqual({ result: ended, next: ["d2"], moments: [0, 0] });
    const endless = await waiting(({ id }) => ({ ...busy, next: { ...deploying, id: `${id}+` } }), {
      timeoutMs: 0,
    });
    expect(endless).toMatchObject({
      result: { kind: "timeout", pending: { id: "d1++" } },
      next: ["d1+", "d1++"],
    });
  });

  it("fails when an operation is missing for longer than allowed", async () => {
    const lost = { ...busy, atMost: { ms: 30_000, summary: "lost" } };
    const { result, moments } = await waiting(() => lost);
    expect(result).toEqual({ kind: "failed", summary: "lost", pending: deploying });
    expect(moments.at(-1)).toBeGreaterThanOrEqual(30_000);
    expect(moments.at(-2)).toBeLessThan(30_000);
    const unseen = await waiting(() => ({ ...lost, atMost: { ...lost.atMost, isUnseen: true } }));
    expect(unseen.result).toMatchObject({ kind: "timeout", status: "building", unseen: "lost" });
    // Seen in between: the time starts again.
    const broken = await waiting((_, at) => (at > 20_000 && at < 26_000 ? busy : lost));
    expect(broken.moments.at(-1)).toBeGreaterThanOrEqual(52_000);
    const done = await waiting((_, at) => (at < 29_000 ? lost : { kind: "done" }));
    expect(done.result).toEqual({ kind: "done", pending: deploying });
  });
});
