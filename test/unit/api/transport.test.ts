import { readRetryAfter, readTransportError } from "../../../src/api/transport";

describe("the wait that an answer asks for", () => {
  const date = "Thu, 01 Jan 2026 00:00:00 GMT";
  it.each<[string | undefined, number | undefined]>([
    [undefined, undefined],
    ["", undefined],
    ["soon", undefined],
    ["-1", undefined],
    ["0", 1],
    ["1", 1],
    [" 7 ", 7],
    ["1.2", 2],
    ["99999999999", 999_999_999],
    ["Thu, 01 Jan 2026 00:00:30 GMT", 30],
    ["Wed, 31 Dec 2025 00:00:00 GMT", 1],
    ["2026-01-01T00:00:30Z", undefined],
  ])("is read from %j: %s s", (asked, seconds) => {
    expect(readRetryAfter({ date, ...(asked !== undefined && { "retry-after": asked }) })).toBe(seconds);
  });

  it("is unknown for a date without that of the answer", () => {
    expect(readRetryAfter({ "retry-after": date })).toBeUndefined();
  });
});

describe("the reason of a missing answer", () => {
  it.each<[object, string]>([
    [{ code: "ENOTFOUND" }, "unresolved"],
    [{ code: "EWHATEVER", syscall: "connect" }, "not_sent"],
    [{ code: "EWHATEVER", syscall: "getaddrinfo" }, "not_sent"],
    [{ code: "EWHATEVER", syscall: "read" }, "broken"],
    [{ code: "ANSWER_TOO_LARGE" }, "too_large"],
    [{ code: "ANSWER_LATE" }, "late"],
    [{ code: "CERT_HAS_EXPIRED" }, "certificate"],
  ])("is read from %j: %s", (thrown, reason) => expect(readTransportError(thrown).reason).toBe(reason));
});
