import { judgeMutations } from "./judge-mutations";
import { judgeLeaks } from "./leaks";
import { openTargets, type Target } from "./targets";

jest.setTimeout(300_000);

/** `npx tsx test/hostile/run.ts` runs 100,000. */
const casesEach = 500;

describe("mutated input ends in a clean error, or is good", () => {
  const opened = new Set<string>();
  let targets: readonly Target[];
  beforeAll(async () => {
    targets = await openTargets(opened);
  });

  it.each(["YAML", "JSON", "state", "journal", "plan", "response"])("%s", async (kind) => {
    const target = targets.find((one) => one.kind === kind) as Target;
    const verdict = await judgeMutations(target, casesEach, 1);
    expect(verdict.failures).toEqual([]);
    // Mutations that spoil everything would test one error only, and those that spoil nothing none. Of a plan, whose
    // every number is judged, a fifth stays good: a tenth is what a hundred of them are sure to show.
    expect(verdict.accepted).toBeGreaterThanOrEqual(casesEach / 10);
    expect(verdict.accepted).toBeLessThan(casesEach);
  });

  it("no value and no command to a runner is left in an output", () => {
    for (const { kind, failures } of judgeLeaks(casesEach, 1)) expect([kind, failures]).toEqual([kind, []]);
  });

  it("no file outside the project was opened", () => {
    expect([...opened]).toEqual([]);
  });
});
