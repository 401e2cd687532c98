import { inSoak } from "../support/soak";
import { casesOf } from "./cases";
import { play } from "./play";
import { randomCase } from "./random-case";
import type { Stage } from "./stage";
import { newStops } from "./stops";
import { allStages, playShare } from "./worker";

jest.setTimeout(300_000);

const everything = { worker: 0, workers: 1, only: "", fault: "" };
const noSeeds = { from: 0, to: 0 };

describe("the fault matrix", () => {
  let stages: readonly Stage[];
  beforeAll(async () => {
    stages = await allStages();
  });

  // CI plays every fourth before the tests; `npm run faults` plays all of them, and twenty thousand seeds.
  it("holds in every 1999th case, and ends in a stop only where that is known", async () => {
    const tally = await playShare({ ...everything, every: 1999, seeds: noSeeds }, stages);
    expect(tally.cases).toBeGreaterThan(25);
    expect(tally.failures).toEqual({});
    expect(newStops(Object.keys(tally.stops))).toEqual([]);
  });

  it("holds under several faults at once", async () => {
    const seeds = inSoak(10, 2);
    const tally = await playShare(
      { ...everything, only: "none", every: 1, seeds: { from: 0, to: seeds } },
      stages,
    );
    expect(tally.cases).toBe(seeds);
    // A seed that meets no fault is a failure.
    expect(tally.failures).toEqual({});
    expect(newStops(Object.keys(tally.stops))).toEqual([]);
  });

  it("has at least twenty thousand cases, each of a name of its own", () => {
    const names = stages.flatMap((stage) => [...casesOf(stage)].map(({ name }) => name));
    expect(names.length).toBeGreaterThan(20_000);
    expect(new Set(names).size).toBe(names.length);
  });

  it("replays a case by its name with the same trace", async () => {
    for (let seed = 0; seed < 2; seed += 1) {
      const { stage, one } = randomCase(stages, seed);
      const [first, second] = [await play(stage, one), await play(stage, one)];
      expect(first.trace).toEqual(second.trace);
    }
  });
});
