import type { Resource } from "../../../src/api/reads";
import { keyLifetimeMs } from "../../../src/apply/journaled-send";
import { recover } from "../../../src/apply/recover";
import type { Address } from "../../../src/model/address";
import type { LiveResource, Pending, ReadResult } from "../../../src/model/live";
import type { Intent, RecordedResource, State } from "../../../src/model/state";
import { api, intentOf, liveOf, recordOf, recovering, shop, stateOf, timeAt, typeOf } from "./fixtures";

const tooOld = timeAt(-keyLifetimeMs);
const creation = intentOf();
const deletion = intentOf({ method: "DELETE", operation: "deleteService", path: "/services/s1" });
const setting = intentOf({ method: "PATCH", operation: "updateService", path: "/services/s1" });
const done = { kind: "outcome", seq: 1, result: "done", status: 0 } as const;
const refused = { ...done, result: "refused" } as const;
const end = { kind: "end" } as const;

const finding = (...found: readonly LiveResource[]): Resource => typeOf({ candidates: async () => found });
const reading = (read: ReadResult, more: Partial<Resource> = {}): Resource =>
  typeOf({ read: async () => read, ...more });
const deletes = { pendingOf: (id: string): Pending => ({ kind: "operation", id, deletes: true }) };

const recoverOf = (
  resources: Readonly<Record<Address, RecordedResource>>,
  open: readonly Intent[],
  type: Resource,
  more: Parameters<typeof recovering>[2] & { readonly fences?: readonly string[] } = {},
) => recover(recovering(stateOf(resources, open, more.fences ? { [api]: more.fences } : {}), [type], more));

describe("a create that an interrupted run did not see answered", () => {
  const made = liveOf("s1", { computed: new Map([["url", "u"]]), updatedAt: timeAt(5) });

  it("is recorded where one new resource has its name, in the project that is recorded", async () => {
    const searches: unknown[] = [];
    const type = typeOf({
      candidates: async (_, search) => {
        searches.push(search);
        return [made];
      },
    });
    const state = { [shop]: recordOf("p1", { type: "project" }) };
    const { entries, retriableIntents, diagnostics } = await recoverOf(state, [creation], type, {
      fences: ["old"],
    });
    expect(searches).toEqual([{ name: "api", parentId: "p1", preexistingIds: ["old"], since: undefined }]);
    expect({ retriableIntents, diagnostics }).toEqual({ retriableIntents: [], diagnostics: [] });
    expect(entries).toEqual([
      {
        kind: "resource",
        address: api,
        resource: {
          ...{ type: "service", id: "s1", name: "api", parent: shop, dependsOn: [], applied: {} },
          ...{ computed: { url: "u" }, updatedAt: timeAt(5), writtenAt: timeAt(0) },
          ...{ preventDestroy: false, onRemove: "delete", writes: 1 },
        },
      },
      done,
      end,
    ]);
  });

  it("keeps what was recorded about its protection, and nothing of what was applied to what it replaces", async () => {
    const kept = {
      ...{
        preventDestroy: true,
        onRemove: "archive" as const,
        ignoreChanges: ["plan"],
        initial: { port: 1 },
      },
      ...{ dependsOn: [shop], parent: shop },
    };
    const recorded = recordOf("s0", { ...kept, applied: { plan: "free" } });
    const intent = { ...creation, parentId: undefined, madeWith: ["plan"] };
    const { entries } = await recoverOf({ [api]: recorded }, [intent], finding(made), { fences: ["s0"] });
    expect(entries[0]).toMatchObject({
      resource: { ...kept, id: "s1", applied: {}, madeWith: ["plan"], writes: 4 },
    });
  });

  it("did not happen where nothing has its name, and is sent again under its own key alone", async () => {
    expect(await recoverOf({}, [creation], finding())).toEqual({
      ...{ entries: [refused, end], retriableIntents: [creation], diagnostics: [] },
    });
    const old = { ...creation, at: tooOld };
    expect(await recoverOf({}, [old], finding())).toMatchObject({
      entries: [refused, end],
      retriableIntents: [],
    });
    expect(await recoverOf({}, [creation], finding(), { credential: () => "another" })).toMatchObject({
      retriableIntents: [],
    });
  });

  it("stays open where several resources have its name, which are listed", async () => {
    const result = await recoverOf({}, [creation], finding(made, liveOf("s2")));
    expect(result).toMatchObject({ entries: [], retriableIntents: [] });
    expect(result.diagnostics).toMatchObject([
      {
        severity: "error",
        code: "state.open_intent",
        address: api,
        detail: expect.stringContaining("s1, s2"),
        hint: expect.stringContaining(`rnv import ${api} ID`),
      },
    ]);
  });

  it("stays open where it cannot be looked for, and is reported once its key no longer counts", async () => {
    const blind = typeOf({ candidates: async () => undefined });
    expect(await recoverOf({}, [creation], blind)).toEqual({
      ...{ entries: [], retriableIntents: [creation], diagnostics: [] },
    });
    const result = await recoverOf({}, [{ ...creation, at: tooOld }], blind);
    expect(result).toMatchObject({ entries: [], retriableIntents: [] });
    expect(result.diagnostics).toMatchObject([{ code: "state.open_intent", address: api }]);
  });
});

describe("a write that sets something, left open", () => {
  it("asks for no deployment where only fields that take effect at once were sent", async () => {
    const atOnce = { ...setting, takesEffect: "at once" } as const;
    expect(await recoverOf({ [api]: recordOf("s1") }, [atOnce], finding())).toMatchObject({
      entries: [{ kind: "resource", address: api, resource: recordOf("s1") }, done, end],
    });
  });
});

describe("a deletion that was not answered", () => {
  const state = { [api]: recordOf("s1", { deletionFailed: "x" }) };

  it("of a type whose deletions take time is waited for, from when it was sent", async () => {
    const at = timeAt(-1000);
    const type = reading({ kind: "gone" }, { deletes, poll: async () => ({ kind: "waiting", status: "x" }) });
    const { entries } = await recoverOf(state, [{ ...deletion, at }], type, { wait: false });
    expect(entries).toEqual([
      {
        ...{ kind: "resource", address: api },
        resource: recordOf("s1", { pending: { kind: "operation", id: "s1", deletes: true, since: at } }),
      },
      ...[done, end],
    ]);
  });
});

describe("what an earlier run left pending", () => {
  const pending: Pending = { kind: "operation", id: "op", deletes: true, since: timeAt(-60_000) };
  const waiting = (looks: number[]): Resource =>
    typeOf({
      poll: async () => {
        looks.push(1);
        return { kind: "waiting", status: "deleting" };
      },
    });
  const looksOf = async (state: State, more: Parameters<typeof recovering>[2] = {}) => {
    const looks: number[] = [];
    const around = recovering(state, [waiting(looks)], more);
    const result = await recover(around);
    return { looks: looks.length, waited: around.clock.now() - Date.parse(timeAt(0)), result };
  };
  const deleting = stateOf({ [api]: recordOf("s1", { pending }) }, []);

  it("is waited for where it is a deletion, for the rest of a quarter of an hour", async () => {
    const { waited, result } = await looksOf(deleting);
    expect(waited).toBe(14 * 60_000);
    expect(result.entries).toEqual([]);
  });

  it("is looked at once by a plan, by a command that waits for no end, and where it is no deletion", async () => {
    expect(await looksOf(deleting, { wait: false })).toMatchObject({ looks: 1, waited: 0 });
    expect(await looksOf(deleting, { settlesPending: "look" })).toMatchObject({ looks: 1, waited: 0 });
    const deploying = stateOf({ [api]: recordOf("s1", { pending: { kind: "deployment", id: "d" } }) }, []);
    expect(await looksOf(deploying)).toMatchObject({ looks: 1, waited: 0 });
  });

  it("ends the run once it has ended and nothing is open any more", async () => {
    const type = typeOf({ poll: async () => ({ kind: "done" }) });
    const { entries } = await recoverOf({ [api]: recordOf("s1", { pending }) }, [], type);
    expect(entries).toEqual([{ kind: "resource", address: api, resource: null }, end]);
    // Of two writes one stays open.
    const blind = typeOf({ poll: async () => ({ kind: "done" }), candidates: async () => undefined });
    const other = intentOf({ seq: 2, address: "service.shop.web" as Address });
    const left = await recoverOf({ [api]: recordOf("s1", { pending }) }, [other], blind);
    expect(left.entries).toEqual([{ kind: "resource", address: api, resource: null }]);
    expect(left.retriableIntents).toEqual([other]);
  });
});

describe("a write of a verb, left open", () => {
  const command = { action: "deploy", commit: "c" };
  const intent = intentOf({ operation: "deploy", path: "/services/s1/deploy", command });
  const state = { [api]: recordOf("s1") };
  const acting = (found: readonly string[] | undefined, asked: unknown[] = []): Resource =>
    typeOf({
      actions: {
        deploy: {
          send: async () => ({ id: "" }),
          pendingOf: (_: unknown, { id }: { id: string }) => ({ kind: "deployment", id }) as const,
          poll: async () => ({ kind: "done" }) as const,
          find: async (_: unknown, input: unknown, preexisting: unknown) => {
            asked.push(input, preexisting);
            return found;
          },
        },
      },
    });

  it("is closed and reported where nothing or several resources are found, or it cannot be looked for", async () => {
    const several = await recoverOf(state, [intent], acting(["d1", "d2"]));
    expect(several).toMatchObject({
      entries: [done, end],
      retriableIntents: [],
      diagnostics: [
        {
          ...{ severity: "warning", code: "apply.uncertain", address: api },
          detail: "Found: d1, d2. Any of them may be it.",
        },
      ],
    });
    const none = await recoverOf(state, [intent], acting([]));
    expect(none).toMatchObject({
      entries: [refused, end],
      diagnostics: [{ detail: "The API did not answer." }],
    });
    expect(none.diagnostics[0]?.summary).toContain("did nothing");
    const unknown = await recoverOf(state, [intent], acting(undefined));
    expect(unknown).toMatchObject({ entries: [done, end], diagnostics: [{ code: "apply.uncertain" }] });
    expect(unknown.diagnostics[0]?.summary).toContain("unknown whether");
  });

  it("of a type that is not known any more, or knows no such action, is closed and told of", async () => {
    const blind = typeOf({ actions: { deploy: {} as never } });
    for (const type of [typeOf({ type: "other" }), typeOf({}), typeOf({ actions: {} }), blind])
      expect(await recoverOf(state, [intent], type)).toMatchObject({
        ...{ entries: [done, end], diagnostics: [{ code: "apply.uncertain" }] },
      });
  });

  it("is looked for once though it was sent several times under one key", async () => {
    const asked: unknown[] = [];
    const again = { ...intent, seq: 2 };
    const other = { ...intent, seq: 3, key: "another" };
    const result = await recoverOf(state, [intent, again], acting([], asked));
    expect(result.diagnostics).toHaveLength(1);
    expect(result.entries).toEqual([refused, { ...refused, seq: 2 }, end]);
    expect((await recoverOf(state, [intent, other], acting([]))).diagnostics).toHaveLength(2);
  });

  describe("and asked for again", () => {
    const repeats = { repeats: ({ command: asked }: typeof intent) => asked !== undefined };

    it("is waited for where it is found: nothing is sent again, and the run goes on", async () => {
      const { entries } = await recoverOf(state, [intent], acting(["d1"]), repeats);
      const pending = { kind: "deployment", id: "d1" };
      expect(entries).toEqual([
        { kind: "run", run: expect.objectContaining({ accepted: { address: api, command, pending } }) },
        { ...done, id: "d1" },
      ]);
    });

    it("stays open where it is not found, so that it is sent under its own key", async () => {
      for (const found of [[], undefined])
        expect(await recoverOf(state, [intent], acting(found), repeats)).toMatchObject({
          ...{ entries: [], retriableIntents: [intent], diagnostics: [] },
        });
      const expired = { ...repeats, credential: () => "another" };
      expect(await recoverOf(state, [intent], acting([]), expired)).toMatchObject({
        ...{ entries: [refused, end], retriableIntents: [], diagnostics: [] },
      });
    });

    it("stops where several could be it, or it cannot be looked for", async () => {
      const { find: _find, ...blind } = acting([]).actions?.deploy ?? {};
      for (const type of [acting(["d1", "d2"]), typeOf({ actions: { deploy: blind as never } })])
        expect(await recoverOf(state, [intent], type, repeats)).toMatchObject({
          ...{ entries: [done, end], retriableIntents: [] },
          diagnostics: [{ severity: "error", code: "apply.uncertain" }],
        });
    });
  });
});
