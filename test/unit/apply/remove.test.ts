import { ApiError } from "../../../src/api/api-error";
import type { Endpoints } from "../../../src/api/endpoints";
import type { Resource } from "../../../src/api/reads";
import type { Send } from "../../../src/api/send";
import { changeContext } from "../../../src/apply/change-context";
import { archive, awaitEnding, forget, proveGone, remove } from "../../../src/apply/remove";
import type { Address } from "../../../src/model/address";
import type { Pending, ReadResult } from "../../../src/model/live";
import type { Change } from "../../../src/plan/plan";
import {
  api,
  changeOf,
  type FakeRun,
  intentOf,
  liveOf,
  noSlot,
  type RunGiven,
  recordOf,
  runOf,
  shop,
  timeAt,
  typeOf,
} from "./fixtures";

const variable = "variable.shop.api.A" as Address;
const ending: Pending = { kind: "operation", id: "op", deletes: true };
const failure = (kind: ApiError["kind"], status?: number): ApiError =>
  new ApiError({
    ...{ kind, message: "", operation: "", method: "DELETE", path: "/", requestId: "", attempts: 1 },
    ...(status !== undefined && { status }),
  });

/** A type whose deletions are answered at once; its reads and waits are as given. */
const deletable = (more: Partial<Resource> = {}, pending?: Pending): Resource =>
  typeOf({
    remove: async (
      writes: Endpoints,
      { id, name, parentId }: { id: string; name: string; parentId?: string },
    ) => {
      const { send } = writes as unknown as { readonly send: Send };
      const body = { confirm: name, parentId };
      await send({
        operation: "deleteService",
        method: "DELETE",
        path: `/services/${id}`,
        body,
        keyed: true,
      });
      return { id, ...(pending && { pending }) };
    },
    ...more,
  });
const reading = (read: ReadResult): Partial<Resource> => ({ read: async () => read });
const part = typeOf({ type: "variable", removedWithParent: true });

const resources = {
  [shop]: recordOf("p1", { type: "project" }),
  [api]: recordOf("s1", { parent: shop }),
  [variable]: recordOf("v1", { type: "variable", parent: api }),
  ["service.shop.web" as Address]: recordOf("s2", { parent: shop }),
};
const runWith = (type: Resource, given: RunGiven = {}): FakeRun =>
  runOf({
    answer: () => ({ status: 200, body: { deleted: true }, requestId: "", attempts: 1 }),
    ...{ resources, ...given, types: [type, part, ...(given.types ?? [])] },
  });
const deletion = (more: Parameters<typeof changeOf>[2] = {}): Change =>
  changeOf("delete", undefined, {
    id: "s1",
    ...more,
    instance: { recorded: resources[api], ...more.instance },
  });
const perform = (run: FakeRun, change: Change, verb: typeof remove) =>
  verb(changeContext(run, change, "whole", noSlot));
const addresses = (run: FakeRun) => run.journal.all().map(([address]) => address);

describe("a deletion", () => {
  it("asks by id with the planned name, and forgets the parts and then the resource, as deleted", async () => {
    const run = runWith(deletable());
    expect(await perform(run, deletion(), remove)).toEqual({ kind: "done" });
    expect(run.requests).toMatchObject([
      { method: "DELETE", path: "/services/s1", body: { confirm: "api", parentId: "p1" } },
    ]);
    expect(addresses(run)).toEqual([shop, "service.shop.web"]);
    const forgotten = run.entries.flatMap((entry) => (entry.kind === "resource" ? [entry] : []));
    expect(forgotten[0]).toMatchObject({ address: api, resource: null, deletedAt: timeAt(0) });
    expect(forgotten).toContainEqual({ kind: "resource", address: variable, resource: null });
  });

  it("that goes on is waited for, and ends with a failure of its own", async () => {
    const statuses: string[] = [];
    const waiting: Partial<Resource> = {
      deletes: { pendingOf: () => ending } as never,
      poll: async () => {
        statuses.push("looked");
        return statuses.length < 3 ? { kind: "waiting", status: "deleting" } : { kind: "done" };
      },
    };
    const run = runWith(deletable(waiting, ending), {
      answer: () => ({ status: 202, body: {}, requestId: "", attempts: 1 }),
    });
    expect(await perform(run, deletion(), remove)).toEqual({ kind: "done" });
    expect(statuses).toHaveLength(3);
    expect(run.entries[1]).toMatchObject({ address: api, resource: { id: "s1", pending: ending } });
    expect(run.journal.recorded(api)).toBeUndefined();
    const failing = runWith(
      deletable({ ...waiting, poll: async () => ({ kind: "failed", summary: "busy" }) }, ending),
    );
    expect(await perform(failing, deletion(), remove)).toMatchObject({
      kind: "failed",
      diagnostic: { code: "apply.delete_failed" },
    });
  });

  it("of what goes with its parent, or has no id, sends nothing", async () => {
    for (const more of [{ withParent: true }, { id: undefined }]) {
      const run = runWith(deletable());
      expect(await perform(run, { ...deletion(), ...more }, remove)).toEqual({ kind: "done" });
      expect(run.requests).toEqual([]);
      expect(run.journal.recorded(api)).toBeUndefined();
    }
  });

  it("lies where it is recorded, not where it is declared to be", async () => {
    const other = "project.other" as Address;
    const run = runWith(deletable(), { resources: { ...resources, [other]: recordOf("p2") } });
    const change = deletion();
    const moved = {
      ...change,
      instance: { ...change.instance, desired: { parent: other, attributes: new Map(), lifecycle: {} } },
    };
    await perform(run, moved as unknown as Change, remove);
    expect(run.requests[0]?.body).toMatchObject({ parentId: "p1" });
  });

  describe("without a certain answer", () => {
    const failing = (
      read: ReadResult,
      failures: readonly ApiError[],
      more: Partial<Resource> = {},
      pending?: Pending,
    ) => {
      const left = [...failures];
      const run = runWith(deletable({ ...reading(read), ...more }, pending), {
        answer: () => {
          const next = left.shift();
          if (next) throw next;
          return { status: 200, body: { deleted: true }, requestId: "", attempts: 1 };
        },
      });
      return { run, end: perform(run, deletion(), remove).catch((cause: unknown) => cause) };
    };

    it("that was refused is over where its resource is gone, and failed where it is there", async () => {
      const refused = failing({ kind: "gone" }, [failure("refused", 409)]);
      expect(await refused.end).toEqual({ kind: "done" });
      const there = failing({ kind: "found", live: liveOf("s1") }, [failure("refused", 409)]);
      expect(await there.end).toMatchObject({ kind: "refused" });
      expect(there.run.requests).toHaveLength(1);
      expect(there.run.journal.recorded(api)).toBeDefined();
    });
  });
});

describe("forgetting", () => {
  it("drops the record and its parts, and deletes nothing", async () => {
    const run = runWith(deletable());
    expect(await perform(run, deletion(), forget)).toEqual({ kind: "done" });
    expect(run.requests).toEqual([]);
    expect(addresses(run)).toEqual([shop, "service.shop.web"]);
    expect(
      run.entries.find((entry) => entry.kind === "resource" && entry.address === api),
    ).not.toHaveProperty("deletedAt");
  });

  it("of what is being deleted waits for its end, and remembers that it was deleted", async () => {
    const run = runWith(deletable({ poll: async () => ({ kind: "done" }) }));
    expect(await perform(run, deletion({ instance: { ending } }), forget)).toEqual({ kind: "done" });
    expect(run.requests).toEqual([]);
    expect(run.entries.at(-1)).toMatchObject({ address: api, resource: null, deletedAt: timeAt(0) });
  });
});

describe("archiving", () => {
  const archiving = (failures: readonly ApiError[] = []) => {
    const left = [...failures];
    const live = liveOf("s1", {
      ...{
        attributes: new Map([["archived", true]]),
        computed: new Map([["url", "u"]]),
        updatedAt: timeAt(5),
      },
    });
    let asked = 0;
    const type = deletable({
      rules: { archived: { change: "update", alwaysManaged: true } },
      archive: async () => {
        asked += 1;
        const next = left.shift();
        if (next) throw next;
        return { id: "s1", live };
      },
    });
    return { run: runWith(type, { open: [intentOf({ method: "PATCH" })] }), asked: () => asked };
  };

  it("keeps the record as it was archived, and closes what was left open", async () => {
    const { run } = archiving();
    expect(await perform(run, deletion({ onRemove: "archive" }), archive)).toEqual({ kind: "done" });
    expect(run.journal.recorded(api)).toEqual({
      ...{ ...resources[api], applied: { archived: true }, computed: { url: "u" } },
      ...{ writtenAt: timeAt(0), updatedAt: timeAt(5), retained: true },
    });
    expect(run.journal.openAt(api)).toEqual([]);
  });

  it("needs a type that can be archived, and an id", async () => {
    await expect(perform(runWith(deletable()), deletion(), archive)).rejects.toThrow("cannot be archived");
    await expect(perform(archiving().run, { ...deletion(), id: undefined }, archive)).rejects.toThrow(
      "cannot",
    );
  });
});

describe("a deletion of an earlier run, before what it deletes is made again", () => {
  it("is waited for, and stops the creation where it fails", async () => {
    const run = runWith(deletable({ poll: async () => ({ kind: "done" }) }));
    expect(await perform(run, deletion({ instance: { ending } }), awaitEnding)).toEqual({ kind: "done" });
    const failing = runWith(deletable({ poll: async () => ({ kind: "failed", summary: "x" }) }));
    expect(await perform(failing, deletion({ instance: { ending } }), awaitEnding)).toMatchObject({
      kind: "failed",
    });
    expect(await perform(runWith(deletable()), deletion(), awaitEnding)).toEqual({ kind: "done" });
  });
});

describe("what a list left out", () => {
  const proven = async (type: Resource, more: Parameters<typeof deletion>[0] = {}, given: RunGiven = {}) => {
    const run = runWith(type, given);
    const context = changeContext(run, deletion({ missing: true, ...more }), "whole", noSlot);
    const end = await proveGone(context).then(
      () => "gone",
      (cause: unknown) => cause,
    );
    return { end, run };
  };
  const there: ReadResult = { kind: "found", live: liveOf("s1") };
  const unproven = { diagnostics: [{ severity: "error", code: "live.gone_unproven", address: api }] };

  it("is not forgotten while it can be read by its id", async () => {
    expect((await proven(deletable(reading(there)))).end).toMatchObject(unproven);
    expect((await proven(deletable(reading({ kind: "gone" })))).end).toBe("gone");
  });

  it("keeps its record when it is to be forgotten", async () => {
    const forgetting = async (read: ReadResult) => {
      const run = runWith(deletable(reading(read)));
      const end = await perform(run, deletion({ missing: true }), forget).catch((cause: unknown) => cause);
      return { end, isRecorded: run.journal.recorded(api) !== undefined };
    };
    expect(await forgetting(there)).toMatchObject({ end: unproven, isRecorded: true });
    expect(await forgetting({ kind: "gone" })).toEqual({
      ...{ end: { kind: "done" }, isRecorded: false },
    });
  });

  it("is asked for with a write that changes nothing where no read shows it, whose time is recorded", async () => {
    const asked: unknown[] = [];
    const finding = (updatedAt?: string) =>
      deletable({
        deletes: {
          find: async (_: unknown, input: unknown) => {
            asked.push(input);
            return liveOf("s1", updatedAt === undefined ? {} : { updatedAt });
          },
        } as never,
      });
    const { end, run } = await proven(finding(timeAt(9)));
    expect(end).toMatchObject(unproven);
    expect(asked).toEqual([{ address: api, id: "s1", name: "api", parentId: "p1" }]);
    expect(run.journal.recorded(api)?.updatedAt).toBe(timeAt(9));
    const gone = deletable({ deletes: { find: async () => undefined } as never });
    expect((await proven(gone)).end).toBe("gone");
  });

  it("needs no proof where the plan saw it, where nothing is recorded, where its parent is gone, and of a part", async () => {
    const type = deletable(reading(there));
    expect((await proven(type, { missing: undefined })).end).toBe("gone");
    expect((await proven(type, { instance: { recorded: undefined } })).end).toBe("gone");
    expect((await proven(type, {}, { resources: { [api]: recordOf("s1", { parent: shop }) } })).end).toBe(
      "gone",
    );
    expect((await proven(deletable({ ...reading(there), removedWithParent: true }))).end).toBe("gone");
    const root = { recorded: recordOf("s1") };
    expect((await proven(type, { instance: root })).end).toMatchObject(unproven);
  });
});
