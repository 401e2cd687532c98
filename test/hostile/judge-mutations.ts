import { commandsIn, hiddenIn } from "./inertness";
import { mutate, nudge } from "./mutate";
import type { Target } from "./targets";

export interface Verdict {
  readonly kind: string;
  readonly cases: number;
  /** Texts that were still good. */
  readonly accepted: number;
  readonly slowestMs: number;
  /** Each replays from its seed. */
  readonly failures: readonly string[];
}

const prototype = (): string =>
  [Object.prototype, Array.prototype, Function.prototype]
    .map((one) => Object.getOwnPropertyNames(one).join())
    .join(";");

/**
 * Runs `cases` mutations of a target's texts, from `seed` on, and says which did not end cleanly. A quarter of them are wild,
 * the others change what values say; checksums are worked out again, so that what lies behind them is reached.
 */
export async function judgeMutations(target: Target, cases: number, seed: number): Promise<Verdict> {
  const before = prototype();
  const failures: string[] = [];
  let slowestMs = 0;
  let accepted = 0;
  for (let i = 0; i < cases; i += 1) {
    const original = target.seeds[Math.floor(i / 4) % target.seeds.length] as string;
    const mutated = (i % 4 === 0 ? mutate : nudge)(original, seed + i);
    const text = target.reseal?.(mutated) ?? mutated;
    const fail = (why: string): void => {
      failures.push(`${target.kind} ${seed + i}: ${why}`);
    };
    const started = process.cpuUsage();
    try {
      const output = await target.show(text);
      const found = [...hiddenIn(output), ...commandsIn(output)];
      if (found.length > 0) fail(`not inert: ${found.slice(0, 3).join(" ")}`);
      if (output.includes("CANARY")) fail("shows what is outside the project");
      if (!output.includes("error[")) accepted += 1;
    } catch (cause) {
      fail(cause instanceof Error ? (cause.stack ?? cause.message).slice(0, 400) : String(cause));
    }
    const { user, system } = process.cpuUsage(started);
    slowestMs = Math.max(slowestMs, (user + system) / 1000);
    if ((user + system) / 1000 > 2000) fail("took more than two seconds");
    if (prototype() !== before) fail("changed a prototype");
  }
  return { kind: target.kind, cases, accepted, slowestMs: Math.round(slowestMs), failures };
}
