import { createReads } from "../../../src/api/create-reads";
import type { Endpoints } from "../../../src/api/endpoints";
import type { Connection } from "../../../src/commands/context";
import { openReading } from "../../../src/commands/prepare";

/** Endpoints that note what they are asked for, and never answer. */
function silentConnection(asked: string[], underWay: () => Promise<void>): Connection {
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
    underWay,
    close: async () => {},
  };
}

const clock = (sleep: () => Promise<void>) => ({ now: () => 0, elapsed: () => 0, sleep });
const forever = () => new Promise<void>(() => {});

describe("openReading", () => {
  it("asks for all that a plan needs, and resolves once that is under way", async () => {
    const asked: string[] = [];
    let depart = (): void => {};
    const left = new Promise<void>((resolve) => {
      depart = resolve;
    });
    const connection = silentConnection(asked, () => left);
    let isOpen = false;
    const opening = openReading({ connect: async () => connection, clock: clock(forever) });
    opening.then(() => {
      isOpen = true;
    });
    await new Promise(setImmediate);
    expect(asked).toEqual(["catalog", "projects", "canvas"]);
    expect(isOpen).toBe(false);
    depart();
    expect(await opening).toBe(connection);
  });

  it("does not wait long for a service that is far away", async () => {
    const connection = silentConnection([], forever);
    const opening = openReading({ connect: async () => connection, clock: clock(async () => {}) });
    expect(await opening).toBe(connection);
  });

  it("tells whoever awaits it that there is no connection", async () => {
    const opening = openReading({
      connect: () => Promise.reject(new Error("no key")),
      clock: clock(forever),
    });
    await expect(opening).rejects.toThrow("no key");
  });
});
