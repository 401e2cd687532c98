import type { Endpoints } from "../../../src/api/endpoints";
import { createReads } from "../../../src/api/reads";
import type { Connection, Context } from "../../../src/commands/context";
import { planRequest } from "../../../src/commands/context";
import { plan, prefetch } from "../../../src/commands/plan";

/** Endpoints that note what they are asked for, and never answer. */
function silentConnection(asked: string[]): Connection {
  const never = (name: string) => () => {
    asked.push(name);
    return new Promise<never>(() => {});
  };
  const endpoints = {
    catalog: never("catalog"),
    listProjects: never("projects"),
    canvas: never("canvas"),
  } as unknown as Endpoints;
  return {
    runId: "0".repeat(32),
    send: never("send"),
    reads: createReads(endpoints),
    endpoints: () => endpoints,
    redact: () => false,
    close: async () => {},
  };
}

describe("prefetch", () => {
  it("sends the three requests of a plan, and waits for none of them", async () => {
    const asked: string[] = [];
    const connection = silentConnection(asked);
    expect(await prefetch({ connect: async () => connection })).toBe(connection);
    expect(asked).toEqual(["catalog", "projects", "canvas"]);
  });

  it("rejects where there is no connection", async () => {
    const opening = prefetch({ connect: () => Promise.reject(new Error("no key")) });
    await expect(opening).rejects.toThrow("no key");
  });

  it("is the first step of a plan, before its state is read", async () => {
    const asked: string[] = [];
    const read = () => {
      asked.push("state");
      return Promise.reject(new Error("no state"));
    };
    const context = { connect: async () => silentConnection(asked), backend: { read } } as unknown as Context;
    await expect(plan(context, planRequest)).rejects.toThrow("no state");
    expect(asked).toEqual(["catalog", "projects", "canvas", "state"]);
  });
});
