import { join } from "node:path";
import { inspect } from "node:util";
import { ApiError } from "../../../src/api/api-error";
import type { ApiRequest } from "../../../src/api/request";
import { Secret } from "../../../src/model/secret";
import { rowsIn } from "../../support/rows";
import {
  answer,
  apiKey,
  creation,
  failure,
  keyedWrite,
  type Reply,
  read,
  scriptedClient,
} from "./scripted-client";

async function errorOf(request: ApiRequest, replies: readonly Reply[]) {
  const { client, waits } = scriptedClient(replies);
  const thrown = await client.send(request).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(thrown).toBeInstanceOf(ApiError);
  return { thrown: thrown as ApiError, waits };
}

describe("an error of the client", () => {
  it.each([
    ["at the top", { requestId: "srv-9", code: "bad_name", message: "the name is taken" }],
    ["under error", { requestId: "srv-9", error: { code: "bad_name", message: "the name is taken" } }],
  ])("carries code, message and request id that stand %s", async (_where, body) => {
    const { thrown } = await errorOf(creation, [answer(400, body)]);
    expect(thrown).toMatchObject({
      ...{ status: 400, code: "bad_name", message: "the name is taken", requestId: "srv-9" },
      ...{ operation: "createProject", method: "POST", path: "/projects", address: "project.shop" },
    });
  });

  it("says the status text when the body says nothing", async () => {
    expect((await errorOf(read, [answer(403, { requestId: "x" })])).thrown.message).toBe("Forbidden");
    expect((await errorOf(read, [answer(404, "<html>")])).thrown.message).toContain(
      "the answer is HTML, not JSON",
    );
  });

  it("is capped in length", async () => {
    const { thrown } = await errorOf(read, [answer(400, { message: "x".repeat(100_000) })]);
    expect(thrown.message).toHaveLength(500);
    expect(thrown.message.endsWith("x…")).toBe(true);
    const whole = "x".repeat(500);
    expect((await errorOf(read, [answer(400, { message: whole })])).thrown.message).toBe(whole);
  });

  it("names the other origin of a redirect, which is not followed", async () => {
    const location = "https://user:pw@evil.example:8443/steal?key=1";
    const { thrown } = await errorOf(read, [answer(302, "", { location })]);
    expect(thrown.message).toContain("https://evil.example:8443");
    expect(thrown.message).not.toMatch(/pw|steal/);
    expect(thrown).toMatchObject({ kind: "refused", status: 302 });
  });

  it.each([300, 301, 303, 307, 308, 399])("says that the key is not sent where %i leads", async (status) => {
    const { thrown } = await errorOf(read, [answer(status, { message: "go" }, { location: "/elsewhere" })]);
    expect(thrown.message).toBe(
      "the platform answered with a redirect to https://api.example.com; redirects are not followed and the API key is not sent there",
    );
  });

  it.each(rowsIn(join(__dirname, "unanswered.tsv")))(
    "says what happened where no answer came: %s of %s",
    async (code, syscall, message) => {
      const { thrown } = await errorOf(read, [failure(code, syscall)]);
      expect(thrown).toMatchObject({ code, status: undefined });
      expect(thrown.message.replace(/ in \d+s\)$/, " in TIME)")).toBe(message);
    },
  );

  it.each(["ERR_INVALID_CHAR", "ERR_INVALID_URL", "ERR_UNESCAPED_CHARACTERS", "ERR_INVALID_ARG_TYPE"])(
    "is a bug where the mistake is ours: %s, sent once",
    async (code) => {
      const mistake = failure(code);
      const { client, sent } = scriptedClient([mistake]);
      await expect(client.send(keyedWrite)).rejects.toBe(mistake);
      expect(sent).toHaveLength(1);
    },
  );

  it("never holds the API key, even when the service repeats it", async () => {
    const { thrown } = await errorOf(read, [answer(403, { message: `key ${apiKey} is revoked` })]);
    expect(inspect(thrown)).not.toContain(apiKey);
    expect(thrown.message).toBe("key (sensitive) is revoked");
  });
});

describe("a sensitive request", () => {
  const secret = "hunter2-hunter2";
  const sensitive: ApiRequest = { ...keyedWrite, body: { key: "A" }, sensitive: true };
  const withSecret: ApiRequest = { ...keyedWrite, body: { key: "A", value: new Secret(secret) } };
  const replies: readonly (readonly [string, Reply])[] = [
    ["an error that repeats it", answer(400, { code: secret, message: `cannot store ${secret}` })],
    ["an error text", answer(400, { error: secret })],
    ["an answer that is no JSON", answer(200, `${secret} is not JSON`)],
    ["a transport error that repeats it", failure(`E ${secret}`)],
    ["a 500 that repeats it", answer(500, { message: secret })],
  ];

  it.each(replies)("leaves nothing in an error or event: %s", async (_what, reply) => {
    for (const request of [sensitive, withSecret]) {
      const { thrown, waits } = await errorOf(request, [reply]);
      const all = `${inspect(thrown, { depth: 9 })}${JSON.stringify(thrown)}${thrown.stack}${JSON.stringify(waits)}`;
      expect(all).not.toContain(secret);
    }
  });

  it("still keeps the codes that the interface names", async () => {
    const { thrown } = await errorOf(withSecret, [
      answer(409, { code: "idempotency_conflict", message: secret }),
    ]);
    expect(thrown).toMatchObject({ code: "idempotency_conflict", message: "Conflict" });
  });
});
