import { classify, type Outcome } from "../../../src/api/classify";
import { fc } from "../../support/fixed-seed";

const requests = fc.record({
  method: fc.constantFrom("GET", "POST", "PATCH", "DELETE"),
  hasKey: fc.boolean(),
});
const outcomes: fc.Arbitrary<Outcome> = fc.oneof(
  fc.record({
    kind: fc.constant("answer" as const),
    status: fc.integer({ min: 100, max: 599 }),
    code: fc.constantFrom(undefined, "engine_unavailable", "idempotency_conflict", "other"),
    wellFormed: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant("no-answer" as const),
    reason: fc.constantFrom(
      "not_sent",
      "unresolved",
      "certificate",
      "too_large",
      "misused",
      "late",
      "broken",
    ),
  }),
);

/** The service certainly did nothing. */
const nothingHappened = (outcome: Outcome): boolean =>
  outcome.kind === "answer"
    ? outcome.status === 429 || (outcome.status === 409 && outcome.code === "engine_unavailable")
    : outcome.reason === "not_sent" || outcome.reason === "unresolved";

describe("classify", () => {
  it("never repeats a write without a key that may have happened", () => {
    fc.assert(
      fc.property(requests, outcomes, (request, outcome) => {
        const verdict = classify(request, outcome);
        if (verdict.kind === "retry" && request.method !== "GET" && !request.hasKey)
          expect(nothingHappened(outcome)).toBe(true);
      }),
    );
  });

  it("is done only with a 2xx that is a JSON object", () => {
    fc.assert(
      fc.property(requests, outcomes, (request, outcome) => {
        const isDone =
          outcome.kind === "answer" && outcome.wellFormed && Math.floor(outcome.status / 100) === 2;
        expect(classify(request, outcome).kind === "done").toBe(isDone);
      }),
    );
  });

  it("never calls a read uncertain", () => {
    fc.assert(
      fc.property(outcomes, (outcome) => {
        const verdict = classify({ method: "GET", hasKey: false }, outcome);
        expect(verdict).not.toMatchObject({ failure: "uncertain" });
        expect(verdict).not.toMatchObject({ otherwise: "uncertain" });
      }),
    );
  });

  it("calls a write refused only when a 3xx or 4xx said so", () => {
    fc.assert(
      fc.property(outcomes, (outcome) => {
        const verdict = classify({ method: "POST", hasKey: true }, outcome);
        if (verdict.kind !== "fail" || verdict.failure !== "refused") return;
        expect(outcome).toMatchObject({ kind: "answer" });
        if (outcome.kind === "answer") expect(outcome.status).toBeLessThan(500);
      }),
    );
  });

  it.each([408, 502, 503, 504])(
    "takes %i for an answer of what stands between: a write may have happened, a read is asked again",
    (status) => {
      const answered = (method: "GET" | "POST", hasKey: boolean) =>
        classify({ method, hasKey }, { kind: "answer", status, wellFormed: true });
      expect(answered("POST", false)).toMatchObject({ kind: "fail", failure: "uncertain" });
      expect(answered("POST", true)).toMatchObject({ kind: "retry", otherwise: "uncertain" });
      expect(answered("GET", false)).toMatchObject({ kind: "retry", otherwise: "unavailable" });
    },
  );

  it.each([400, 404, 409, 410, 413, 422])("takes %i for a refusal: nothing happened", (status) => {
    for (const method of ["GET", "POST", "PATCH", "DELETE"] as const)
      expect(classify({ method, hasKey: true }, { kind: "answer", status, wellFormed: true })).toMatchObject({
        kind: "fail",
        failure: "refused",
      });
  });
});
