import { ApiError } from "../../../src/api/api-error";
import type { ApiRequest } from "../../../src/api/send";
import {
  digestBody,
  firstSentAt,
  type JournaledWrites,
  journaledSend,
  writeKey,
} from "../../../src/apply/journaled-send";
import type { Address } from "../../../src/model/address";
import { Secret } from "../../../src/model/secret";
import { api, type FakeRun, intentOf, type RunGiven, recordOf, runOf, shop, start, timeAt } from "./fixtures";

const post: ApiRequest = {
  ...{ operation: "createService", method: "POST", path: "/services", body: { name: "api" }, keyed: true },
  about: (body) => body as { id?: string },
};
const ok = (body: unknown = { id: "s1" }) => ({ status: 201, body, requestId: "", attempts: 1 });
const failure = (kind: ApiError["kind"], more: { status?: number; code?: string } = {}): ApiError =>
  new ApiError({
    ...{ kind, message: "", operation: "", method: "POST", path: "/", requestId: "", attempts: 1 },
    ...more,
  });

const writesOf = (run: FakeRun, more: Partial<JournaledWrites> = {}): JournaledWrites => ({
  ...{ run, secretKey: new Uint8Array(32).fill(1), address: api, type: "service", name: "api" },
  after: ({ id }) => ({ recording: { address: api, resource: recordOf(id ?? "none") } }),
  ...more,
});
const sent = async (given: RunGiven, request: ApiRequest = post, more: Partial<JournaledWrites> = {}) => {
  const run = runOf(given);
  const answer = await journaledSend(writesOf(run, more))(request).catch((cause: unknown) => cause);
  return { run, answer, kinds: run.entries.map(({ kind }) => kind) };
};

describe("a write", () => {
  it("goes out only once its intent is durable, and its outcome stands beside what it left", async () => {
    let before: readonly unknown[] = [];
    const run: FakeRun = runOf({
      answer: () => {
        before = [...run.entries];
        return ok();
      },
    });
    await journaledSend(writesOf(run, { parentId: "p1", madeWith: ["port"] }))(post);
    expect(before).toEqual([
      {
        kind: "intent",
        intent: {
          ...{
            seq: 1,
            runId: "r",
            address: api,
            type: "service",
            operation: "createService",
            method: "POST",
          },
          ...{ path: "/services", key: run.requests[0]?.idempotencyKey, bodyDigest: expect.any(String) },
          ...{ body: { name: "api" }, name: "api", parentId: "p1", madeWith: ["port"], at: timeAt(0) },
        },
      },
    ]);
    expect(run.entries.slice(1)).toEqual([
      { kind: "resource", address: api, resource: recordOf("s1") },
      { kind: "outcome", seq: 1, result: "done", status: 201, id: "s1" },
    ]);
    expect(run.requests[0]).toMatchObject({ address: api });
  });

  it("has settings of its creation only where it creates", async () => {
    const { run } = await sent({ answer: () => ok() }, { ...post, method: "PATCH" }, { madeWith: ["port"] });
    expect(run.entries[0]).not.toHaveProperty("intent.madeWith");
    expect(run.entries[0]).not.toHaveProperty("intent.parentId");
    expect(run.entries[0]).not.toHaveProperty("intent.takesEffect");
  });

  it("stays open where its answer does not say what was made", async () => {
    const { run, kinds } = await sent({ answer: () => ok({}) });
    expect(kinds).toEqual(["intent"]);
    expect(run.journal.openAt(api)).toHaveLength(1);
  });

  it("that deletes or cancels needs no id in its answer", async () => {
    expect((await sent({ answer: () => ok({}) }, { ...post, method: "DELETE" })).kinds).toEqual([
      ...["intent", "resource", "outcome"],
    ]);
    expect((await sent({ answer: () => ok({ cancelRequested: true }) })).kinds).toHaveLength(3);
    expect((await sent({ answer: () => ok({ cancelRequested: "no" }) })).kinds).toHaveLength(1);
    expect((await sent({ answer: () => ok(null) }, { ...post, about: () => ({}) })).kinds).toHaveLength(1);
  });

  it("tells what its answer said: how it was sent, when it was made, and whether it has ended", async () => {
    const told: unknown[] = [];
    const after: JournaledWrites["after"] = (answered) => {
      told.push(answered);
      return {};
    };
    const about = () => ({ id: "s1", madeAt: timeAt(1) });
    const { kinds } = await sent({ answer: () => ok({ deleted: true }) }, { ...post, about }, { after });
    await sent({ answer: () => ok({ deleted: "yes" }) }, { ...post, about: () => ({ id: "s1" }) }, { after });
    expect(told).toEqual([
      { method: "POST", id: "s1", madeAt: timeAt(1), hasEnded: true },
      { method: "POST", id: "s1", hasEnded: false },
    ]);
    expect(kinds).toEqual(["intent", "outcome"]);
  });

  it.each<[ApiError["kind"], { status?: number; code?: string }, boolean]>([
    ["refused", { status: 400 }, true],
    ["unauthorized", { status: 401 }, true],
    ["unavailable", { status: 503 }, true],
    ["uncertain", {}, false],
    ["malformed", { status: 200 }, false],
    // Its key is known: an attempt of it, or of another write, did arrive.
    ["refused", { status: 409, code: "idempotency_conflict" }, false],
    ["refused", { status: 409, code: "not_idempotency_x" }, true],
  ])("that failed as %s %j did not happen: %s", async (kind, more, isClosed) => {
    const { run, answer } = await sent({
      answer: () => {
        throw failure(kind, more);
      },
    });
    expect(answer).toMatchObject({ kind });
    expect(run.entries.slice(1)).toEqual(
      isClosed ? [{ kind: "outcome", seq: 1, result: "refused", status: more.status ?? 0 }] : [],
    );
  });

  it("without a key is recorded, and has no intent", async () => {
    const { run } = await sent({ answer: () => ok() }, { ...post, keyed: false });
    expect(run.entries).toEqual([{ kind: "resource", address: api, resource: recordOf("s1") }]);
    expect(run.requests[0]).not.toHaveProperty("idempotencyKey");
    const { kinds } = await sent({ answer: () => ok() }, { ...post, keyed: false }, { after: () => ({}) });
    expect(kinds).toEqual([]);
  });

  it("is no read: that goes out as it is", async () => {
    const { run, kinds } = await sent({ answer: () => ok() }, { ...post, method: "GET" });
    expect({ kinds, key: run.requests[0]?.idempotencyKey }).toEqual({ kinds: [], key: undefined });
    expect(run.requests[0]).toMatchObject({ address: api });
  });
});

describe("the key of a write", () => {
  const keyOf = async (
    request: Partial<ApiRequest> = {},
    more: Partial<JournaledWrites> = {},
    given: RunGiven = {},
  ) =>
    (await sent({ answer: () => ok(), ...given }, { ...post, ...request }, more)).run.requests[0]
      ?.idempotencyKey;

  it("is the same for the same write of a run, and another for anything else", async () => {
    const keys = await Promise.all([
      keyOf(),
      keyOf({ operation: "other" }),
      keyOf({ path: "/other" }),
      keyOf({ body: { name: "other" } }),
      keyOf({}, { address: "service.shop.web" as Address }),
    ]);
    expect(new Set(keys).size).toBe(keys.length);
    expect(await keyOf()).toBe(keys[0]);
    expect(keys[0]).toBe(
      writeKey(
        "r",
        api,
        "createService /services",
        digestBody(post.body, new Uint8Array(32).fill(1), api).digest,
      ),
    );
    expect(writeKey("ab", "c", "d", "e")).not.toBe(writeKey("a", "bc", "d", "e"));
    for (const key of keys) expect(key).toMatch(/^rnv-1-[0-9a-f]{64}$/);
  });

  it("is that of an earlier run where it left the same write open, which it then closes with its own", async () => {
    const first = (await sent({ answer: () => ok() })).run.entries[0];
    const mine = first?.kind === "intent" ? first.intent : intentOf();
    const open = { ...mine, seq: 7, runId: "earlier", key: "its key" };
    const { run } = await sent({ answer: () => ok(), open: [open], retriableIntents: [open] });
    expect(run.requests[0]?.idempotencyKey).toBe("its key");
    expect(run.entries[0]).toMatchObject({ intent: { seq: 8, runId: "earlier", key: "its key" } });
    expect(run.entries.filter(({ kind }) => kind === "outcome")).toMatchObject([{ seq: 8 }, { seq: 7 }]);
    expect(run.journal.openAt(api)).toEqual([]);
    const others = [
      { ...open, address: "service.shop.web" as Address },
      { ...open, operation: "other" },
      { ...open, path: "/other" },
      { ...open, bodyDigest: "other" },
    ];
    for (const other of others)
      expect(await keyOf({}, {}, { retriableIntents: [other] })).not.toBe("its key");
  });

  it("closes an attempt of its own run that was not answered, and a refusal closes itself alone", async () => {
    const first = (await sent({ answer: () => ok() })).run.entries[0];
    const open = { ...(first?.kind === "intent" ? first.intent : intentOf()), seq: 3 };
    const again = await sent({ answer: () => ok(), open: [open, intentOf({ seq: 4, key: "another" })] });
    expect(again.run.entries.filter(({ kind }) => kind === "outcome")).toMatchObject([
      { seq: 5 },
      { seq: 3 },
    ]);
    const refused = await sent({
      open: [open],
      answer: () => {
        throw failure("refused", { status: 400 });
      },
    });
    expect(refused.run.entries.filter(({ kind }) => kind === "outcome")).toMatchObject([{ seq: 4 }]);
  });
});

describe("the digest of a body", () => {
  const key = new Uint8Array(32).fill(1);

  it("is that of its values, in whatever order, with secrets as keyed fingerprints", () => {
    const digest = (body: unknown, secretKey = key, address: string = api) =>
      digestBody(body, secretKey, address);
    expect(digest({ a: 1, b: [{ c: 2 }] })).toEqual(digest({ b: [{ c: 2 }], a: 1, d: undefined }));
    expect(digest({ a: 1 }).digest).not.toBe(digest({ a: 2 }).digest);
    expect(digest(undefined)).toEqual({ digest: digest(null).digest, body: null });
    expect(digest({ a: 1 }).body).toEqual({ a: 1 });
    const secret = digest({ list: [new Secret("a-token")] });
    expect(secret).not.toHaveProperty("body");
    expect(JSON.stringify(secret)).not.toContain("a-token");
    expect(digest({ list: [new Secret("a-token")] })).toEqual(secret);
    expect(digest({ list: [new Secret("other")] }).digest).not.toBe(secret.digest);
    expect(digest({ list: [new Secret("a-token")] }, new Uint8Array(32)).digest).not.toBe(secret.digest);
    expect(digest({ list: [new Secret("a-token")] }, key, "variable.a").digest).not.toBe(secret.digest);
  });
});

describe("when a request was first sent", () => {
  const reads = { serviceTime: () => start + 9000 } as never;
  const since = (...open: readonly Parameters<typeof intentOf>[0][]) =>
    firstSentAt({ reads, retriableIntents: open.map(intentOf) }, api);

  it("is now, or when an interrupted run sent a create of the same resource", () => {
    expect(since()).toBe(timeAt(9000));
    expect(since({ at: timeAt(3000) })).toBe(timeAt(3000));
    expect(since({ address: shop }, { method: "PATCH" })).toBe(timeAt(9000));
  });
});
