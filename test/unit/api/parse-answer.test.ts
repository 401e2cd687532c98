import * as z from "zod";
import { createEndpoints } from "../../../src/api/endpoints";
import { defaultGaps, type GapSettings } from "../../../src/api/gaps";
import { aboutDeletion, parseAnswer, shows } from "../../../src/api/parse-answer";
import type { ApiRequest } from "../../../src/api/send";
import { canvasOf, fakeSend, workspace } from "./fake-send";

const request: ApiRequest = {
  ...{ operation: "getThing", method: "GET", path: "/things/t1", keyed: false, address: "service.a" },
};
const response = (body: unknown) => ({ status: 200, body, requestId: "r", attempts: 2 });

describe("an answer that is not as documented", () => {
  const schema = z.looseObject({
    items: z.array(z.looseObject({ id: z.string(), inner: z.looseObject({ name: z.string() }) })),
  });
  const told = (body: unknown) => {
    try {
      return parseAnswer(schema, request, response(body));
    } catch (failure) {
      return failure as Error;
    }
  };
  const [outer, inner] = ["11111111-1111-4111-8111-11111111111A", "22222222-2222-4222-8222-222222222222"];

  it.each<[string, unknown, RegExp]>([
    ["the field", { items: [{ id: "x", inner: { name: 7 } }] }, /: items\.0\.inner\.name: [^(]+$/],
    ["the body", [], /: the body: /],
    ["how many more", { items: [{ id: 7, inner: { name: 7 } }, {}] }, /: items\.0\.id: .* \(and 3 more\)$/],
    ["whose it is", { items: [{ id: outer, inner: { name: 7 } }] }, new RegExp(`inner\\.name of ${outer}: `)],
    [
      "the innermost whose it is",
      { items: [{ id: outer, inner: { id: inner, name: 7 } }] },
      new RegExp(`inner\\.name of ${inner}: `),
    ],
    ["what is missing", {}, /: items: it is missing$/],
    ["what form it has not", { items: 7 }, /: items: it is not a list$/],
    ["no id in another form", { items: [{ id: `${outer}0`, inner: {} }] }, /inner\.name: /],
    ["no id that is none", { items: [{ id: `x${outer}`, inner: {} }] }, /inner\.name: /],
  ])("names %s", (_, body, message) => {
    const failure = told(body);
    expect(failure.message).toMatch(/^the answer is not as documented: /);
    expect(failure.message).toMatch(message);
    expect(failure).toMatchObject({
      ...{ kind: "malformed", operation: "getThing", method: "GET", path: "/things/t1" },
      ...{ address: "service.a", status: 200, requestId: "r", attempts: 2 },
    });
  });
});

describe("what an answer is about", () => {
  it.each<[Record<string, unknown>, Record<string, string | null | undefined>, string | undefined]>([
    [{ id: "ab" }, { id: "AB" }, undefined],
    [{ id: "ab" }, { id: "ac" }, "id"],
    [{ id: "x", projectId: "ab" }, { projectId: "AB" }, undefined],
    [{ id: "x", projectId: "ab" }, { projectId: null }, "projectId"],
    [{ id: "x", projectId: null }, { projectId: null }, undefined],
    [{ id: "x", projectId: null }, { projectId: "ab" }, "projectId"],
    [{ id: "x", projectId: 7 }, { projectId: "7" }, "projectId"],
    [{ id: "x" }, { projectId: "ab" }, undefined],
    [{ id: "x", projectId: "ab" }, { projectId: undefined }, undefined],
    [{ id: "x", key: "A" }, { key: "a" }, undefined],
    [{ id: "x", key: "A" }, { key: "B" }, "key"],
    [{ id: "x", kind: "Web" }, { kind: "web" }, "kind"],
  ])("%j, asked for %j, differs in %s", (shown, asked, field) => {
    const about = shows("thing", asked)({ thing: shown as { id: string } });
    const mismatch = field && `thing.${field} is not ${JSON.stringify(asked[field])}`;
    expect(about).toEqual({ id: shown.id, ...(mismatch && { mismatch }) });
  });

  it("is nothing where the answer shows none", () => {
    expect(shows("thing", { id: "a" })({})).toEqual({});
    expect(shows("thing", { id: "a" })({ thing: { id: "a" } })).toEqual({ id: "a" });
    expect(aboutDeletion({ deleted: true })).toEqual({});
    const operation = { id: "o1", kind: "delete", status: "queued" };
    expect(aboutDeletion({ deleted: false, operation })).toEqual({ id: "o1" });
  });
});

describe("the parts of a request", () => {
  const asked = async (
    run: (endpoints: ReturnType<typeof createEndpoints>) => Promise<unknown>,
    body: unknown,
    gaps: Partial<GapSettings> = {},
  ) => {
    const { send, requests, lines } = fakeSend(() => body);
    const answer = await run(createEndpoints(send, workspace, { ...defaultGaps, ...gaps }));
    return { answer, line: lines()[0], request: requests[0] as ApiRequest };
  };

  it("a canvas: of the workspace or a project, read and saved without a key", async () => {
    const scope = { projectId: "p1" };
    const canvas = canvasOf([], "p1");
    expect((await asked((endpoints) => endpoints.canvas(), canvasOf([]))).line).toBe("GET /canvas");
    const save = (endpoints: ReturnType<typeof createEndpoints>) =>
      endpoints.saveCanvas(scope, { revision: 1, positions: {}, viewport: null });
    const { line, request: sent } = await asked(save, canvas);
    expect(line).toBe("PATCH /canvas?projectId=p1");
    expect(sent).toMatchObject({ operation: "saveCanvas", keyed: false, body: { revision: 1 } });
  });

  it("a roll back: with a key, unless a setting says that the service takes none", async () => {
    const roll = (endpoints: ReturnType<typeof createEndpoints>) => endpoints.rollBack("s1", "d1", "api");
    const omitsKey = async (routeKeys: string) =>
      (await asked(roll, { id: "d2", status: "queued" }, { routeKeys })).request.omitsKey;
    expect(await omitsKey("auto")).toBeUndefined();
    expect(await omitsKey("on")).toBeUndefined();
    expect(await omitsKey("off")).toBe(true);
  });
});
