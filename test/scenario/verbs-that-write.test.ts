import { approve, openScenario, type Scenario } from "../support/cli";
import { serveHttpState } from "../support/http-state-server";

const shop = `projects:
  shop:
    services:
      api: { kind: web, configuration: { repository: "https://git.example.com/api" } }
`;
const api = "service.shop.api";

/** "Every verb that writes takes the lock and the journal like apply" (DESIGN section 7). */
describe("verbs that write, as processes", () => {
  let scenario: Scenario;
  const deployments = () =>
    scenario.emulator.store.deployments(scenario.emulator.store.services()[0]?.id ?? "");
  const isWrite = ({ method }: { readonly method: string }) => method !== "GET";

  beforeEach(async () => {
    scenario = await openScenario();
    scenario.write("rnv.yaml", shop);
    expect(await scenario.run("apply", ...approve)).toMatchObject({ code: 0 });
    scenario.forget();
  });
  afterEach(() => scenario.close());

  it.each([
    ["deploy", [api], () => deployments().length],
    ["restart", [api], () => scenario.emulator.store.operations().length],
  ] as const)("%s that is killed before it is answered is sent once", async (verb, args, count) => {
    const before = count();
    let isFirst = true;
    let arrived = () => {};
    const arriving = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    scenario.fail((request) => {
      if (!isWrite(request) || !isFirst) return undefined;
      isFirst = false;
      // Committed, and no answer ever comes.
      setImmediate(arrived);
      return { kind: "timeout-after" };
    });
    const started = scenario.start({}, verb, ...args);
    await arriving;
    started.process.kill("SIGKILL");
    expect((await started.ended).code).toBe(-1);
    const planned = await scenario.run("plan");
    expect(planned.code).toBe(0);
    const again = await scenario.run(verb, ...args);
    if (verb === "restart") {
      // Nothing lists it: what became of it is told as unknown, and nothing is sent.
      expect(again.code).toBe(1);
      expect(again.stderr).toContain(`unknown whether \`rnv restart ${api}\``);
    } else expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining(`${api}: deploy done.`) });
    expect(count()).toBe(before + 1);
    await scenario.isQuiet();
  });

  it("deploy that is not answered names itself, and the same command repeats nothing", async () => {
    let isDown = false;
    scenario.fail((request) => {
      isDown ||= isWrite(request);
      if (!isDown) return undefined;
      return isWrite(request)
        ? { kind: "status", status: 500, when: "after" }
        : { kind: "status", status: 404 };
    });
    const fast = { node: ["--require", require.resolve("../support/fast-clock.cjs")] };
    const first = await scenario.start(fast, "deploy", api).ended;
    expect(first.code).toBe(1);
    expect(first.stderr).toContain(`hint: Run \`rnv deploy ${api}\` again: it first finds out what happened`);
    expect(first.stderr).not.toContain("rnv apply");
    scenario.fail();
    const again = await scenario.run("deploy", api);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing is sent again.") });
    expect(deployments()).toHaveLength(2);
    await scenario.isQuiet();
  });

  it("with a state on a server are recorded there, and the plan is empty", async () => {
    const server = await serveHttpState();
    const env = { RNV_STATE: `${server.url}/state` };
    expect(await scenario.runWith({ env }, "apply", "-adopt", ...approve)).toMatchObject({ code: 0 });
    expect(await scenario.runWith({ env }, "deploy", api)).toMatchObject({ code: 0 });
    expect(await scenario.runWith({ env }, "plan", "-detailed-exitcode")).toMatchObject({ code: 0 });
    expect([...server.stored.values()].join()).toContain(deployments().at(-1)?.id);
    await server.close();
  });

  it("ends with 6 while another run holds the lock, and sends nothing", async () => {
    scenario.write(
      ".rnv/state.json.lock",
      JSON.stringify({
        id: "other",
        host: "elsewhere",
        pid: 1,
        command: "apply",
        since: "2026-01-01T00:00:00.000Z",
      }),
    );
    for (const verb of ["deploy", "restart", "cancel"]) {
      const { code, stderr } = await scenario.run(verb, api);
      expect({ verb, code, stderr }).toMatchObject({
        code: 6,
        stderr: expect.stringContaining("state.lock_held"),
      });
    }
    expect(scenario.requests()).toEqual([]);
  });
});
