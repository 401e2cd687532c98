import type { Resource } from "../../../src/api/reads";
import { recover } from "../../../src/apply/recover";
import type { Address } from "../../../src/model/address";
import type { LiveResource, Pending } from "../../../src/model/live";
import type { Intent, RecordedResource } from "../../../src/model/state";
import { api, intentOf, liveOf, recordOf, recovering, shop, stateOf, timeAt, typeOf } from "./fixtures";

const creation = intentOf();
const deletion = intentOf({ method: "DELETE", operation: "deleteService", path: "/services/s1" });
const done = { kind: "outcome", seq: 1, result: "done", status: 0 } as const;
const refused = { ...done, result: "refused" } as const;
const end = { kind: "end" } as const;

const finding = (...found: readonly LiveResource[]): Resource => typeOf({ candidates: async () => found });
const deleting: Resource = typeOf({
  read: async () => ({ kind: "gone" }),
  deletes: { pendingOf: (id: string): Pending => ({ kind: "operation", id, deletes: true }) },
  poll: async () => ({ kind: "waiting", status: "x" }),
});

const recoverOf = (
  resources: Readonly<Record<Address, RecordedResource>>,
  open: readonly Intent[],
  type: Resource,
  more: Parameters<typeof recovering>[2] & { readonly fences?: readonly string[] } = {},
) => recover(recovering(stateOf(resources, open, more.fences ? { [api]: more.fences } : {}), [type], more));

describe("a create that an interrupted run did not see answered", () => {
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
    const { entries } = await recoverOf({ [api]: recorded }, [intent], finding(liveOf("s1")), {
      fences: ["s0"],
    });
    expect(entries[0]).toMatchObject({
      resource: { ...kept, id: "s1", applied: {}, madeWith: ["plan"], writes: 4 },
    });
  });
});

describe("a deletion that was not answered", () => {
  const state = { [api]: recordOf("s1", { deletionFailed: "x" }) };

  it("of a type whose deletions take time is waited for, from when it was sent", async () => {
    const at = timeAt(-1000);
    const { entries } = await recoverOf(state, [{ ...deletion, at }], deleting, { wait: false });
    expect(entries).toEqual([
      {
        ...{ kind: "resource", address: api },
        resource: recordOf("s1", { pending: { kind: "operation", id: "s1", deletes: true, since: at } }),
      },
      ...[done, end],
    ]);
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
