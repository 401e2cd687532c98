import { buildRnv } from "./build-rnv";
import { type Case, casesOf } from "./cases";
import type { PlantedBug } from "./planted-bugs";
import { play } from "./play";
import { createRandom } from "./random";
import { scenarios } from "./scenarios";
import { stageOf } from "./stage";
import { newStops } from "./stops";
import { count, emptyTally } from "./tally";

const patienceMs = 10_000;

/** Plays the cases that should find a planted bug until one does; returns what it found, or undefined. */
export async function hunt(bug: PlantedBug): Promise<string | undefined> {
  const scenario = scenarios.find(({ name }) => name === bug.scenario);
  if (scenario === undefined) throw new Error(`no scenario ${bug.scenario}`);
  const rnv = await buildRnv([bug]);
  const stage = await stageOf(rnv, scenario, bug.remote).catch((cause: Error) => cause);
  if (stage instanceof Error) return `without any fault: ${stage.message.split("\n")[0]}`;
  for (const one of shuffled([...casesOf(stage)].filter((candidate) => isTried(bug, candidate)))) {
    const found = await Promise.race([play(stage, one), late()]);
    if (found === undefined) return `${one.name}: hangs`;
    const tally = emptyTally();
    count(tally, found);
    const [first] = [...Object.keys(tally.failures), ...newStops(Object.keys(tally.stops))];
    if (first !== undefined) return `${one.name}: ${first}`;
  }
  return undefined;
}

/** `kill` alone is the process; with a word after it the machine or the world changes as well. */
const isTried = ({ faults }: PlantedBug, { fault }: Case): boolean =>
  faults.some((tried) => (tried === "kill" ? fault === tried : fault.startsWith(tried)));

/** Neighbours find the same: in another order what finds something comes sooner. */
function shuffled(cases: readonly Case[]): Case[] {
  const random = createRandom(cases.length);
  return cases
    .map((one) => ({ one, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

const late = (): Promise<undefined> =>
  new Promise((resolve) => setTimeout(() => resolve(undefined), patienceMs).unref());
