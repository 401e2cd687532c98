import type { ApiRequest } from "../../../src/api/send";
import { answer, creation, failure, keyedWrite, type Reply, read, scriptedClient } from "./scripted-client";

const done = answer(200, { ok: true });
const refused = failure("ECONNREFUSED", "connect");
const reset = failure("ECONNRESET", "read");
const unavailableEngine = answer(409, { code: "engine_unavailable", message: "not ready" });
const html = answer(200, "<html>login</html>");

interface Row {
  readonly what: string;
  readonly reply: Reply;
  /** Requests until success, or the kind of the error thrown after how many. */
  readonly get: number | [string, number];
  readonly keyed: number | [string, number];
  readonly creates: number | [string, number];
}

/**
 * The service answers `reply` once and then 200; a number is the count of requests that ends well. `retry.test.ts` judges
 * every answer: these are one of each verdict.
 */
const rows: readonly Row[] = [
  { what: "a refused connection", reply: refused, get: 2, keyed: 2, creates: 2 },
  { what: "a reset", reply: reset, get: 2, keyed: 2, creates: ["uncertain", 1] },
  { what: "HTML with 200", reply: html, get: 2, keyed: 2, creates: ["uncertain", 1] },
  { what: "500", reply: answer(500), get: 2, keyed: ["uncertain", 1], creates: ["uncertain", 1] },
  { what: "429", reply: answer(429, {}, { "retry-after": "3" }), get: 2, keyed: 2, creates: 2 },
  { what: "409 engine_unavailable", reply: unavailableEngine, get: 2, keyed: 2, creates: 2 },
  ...[
    { what: "400", reply: answer(400, { code: "no" }), kind: "refused" },
    { what: "401", reply: answer(401), kind: "unauthorized" },
    { what: "an untrusted certificate", reply: failure("CERT_HAS_EXPIRED"), kind: "unavailable" },
  ].map(({ kind, ...row }): Row => ({ ...row, get: [kind, 1], keyed: [kind, 1], creates: [kind, 1] })),
];

async function expectOutcome(request: ApiRequest, reply: Reply, expected: number | [string, number]) {
  const { client, sent } = scriptedClient([reply, done]);
  if (typeof expected === "number") {
    expect(await client.send(request)).toMatchObject({ status: 200, attempts: expected });
  } else {
    const [kind, attempts] = expected;
    await expect(client.send(request)).rejects.toMatchObject({ name: "ApiError", kind, attempts });
  }
  expect(sent).toHaveLength(typeof expected === "number" ? expected : expected[1]);
  return sent;
}

describe("classification on method, status and code", () => {
  it.each(rows)("$what: a GET", ({ reply, get }) => expectOutcome(read, reply, get));

  it.each(rows)("$what: a keyed write, sent again only with the same key and bytes", async (row) => {
    const sent = await expectOutcome(keyedWrite, row.reply, row.keyed);
    expect(new Set(sent.map((request) => request.headers["idempotency-key"]))).toEqual(
      new Set(["rnv-1-abc"]),
    );
    expect(new Set(sent.map((request) => request.body)).size).toBe(1);
    expect(new Set(sent.map((request) => request.headers["x-request-id"])).size).toBe(sent.length);
  });

  it.each(rows)("$what: a creation", ({ reply, creates }) => expectOutcome(creation, reply, creates));
});

describe("a write that may have happened", () => {
  it.each([400, 401, 403, 404])("stays uncertain when its repetition is answered %d", async (status) => {
    const { client } = scriptedClient([reset, answer(status)]);
    await expect(client.send(keyedWrite)).rejects.toMatchObject({ kind: "uncertain", status, attempts: 2 });
  });

  it("did not happen when the service names a key conflict", async () => {
    const { client } = scriptedClient([reset, answer(409, { error: { code: "idempotency_conflict" } })]);
    await expect(client.send(keyedWrite)).rejects.toMatchObject({
      kind: "refused",
      code: "idempotency_conflict",
    });
  });

  it("did not happen when it never left", async () => {
    const { client } = scriptedClient([refused, answer(400, { code: "bad" })]);
    await expect(client.send(keyedWrite)).rejects.toMatchObject({ kind: "refused", status: 400 });
  });
});

describe("backoff", () => {
  it("grows from half a second to ten, with full jitter", async () => {
    const waits = async (random: number) => {
      const { client, clock } = scriptedClient([unavailableEngine], { random: () => random });
      await expect(client.send(keyedWrite)).rejects.toThrow();
      return clock.sleeps;
    };
    expect(await waits(0.5)).toEqual([250, 500, 1000, 2000, 4000, 5000]);
    expect(await waits(0)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it("is told with reason, seconds and operation", async () => {
    const { client, waits } = scriptedClient([answer(503, {}, { "retry-after": "4" }), done]);
    await client.send(keyedWrite);
    expect(waits).toEqual([{ reason: "gateway error", seconds: 4, operation: "updateProject" }]);
  });
});

/** DESIGN section 5: "a request by id gets that id". */
describe("an answer about another resource", () => {
  const about = (body: unknown) => {
    const { id } = body as { id?: string };
    return id === "mine" ? { id } : { id, mismatch: 'service.id is not "mine"' };
  };
  const others = answer(200, { id: "theirs" });
  const mine = answer(200, { id: "mine" });
  it.each([
    ["a read", read],
    ["a keyed write", keyedWrite],
  ])("is asked for again: %s", async (_what, request) => {
    const { client, sent } = scriptedClient([others, others, mine]);
    expect(await client.send({ ...request, about })).toMatchObject({ body: { id: "mine" }, attempts: 3 });
    expect(new Set(sent.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
  });

  it.each([
    ["malformed, of a read", read, "malformed", 3],
    ["uncertain, of a keyed write", keyedWrite, "uncertain", 3],
    ["uncertain at once, of a creation", creation, "uncertain", 1],
  ] as const)("that lasts is %s, and says what was asked", async (_what, request, kind, attempts) => {
    const { client } = scriptedClient([others]);
    const failed = client.send({ ...request, about });
    await expect(failed).rejects.toMatchObject({ kind, attempts, status: 200 });
    await expect(failed).rejects.toThrow('is about another resource: service.id is not "mine"');
    await expect(failed).rejects.not.toThrow("theirs");
  });

  it("is no refusal: what it says besides is about no resource", async () => {
    const { client } = scriptedClient([answer(404, { id: "theirs", message: "not here" })]);
    await expect(client.send({ ...read, about })).rejects.toMatchObject({
      kind: "refused",
      status: 404,
      attempts: 1,
    });
    const unread = scriptedClient([html, mine]);
    expect(await unread.client.send({ ...read, about })).toMatchObject({ attempts: 2 });
  });
});
