import type { Check } from "../../model/policy";
import type { CompiledPolicy } from "./environment";
import type { PolicySubject } from "./subjects";

/** Failures of one policy that are told apart; the rest is counted. */
const mostTold = 50;

/**
 * Judges one policy for each of its subjects. Returns one result that says it passed, or one for each subject that failed.
 * An expression that throws, or says neither true nor false, is an error of that policy: it never passes.
 */
export function judgePolicy(
  { policy, when, require }: CompiledPolicy,
  subjects: readonly PolicySubject[],
  overrides: ReadonlySet<string>,
): readonly Check[] {
  const { name, level, message } = policy;
  const isOverridden = level === "overridable" && overrides.has(name);
  const failures: Check[] = [];
  let left = 0;
  for (const { address, range, variables } of subjects) {
    const verdict = judge(
      () => (when ? when(variables) : true),
      () => require(variables),
    );
    if (verdict === undefined) continue;
    if (failures.length === mostTold) {
      left += 1;
      continue;
    }
    failures.push({
      ...{ policy: name, level, message: verdict.problem ?? message },
      // What could not be judged may be anything: it is never overridden.
      status: verdict.problem !== undefined ? "error" : isOverridden ? "overridden" : "failed",
      address,
      range,
    });
  }
  if (failures.length === 0) return [{ policy: name, level, status: "passed" }];
  const { status } = failures.find((one) => one.status === "error") ?? (failures[0] as Check);
  return left === 0 ? failures : [...failures, { policy: name, level, status, message: `and ${left} more` }];
}

/** Returns undefined where it passes or does not apply. */
function judge(applies: () => unknown, holds: () => unknown): { readonly problem?: string } | undefined {
  try {
    const wanted = applies();
    if (wanted === false) return undefined;
    if (wanted !== true) return { problem: "`when` is neither true nor false" };
    const result = holds();
    if (result === true) return undefined;
    return result === false ? {} : { problem: "`require` is neither true nor false" };
  } catch (cause) {
    const { summary } = cause as { readonly summary?: string };
    return { problem: `it cannot be judged: ${summary ?? "an error in the expression"}` };
  }
}
