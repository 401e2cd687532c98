import { createEndpoints } from "../../../src/api/endpoints";
import { fc } from "../../support/fixed-seed";
import { fakeSend, workspace } from "./fake-send";

const variables = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: `v${from + i}`,
    key: `K${from + i}`,
    updatedAt: "2026-01-01T00:00:00Z",
  }));
const page = (hasMore: boolean, nextCursor: string | null) => ({ hasMore, limit: 100, nextCursor });

describe("a listing", () => {
  it("is complete for any division into pages", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(4), { minLength: 1, maxLength: 12 }), async (sizes) => {
        const starts = sizes.map((_, i) => sizes.slice(0, i).reduce((sum, size) => sum + size, 0));
        const { send, requests } = fakeSend((request) => {
          const at = request.query?.cursor === undefined ? 0 : Number(request.query.cursor);
          const last = at === sizes.length - 1;
          return {
            variables: variables(starts[at] ?? 0, sizes[at] ?? 0),
            page: page(!last, last ? null : String(at + 1)),
          };
        });
        const listed = await createEndpoints(send, workspace).listVariables("s1");
        const total = sizes.reduce((sum, size) => sum + size, 0);
        expect(listed.map(({ id }) => id)).toEqual(variables(0, total).map(({ id }) => id));
        expect(requests).toHaveLength(sizes.length);
      }),
      { numRuns: 40 },
    );
  });

  it("counts an item once that moved between pages", async () => {
    const { send } = fakeSend((_, index) => ({
      variables: variables(index, 2),
      page: index === 0 ? page(true, "next") : page(false, null),
    }));
    expect((await createEndpoints(send, workspace).listVariables("s1")).map(({ id }) => id)).toEqual([
      "v0",
      "v1",
      "v2",
    ]);
  });

  it.each([
    ["there is more and no cursor", 1, () => page(true, null)],
    ["there is more and an empty cursor", 1, () => page(true, "")],
    ["a cursor repeats", 2, () => page(true, "same")],
    ["cursors come round in a circle", 4, (index: number) => page(true, `c${index % 3}`)],
  ] as const)("is malformed, not short, when %s", async (_what, count, pageAt) => {
    const { send, requests } = fakeSend((_, index) => ({
      projects: [{ id: `p${index}`, name: "x" }],
      page: pageAt(index),
    }));
    await expect(createEndpoints(send, workspace).listProjects()).rejects.toMatchObject({
      kind: "malformed",
    });
    expect(requests).toHaveLength(count);
  });

  it("has 1000 pages at most, and ends with the last of them where no cursor repeats", async () => {
    const pages = (last: number) =>
      fakeSend((_, index) => ({
        projects: [],
        page: index + 1 === last ? page(false, null) : page(true, `c${index}`),
      }));
    const [longest, endless] = [pages(1000), pages(1002)];
    expect(await createEndpoints(longest.send, workspace).listProjects()).toEqual([]);
    await expect(createEndpoints(endless.send, workspace).listProjects()).rejects.toMatchObject({
      kind: "malformed",
      message: expect.stringContaining("more than 1000 pages"),
    });
    expect(endless.requests).toHaveLength(1000);
  });

  it("fails when one page of it fails", async () => {
    const { send } = fakeSend((_, index) => (index === 0 ? { projects: [], page: page(true, "c") } : 403));
    await expect(createEndpoints(send, workspace).listProjects()).rejects.toMatchObject({ status: 403 });
  });
});
