import { answer, creation, failure, keyedWrite, read, scriptedClient } from "./scripted-client";

const done = answer(200, { ok: true });
const refused = failure("ECONNREFUSED", "connect");
const reset = failure("ECONNRESET", "read");
const unavailableEngine = answer(409, { code: "engine_unavailable", message: "not ready" });
const html = answer(200, "<html>login</html>");

/** `retry.test.ts` judges every answer: these are one of each verdict. */
describe("a request whose answer is judged", () => {
  it.each([
    ["a refused connection", refused],
    ["a reset", reset],
    ["HTML with 200", html],
    ["429", answer(429, {}, { "retry-after": "3" })],
    ["409 engine_unavailable", unavailableEngine],
  ])("is sent again with the same key and bytes after %s", async (_, reply) => {
    const { client, sent } = scriptedClient([reply, done]);
    expect(await client.send(keyedWrite)).toMatchObject({ status: 200, attempts: 2 });
    expect(sent.map(({ headers }) => headers["idempotency-key"])).toEqual(["rnv-1-abc", "rnv-1-abc"]);
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
    expect(new Set(sent.map(({ headers }) => headers["x-request-id"])).size).toBe(2);
  });

  it.each([
    ["a reset", "uncertain", creation, reset],
    ["500", "uncertain", keyedWrite, answer(500)],
    ["400", "refused", read, answer(400, { code: "no" })],
    ["401", "unauthorized", keyedWrite, answer(401)],
    ["an untrusted certificate", "unavailable", creation, failure("CERT_HAS_EXPIRED")],
  ])("ends after %s as %s", async (_, kind, request, reply) => {
    const { client, sent } = scriptedClient([reply, done]);
    await expect(client.send(request)).rejects.toMatchObject({ name: "ApiError", kind, attempts: 1 });
    expect(sent).toHaveLength(1);
  });
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
  ] as const)("is %s where it lasts, and says what was asked", async (_what, request, kind, attempts) => {
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
