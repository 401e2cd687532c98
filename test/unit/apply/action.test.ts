import { ApiError } from "../../../src/api/api-error";
import type { Endpoints } from "../../../src/api/endpoints";
import type { Resource } from "../../../src/api/reads";
import type { Send } from "../../../src/api/send";
import {
  type Action,
  type ActionOrder,
  recordedPart,
  recordsOf,
  sendAction,
} from "../../../src/apply/action";
import type { Address } from "../../../src/model/address";
import { api, type RunGiven, recordOf, rollout, runOf, stateOf, timeAt, typeOf } from "./fixtures";

const input = { address: api, id: "s1", name: "api", commit: "c" };
const command = { action: "deploy", commit: "c" };
/** The action of the type that has it. */
const deployOf = (types: readonly Resource[]): Action => {
  const action = types.find(({ actions }) => actions?.deploy)?.actions?.deploy;
  if (action === undefined) throw new Error("no type has the action");
  return action;
};

const order: ActionOrder = { address: api, id: "s1", name: "api", ...command };
const lost = (status: number): ApiError =>
  new ApiError({
    ...{ kind: "uncertain", status, message: "", operation: "", method: "POST", path: "/" },
    ...{ requestId: "", attempts: 1 },
  });

/** A service whose `deploy` makes a deployment; a look finds these, in turn. */
function deployable(finds: readonly (readonly string[] | undefined)[], makes = true) {
  const looks: unknown[] = [];
  const send = async (writes: Endpoints) => {
    const { send } = writes as unknown as { readonly send: Send };
    const about = (body: unknown) => body as { id: string; madeAt?: string };
    const answer = await send({ operation: "deploy", method: "POST", path: "/deploy", keyed: true, about });
    return answer.body as { id: string; madeAt?: string };
  };
  const find: NonNullable<NonNullable<Resource["actions"]>[string]["find"]> = async (
    _,
    asked,
    preexisting,
  ) => {
    looks.push([asked, preexisting]);
    return finds[Math.min(looks.length, finds.length) - 1];
  };
  const service = typeOf({
    actions: {
      deploy: {
        ...(makes && {
          makes: {
            type: "deployment",
            applied: (before: object, { commit }: { commit?: string }) => ({
              ...before,
              commit: commit ?? "",
            }),
          },
        }),
        ...{ send, find },
        pendingOf: (_: unknown, { id }: { id: string }) => ({ kind: "deployment", id }) as const,
        poll: async () => ({ kind: "done" }) as const,
      },
    },
  });
  const deployment = typeOf({
    ...{ type: "deployment", follows: ["variable"] },
    runs: {
      pendingOf: (id: string, serviceId: string, attributes: ReadonlyMap<string, unknown>) => ({
        ...{ kind: "deployment", id, serviceId, commit: attributes.get("commit") },
      }),
    } as never,
  });
  return { types: [service, deployment], looks };
}

const resources = {
  [api]: recordOf("s1", { writes: 5 }),
  ["variable.shop.api.A" as Address]: recordOf("v1", { type: "variable", parent: api, writes: 2 }),
};
const deployed = recordOf("d0", {
  type: "deployment",
  parent: api,
  applied: { when: "change" },
  updatedAt: timeAt(-5),
  writes: 1,
});

describe("an action that was answered", () => {
  const answered = async (given: RunGiven = {}, makes = true) => {
    const { types, looks } = deployable([[]], makes);
    const run = runOf({
      ...{ resources, types },
      answer: () => ({ status: 200, body: { id: "d1", madeAt: timeAt(3) }, requestId: "", attempts: 1 }),
      ...given,
    });
    return { pending: await sendAction(run, deployOf(types), order, ["d0"]), run, looks };
  };

  it("is recorded as what it made: everything was deployed with it", async () => {
    const { run } = await answered();
    expect(run.journal.recorded(rollout)).toEqual({
      ...{
        type: "deployment",
        id: "d1",
        name: "api",
        parent: api,
        dependsOn: [],
        applied: { commit: "c" },
      },
      ...{ computed: {}, preventDestroy: false, onRemove: "delete", writes: 1, inputs: { s1: 5, v1: 2 } },
      ...{ updatedAt: timeAt(3), writtenAt: timeAt(0) },
      pending: {
        kind: "deployment",
        id: "d1",
        serviceId: "s1",
        commit: "c",
        since: timeAt(0),
      },
    });
    const { run: second } = await answered({ resources: { ...resources, [rollout]: deployed } });
    expect(second.journal.recorded(rollout)).toMatchObject({
      id: "d1",
      applied: { when: "change", commit: "c" },
      writes: 2,
    });
  });
});

describe("an action without a certain answer", () => {
  const failing = async (finds: Parameters<typeof deployable>[0], status = 502, times = 1) => {
    const { types, looks } = deployable(finds);
    let failures = 0;
    const run = runOf({
      ...{ resources, types },
      answer: () => {
        failures += 1;
        if (failures <= times) throw lost(status);
        return { status: 200, body: { id: "d1" }, requestId: "", attempts: 1 };
      },
    });
    const end = await sendAction(run, deployOf(types), order, ["d0"]).catch((failure: unknown) => failure);
    return { end, run, looks };
  };

  it("is found by what it made, which is recorded as its outcome, and not sent again", async () => {
    const { end, run, looks } = await failing([["d7"]]);
    expect(end).toEqual({ kind: "deployment", id: "d7" });
    expect(looks).toMatchObject([[input, { preexistingIds: ["d0"] }]]);
    expect(run.requests).toHaveLength(1);
    expect(run.journal.recorded(rollout)).toMatchObject({ id: "d7", inputs: { s1: 5, v1: 2 } });
    expect(run.entries.at(-1)).toEqual({ kind: "outcome", seq: 1, result: "done", status: 0, id: "d7" });
    expect(run.entries).toContainEqual(expect.objectContaining({ kind: "run" }));
  });

  it("is left to a person where several could be it, and is told once", async () => {
    const { end, run } = await failing([["d7", "d8"]]);
    expect(end).toMatchObject({
      diagnostics: [{ code: "apply.uncertain", detail: "Found: d7, d8. Any of them may be it." }],
    });
    expect(run.requests).toHaveLength(1);
    expect(run.journal.openAt(api)).toEqual([]);
  });

  it("that was refused is neither looked for nor sent again", async () => {
    const { types, looks } = deployable([["d7"]]);
    const refusal = Object.assign(lost(400), { kind: "refused" });
    const run = runOf({
      ...{ resources, types },
      answer: () => {
        throw refusal;
      },
    });
    await expect(sendAction(run, deployOf(types), order, ["d0"])).rejects.toBe(refusal);
    expect({ looks, requests: run.requests.length }).toEqual({ looks: [], requests: 1 });
  });
});

describe("the records of a state", () => {
  const state = stateOf({ [api]: recordOf("s1"), [rollout]: deployed }, []);

  it("are looked up as those of a journal", () => {
    expect(recordsOf(state).recorded(api)).toEqual(recordOf("s1"));
    expect(recordsOf(state).inside(api)).toEqual([[rollout, deployed]]);
    expect(recordedPart(recordsOf(state), api, "deployment")).toEqual([rollout, deployed]);
    expect(recordedPart(recordsOf(state), api, "layout")).toBeUndefined();
  });
});
