import { approve, openScenario, type Scenario } from "../support/cli";
import { serveHttpState } from "../support/http-state-server";

const names = ["a", "b", "c"];
const shop = `projects:
  shop:
    services:
${names.map((name) => `      ${name}: { kind: web, deploy: { when: never }, variables: { LEVEL: info } }`).join("\n")}
`;

describe("a run that stands still between its read and its write of a state over HTTP", () => {
  let scenario: Scenario;
  let server: Awaited<ReturnType<typeof serveHttpState>>;
  let env: Readonly<Record<string, string>>;
  beforeEach(async () => {
    scenario = await openScenario();
    scenario.write("rnv.yaml", shop);
    // It checks the id of a lock only while one is held, as many do.
    server = await serveHttpState({ strict: false });
    env = { RNV_STATE: `${server.url}/state/shop`, RNV_STATE_KEY: "c0ffee11".repeat(8) };
  });
  afterEach(async () => {
    await server.close();
    await scenario.close();
  });
  const run = (...args: readonly string[]) => scenario.runWith({ env }, ...args);
  const lockId = (): string => JSON.parse(server.locks.get("/state/shop") ?? "{}").ID;
  const expectEachOnce = () => {
    const { store } = scenario.emulator;
    expect(store.projects()).toHaveLength(1);
    expect(
      store
        .services()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(names);
    for (const { id } of store.services()) expect(store.variables(id)).toHaveLength(1);
  };

  it("writes nothing to the service once its lock was broken and another run came and went", async () => {
    let rival: Promise<unknown> | undefined;
    server.fault = ({ method }) => {
      if (method !== "POST" || rival !== undefined) return undefined;
      rival = run("force-unlock", lockId())
        .then(() => run("apply", ...approve))
        .then(({ code }) => expect(code).toBe(0));
      return rival.then(() => undefined);
    };
    const { code, stdout, stderr } = await run("apply", ...approve);
    await rival;
    expect(code).toBe(6);
    expect(stderr).toContain("the lock on the state was taken away from this run: it is free");
    expect(stderr).toContain("may have replaced what another run wrote there");
    expect(stdout).not.toContain("Creation complete");
    expectEachOnce();
    expect(server.locks.size).toBe(0);
    // What stands there is the older state: the next run doubles nothing, and says how to go on.
    const next = await run("apply", ...approve);
    expect(next.code).toBe(1);
    expect(next.stderr).toContain(
      "error[live.unmanaged_exists]: service.shop.a exists and is not managed here",
    );
    expectEachOnce();
    expect((await run("apply", "-adopt", ...approve)).code).toBe(0);
    expectEachOnce();
    expect((await run("plan", "-detailed-exitcode")).code).toBe(0);
  });

  it("goes on as ever where nobody took its lock, and leaves none behind", async () => {
    expect((await run("apply", ...approve)).code).toBe(0);
    expectEachOnce();
    expect(server.locks.size).toBe(0);
    const { code, stdout } = await run("plan", "-detailed-exitcode");
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("No changes.") });
  });
});
