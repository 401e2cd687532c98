import { ApiError } from "../../../src/api/api-error";
import { deployment } from "../../../src/resources/deployment";
import { service } from "../../../src/resources/service";
import { createInput, type Embedded, embedded, settled, target } from "./embedded";

const commit = "a".repeat(40);
const other = "b".repeat(40);

async function world() {
  const made = embedded();
  const repository = "https://git.example.com/shop/api";
  const input = createInput("api", { kind: "web", "configuration.repository": repository });
  const { id } = await service.create(made.endpoints, input);
  return { ...made, serviceId: id };
}

async function deployed(made: Embedded & { serviceId: string }, values: object = {}): Promise<string> {
  const input = createInput("", { serviceId: made.serviceId, ...values });
  const accepted = await deployment.create(made.endpoints, input);
  if (accepted.pending)
    expect(await settled(made, deployment, accepted.pending)).toMatchObject({ kind: "done" });
  return accepted.id;
}

const recorded = (id: string, applied: Record<string, string>) => ({
  ...{ type: "deployment", id, name: "", dependsOn: [], applied, computed: {} },
  ...{ preventDestroy: false, onRemove: "delete" as const, writes: 1 },
});

describe("reading a deployment", () => {
  it("asks for the commit only when one is declared and the state does not say", async () => {
    const made = await world();
    const id = await deployed(made, { commit });
    const look = async (declared: object, state?: ReturnType<typeof recorded>) => {
      made.requests();
      const values = { serviceId: made.serviceId, ...declared };
      const read = await deployment.read(
        made.reads(),
        target("", { values, ...(state && { id: state.id, recorded: state }) }),
      );
      const asked = made.requests().filter((request) => request.includes("/deploys/")).length;
      return [read.kind === "found" && read.live.attributes.get("commit"), asked];
    };
    expect(await look({})).toEqual([undefined, 0]);
    expect(await look({ commit })).toEqual([commit, 1]);
    expect(await look({ commit: other }, recorded(id, { commit }))).toEqual([commit, 0]);
    expect(await look({ commit }, recorded(id, {}))).toEqual([commit, 1]);
    expect(await look({ commit: other }, recorded("failed-one", { commit: other }))).toEqual([commit, 1]);
  });
});

describe("what keeps planned deployments from running", () => {
  const foreseen = async (failure: Error) => {
    const { reads, serviceId } = await world();
    const seen = reads();
    jest.spyOn(seen.live, "listDeployments").mockRejectedValue(failure);
    return deployment.runs?.checkBeforeApply(seen, { count: 1, parentIds: [serviceId] });
  };

  it("is not said by a list that cannot be read, and an interrupt of its read ends the look", async () => {
    const request = { operation: "listDeployments", method: "GET", path: "/deployments" };
    const refused = { ...request, kind: "refused", status: 403, requestId: "r", attempts: 1 } as const;
    expect(await foreseen(new ApiError({ ...refused, message: "no" }))).toEqual([]);
    await expect(foreseen(new Error("interrupted"))).rejects.toThrow("interrupted");
  });
});

describe("the waitPolicy of a deployment", () => {
  const waitPolicy = (values: object) => deployment.reacts?.waitPolicy?.(new Map(Object.entries(values)));

  it("is half an hour unless declared", () => {
    expect(waitPolicy({})).toEqual({ wait: true, timeoutMs: 1_800_000 });
    expect(waitPolicy({ wait: false, timeout: "1h30m" })).toEqual({ wait: false, timeoutMs: 5_400_000 });
  });
});
