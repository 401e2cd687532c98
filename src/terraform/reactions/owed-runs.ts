import type { Diagnostic } from "../../diagnostics/diagnostic";
import type { Room, Traffic } from "./traffic";

/**
 * Runs that go on after their call was answered. Terraform has few calls under way at a time, and what a run waits for
 * may be among those that it has not begun: where runs alone have all places, some are answered early. The last call of
 * a run that is not answered yet waits for them, and tells what became of them.
 */
export interface OwedRuns {
  readonly runs: Set<Promise<readonly Diagnostic[]>>;
  /** Counts calls of runs that are not answered. */
  calls: number;
}

export const noOwedRuns = (): OwedRuns => ({ runs: new Set(), calls: 0 });

interface Ended {
  readonly diagnostics: readonly Diagnostic[];
}

interface Run<Applied extends Ended> {
  /** Carries the run out; does not throw. */
  readonly carryOut: (room: Room) => Promise<Applied>;
  /** What its call is answered with while it is still to come. */
  readonly early: Applied;
  /** Told of the end of a run whose call was answered early. */
  readonly onEnd: (applied: Applied) => void;
}

interface AnsweredRun<Applied> {
  readonly applied: Applied;
  /** What became of runs that were left to this call. */
  readonly told: readonly Diagnostic[];
}

/** Carries a run out, and answers its call: at its end, or before it where its place is needed. */
export function carryOutRun<Applied extends Ended>(
  { traffic, owed }: { readonly traffic: Traffic; readonly owed: OwedRuns },
  run: Run<Applied>,
): Promise<AnsweredRun<Applied>> {
  owed.calls += 1;
  return traffic.aside(async () => {
    const left = await leftOrEnded(traffic, owed, run);
    return { applied: left.applied, told: left.isOwed ? [] : await endOfOthers(owed) };
  });
}

/** Returns how a run ended, or that it goes on without its call. */
function leftOrEnded<Applied extends Ended>(
  traffic: Traffic,
  owed: OwedRuns,
  { carryOut, early, onEnd }: Run<Applied>,
): Promise<{ readonly applied: Applied; readonly isOwed: boolean }> {
  return new Promise((resolve) => {
    let isOwed = false;
    const make = (): void => {
      isOwed = true;
      owed.calls -= 1;
      owed.runs.add(end);
      resolve({ applied: early, isOwed });
    };
    const whole = traffic.apart(() => carryOut({ canMake: () => !isOwed && owed.calls > 1, make }));
    const end = whole.then((applied) => {
      if (isOwed) onEnd(applied);
      else resolve({ applied, isOwed });
      return applied.diagnostics;
    });
  });
}

/** Ends the call of a run; the last one waits for what others have left to it. */
async function endOfOthers(owed: OwedRuns): Promise<readonly Diagnostic[]> {
  const told: Diagnostic[] = [];
  // Nothing may come between the question and its answer: calls end at the same time.
  while (owed.calls === 1 && owed.runs.size > 0) {
    const runs = [...owed.runs];
    owed.runs.clear();
    told.push(...(await Promise.all(runs)).flat());
  }
  owed.calls -= 1;
  return told;
}
