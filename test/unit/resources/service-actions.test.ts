import { ApiError } from "../../../src/api/api-error";
import type { Reads } from "../../../src/api/reads";
import type { Deployment } from "../../../src/api/wire/shapes";
import type { Address } from "../../../src/model/address";
import { deployment } from "../../../src/resources/deployment";
import { serviceActions } from "../../../src/resources/service/actions";

const [first, second] = ["a".repeat(40), "b".repeat(40)] as const;
const input = { address: "service.api" as Address, id: "s1", name: "api" };

const of = (id: string, more: Partial<Deployment> = {}): Deployment =>
  ({ id, status: "queued", commitSha: "", sourceDeploymentId: null, ...more }) as Deployment;
const known = of("known", { status: "live" });
const queued = [
  of("rolled-back", { sourceDeploymentId: "older", commitSha: first }),
  of("first", { commitSha: first }),
  of("second", { commitSha: second }),
  of("unbuilt"),
  known,
  of("before"),
];

const readsOf = (items: readonly Deployment[]) =>
  ({
    live: {
      listDeployments: async () => ({ available: true, items, reason: "" }),
      getDeployment: async (_: string, id: string) => items.find((one) => one.id === id),
    },
    mayReadMore: () => true,
  }) as unknown as Reads;

/** What an action takes for its own among `items`. */
const found = (action: string, more: object = {}, items = queued) =>
  serviceActions[action]?.find?.(readsOf(items), { ...input, ...more }, { preexistingIds: ["known"] });

describe("what a command that was not answered has made", () => {
  it.each([
    ["deploy", {}, ["first", "second", "unbuilt"]],
    ["deploy", { commit: first }, ["first", "unbuilt"]],
    ["deploy", { commit: second }, ["second", "unbuilt"]],
    ["clear-cache", {}, ["first", "second", "unbuilt"]],
    ["rollback", { deploymentId: "older" }, ["rolled-back"]],
  ] as const)("is of %s %j what was queued since, of its own kind", async (action, more, ids) => {
    expect(await found(action, more)).toEqual(ids);
  });

  it("is all that is listed where nothing was there before, and nothing where nothing came", async () => {
    expect(await found("deploy", {}, [of("new")])).toEqual(["new"]);
    expect(await found("deploy", {}, [known, of("before")])).toEqual([]);
    expect(await found("rollback", {}, [of("new"), known])).toEqual([]);
    expect(await found("deploy", {}, [of("new", { sourceDeploymentId: "older" }), known])).toEqual([]);
  });

  it("is unknown where the service is gone", async () => {
    const gone = new ApiError({
      ...{ kind: "refused", status: 404, message: "", operation: "listDeployments", method: "GET" },
      ...{ path: "/", requestId: "", attempts: 1 },
    });
    const reads = { live: { listDeployments: async () => Promise.reject(gone) } } as unknown as Reads;
    expect(await serviceActions.deploy?.find?.(reads, input, { preexistingIds: [] })).toBeUndefined();
  });

  it("is a cancellation where it is asked for or over", async () => {
    const cancelled = (more: Partial<Deployment>) =>
      found("cancel", { deploymentId: "d" }, [of("d", { status: "building", ...more })]);
    expect(await cancelled({ cancelRequested: true })).toEqual(["d"]);
    expect(await cancelled({ status: "cancelled" })).toEqual(["d"]);
    expect(await cancelled({ finishedAt: "2026-01-01T00:00:00Z" })).toEqual(["d"]);
    expect(await cancelled({})).toEqual([]);
    expect(await found("cancel", { deploymentId: "d" }, [])).toBeUndefined();
  });

  it("is no rollback where a declared deployment is looked for", async () => {
    const search = { parentId: "s1", preexistingIds: ["known"], name: "api" };
    const candidates = await deployment.candidates?.(readsOf(queued), search);
    expect(candidates?.map(({ id }) => id)).toEqual(["first", "second", "unbuilt"]);
  });
});
