import { createClient } from "../../../src/api/client";
import { Secret } from "../../../src/model/secret";
import { answer, apiKey, baseUrl, keyedWrite, read, scriptedClient } from "./scripted-client";
import { steppingClock } from "./stepping-clock";

describe("a request of the client", () => {
  it("carries the key, a request id and the idempotency key, and the body as JSON", async () => {
    const { client, sent } = scriptedClient([answer(200, { project: {} })]);
    await client.send({ ...keyedWrite, query: { projectId: "a b" } });
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({
      method: "PATCH",
      url: `${baseUrl}/projects/p1?projectId=a+b`,
      body: '{"name":"Shop"}',
      headers: {
        authorization: `Bearer ${apiKey}`,
        "idempotency-key": "rnv-1-abc",
        "content-type": "application/json",
      },
    });
    expect(sent[0]?.headers["x-request-id"]).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
  });

  it("has neither body nor content type where there is nothing to send", async () => {
    const { client, sent } = scriptedClient([answer(200)]);
    await client.send({ ...read, query: {} });
    expect(sent[0]?.url).toBe(`${baseUrl}/projects`);
    expect(sent[0]?.body).toBeUndefined();
    expect(sent[0]?.headers["content-type"]).toBeUndefined();
    expect(sent[0]?.headers["idempotency-key"]).toBeUndefined();
  });

  it("returns the body and the request id of the answer", async () => {
    const headers = { "x-request-id": "srv-1" };
    const { client } = scriptedClient([answer(200, { a: 1 }, headers)]);
    expect(await client.send(keyedWrite)).toEqual({
      ...{ status: 200, body: { a: 1 }, requestId: "srv-1", attempts: 1 },
    });
  });

  it("is a bug without the key that it needs", async () => {
    const { client, sent } = scriptedClient([answer(200)]);
    const request = { ...keyedWrite, idempotencyKey: undefined };
    await expect(client.send(request)).rejects.toMatchObject({ name: "Error" });
    expect(sent).toHaveLength(0);
  });

  it("is refused before it is sent when its body has more than 262144 bytes of UTF-8", async () => {
    const { client, sent } = scriptedClient([answer(200)]);
    const overhead = JSON.stringify({ name: "" }).length;
    const fits = `x${"é".repeat((262_144 - overhead - 1) / 2)}`;
    expect(Buffer.byteLength(JSON.stringify({ name: fits }))).toBe(262_144);
    await client.send({ ...keyedWrite, body: { name: fits } });
    expect(sent).toHaveLength(1);
    await expect(client.send({ ...keyedWrite, body: { name: `${fits}x` } })).rejects.toMatchObject({
      ...{ name: "ApiError", kind: "refused", code: "body_too_large", attempts: 0, address: "project.shop" },
      message: expect.stringContaining("the request has 262145 bytes"),
    });
    const { address: _, ...nameless } = keyedWrite;
    await expect(client.send({ ...nameless, body: { name: `${fits}x` } })).rejects.toThrow(
      /^the request has 262145 bytes; the platform takes at most 262144$/,
    );
    expect(sent).toHaveLength(1);
  });

  it("opens secrets anywhere in the body, and only on the wire", async () => {
    const { client, sent } = scriptedClient([answer(200)]);
    const body = { key: "A", value: new Secret('p4ss"word'), more: [{ deep: new Secret("two") }] };
    await client.send({ ...keyedWrite, body });
    expect(JSON.parse(sent[0]?.body ?? "")).toEqual({
      ...{ key: "A", value: 'p4ss"word', more: [{ deep: "two" }] },
    });
  });

  it("is a bug when something that is no JSON stands in its body", async () => {
    const { client, sent } = scriptedClient([answer(200)]);
    for (const value of [new Map(), Number.NaN, new Date(0)])
      for (const body of [{ value }, { list: [1, value] }, { deep: { list: [{ value }] } }])
        await expect(client.send({ ...keyedWrite, body })).rejects.toMatchObject({ name: "Error" });
    expect(sent).toHaveLength(0);
  });
});

describe("createClient", () => {
  const transport = { send: async () => answer(200), close: async () => {} };
  const options = { transport, clock: steppingClock(), random: () => 0 };

  it("refuses a base URL that would send the key in the clear", () => {
    const make = () =>
      createClient({ ...options, baseUrl: "http://api.example.com/api/v1", apiKey: new Secret("k") });
    expect(make).toThrow(expect.objectContaining({ name: "DiagnosticsError" }));
  });

  it("refuses a key that no header can carry, without telling it", () => {
    const make = (key: string) => () => createClient({ ...options, baseUrl, apiKey: new Secret(key) });
    for (const key of ["", "rnv_abc\n", "rnv_abc\r\nx: y", "rnv_ä"]) {
      expect(make(key)).toThrow(expect.objectContaining({ name: "DiagnosticsError" }));
      expect(make(key)).not.toThrow(/rnv_/);
    }
  });
});
