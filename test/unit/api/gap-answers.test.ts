import { ApiError } from "../../../src/api/api-error";
import {
  environmentOf,
  errorBodyOf,
  isSuspended,
  withEnvironmentFields,
  withGapHint,
} from "../../../src/api/gap-rules";
import { defaultGaps } from "../../../src/api/gaps";

type Failure = Partial<ApiError>;
const failed = (failure: Failure) =>
  new ApiError(
    { operation: "getService", method: "GET", path: "/x" },
    { kind: "refused", message: "no", requestId: "r", attempts: 2, ...failure },
    "the cause",
  );

describe("a failure under a gap", () => {
  const hintOf = (failure: Failure) =>
    (withGapHint(failed(failure), "read one service") as { hint?: string }).hint;

  it.each<[Failure, boolean]>([
    [{ kind: "malformed", status: 200 }, true],
    ...[400, 404, 405, 422].map((status): [Failure, boolean] => [{ status }, true]),
    ...[401, 403, 409, 413, 429, 500].map((status): [Failure, boolean] => [{ status }, false]),
    [{ kind: "unavailable" }, false],
    [{ status: 400, code: "body_too_large" }, false],
  ])("%j names the assumption: %s", (failure, isNamed) => {
    if (!isNamed) expect(hintOf(failure)).toBeUndefined();
    else {
      expect(hintOf(failure)).toMatch(
        /^rnv assumes, .*that GET .*services.*; if that is otherwise, say so: /,
      );
      expect(hintOf(failure)).toMatch(/: RNV_GAP_READ_SERVICE=\S+ or RNV_GAP_SERVICE_ANSWER=data\.service$/);
    }
  });

  it("names no setting where there is none, and what is said otherwise first", () => {
    const under = (name: "variable keys" | "roll back", otherwise?: string) =>
      (withGapHint(failed({ status: 404 }), name, otherwise) as { hint?: string }).hint;
    expect(under("variable keys")).toMatch(/that a service has one variable of a key$/);
    expect(under("roll back", "Look there. ")).toMatch(/^Look there\. rnv assumes/);
    // As a shell takes it.
    expect(under("roll back")).toContain("RNV_GAP_ROLL_BACK=/rollback or RNV_GAP_ROLL_BACK_BODY='{");
  });

  it.each([{ code: "idempotency_unsupported" }, { message: "no Idempotency-Key here" }])(
    "is about the key alone where it speaks of a key: %j",
    (told) => {
      expect(hintOf({ status: 400, ...told })).toMatch(/RNV_GAP_ROUTE_KEYS=off$/);
    },
  );
});

describe("the reader of an answer under a gap", () => {
  it.each<[unknown, Parameters<typeof errorBodyOf>[1], object]>([
    [{ error: "some_code_1" }, "auto", { code: "some_code_1", message: "some_code_1" }],
    [{ error: "Some_code" }, "auto", { code: undefined, message: "Some_code" }],
    [{ error: `${"a".repeat(64)}` }, "auto", { code: "a".repeat(64) }],
    [{ error: `${"a".repeat(65)}` }, "auto", { code: undefined, message: "a".repeat(65) }],
    [{ error: "some_code" }, "top-level", { code: undefined, message: undefined }],
    [{ error: "some_code" }, "nested", { code: "some_code" }],
    [{ code: "top", error: "bare" }, "auto", { code: "top", message: "bare" }],
    [{ message: "top", error: { message: "in" } }, "auto", { message: "top" }],
    [{ message: "top", error: { message: "in" } }, "nested", { message: "in" }],
    [{ message: "top" }, "nested", { message: undefined }],
    [{ error: { message: "in" } }, "top-level", { message: undefined }],
    [{ code: "", error: { code: "in", message: "" } }, "auto", { code: "in", message: undefined }],
    [{ requestId: "", error: { requestId: "in" } }, "top-level", { requestId: "in" }],
    [{ requestId: "top", error: { requestId: "in" } }, "nested", { requestId: "top" }],
    [{ error: ["x"] }, "auto", { code: undefined, message: undefined }],
  ])("finds the code and the message of an error: %j, %s", (body, setting, found) => {
    expect(errorBodyOf(body, setting)).toMatchObject(found);
  });

  it("names the missing field of an environment that cannot be read, and the keys that it has", () => {
    const told = (record: Record<string, unknown>) => {
      try {
        return environmentOf(record);
      } catch (thrown) {
        return thrown as ApiError;
      }
    };
    expect(told({})).toMatchObject({
      ...{ kind: "malformed", operation: "listProjects", method: "GET", path: "/projects" },
      ...{ requestId: "", attempts: 0, message: expect.stringMatching(/no "id"; it has: nothing \(/) },
    });
    expect(told({ id: "e", zone: 1, kind: 2 })).toMatchObject({
      message: expect.stringMatching(/no "name"; it has: id, kind, zone \(/),
    });
    const [environment = {}] = withEnvironmentFields(
      { id: "p", name: "Shop", description: "", environments: [{ zone: 1 }] },
      defaultGaps,
    ).environments;
    expect(told(environment)).toMatchObject({ message: expect.stringMatching(/no "id"; it has: zone \(/) });
    const long = told({ ["k".repeat(500)]: 1 }) as ApiError;
    expect(/it has: (k+) /.exec(long.message)?.[1]).toHaveLength(200);
  });

  it.each(["status", "displayStatus", "lifecycleStatus", "runtimeDetail"] as const)(
    "finds a suspension in %s",
    (field) => {
      for (const word of ["suspended", "Suspending", "is suspend now"])
        expect(isSuspended({ [field]: word })).toBe(true);
      for (const word of ["live", "suspense", "", null]) expect(isSuspended({ [field]: word })).toBe(false);
    },
  );
});
