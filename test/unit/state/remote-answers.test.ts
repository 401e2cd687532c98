import type { Transport } from "../../../src/api/transport";
import {
  exchange,
  type RetryPolicy,
  remoteRefused,
  remoteUnread,
  remoteUnwritten,
  retryUnanswered,
  UnansweredError,
} from "../../../src/state/remote/remote-store";
import { diskError } from "../../support/memory-disk";
import { stillClock } from "./fixtures";

const request = { url: "https://state.test/s", method: "GET", headers: {} };

const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (cause: unknown) => cause,
  );

const answering = (status: number, body = "", headers: Readonly<Record<string, string>> = {}): Transport => ({
  close: async () => {},
  send: async () => ({ status, body, headers }),
});

const failing = (cause: unknown): Transport => ({
  close: async () => {},
  send: () => Promise.reject(cause),
});

describe("an answer of the state's server", () => {
  it.each([
    [200, "{}"],
    [299, "text"],
    [302, "<html>"],
    [404, " <html>"],
    [499, ""],
    [501, ""],
  ])("of %i (%j) tells what happened", async (status, body) => {
    expect(await exchange(answering(status, body), request)).toMatchObject({ status, body });
  });

  it.each([
    [429, ""],
    [500, ""],
    [502, ""],
    [503, ""],
    [200, "<html>"],
    [204, "\n <!doctype"],
  ])("of %i (%j) tells nothing", async (status, body) => {
    expect(await failureOf(exchange(answering(status, body), request))).toBeInstanceOf(UnansweredError);
  });

  it.each([
    [{ "retry-after": "7" }, 7000],
    [{ "retry-after": "3600" }, 60_000],
    [{}, 0],
  ])("may ask for time: %j", async (headers, waitMs) => {
    expect(await failureOf(exchange(answering(503, "", headers), request))).toMatchObject({ waitMs });
  });

  it.each([
    [diskError("ECONNREFUSED"), "the connection was refused (ECONNREFUSED)", false],
    [diskError("ECONNRESET"), "the connection was closed (ECONNRESET)", false],
    [diskError("ENOTFOUND"), "the host is not known (ENOTFOUND)", false],
    [diskError("EAI_AGAIN"), "the host could not be looked up (EAI_AGAIN)", false],
    [diskError("EPIPE"), "the connection failed (EPIPE)", false],
    [new Error("s3cret"), "the connection failed", false],
    [Object.assign(new Error("no answer within 1 s"), { code: "ANSWER_LATE" }), "no answer within 1 s", true],
    [Object.assign(new Error("above 3 bytes"), { code: "ANSWER_TOO_LARGE" }), "above 3 bytes", false],
    [
      { proxy: "p:1", code: "PROXY_REFUSED", status: 407 },
      "the proxy p:1 refuses the way there (HTTP 407)",
      false,
    ],
    [{ proxy: "p:1", code: "ECONNREFUSED" }, "the proxy p:1 opens no way there (ECONNREFUSED)", false],
    [new UnansweredError("as it was", 5, true), "as it was", true],
  ])("that does not come is told by its cause: %s", async (cause, reason, isLate) => {
    expect(await failureOf(exchange(failing(cause), request))).toMatchObject({ reason, isLate });
  });

  it("is to the body as it was given", async () => {
    const bodies: unknown[] = [];
    const transport: Transport = {
      close: async () => {},
      send: async ({ body }) => {
        bodies.push(body);
        return { status: 200, body: "", headers: {} };
      },
    };
    await exchange(transport, { ...request, body: Buffer.from("ä") });
    await exchange(transport, request);
    expect(bodies).toEqual(["ä", undefined]);
  });
});

describe("a request without an answer", () => {
  const policy = (more: Partial<Omit<RetryPolicy, "clock">> = {}) => {
    const clock = stillClock();
    return { clock, retries: 3, waitMinMs: 100, waitMaxMs: 250, totalMs: 60_000, ...more };
  };
  const silent = (waitMs = 0) => {
    let asked = 0;
    return {
      count: () => asked,
      ask: async (): Promise<never> => {
        asked += 1;
        throw new UnansweredError(`try ${asked}`, waitMs);
      },
    };
  };

  it("is repeated as often as the policy says, with longer waits", async () => {
    const retryPolicy = policy();
    const server = silent();
    expect(await failureOf(retryUnanswered(retryPolicy, server.ask))).toMatchObject({ reason: "try 4" });
    expect(server.count()).toBe(4);
    expect(retryPolicy.clock.slept).toEqual([100, 200, 250]);
  });

  it("waits as long as the server asks for", async () => {
    const retryPolicy = policy({ retries: 2 });
    await failureOf(retryUnanswered(retryPolicy, silent(150).ask));
    expect(retryPolicy.clock.slept).toEqual([150, 200]);
  });

  it("is not repeated once all of its time is over", async () => {
    for (const [totalMs, slept] of [
      [0, []],
      [300, [100, 200]],
      [301, [100, 200, 250]],
    ] as const) {
      const retryPolicy = policy({ totalMs });
      await failureOf(retryUnanswered(retryPolicy, silent().ask));
      expect(retryPolicy.clock.slept).toEqual(slept);
    }
  });

  it("is over with an answer, and with a refusal", async () => {
    const retryPolicy = policy();
    let asked = 0;
    const second = async () => {
      asked += 1;
      if (asked === 1) throw new UnansweredError("lost");
      return "answer";
    };
    expect(await retryUnanswered(retryPolicy, second)).toBe("answer");
    const refusal = new Error("no");
    expect(await failureOf(retryUnanswered(retryPolicy, () => Promise.reject(refusal)))).toBe(refusal);
    expect(retryPolicy.clock.slept).toEqual([100]);
  });
});

describe("the error for a remote state", () => {
  it.each([
    [remoteUnread, "state.unreadable", "cannot read s"],
    [remoteUnwritten, "state.write_failed", "cannot write s"],
  ] as const)("that did not answer has its cause and its code", (errorOf, code, summary) => {
    const cause = new UnansweredError("it was closed");
    expect(errorOf("s", cause)).toMatchObject({
      cause,
      diagnostics: [{ code, summary: `${summary}: it was closed`, hint: expect.stringContaining("network") }],
    });
    expect(errorOf("s", new UnansweredError("late", 0, true))).toMatchObject({
      diagnostics: [{ hint: expect.stringContaining("RNV_STATE_TIMEOUT") }],
    });
    const other = new Error("other");
    expect(errorOf("s", other)).toBe(other);
  });

  it.each([
    [300, "redirects"],
    [399, "redirects"],
    [299, "was refused"],
    [400, "was refused"],
    [401, "credentials were not accepted"],
    [403, "not allowed to do this"],
    [404, "nothing at this address"],
    [405, "method is not allowed"],
    [413, "too large for the server"],
    [501, "does not know the method"],
  ])("that refused with %i says what it means", (status, meaning) => {
    const { diagnostics } = remoteRefused("state.unreadable", "cannot read s", status);
    expect(diagnostics).toMatchObject([
      { code: "state.unreadable", hint: expect.stringMatching(/RNV_STATE/) },
    ]);
    expect(diagnostics[0]?.summary).toContain(meaning);
    expect(diagnostics[0]?.summary).toContain(`(HTTP ${status})`);
    expect(remoteRefused("state.write_failed", "s", status, "do this").diagnostics[0]?.hint).toBe("do this");
  });
});
