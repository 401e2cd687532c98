import { inSoak } from "../support/soak";
import { casesOf } from "./cases";
import { play } from "./play";
import { remoteStages } from "./remote-stages";
import type { Stage } from "./stage";
import { newStops } from "./stops";
import { playShare } from "./worker";

jest.setTimeout(120_000);

const share = { worker: 0, workers: 1, only: "", fault: "", seeds: { from: 0, to: 0 } };

describe("the fault matrix of remote states", () => {
  let stages: readonly Stage[];
  beforeAll(async () => {
    stages = await remoteStages();
  });

  it("holds in a sample of its cases, and ends in a stop only where that is known", async () => {
    const evenly = stages.map((stage) => ({ ...stage, thinned: 1 }));
    const tally = await playShare({ ...share, every: inSoak(997, 1399) }, evenly);
    expect(tally.cases).toBeGreaterThan(10);
    expect(tally.failures).toEqual({});
    expect(newStops(Object.keys(tally.stops))).toEqual([]);
  });

  it("has more than fifteen thousand cases, each of a name of its own, and each request of a run in some", () => {
    const names = stages.flatMap((stage) => [...casesOf(stage)].map(({ name }) => name));
    expect(names.length).toBeGreaterThan(15_000);
    expect(new Set(names).size).toBe(names.length);
    const labels = new Set(stages.flatMap(({ stateRequests }) => stateRequests.map(({ label }) => label)));
    expect([...labels].sort()).toEqual([
      "GET lock",
      "GET state",
      "LOCK state",
      "POST state",
      "PUT backup",
      "PUT lock",
      "PUT state",
      "UNLOCK state",
    ]);
  });

  it("plays a case twice with the same trace, encryption included", async () => {
    for (const stage of stages.slice(inSoak(-2, -1))) {
      const [one] = [...casesOf(stage)].filter(({ fault }) => fault === "remote reset-after held").slice(-3);
      if (one === undefined) throw new Error("no such case");
      const [first, second] = [await play(stage, one), await play(stage, one)];
      expect(first.trace).toEqual(second.trace);
    }
  });
});
