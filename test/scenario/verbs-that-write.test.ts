import { eachScenario, printing } from "../support/cli";

const shop = `projects:
  shop:
    services:
      api: { kind: web, configuration: { repository: "https://git.example.com/api" } }
`;
const api = "service.shop.api";

/** "Every verb that writes takes the lock and the journal like apply" (DESIGN section 7). */
describe("verbs that write, as processes", () => {
  const scenario = eachScenario();
  const deployments = () => scenario.deployments(scenario.emulator.store.services()[0]?.id);
  const isWrite = ({ method }: { readonly method: string }) => method !== "GET";

  beforeEach(async () => {
    await scenario.applied(shop);
    scenario.forget();
  });

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
    } else expect(again).toMatchObject(printing(0, `${api}: deploy done.`));
    expect(count()).toBe(before + 1);
    await scenario.isQuiet();
  });
});
