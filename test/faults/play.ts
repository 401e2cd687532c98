import { createHash } from "node:crypto";
import { type Case, isVerb } from "./cases";
import { judgeEnd, judgeRun, type Verdict } from "./judge";
import { apiKeys, Machine } from "./machine";
import { type Ended, Process } from "./process";
import { unlockAsTold } from "./remote-judge";
import { backendOutside, type Stage } from "./stage";

/** What became of one case. */
export interface Played {
  readonly name: string;
  readonly fault: string;
  readonly scenario: string;
  /** What the judge found; empty when all is well. */
  readonly faults: readonly string[];
  /** Codes of the diagnostics that the case ends with, where it could not reach what is desired. */
  readonly stop?: string;
  /** What explains the stop of a random case. */
  readonly explained?: string;
  /** SHA-256 of everything that happened. */
  readonly digest: string;
  readonly trace: readonly string[];
  readonly fired: boolean;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Lists that lag may show only to a third run the write of a killed run. */
const mostReruns = ({ lag, mayRedeploy }: Case): number => (lag && mayRedeploy ? 3 : 2);

/** Plays one case from its beginning to the judge's verdict. */
export async function play(stage: Stage, one: Case): Promise<Played> {
  const machine = new Machine(seedOf(one.name), one.young ? stage.young : stage.image);
  stage.scenario.arrange?.(machine.emulator.store);
  if (one.lag) {
    machine.emulator.store.setLag(one.lag);
  }
  machine.clockSkew = one.clocks?.[0] ?? 0;
  const runs: { process: Process; ended: Ended }[] = [];
  const verdicts: Verdict[] = [];
  const run = async (process: Process): Promise<Ended> => {
    const ended = await process.carryOut(stage.request, stage.scenario.command);
    runs.push({ process, ended });
    return ended;
  };

  const first = new Process(stage.rnv, machine, mishapsOf(stage, one, machine, run));
  await run(first);
  machine.remote?.settle();
  happenBetween(machine, one);
  if (one.clocks) machine.clockSkew = one.clocks[1];
  verdicts.push(await judgeRun(stage, one, machine, runs));

  const key = one.between === "another-key" ? apiKeys[1] : apiKeys[0];
  let end = await judgeEnd(stage, one, machine, key);
  const isAskedAgain = one.lag !== undefined && !isVerb(stage);
  for (let rerun = 0; rerun < mostReruns(one) && (!end.reached || isAskedAgain); rerun += 1) {
    const ended = await run(new Process(stage.rnv, machine, {}, key));
    if (await unlockAsTold(stage, machine, ended)) await run(new Process(stage.rnv, machine, {}, key));
    verdicts.push(await judgeRun(stage, one, machine, runs));
    end = await judgeEnd(stage, one, machine, key);
  }
  const last = runs.at(-1)?.ended;
  const faults = [...verdicts.flatMap((verdict) => verdict.faults), ...end.faults];
  const stop = end.reached ? undefined : end.codes || codesOf(last) || "none";
  if (one.ends !== undefined && stop !== one.ends) faults.push(`ends with ${stop}, and not with ${one.ends}`);
  const digest = createHash("sha256").update(machine.trace.join("\n")).digest("hex");
  return {
    name: one.name,
    fault: one.fault,
    scenario: one.scenario,
    faults: [...new Set(faults)],
    ...(stop === undefined ? {} : { stop }),
    digest,
    trace: machine.trace,
    fired: one.lag !== undefined || machine.trace.some((line) => /\[|killed|stands still/.test(line)),
  };
}

const codesOf = (ended: Ended | undefined): string =>
  [...new Set(ended?.diagnostics.map(({ code }) => code))].sort().join(" ");

const seedOf = (name: string): number => createHash("sha256").update(name).digest().readUInt32LE();

/** A rival starts while the first run stands still: it is turned away, unless the lock is taken from the first. */
function mishapsOf(stage: Stage, one: Case, machine: Machine, run: (process: Process) => Promise<Ended>) {
  const { rival } = one;
  if (rival === undefined) return one.mishaps(machine);
  return {
    point: (index: number) => {
      if (index !== rival.at) return undefined;
      return async () => {
        if (rival.steals) await stealLock(stage, machine);
        await run(new Process(stage.rnv, machine));
      };
    },
  };
}

async function stealLock({ rnv }: Stage, machine: Machine): Promise<void> {
  const backend = backendOutside(rnv, machine);
  const remoteId = machine.remote?.server.lockId();
  if (remoteId !== undefined) return void (await backend.forceUnlock(remoteId));
  const held = JSON.parse(machine.disk.text(`${machine.backendOptions().path}.lock`) || "{}") as {
    id?: string;
  };
  if (held.id !== undefined) await backend.forceUnlock(held.id);
}

function happenBetween(machine: Machine, { between, lag }: Case): void {
  if (between === "power-cut") machine.disk = machine.disk.afterPowerCut(() => false);
  if (between === "torn") machine.disk = machine.disk.afterPowerCut(() => machine.random.next() < 0.5);
  // Later for everyone: receipts have expired. Earlier for this machine alone: its clock was set.
  if (between === "minutes") machine.clock.advance(3 * minute);
  if (between === "later") {
    machine.clock.advance(day);
    // Reads that lag have long shown it.
    machine.emulator.store.settle();
    machine.clock.advance(hour);
    if (lag) machine.emulator.store.setLag(lag);
  }
  if (between === "earlier") machine.clockSkew = -day - hour;
}
