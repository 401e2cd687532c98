import { classify, type RetryOutcome, type Verdict } from "../../../src/api/retry";
import type { TransportErrorReason } from "../../../src/api/transport";

const silence = (reason: TransportErrorReason): RetryOutcome => ({ kind: "no-answer", reason });
const answered = (status: number, code?: string): RetryOutcome => ({
  ...{ kind: "answer", status, wellFormed: true },
  ...(code !== undefined && { code }),
});
const unreadable = (status: number): RetryOutcome => ({ kind: "answer", status, wellFormed: false });
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

interface Row {
  /** Words of DESIGN section 7, "Retries"; in brackets what they leave open. */
  readonly says: string;
  readonly of: readonly RetryOutcome[];
  /** The failure, or `again` and the failure once it may not be sent again. */
  readonly get: string;
  readonly change: string;
  readonly post: string;
}

const uncertain = { get: "again, unavailable", change: "again, uncertain", post: "uncertain" };
const nothingDone = { get: "again, unavailable", change: "again, unavailable", post: "again, unavailable" };
const final = { get: "refused", change: "refused", post: "refused" };
const elsewhere = [401, 408, 429];

const table: readonly Row[] = [
  {
    says: "a 2xx that is a JSON object → done",
    of: range(200, 299).map((status) => answered(status)),
    ...{ get: "done", change: "done", post: "done" },
  },
  {
    says: "[no way to the service, or no request: it is no other the next time]",
    of: [silence("certificate"), silence("refused_by_proxy"), silence("misused")],
    ...{ get: "unavailable", change: "unavailable", post: "unavailable" },
  },
  { says: "connection refused → retry", of: [silence("not_sent"), silence("unresolved")], ...nothingDone },
  { says: "429 → a global gate until Retry-After", of: [answered(429), unreadable(429)], ...nothingDone },
  {
    says: "reset, timeout → uncertain: same key, a POST after a look",
    of: [silence("broken"), silence("late")],
    ...uncertain,
  },
  {
    says: "502-504 → uncertain: same key, a POST after a look [408 says as little]",
    of: [408, 502, 503, 504].flatMap((status) => [answered(status), unreadable(status)]),
    ...uncertain,
  },
  {
    says: "truncated or unparsable 2xx → uncertain: same key, a POST after a look",
    of: range(200, 299).map(unreadable),
    ...uncertain,
    get: "again, malformed",
  },
  {
    says: "500 → read, then same key [so the other 5xx]",
    of: [500, 501, ...range(505, 599)].flatMap((status) => [answered(status), unreadable(status)]),
    ...{ get: "again, unavailable", change: "uncertain", post: "uncertain" },
  },
  { says: "409 `idempotency_conflict` → stop", of: [answered(409, "idempotency_conflict")], ...final },
  {
    says: "`idempotency_legacy_conflict` → inspect the deployment, never retry",
    of: [answered(409, "idempotency_legacy_conflict")],
    ...final,
  },
  {
    says: "`engine_unavailable` → limited backoff [under 409 alone]",
    of: [answered(409, "engine_unavailable")],
    ...nothingDone,
  },
  {
    says: "400/403/404/405/413 → final for that branch [so the other 4xx]",
    of: [
      ...range(400, 499)
        .filter((status) => !elsewhere.includes(status))
        .flatMap((status) => [answered(status), unreadable(status)]),
      answered(400, "engine_unavailable"),
    ],
    ...final,
  },
  {
    says: "401 → stop the run",
    of: [answered(401), unreadable(401)],
    ...{ get: "unauthorized", change: "unauthorized", post: "unauthorized" },
  },
  {
    says: "no redirects followed [one that may be what a write that was taken is answered with is no refusal]",
    of: [...range(100, 199), ...range(300, 306), ...range(309, 399)].flatMap((status) => [
      answered(status),
      unreadable(status),
    ]),
    ...{ get: "refused", change: "uncertain", post: "uncertain" },
  },
  {
    says: "no redirects followed [the same request is wanted elsewhere: it was not carried out]",
    of: [307, 308].flatMap((status) => [answered(status), unreadable(status)]),
    ...final,
  },
  {
    says: "response cap [it is as large the next time]",
    of: [silence("too_large")],
    ...{ get: "malformed", change: "uncertain", post: "uncertain" },
  },
];

/** DESIGN section 7, "Retries": "Classified on (method, status, code), never on status alone". */
describe("the table of retries", () => {
  const inWords = (verdict: Verdict): string =>
    verdict.kind === "fail"
      ? verdict.failure
      : verdict.kind === "retry"
        ? `again, ${verdict.otherwise}`
        : "done";

  it.each(table)("decides for every method: $says", ({ of, get, change, post }) => {
    for (const outcome of of) {
      const what = JSON.stringify(outcome);
      const told = (method: Parameters<typeof classify>[0]) => [what, inWords(classify(method, outcome))];
      expect(told("GET")).toEqual([what, get]);
      expect(told("POST")).toEqual([what, post]);
      for (const method of ["PATCH", "DELETE"] as const) expect(told(method)).toEqual([what, change]);
    }
  });
});
