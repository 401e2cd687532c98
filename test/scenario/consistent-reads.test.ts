import { approve, eachScenario } from "../support/cli";
import { shareOf } from "../support/soak";

/** DESIGN section 5, "Consistent reads". */
const shop = (replicas: number) => `projects:
  shop:
    services:
      api: { kind: worker, configuration: { replicas: ${replicas} }, deploy: { when: never } }
`;
const hour = 3_600_000;
const preloaded = (...names: readonly string[]) => ({
  node: names.flatMap((name) => ["--require", require.resolve(`../support/${name}-clock.cjs`)]),
});
/** Its waits pass twenty times as fast. */
const fast = preloaded("fast");
/** An hour after the last run, by our clock. */
const later = preloaded("fast", "ahead");

describe("a version that is older than the record", () => {
  const at = eachScenario();
  /** A service that was changed an hour ago, and replicas that have stopped before that. */
  const behind = async () => {
    await at.applied(shop(1));
    at.settle();
    at.emulator.store.setLag({ all: { ms: 1000 * hour } });
    at.write("rnv.yaml", shop(2));
    expect(await at.start(fast, "apply", ...approve).ended).toMatchObject({ code: 0 });
    at.clock.advance(hour);
    at.forget();
  };

  it("is never believed, whatever its age, until -refresh-only accepts it", async () => {
    await behind();
    for (const [verb, ...args] of shareOf([["apply", ...approve], ["plan"], ["drift"]] as const, 3)) {
      const { code, stderr } = await at.start(later, verb, ...args).ended;
      expect({ verb, code }).toEqual({ verb, code: 1 });
      expect(stderr).toContain("error[live.stale]");
      expect(stderr).toContain("rnv apply -refresh-only");
    }
    expect(at.requests()).toEqual([]);
    expect(await at.start(later, "apply", "-refresh-only", ...approve).ended).toMatchObject({ code: 0 });
    const { code, stdout } = await at.run("plan", "-detailed-exitcode");
    expect({ code, change: /replicas.*1 -> 2/.test(stdout) }).toEqual({ code: 2, change: true });
  });
});
