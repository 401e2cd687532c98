import { buildRnv } from "./build-rnv";
import { type Case, casesOf } from "./cases";
import type { PlantedBug } from "./planted-bugs";
import { play } from "./play";
import { createRandom } from "./random";
import { scenarios } from "./scenarios";
import { type Stage, stageOf } from "./stage";
import { newStops } from "./stops";
import { count, emptyTally } from "./tally";

/** The case that finds a planted bug. */
export interface Finding {
  /**
   * - `wrong`: the judge refuses the end of a case.
   * - `stop`: it ends in a stop that is not listed.
   * - `at once`: the scenario fails without any fault.
   * - `thrown`: the code broke: a bad edit, no bug.
   * - `hangs`: no end in time.
   */
  readonly kind: "wrong" | "stop" | "at once" | "thrown" | "hangs";
  readonly case: string;
  readonly found: string;
}

const patienceMs = 10_000;

/** Plays the cases that should find a planted bug until a case does; returns that finding, or undefined. */
export async function hunt(bug: PlantedBug): Promise<Finding | undefined> {
  const scenario = scenarios.find(({ name }) => name === bug.scenario);
  if (scenario === undefined) throw new Error(`no scenario ${bug.scenario}`);
  const rnv = await buildRnv(bug);
  const stage = await stageOf(rnv, scenario, bug.remote).catch((cause: Error) => cause);
  if (stage instanceof Error) return finding("at once", scenario.name, stage.message);
  const tried = [...casesOf(stage)].filter((candidate) => isTried(bug, candidate));
  if (tried.length === 0) throw new Error(`no case of ${bug.scenario} is tried`);
  for (const one of shuffled(tried)) {
    const found = await foundBy(stage, one);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function foundBy(stage: Stage, one: Case): Promise<Finding | undefined> {
  const played = await Promise.race([play(stage, one), late()]);
  if (played === undefined) return finding("hangs", one.name, "");
  const tally = emptyTally();
  count(tally, played);
  const [failure] = Object.keys(tally.failures);
  if (failure !== undefined) return finding("wrong", one.name, failure);
  const [stop] = newStops(Object.keys(tally.stops));
  return stop === undefined ? undefined : finding("stop", one.name, stop);
}

/** An error of the language or the platform, and no diagnostic of rnv's. */
const isThrown = (found: string): boolean => /\b(Type|Reference|Range|Syntax)Error\b/.test(found);

const finding = (kind: Finding["kind"], name: string, found: string): Finding => ({
  kind: isThrown(found) ? "thrown" : kind,
  case: name,
  found,
});

/** `kill` alone is the process; with a word after it the machine or the world changes as well. */
const isTried = ({ faults, at = "" }: PlantedBug, { fault, name }: Case): boolean =>
  name.includes(at) && faults.some((tried) => (tried === "kill" ? fault === tried : fault.startsWith(tried)));

/** Neighbours find the same: another order finds the bug sooner. */
function shuffled(cases: readonly Case[]): Case[] {
  const random = createRandom(cases.length);
  return cases
    .map((one) => ({ one, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

const late = (): Promise<undefined> =>
  new Promise((resolve) => setTimeout(() => resolve(undefined), patienceMs).unref());
