import { type Case, isUntold, isVerb } from "./cases";
import type { Mishaps } from "./process";
import { createRandom } from "./random";
import { requestFaults } from "./request-faults";
import type { Stage } from "./stage";

const between = [undefined, undefined, "power-cut", "torn", "later", "earlier", "another-key"] as const;
const diskCodes = ["ENOSPC", "EIO", "EROFS"] as const;

/** Several faults at once, all of them from one number. */
export function randomCase(stages: readonly Stage[], seed: number): { stage: Stage; one: Case } {
  const random = createRandom(seed);
  const stage = random.pick(stages);
  const allowed = requestFaults.filter(
    (fault) => !fault.foreign && !fault.lies && !fault.onward && !isUntold(stage, fault),
  );
  const requestRate = random.pick([0, 0.05, 0.2, 0.5]);
  const diskRate = random.pick([0, 0, 0, 0.02]);
  const killAt = random.below(2) === 0 ? random.below(stage.points.length * 2) : -1;
  const picked = random.pick(between);
  // Whoever asks for it a day later wants it once more.
  const isAskedAnew = isVerb(stage) && (picked === "later" || picked === "earlier");
  const then = isAskedAnew ? undefined : picked;
  const mishaps = (): Mishaps => {
    const { next, pick, below } = createRandom(seed + 1);
    return {
      request: (_index, request) => {
        if (next() >= requestRate) return undefined;
        const fault = pick(allowed);
        if (fault.applies && !fault.applies(request)) return undefined;
        return { name: fault.name, fault: fault.fault?.(request), rewrite: fault.rewrite };
      },
      disk: () =>
        next() >= diskRate ? undefined : below(4) === 0 ? { short: true } : { code: pick(diskCodes) },
      point: (index) => (index === killAt ? "kill" : undefined),
    };
  };
  const { name } = stage.scenario;
  return {
    stage,
    one: { name: `seed ${seed}`, scenario: name, fault: "random", mishaps, ...(then && { between: then }) },
  };
}
