import { readingSeedOf } from "../support/readings";
import { buildRnv } from "./build-rnv";
import { casesOf } from "./cases";
import { explain } from "./explain";
import { play } from "./play";
import { randomCase } from "./random-case";
import { remoteStages } from "./remote-stages";
import { scenarios } from "./scenarios";
import { type Stage, stageOf } from "./stage";
import { count, emptyTally, type Tally } from "./tally";

/** The share of the matrix that one process plays. */
export interface Share {
  readonly worker: number;
  readonly workers: number;
  /** Only cases whose name begins so. */
  readonly only: string;
  /** Only faults that this expression matches. */
  readonly fault: string;
  /** Every n-th case. */
  readonly every: number;
  readonly seeds: { readonly from: number; readonly to: number };
}

const patienceMs = 30_000;

export async function playShare(share: Share, stages?: readonly Stage[]): Promise<Tally> {
  const local: readonly Stage[] = stages ?? (await allStages());
  const all = stages ?? [...local, ...(await remoteStages())];
  const tally = emptyTally();
  const fault = new RegExp(share.fault);
  let index = 0;
  for (const stage of all) {
    for (const one of casesOf(stage)) {
      index += 1;
      const every = share.every * (stage.thinned ?? 1);
      const mine = Math.floor(index / every) % share.workers === share.worker;
      if (index % every !== 0 || !mine || !one.name.startsWith(share.only) || !fault.test(one.fault))
        continue;
      count(tally, await inTime(one.name, play(stage, one)));
    }
  }
  const drawn = new Map([[readingsOf(0), local]]);
  for (let seed = share.seeds.from + share.worker; seed < share.seeds.to; seed += share.workers) {
    const readings = readingsOf(seed);
    const under = drawn.get(readings) ?? (await allStages(readings));
    drawn.set(readings, under);
    const random = randomCase(under, seed);
    const { stage, one } = random;
    const played = await inTime(one.name, play(stage, one));
    const explained = played.stop === undefined ? undefined : await explain(random, played);
    count(tally, { ...played, ...(explained && { explained }) });
  }
  return tally;
}

/** Returns the readings of a random case. */
export const readingsOf = (seed: number): string => `${readingSeedOf(seed)}`;

/** The stages under some readings. */
export async function allStages(readings?: string): Promise<Stage[]> {
  const rnv = await buildRnv();
  const stages: Stage[] = [];
  for (const scenario of scenarios) stages.push(await stageOf(rnv, scenario, undefined, readings));
  return stages;
}

/** A case that hangs names itself. */
async function inTime<T>(name: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`hangs: ${name}`)), patienceMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

if (process.send !== undefined && process.env.RNV_FAULTS_WORKER === "1") {
  process.on("message", (share: Share) => {
    playShare(share).then(
      (tally) => process.send?.(tally, () => process.exit(0)),
      (cause: unknown) => {
        console.error(cause);
        process.exit(1);
      },
    );
  });
}
