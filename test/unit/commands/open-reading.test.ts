import { createReads } from "../../../src/api/create-reads";
import type { Endpoints } from "../../../src/api/endpoints";
import type { Connection } from "../../../src/commands/context";
import { openReading } from "../../../src/commands/prepare";

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
    send: never("send"),
    reads: createReads(endpoints),
    endpoints: () => endpoints,
    conceal: () => false,
    close: async () => {},
  };
}

describe("openReading", () => {
  it("asks for all that a plan needs, and waits for none of it", async () => {
    const asked: string[] = [];
    const connection = silentConnection(asked);
    expect(await openReading({ connect: async () => connection })).toBe(connection);
    expect(asked).toEqual(["catalog", "projects", "canvas"]);
  });

  it("tells whoever awaits it that there is no connection", async () => {
    const opening = openReading({ connect: () => Promise.reject(new Error("no key")) });
    await expect(opening).rejects.toThrow("no key");
  });
});
