import { ApiError } from "../../../src/api/api-error";
import type { Reads } from "../../../src/api/reads";
import { type Deployment, deployment as deploymentSchema } from "../../../src/api/wire/shapes";
import type { Pending } from "../../../src/model/live";
import type { OperationStatus } from "../../../src/model/resource-operations";
import { pollDeployment } from "../../../src/resources/deployment-status";

const commit = "a".repeat(40);
const other = "b".repeat(40);

/** A service whose deployments are these, newest first. */
function look(deployments: readonly object[], pending: Partial<Pending> = {}): Promise<OperationStatus> {
  const items = deployments.map((one): Deployment => deploymentSchema.parse(one));
  const found = (id: string): Deployment => {
    const one = items.find((item) => item.id === id);
    if (one !== undefined) return one;
    const request = { operation: "getDeployment", method: "GET", path: `/deploys/${id}` } as const;
    const answer = { status: 404, message: "not found", requestId: "", attempts: 1 } as const;
    throw new ApiError({ kind: "refused", ...request, ...answer });
  };
  const live: Pick<Reads["live"], "getDeployment" | "listDeployments"> = {
    getDeployment: async (_serviceId, id) => found(id),
    listDeployments: async (_serviceId, page) => ({ available: true, items: items.slice(0, page?.limit) }),
  };
  return pollDeployment({ live } as Reads, { kind: "deployment", serviceId: "s", id: "ours", ...pending });
}

describe("a look at a deployment", () => {
  it("fails when another commit than the pinned one serves", async () => {
    expect(await look([{ id: "ours", status: "live", commitSha: other }], { commit })).toMatchObject({
      kind: "failed",
      summary: `the service serves commit ${other}, not the pinned ${commit}`,
    });
    expect(await look([{ id: "ours", status: "live", commitSha: "" }], { commit })).toMatchObject({
      kind: "failed",
    });
  });

  it("names the step that failed, unless its error does", async () => {
    const steps = [
      { name: "clone", startedAt: "2026-01-01T00:00:00Z", finishedAt: "2026-01-01T00:00:02Z" },
      { name: "build", startedAt: "2026-01-01T00:00:02Z", finishedAt: null },
      { name: "start", startedAt: null, finishedAt: null },
    ];
    const summaryOf = async (error: string) =>
      (await look([{ id: "ours", status: "failed", error, steps }])) as { readonly summary?: string };
    expect(await summaryOf("exit code 1")).toMatchObject({ summary: 'the step "build" failed: exit code 1' });
    expect(await summaryOf("")).toMatchObject({ summary: 'the step "build" failed' });
    expect(await summaryOf("Build exited with code 1")).toMatchObject({
      summary: "Build exited with code 1",
    });
  });

  it("is not known to have ended where its service lists none", async () => {
    expect(await look([])).toEqual({
      kind: "waiting",
      status: "not shown",
      atMost: { ms: 30_000, summary: "the platform does not show deployment ours", isUnseen: true },
    });
  });

  it("ends early when the dashboard must complete a checkout", async () => {
    const blockedReason = "Complete checkout for the Starter plan in the dashboard";
    expect(await look([{ id: "ours", status: "queued", blockedReason }])).toEqual({
      kind: "checkout",
      summary: blockedReason,
    });
    expect(await look([{ id: "ours", status: "building", blockedReason }])).toMatchObject({
      kind: "waiting",
    });
  });
});

describe("a superseded deployment", () => {
  const ours = { id: "ours", status: "superseded", commitSha: commit };

  it("is not made good by a rollback", async () => {
    const rollback = { id: "back", status: "live", sourceDeploymentId: "old" };
    expect(await look([rollback, ours])).toMatchObject({
      kind: "failed",
      detail: "deployment back rolls back to old",
    });
  });

  it("fails when nothing newer is listed for half a minute", async () => {
    const summary = "deployment ours was superseded, and no newer one is listed";
    const looksAgain = { kind: "waiting", status: "superseded", atMost: { ms: 30_000, summary } };
    expect(await look([ours])).toEqual(looksAgain);
    expect(await look([ours, { id: "older", status: "live" }])).toEqual(looksAgain);
  });
});
