import type { Resource } from "../../../src/api/reads";
import type { ChangeContext } from "../../../src/apply/change-context";
import { settle, settlePending, waitUntilSettled } from "../../../src/apply/settle";
import { manualClock } from "../../../src/emulator/testing";
import type { Address } from "../../../src/model/address";
import type { Pending } from "../../../src/model/live";
import type { OperationStatus } from "../../../src/model/resource-operations";
import type { RecordedResource } from "../../../src/model/state";
import { api, recordOf, recovering, start, stateOf, timeAt, typeOf } from "./fixtures";

const minute = 60_000;
const deploying: Pending = { kind: "deployment", id: "d1", serviceId: "s1" };
const deleting: Pending = { kind: "operation", id: "op", deletes: true };
const web = "service.shop.web" as Address;

/** A type whose looks give these statuses, the last one again and again. */
const showing = (...statuses: readonly OperationStatus[]): Resource => {
  let looks = 0;
  return typeOf({ poll: async () => statuses[Math.min(looks++, statuses.length - 1)] as OperationStatus });
};
const busy: OperationStatus = { kind: "waiting", status: "building" };

describe("a wait", () => {
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
  const until = (moment: number) => (_: Pending, at: number) =>
    at < moment ? busy : { kind: "done" as const };

  it("looks at once, and then after pauses from a quarter of a second up to five seconds", async () => {
    expect((await waiting(until(0))).moments).toEqual([0]);
    const { moments } = await waiting(until(30_000));
    const pauses = moments.slice(1).map((moment, at) => moment - (moments[at] ?? 0));
    expect(pauses.slice(0, 3)).toEqual([250, 375, 562.5]);
    expect(Math.max(...pauses)).toBe(5000);
    expect(pauses.at(-1)).toBe(5000);
  });

  it("tells at once where it stands, when that changes, and about every ten seconds", async () => {
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

  it("tells that its note is another one", async () => {
    const { told } = await waiting((_, at) =>
      at < 5000 ? { ...busy, note: at < 1000 ? "one" : "another" } : { kind: "done" },
    );
    expect(told.map(([, , note]) => note)).toEqual(["one", "another"]);
  });

  it("ends with its timeout, after a last look at that very moment", async () => {
    const { result, moments } = await waiting(() => busy, { timeoutMs: 1000 });
    expect(result).toEqual({ kind: "timeout", status: "building", pending: deploying });
    expect(moments).toEqual([0, 250, 625, 1000]);
    expect((await waiting(() => busy, { timeoutMs: 0 })).moments).toEqual([0]);
  });

  it("goes on with what took the place of what it waited for, which is looked at once however late it is", async () => {
    const second: Pending = { ...deploying, id: "d2" };
    const poll = ({ id }: Pending): OperationStatus =>
      id === "d1" ? { ...busy, next: second } : { kind: "done" };
    const { result, next, moments } = await waiting(poll, { timeoutMs: 0 });
    expect({ result, next, moments }).toEqual({ result: { kind: "done" }, next: ["d2"], moments: [0, 0] });
    const endless = await waiting(({ id }) => ({ ...busy, next: { ...deploying, id: `${id}+` } }), {
      timeoutMs: 0,
    });
    expect(endless).toMatchObject({
      result: { kind: "timeout", pending: { id: "d1++" } },
      next: ["d1+", "d1++"],
    });
  });

  it("gives up what looks lost for too long without a break, and tells whether anything would ever show it", async () => {
    const lost = { ...busy, atMost: { ms: 30_000, summary: "lost" } };
    const { result, moments } = await waiting(() => lost);
    expect(result).toEqual({ kind: "failed", summary: "lost" });
    expect(moments.at(-1)).toBeGreaterThanOrEqual(30_000);
    expect(moments.at(-2)).toBeLessThan(30_000);
    const unseen = await waiting(() => ({ ...lost, atMost: { ...lost.atMost, isUnseen: true } }));
    expect(unseen.result).toMatchObject({ kind: "timeout", status: "building", unseen: "lost" });
    // Seen in between: the time counts anew.
    const broken = await waiting((_, at) => (at > 20_000 && at < 26_000 ? busy : lost));
    expect(broken.moments.at(-1)).toBeGreaterThanOrEqual(52_000);
    const done = await waiting((_, at) => (at < 29_000 ? lost : { kind: "done" }));
    expect(done.result).toEqual({ kind: "done" });
  });

  it("ends with an interrupt, after a last look", async () => {
    const { result, moments } = await waiting(() => busy, { stopAt: 250 });
    expect(result).toEqual({ kind: "interrupted", pending: deploying });
    expect(moments).toEqual([0, 250]);
    const cut = await waiting(
      (_, at) => {
        if (at >= 250) throw new Error("cut");
        return busy;
      },
      { stopAt: 250 },
    );
    expect(cut.result).toEqual({ kind: "interrupted", pending: deploying });
  });

  it("fails where a look fails that nobody interrupted", async () => {
    const broken = waiting(() => {
      throw new Error("no such route");
    });
    await expect(broken).rejects.toThrow("no such route");
  });
});

describe("what an earlier run left pending", () => {
  const left = (type: Resource, pending: Pending, more: { timeoutMs?: number; others?: object } = {}) => {
    const recorded = recordOf("s1", { pending, inputs: { s1: 2 } });
    const around = recovering(stateOf({ [api]: recorded, ...more.others }, []), [type]);
    return settlePending(around, api, recorded, { timeoutMs: more.timeoutMs ?? 0 }).then((result) => ({
      ...{ ...result, events: around.events, waited: around.clock.now() - start },
    }));
  };
  const entry = (resource: Partial<RecordedResource> | null) => ({
    kind: "resource",
    address: api,
    resource,
  });

  it("is recorded as it is once it has ended", async () => {
    const { entries, diagnostics } = await left(showing({ kind: "done" }), deploying);
    expect({ entries, diagnostics }).toEqual({
      ...{ entries: [entry(recordOf("s1", { inputs: { s1: 2 } }))], diagnostics: [] },
    });
  });

  it("is recorded as not deployed where it failed, so that it is planned again", async () => {
    const { entries, diagnostics } = await left(showing({ kind: "failed", summary: "no build" }), deploying);
    expect(entries).toEqual([entry(recordOf("s1", { inputs: {} }))]);
    expect(diagnostics).toMatchObject([{ severity: "warning", code: "apply.deploy_failed", address: api }]);
  });

  it("is forgotten once it is deleted", async () => {
    const { entries } = await left(showing({ kind: "done" }), deleting);
    expect(entries).toEqual([entry(null)]);
  });

  it("stays recorded, with the reason, where its deletion failed", async () => {
    const { entries, diagnostics } = await left(showing({ kind: "failed", summary: "busy" }), deleting);
    expect(entries).toEqual([entry(recordOf("s1", { inputs: { s1: 2 }, deletionFailed: "busy" }))]);
    expect(diagnostics).toMatchObject([{ severity: "warning", code: "apply.delete_failed", address: api }]);
  });

  it("stays as it is while a checkout is awaited", async () => {
    const { entries, diagnostics } = await left(showing({ kind: "checkout", summary: "pay" }), deploying);
    expect(entries).toEqual([]);
    expect(diagnostics).toMatchObject([
      { severity: "warning", code: "apply.awaiting_checkout", address: api },
    ]);
  });

  it("is no proof of a deletion where the service shows nothing though more must be there", async () => {
    const nothing = showing({ kind: "done", showsNothing: true });
    const { entries, diagnostics } = await left(nothing, deleting, { others: { [web]: recordOf("s2") } });
    expect(entries).toEqual([]);
    expect(diagnostics).toMatchObject([{ severity: "error", code: "live.gone_unproven", address: api }]);
    for (const other of [
      recordOf("s2", { retained: true }),
      recordOf("s2", { pending: deleting }),
      recordOf("s2", { type: "variable" }),
    ]) {
      const part = { ...nothing, type: "service" };
      const types = [part, typeOf({ type: "variable", removedWithParent: true })];
      const recorded = recordOf("s1", { pending: deleting });
      const around = recovering(stateOf({ [api]: recorded, [web]: other }, []), types);
      expect(await settlePending(around, api, recorded, { timeoutMs: 0 })).toMatchObject({
        ...{ entries: [entry(null)], diagnostics: [] },
      });
    }
    const alone = showing({ kind: "done" });
    expect((await left(alone, deleting, { others: { [web]: recordOf("s2") } })).entries).toHaveLength(1);
  });

  it("is looked at once without a time, and nothing is told or recorded of what goes on", async () => {
    const { entries, diagnostics, events, waited } = await left(showing(busy), deploying);
    expect({ entries, diagnostics, events, waited }).toEqual({
      ...{ entries: [], diagnostics: [], events: [], waited: 0 },
    });
  });

  it("is waited for, which is told, and from then on has a time of its own", async () => {
    const { entries, events, waited } = await left(showing(busy), deploying, { timeoutMs: 1000 });
    expect(waited).toBe(1000);
    expect(events).toMatchObject([
      { type: "progress", address: api, action: "update", note: expect.stringContaining("at most 1s") },
      { type: "waiting", address: api, action: "update", elapsedSeconds: 0, status: "building" },
    ]);
    expect(entries).toEqual([
      entry(recordOf("s1", { inputs: { s1: 2 }, pending: { ...deploying, since: timeAt(0) } })),
    ]);
    const known = await left(showing(busy), { ...deleting, since: timeAt(-1) }, { timeoutMs: 1000 });
    expect(known.entries).toEqual([]);
    expect(known.events[0]).toMatchObject({ action: "delete" });
  });

  it("is told once of what was left, however long it takes", async () => {
    const { events } = await left(showing(busy), deploying, { timeoutMs: 60_000 });
    expect(events.filter(({ type }) => type === "progress")).toHaveLength(1);
    expect(events.filter(({ type }) => type === "waiting").length).toBeGreaterThan(2);
  });

  it("is asked to be deleted again where nothing shows its end", async () => {
    const unseen = { ...busy, atMost: { ms: 0, summary: "hidden", isUnseen: true } } as const;
    const { entries, diagnostics } = await left(showing(unseen), deleting, { timeoutMs: 1000 });
    expect(entries).toMatchObject([entry({ deletionFailed: "hidden" })]);
    expect(diagnostics).toMatchObject([{ severity: "warning", code: "live.gone_unproven", address: api }]);
    // A plan, which does not wait, asks for nothing.
    expect((await left(showing(unseen), deleting)).entries).toEqual([]);
  });

  it("that a run awaits is told of where it has not ended in its own time", async () => {
    const recorded = recordOf("s1", { pending: { ...deploying, since: timeAt(-minute) } });
    const around = recovering(stateOf({ [api]: recorded }, []), [showing(busy)]);
    const result = await settlePending(around, api, recorded, { timeoutMs: 5 * minute, isAwaited: true });
    expect(around.clock.now() - start).toBe(4 * minute);
    expect(result.entries).toEqual([]);
    expect(result.diagnostics).toMatchObject([
      { severity: "warning", code: "apply.deploy_timeout", address: api },
    ]);
    expect(await settlePending(around, api, recordOf("s1"), { timeoutMs: 0, isAwaited: true })).toMatchObject(
      {
        entries: [],
        diagnostics: [],
      },
    );
  });
});

describe("what a change leaves pending", () => {
  interface Given {
    readonly status: OperationStatus;
    readonly pending?: Pending;
    readonly recorded?: RecordedResource;
    readonly others?: readonly (readonly [Address, RecordedResource])[];
    readonly openDeletes?: readonly Address[];
    readonly isWaited?: boolean;
    readonly action?: string;
    readonly isRecorded?: false;
  }
  const settled = async ({ status, pending = deploying, isWaited = true, ...given }: Given) => {
    const clock = manualClock({ sleepMoves: true });
    const recorded = given.recorded ?? recordOf("s1", { inputs: { s1: 2 } });
    const records: (RecordedResource | null)[] = [];
    const slot: string[] = [];
    const events: unknown[] = [];
    const type = {
      ...showing(status),
      ...{ reacts: { waitPolicy: () => ({ wait: isWaited, timeoutMs: 1000 }) } },
    };
    const journal = {
      record: async (_: Address, resource: RecordedResource | null) => void records.push(resource),
      recorded: () => records.at(-1),
      all: () => [[api, recorded], ...(given.others ?? [])],
      openAt: (at: Address) => (given.openDeletes?.includes(at) ? [{ method: "DELETE" }] : []),
    };
    const context = {
      run: {
        ...{ journal, reads: {}, clock, signal: new AbortController().signal, types: new Map() },
        emit: (event: unknown) => events.push(event),
      },
      change: { address: api, action: given.action ?? "update", instance: { resolved: new Map() } },
      type,
      slot: { release: () => slot.push("given back"), take: async () => void slot.push("taken") },
    } as unknown as ChangeContext;
    const result = await settle(context, pending, given.isRecorded === false ? undefined : recorded);
    return { result, records, slot, events };
  };

  it("is recorded without what was pending once it has ended", async () => {
    const recorded = recordOf("s1", { pending: deploying });
    const { result, records, slot } = await settled({ status: { kind: "done" }, recorded });
    expect(result).toEqual({ kind: "done" });
    expect(records).toEqual([recordOf("s1")]);
    expect(slot).toEqual(["given back", "taken"]);
  });

  it("is waited for by nobody where its policy says so", async () => {
    const { result, records, slot } = await settled({ status: busy, isWaited: false });
    expect({ result, slot, length: records.length }).toEqual({
      result: { kind: "done" },
      slot: [],
      length: 1,
    });
  });

  it("fails with 7 where it runs, recorded as not deployed", async () => {
    const status = { kind: "failed", summary: "no build" } as const;
    const { result, records } = await settled({ status });
    expect(result).toMatchObject({
      kind: "failed",
      exitCode: 7,
      diagnostic: { code: "apply.deploy_failed" },
    });
    expect(records).toEqual([recordOf("s1", { inputs: {} })]);
  });

  it.each([
    ["npm ERR! missing script: build", "Fix the build in the repository and push it."],
    ["build exited with code 1", "Fix the build in the repository and push it."],
    ["branch main not found", "Check repository, branch and commit."],
    ["no answer on the health check path", "Check the start command, the port and the health check path."],
    ["the plan's quota is used up", "Check the plan and the billing in the dashboard."],
    ["the deployment was cancelled", "To deploy again, run the same command."],
    ["no reason", undefined],
  ])("shows the reason of a failed deployment with advice by cause: %s", async (summary, hint) => {
    const { result } = await settled({ status: { kind: "failed", summary } });
    const { diagnostic } = result as { readonly diagnostic: { readonly hint?: string } };
    expect(diagnostic).toMatchObject({ summary: `${api}: ${summary}` });
    expect(diagnostic.hint).toBe(hint);
  });

  it("fails with 8 while a checkout is awaited, and stays pending", async () => {
    const { result, records } = await settled({ status: { kind: "checkout", summary: "pay" } });
    expect(result).toMatchObject({
      kind: "failed",
      exitCode: 8,
      diagnostic: { code: "apply.awaiting_checkout" },
    });
    expect(result).toMatchObject({ diagnostic: { severity: "error", detail: "pay", address: api } });
    expect(records).toEqual([]);
  });

  it("fails with 7 where it has not settled in its time, and stays pending", async () => {
    const { result, records, events } = await settled({ status: busy });
    expect(result).toMatchObject({
      kind: "failed",
      exitCode: 7,
      diagnostic: { code: "apply.deploy_timeout" },
    });
    expect(records).toEqual([]);
    expect(events[0]).toMatchObject({ type: "waiting", address: api, action: "update", status: "building" });
  });

  it("is a deletion whose end is left to the caller, and whose failure stays recorded", async () => {
    const over = await settled({ status: { kind: "done" }, pending: deleting });
    expect(over).toMatchObject({ result: { kind: "done" }, records: [] });
    const { result, records } = await settled({
      status: { kind: "failed", summary: "x" },
      pending: deleting,
    });
    expect(result).toMatchObject({
      kind: "failed",
      exitCode: 1,
      diagnostic: { code: "apply.delete_failed" },
    });
    expect(records).toEqual([recordOf("s1", { inputs: { s1: 2 }, deletionFailed: "x" })]);
    const unseen = { ...busy, atMost: { ms: 0, summary: "hidden", isUnseen: true } } as const;
    expect((await settled({ status: unseen, pending: deleting })).result).toMatchObject({
      ...{ kind: "failed", exitCode: 1, diagnostic: { code: "live.gone_unproven" } },
    });
    expect((await settled({ status: unseen })).result).toMatchObject({ exitCode: 7 });
  });

  it("is not proven where the service shows nothing, though something else must be there", async () => {
    const status: OperationStatus = { kind: "done", showsNothing: true };
    const others = [[web, recordOf("s2")]] as const;
    const { result, records } = await settled({ status, pending: deleting, others });
    expect(result).toMatchObject({ kind: "failed", exitCode: 1, diagnostic: { code: "live.gone_unproven" } });
    expect(records).toEqual([]);
    const both = await settled({ status, pending: deleting, others, openDeletes: [web] });
    expect(both.result).toEqual({ kind: "done" });
    expect((await settled({ status, pending: deleting })).result).toEqual({ kind: "done" });
  });

  it("is told with what the plan does to it", async () => {
    const actionOf = async (action: string, pending?: Pending) =>
      (await settled({ status: busy, action, ...(pending && { pending }) })).events[0];
    for (const [action, told] of Object.entries({
      create: "create",
      replace: "create",
      delete: "delete",
      adopt: "update",
    }))
      expect(await actionOf(action)).toMatchObject({ action: told });
    expect(await actionOf("create", deleting)).toMatchObject({ action: "delete" });
  });

  it("of what is not recorded is not recorded either", async () => {
    const end: OperationStatus = { kind: "done" };
    for (const status of [end, busy, { kind: "failed", summary: "x" } as const, { ...busy, next: deploying }])
      expect((await settled({ status, isRecorded: false })).records).toEqual([]);
    expect((await settled({ status: end, isRecorded: false, isWaited: false })).records).toEqual([]);
  });

  it("is the operation that took its place, recorded as soon as it is known", async () => {
    const next: Pending = { ...deploying, id: "d2" };
    const { records } = await settled({ status: { ...busy, next } });
    expect(records[0]).toMatchObject({ id: "d2", pending: next });
  });
});
