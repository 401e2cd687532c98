import type { Endpoints } from "../../../src/api/endpoints";
import { createReads } from "../../../src/api/reads";
import type { Connection } from "../../../src/commands/context";
import { prefetch } from "../../../src/commands/plan";

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
});
