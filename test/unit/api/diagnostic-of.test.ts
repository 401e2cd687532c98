import { join } from "node:path";
import { ApiError, diagnosticOf, isConflict } from "../../../src/api/api-error";
import { DiagnosticsError, error } from "../../../src/diagnostics/diagnostic";
import { casesIn } from "../../support/rows";

const apiError = (failure: Partial<ApiError>) =>
  new ApiError(
    { operation: "createService", method: "POST", path: "/x", address: "service.docs" },
    { kind: "refused", message: "no", requestId: "srv-1", attempts: 1, ...failure },
  );

describe("diagnosticOf", () => {
  it.each(casesIn<[Partial<ApiError>, string, string | null]>(join(__dirname, "codes.json")))(
    "%j is %s",
    (failure, code, hint) => {
      const found = diagnosticOf(apiError(failure));
      expect(found).toMatchObject({ severity: "error", code, requestId: "srv-1", address: "service.docs" });
      if (hint === null) expect(found.hint).toBeUndefined();
      else expect(found.hint).toContain(hint);
    },
  );

  it.each<[Partial<ApiError>, string]>(casesIn(join(__dirname, "summaries.json")))(
    "says of %j, after the address: %s",
    (failure, said) => {
      expect(diagnosticOf(apiError(failure)).summary).toBe(`service.docs: ${said}`);
      expect(diagnosticOf(apiError({ ...failure, address: undefined })).summary).toBe(said);
    },
  );

  it.each([
    ["listProjects", "list projects"],
    ["getProjectOperation", "read the project operation"],
    ["queueDeployment", "queue the deployment"],
    ["rollBack", "roll back"],
    ["canvas", "read the canvas"],
    ["comment on pull request 3", "comment on pull request 3"],
  ])("names the operation %s in words: %s", (operation, words) => {
    expect(diagnosticOf(apiError({ operation, address: undefined })).summary).toBe(`cannot ${words}: no`);
  });

  it("speaks of reading where a read is forbidden", () => {
    expect(
      diagnosticOf(
        new ApiError(
          { operation: "listProjects", method: "GET", path: "/workspaces/W/projects" },
          { kind: "refused", status: 403, message: "Forbidden", attempts: 1 },
        ),
      ),
    ).toMatchObject({
      summary: "cannot list projects: Forbidden",
      hint: "this key cannot read the workspace: check its workspace and role",
    });
  });

  it("tells the answer, its code, and how often it was sent", () => {
    const detail = (failure: Partial<ApiError>) => diagnosticOf(apiError(failure)).detail;
    expect(detail({})).toBe("POST /x: no answer");
    expect(detail({ status: 409, code: "conflict", attempts: 2 })).toBe(
      "POST /x: status 409 conflict, sent 2 times",
    );
  });

  it("points at the line that the request was made for", () => {
    const range = { file: "rnv.yaml", start: 3, end: 9 };
    const found = diagnosticOf(apiError({ status: 400, message: "bad port" }), {
      address: "service.shop.api",
      range,
    });
    expect(found).toMatchObject({
      ...{ range, address: "service.shop.api", detail: "POST /x: status 400" },
      summary: "service.shop.api: cannot create the service: bad port",
    });
  });

  it("is a bug for anything else, and keeps diagnostics that are some already", () => {
    expect(diagnosticOf(new TypeError("x is undefined"))).toMatchObject({ code: "internal.bug" });
    expect(diagnosticOf("text")).toMatchObject({ summary: "this is a bug in rnv: text", detail: undefined });
    expect(diagnosticOf(new TypeError("x")).detail).toMatch(/^ +at /);
    const traceless = Object.assign(new Error("x"), { stack: undefined });
    expect(diagnosticOf(traceless)).toMatchObject({ code: "internal.bug", detail: undefined });
    const own = error("plan.not_on_offer", "no such region", { address: "service.docs" });
    expect(diagnosticOf(new DiagnosticsError([own]), { address: "other" })).toEqual(own);
  });
});

describe("a conflict", () => {
  it("is a refusal because of what exists there, not because of the request or the engine", () => {
    expect(isConflict(apiError({ status: 409 }))).toBe(true);
    expect(isConflict(apiError({ status: 409, code: "name_taken" }))).toBe(true);
    for (const failure of [{ status: 400 }, { status: 409, kind: "unavailable" as const }])
      expect(isConflict(apiError(failure))).toBe(false);
    for (const code of ["idempotency_conflict", "engine_unavailable"])
      expect(isConflict(apiError({ status: 409, code }))).toBe(false);
    expect(isConflict(Object.assign(new Error("x"), { kind: "refused", status: 409 }))).toBe(false);
  });
});
