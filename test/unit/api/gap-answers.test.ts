import { ApiError } from "../../../src/api/api-error";
import {
  environmentOf,
  errorBodyOf,
  isSuspended,
  readingOperation,
  replayedOf,
  underGap,
  variablesIn,
  withEnvironmentFields,
  wrappedAs,
} from "../../../src/api/gap-rules";
import { defaultGaps } from "../../../src/api/gaps";

type Failure = Partial<ConstructorParameters<typeof ApiError>[0]>;
const failed = (failure: Failure) =>
  new ApiError(
    {
      ...{ kind: "refused", operation: "getService", method: "GET", path: "/x", message: "no" },
      ...{ requestId: "r", attempts: 2, ...failure },
    },
    "the cause",
  );

describe("a failure under a gap", () => {
  const hintOf = (failure: Failure) =>
    (underGap(failed(failure), "read one service") as { hint?: string }).hint;

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
      (underGap(failed({ status: 404 }), name, otherwise) as { hint?: string }).hint;
    expect(under("variable keys")).toMatch(/that a service has one variable of a key$/);
    expect(under("roll back", "Look there. ")).toMatch(/^Look there\. rnv assumes/);
    // As a shell takes it.
    expect(under("roll back")).toContain("RNV_GAP_ROLL_BACK=/rollback or RNV_GAP_ROLL_BACK_BODY='{");
  });

  it.each([{ code: "idempotency_unsupported" }, { message: "no Idempotency-Key here" }])(
    "is about the key alone where it speaks of one: %j",
    (told) => {
      expect(hintOf({ status: 400, ...told })).toMatch(/RNV_GAP_ROUTE_KEYS=off$/);
    },
  );
});

describe("what is read under a gap", () => {
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
  ])("errors: %j, %s", (body, setting, found) => {
    expect(errorBodyOf(body, setting)).toMatchObject(found);
  });

  it.each<[Record<string, string>, string, boolean | undefined]>([
    [{ "Idempotency-Replayed": " TRUE " }, "auto", true],
    [{ "x-idempotent": "true" }, "auto", undefined],
    [{ other: "true", "idempotency-was-replayed": "false" }, "auto", false],
    [{ "idempotency-replayed": "1", "x-idempotency-replayed": "true" }, "auto", true],
    [{ "x-again": "true" }, "X-AGAIN", true],
    [{ "idempotency-replayed": "true" }, "X-Again", undefined],
    [{}, "auto", undefined],
  ])("a replay: %j, %s", (headers, setting, found) => {
    expect(replayedOf(headers, setting)).toBe(found);
  });

  it("an operation, and whether it is the one that was asked for", () => {
    const operation = { id: "o1", kind: "restart", status: "queued" };
    const reading = (operationBody: string) => readingOperation("o1", { ...defaultGaps, operationBody });
    expect(reading("wrapped").inner?.({ operation })).toEqual({ operation });
    expect(reading("wrapped").inner?.(operation)).toEqual({ operation: undefined });
    expect(reading("bare").inner?.(operation)).toEqual({ operation });
    for (const body of [operation, { operation }])
      expect(reading("auto").inner?.(body)).toEqual({ operation });
    for (const body of [undefined, null, 7, { operation: 7 }])
      expect(reading("auto").inner?.(body)).toBe(body);
    expect(reading("auto").about?.({ operation })).toEqual({ id: "o1" });
    expect(reading("auto").about?.({ operation: { ...operation, id: "o2" } })).toEqual({
      ...{ id: "o2", mismatch: 'operation.id is not "o1"' },
    });
  });

  it.each<[unknown, string | undefined, unknown]>([
    [{ data: { thing: { id: "s" } } }, "data.thing", { service: { id: "s" } }],
    [{ id: "s" }, ".", { service: { id: "s" } }],
    [{ data: 5 }, "data.thing", { service: undefined }],
    [undefined, "data.thing", { service: undefined }],
    [{ service: 1, id: "s" }, undefined, { service: 1, id: "s" }],
    [{ id: "s" }, undefined, { service: { id: "s" } }],
    [{ id: "" }, undefined, { id: "" }],
    [[{ id: "s" }], undefined, [{ id: "s" }]],
    [undefined, undefined, undefined],
  ])("a service in %j at %s", (body, setting, found) => {
    expect(wrappedAs("service", body, setting)).toEqual(found);
  });

  it.each<[unknown, string, unknown]>([
    [{ data: { items: [1] }, page: 2 }, "data.items", { variables: [1], page: 2 }],
    [{ data: { items: [1], page: 3 }, page: 2 }, "data.items", { variables: [1], page: 3 }],
    [{ data: 5, page: 2 }, "data.items", { variables: undefined, page: 2 }],
    [{ list: [1], page: 2 }, "list", { variables: [1], page: 2 }],
    [[1], ".", { variables: [1], page: undefined }],
    [undefined, "a.b", { variables: undefined, page: undefined }],
    [{ items: "x" }, "auto", {}],
    [{ items: [1], page: 2 }, "auto", { variables: [1], page: 2 }],
    [{ items: [1], variables: [2], page: 2 }, "auto", { variables: [2], page: 2 }],
    [[1], "auto", {}],
  ])("variables in %j at %s", (body, setting, found) => {
    expect(variablesIn(body, setting)).toEqual(found);
  });

  it("environments: as the settings name their fields and the one of production", () => {
    const project = (...environments: Record<string, unknown>[]) => ({
      ...{ id: "p", name: "Shop", description: "", environments },
    });
    const named = (record: Record<string, unknown>, more: Partial<typeof defaultGaps>) =>
      withEnvironmentFields(project(record), { ...defaultGaps, ...more }).environments[0] ?? {};
    expect(environmentOf(named({ uuid: "e", title: "live" }, { environmentRecord: "uuid,title" }))).toEqual({
      ...{ id: "e", name: "live", isProduction: false },
    });
    const live = { productionEnvironment: "live" };
    expect(environmentOf(named({ id: "e", name: "live" }, live)).isProduction).toBe(true);
    expect(environmentOf(named({ id: "e", name: "Production" }, live)).isProduction).toBe(false);
    expect(environmentOf({ id: "e", name: "production" }).isProduction).toBe(false);
    const keep = project({ id: "e", name: "x" });
    expect(withEnvironmentFields(keep, defaultGaps)).toBe(keep);
  });

  it("an environment that cannot be read: the field that is missing, and the keys that it has", () => {
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
    const long = told({ ["k".repeat(500)]: 1 }) as ApiError;
    expect(/it has: (k+) /.exec(long.message)?.[1]).toHaveLength(200);
  });

  it.each(["status", "displayStatus", "lifecycleStatus", "runtimeDetail"] as const)(
    "suspension, in %s",
    (field) => {
      for (const word of ["suspended", "Suspending", "is suspend now"])
        expect(isSuspended({ [field]: word })).toBe(true);
      for (const word of ["live", "suspense", "", null]) expect(isSuspended({ [field]: word })).toBe(false);
    },
  );
});
