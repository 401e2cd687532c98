import type { Transport } from "../../../src/api/transport";
import { watchWaiting } from "../../../src/cli/progress";

const request = { method: "GET", url: "https://host.example/api/v1/x", headers: {} };

beforeEach(() => jest.useFakeTimers({ doNotFake: ["setImmediate"] }));
afterEach(() => jest.useRealTimers());

/** A service whose answers come when they are told to. */
function setUp() {
  const said: string[] = [];
  const answers: ((status: number) => void)[] = [];
  const waiting = watchWaiting("host.example", (line) => said.push(line));
  const transport: Transport = {
    send: () =>
      new Promise((resolve) => answers.push((status) => resolve({ status, headers: {}, body: "{}" }))),
    close: async () => {},
  };
  return {
    said,
    waiting,
    ask: () => waiting.during(() => transport.send(request)),
    answer: async (status: number) => {
      answers.shift()?.(status);
      await new Promise((resolve) => setImmediate(resolve));
    },
    pass: (seconds: number) => jest.advanceTimersByTime(seconds * 1000),
  };
}

describe("a run that waits for the service", () => {
  it("says so after 10 s, after 30 s, and then each minute", async () => {
    const { ask, pass, said } = setUp();
    void ask();
    void ask();
    pass(9);
    expect(said).toEqual([]);
    pass(171);
    expect(said).toEqual([
      "Waiting for host.example to answer 2 requests (10s so far)",
      "Waiting for host.example to answer 2 requests (30s so far)",
      "Waiting for host.example to answer 2 requests (1m so far)",
      "Waiting for host.example to answer 2 requests (2m so far)",
      "Waiting for host.example to answer 2 requests (3m so far)",
    ]);
  });

  it("counts from the last answer, and is silent where answers come", async () => {
    const { ask, answer, pass, said } = setUp();
    for (let i = 0; i < 5; i += 1) {
      void ask();
      pass(6);
      await answer(200);
    }
    expect(said).toEqual([]);
  });

  it("says why it asks again later, and what was refused as too much is no answer", async () => {
    const { ask, answer, pass, said, waiting } = setUp();
    void ask();
    pass(3);
    await answer(429);
    waiting.onWait({ reason: "rate limited", seconds: 60, operation: "listProjects" });
    pass(8);
    expect(said).toEqual(["Rate limited by host.example; retrying in 53s (10s so far)"]);
  });

  it("says at the first retry that it cannot connect, and then not before 10 s", async () => {
    const { pass, said, waiting } = setUp();
    const refused = { reason: "not connected", seconds: 20.5 };
    for (const operation of ["catalog", "listProjects"]) waiting.onWait({ ...refused, operation });
    pass(9);
    expect(said).toEqual(["Cannot connect to host.example; retrying"]);
    pass(1);
    expect(said.slice(1)).toEqual(["Cannot connect to host.example; retrying in 10s (10s so far)"]);
  });

  it("says nothing once nothing is left to wait for", async () => {
    const { ask, answer, pass, said, waiting } = setUp();
    void ask();
    await answer(200);
    pass(100);
    waiting.onWait({ reason: "rate limited", seconds: 1, operation: "listProjects" });
    pass(100);
    expect(said).toEqual([]);
    waiting.close();
    expect(jest.getTimerCount()).toBe(0);
  });
});
