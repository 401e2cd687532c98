import { join } from "node:path";
import { ApiError, diagnosticOf } from "../../../src/api/api-error";
import type { ApiRequest } from "../../../src/api/request";
import { Secret } from "../../../src/model/secret";
import { casesIn } from "../../support/rows";
import { answer, baseUrl, failure, keyedWrite, type Reply, read, scriptedClient } from "./scripted-client";

async function failureOf(request: ApiRequest, replies: readonly Reply[], random?: () => number) {
  const { client } = scriptedClient(replies, random && { random });
  const thrown = await client.send(request).catch((reason: unknown) => reason);
  expect(thrown).toBeInstanceOf(ApiError);
  return thrown as ApiError;
}
const proxied = (code: string, status?: number) =>
  Object.assign(failure(code), { proxy: "p.test:1", status });

describe("a request that a proxy does not let through", () => {
  it.each(casesIn<[string, number | null, string, number]>(join(__dirname, "proxied.json")))(
    "certainly did not happen: %s",
    async (code, status, message, attempts) => {
      for (const request of [read, keyedWrite]) {
        const thrown = await failureOf(request, [proxied(code, status ?? undefined)]);
        expect(thrown).toMatchObject({ kind: "unavailable", code, attempts });
        expect(thrown.message.replace(/ in \d+s\)$/, " in TIME)")).toBe(message);
        expect(thrown.hint).toContain("HTTPS_PROXY");
        expect(diagnosticOf(thrown)).toMatchObject({ code: "api.unavailable", hint: thrown.hint });
      }
    },
  );
});

describe("a request that fails", () => {
  it("keeps what the system said, except where that could tell a secret", async () => {
    const cause = failure("ECONNRESET");
    expect((await failureOf(read, [cause])).cause).toBe(cause);
    expect((await failureOf({ ...keyedWrite, body: {}, sensitive: true }, [cause])).cause).toBeUndefined();
    const nameless = new Error("x");
    expect((await failureOf(read, [nameless])).message).toContain("(no code)");
  });

  it.each([
    ["ANSWER_LATE", "api.unavailable", "--timeout"],
    ["engine_unavailable", "api.unavailable", "later"],
    ["idempotency_conflict", "api.conflict", "dashboard"],
    ["canvas_revision_conflict", "api.conflict", "again"],
  ])("is advised on by its code %s first", (code, diagnostic, hint) => {
    const said = new ApiError(
      { operation: "o", method: "GET", path: "/x" },
      { kind: "unavailable", message: "no", code, status: 401, requestId: "r", attempts: 1 },
    );
    expect(diagnosticOf(said)).toMatchObject({ code: diagnostic, hint: expect.stringContaining(hint) });
  });
});

describe("a client", () => {
  it("masks what an answer reveals, and what a body held, in all that follows", async () => {
    const told = { message: "hunter2hunter2 and other-secret" };
    const { client } = scriptedClient([
      answer(200, { value: "hunter2hunter2", id: 7 }),
      answer(200),
      answer(400, told),
    ]);
    await client.send({ ...keyedWrite, reveals: "value" });
    await client.send({ ...keyedWrite, body: { value: new Secret("other-secret") } });
    await expect(client.send(read)).rejects.toThrow("(sensitive) and (sensitive)");
  });

  it.each(["/a", "/a.b/..c/d..", "/...", "/a%2Fb", "/a:b@c~d!$&'()*+,;=_-"])(
    "takes the path %s",
    async (path) => {
      const { client, sent } = scriptedClient([answer(200)]);
      await client.send({ ...read, path });
      expect(sent[0]?.url).toBe(`${baseUrl}${path}`);
    },
  );
});
