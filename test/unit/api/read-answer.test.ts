import { defaultGaps } from "../../../src/api/gap-settings";
import { type ReadAnswerOptions, readAnswer } from "../../../src/api/read-answer";
import { Redactor } from "../../../src/api/redactor";
import { Secret } from "../../../src/model/secret";

const hidden = "hunter2hunter2";
const own = "rnv-0123456789abcdef0123456789abcdef-1.2";

function answered(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  more: Partial<ReadAnswerOptions> = {},
) {
  const redactor = new Redactor(new Secret("rnv_0123456789"));
  redactor.add([new Secret(hidden), new Secret("0123456789abcdef0123456789abcdef")]);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return readAnswer(
    { status, headers, body: text },
    { sensitive: false, gaps: defaultGaps, url: "https://api.test/api/v1/x", redactor, ...more },
  );
}

describe("an answer", () => {
  it.each(["__proto__", "\\u005f_proto__", "__\\u0070rot\\u006F__"])("loses a key %s", (key) => {
    const body = `{ "service": { "configuration": { "${key}": { "a": 1 }, "port": 1 } } }`;
    expect(JSON.stringify(answered(200, body).body)).toBe('{"service":{"configuration":{"port":1}}}');
  });

  it.each([
    [400, "Bad Request"],
    [401, "Unauthorized"],
    [403, "Forbidden"],
    [404, "Not Found"],
    [405, "Method Not Allowed"],
    [408, "Request Timeout"],
    [409, "Conflict"],
    [410, "Gone"],
    [413, "Payload Too Large"],
    [422, "Unprocessable Entity"],
    [429, "Too Many Requests"],
    [500, "Internal Server Error"],
    [501, "Not Implemented"],
    [502, "Bad Gateway"],
    [503, "Service Unavailable"],
    [504, "Gateway Timeout"],
    [418, "unknown status"],
  ])("of %i that says nothing is %s", (status, text) => {
    expect(answered(status, {}).message).toBe(text);
    const page = answered(status, "<html>").message;
    expect(page).toBe(status === 429 ? text : `${text} (the answer is HTML, not JSON)`);
  });

  it.each<[string, boolean, unknown]>([
    ['{"a":1}', false, { a: 1 }],
    ["[1]", false, undefined],
    ["[1]", true, [1]],
    ["null", true, undefined],
    ["7", true, undefined],
    ["", false, undefined],
    ['{"a"', false, undefined],
  ])("%s, list allowed: %s", (text, mayBeList, body) => {
    expect(answered(200, text, {}, { mayBeList }).body).toEqual(body);
  });

  it.each<[number, boolean]>([
    [199, true],
    [200, false],
    [299, false],
    [300, true],
    [400, true],
  ])("of %i tells an error: %s", (status, isError) => {
    const { code, requestId } = answered(status, { code: "some_code", requestId: "from-body" });
    expect([code, requestId]).toEqual(isError ? ["some_code", "from-body"] : [undefined, undefined]);
  });

  it.each<[string, boolean, string | undefined]>([
    ["name_taken", false, "name_taken"],
    ["Name.Taken-2", false, "Name.Taken-2"],
    ["a".repeat(64), false, "a".repeat(64)],
    ["a".repeat(65), false, undefined],
    ["two words", false, undefined],
    [hidden, false, undefined],
    ["name_taken", true, undefined],
    ...[
      ...["idempotency_conflict", "idempotency_legacy_conflict", "engine_unavailable"],
      ...["canvas_revision_conflict", "canvas_invalid_node", "canvas_too_large"],
    ].map((code): [string, boolean, string] => [code, true, code]),
  ])("with the code %s, sensitive: %s, keeps %s", (code, sensitive, kept) => {
    const found = answered(409, { code, message: "the message" }, {}, { sensitive });
    expect(found.code).toBe(kept);
    expect(found.message).toBe(sensitive ? "Conflict" : "the message");
  });

  it.each<[string | undefined, unknown, string | undefined]>([
    ["from-header", "from-body", "from-header"],
    [undefined, "from-body", "from-body"],
    ["no good", "from-body", "from-body"],
    ["", "from-body", "from-body"],
    ["-x", undefined, undefined],
    ["x".repeat(64), undefined, "x".repeat(64)],
    ["x".repeat(65), undefined, undefined],
    [hidden, "from-body", "from-body"],
    // It was made here: no text of a secret, though one stands in it.
    [own, undefined, own],
    [`${own}x`, undefined, undefined],
  ])("with the id %s in its header and %s in its body has %s", (header, requestId, kept) => {
    const headers: Record<string, string> = header === undefined ? {} : { "x-request-id": header };
    expect(answered(400, { requestId }, headers).requestId).toBe(kept);
  });

  it.each<[string | undefined, string]>([
    ["/elsewhere", "https://api.test"],
    ["https://other.test:8443/x", "https://other.test:8443"],
    [`https://${hidden}.test/x`, "https://(sensitive).test"],
    ["data:text/plain,x", "a data: address"],
    ["https://", "an address that cannot be read"],
    [undefined, "an address that cannot be read"],
  ])("that points to %s names %s", (location, told) => {
    const { message } = answered(302, {}, location === undefined ? {} : { location });
    expect(message).toContain(`with a redirect to ${told};`);
  });

  it("holds no secret in its texts, and says how long to wait and whether it is retained", () => {
    const headers = { "retry-after": "7", "idempotency-replayed": "true" };
    const found = answered(503, { message: `bad ${hidden}` }, headers);
    expect(found).toMatchObject({ message: "bad (sensitive)", retryAfterSeconds: 7, replayed: true });
  });
});
