import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Desired } from "../model/desired";
import type { LiveResource } from "../model/live";
import type { Check, Condition, Policy } from "../model/policy";
import type { Change, Plan } from "../plan/plan";
import { type CompiledPolicy, judgePolicy, policyReader } from "../plan/policy/judge";
import { type PolicySubject, settledSubject, subjectsOf } from "../plan/policy/subjects";
import { resourceTypes } from "../resources";
import { type Judgement, judgeInTime } from "./check-policies";

type Kind = Condition["kind"];

/** Reads and type-checks the conditions of all resources (DESIGN section 14). */
export async function compileConditions(
  { resources }: Pick<Desired, "resources">,
  kinds: readonly Kind[] = ["precondition", "postcondition"],
): Promise<{
  readonly compiled: readonly { readonly address: Address; readonly compiled: CompiledPolicy }[];
  readonly diagnostics: readonly Diagnostic[];
}> {
  const declared = [...resources.values()].flatMap(({ address, type, conditions = [] }) =>
    conditions
      .filter(({ kind }) => kinds.includes(kind))
      .map((one) => ({ address, policy: policyOf(type, one) })),
  );
  if (declared.length === 0) return { compiled: [], diagnostics: [] };
  const readPolicies = policyReader(await import("@marcbachmann/cel-js"), resourceTypes);
  const read = declared.map(({ address, policy }) => ({ address, ...readPolicies([policy]) }));
  return {
    compiled: read.flatMap(({ address, compiled }) => compiled.map((one) => ({ address, compiled: one }))),
    diagnostics: read.flatMap(({ address, diagnostics }) => diagnostics.map((one) => ({ ...one, address }))),
  };
}

/** A condition is a mandatory policy of one resource. */
const policyOf = (type: string, { kind, condition, message, range }: Condition): Policy => ({
  ...{ name: kind, level: "mandatory", each: type, require: condition, message, range },
  ...(kind === "postcondition" && { seesComputed: true }),
});

/** Judges what must hold before a plan is applied. A failure is a result and an error: nothing is applied. */
export async function checkPreconditions(
  desired: Desired,
  plan: Plan,
): Promise<{ readonly checks: readonly Check[]; readonly diagnostics: readonly Diagnostic[] }> {
  const { compiled, diagnostics } = await compileConditions(desired);
  if (plan.options.mode !== "apply") return { checks: [], diagnostics: [] };
  const stage = desired.stage?.name ?? "";
  const subjects = subjectsOf(plan, { stage, types: resourceTypes });
  const inScope = new Set(
    plan.changes.filter((change) => isInScope(change, plan)).map(({ address }) => address),
  );
  const asked = compiled.filter(
    ({ address, compiled: { policy } }) => !policy.seesComputed && inScope.has(address),
  );
  const byAddress = new Map(
    [...new Set(asked.map(({ compiled: { policy } }) => policy.each))]
      .flatMap(subjects)
      .map((subject) => [subject.address, subject]),
  );
  const checks = judgeInTime(
    asked.flatMap(({ address, compiled: one }) => {
      const subject = byAddress.get(address);
      return subject === undefined ? [] : [judgementOf(one, address, subject)];
    }),
  );
  return {
    checks,
    diagnostics: [...diagnostics, ...checks.flatMap((one) => failureOf(one, "guard.condition"))],
  };
}

/** Returns the errors of what does not hold once an apply has settled; a resource that cannot be read fails, too. */
export async function checkPostconditions(
  desired: Desired,
  plan: Plan,
  read: (change: Change) => Promise<LiveResource | undefined>,
): Promise<readonly Diagnostic[]> {
  if (plan.options.mode !== "apply") return [];
  const { compiled } = await compileConditions(desired, ["postcondition"]);
  const stage = desired.stage?.name ?? "";
  const found: Diagnostic[] = [];
  for (const { address, compiled: one } of compiled) {
    const change = plan.changes.find((change) => change.address === address);
    if (change === undefined || !isInScope(change, plan)) continue;
    const live = await read(change);
    const { name: policy, level, range } = one.policy;
    const message = "it cannot be judged: the service does not show the resource";
    const unread: Check = { policy, level, range, address, status: "error", message };
    const subject = live && settledSubject(plan, change, live, { stage, types: resourceTypes });
    const checks = subject ? judgeInTime([judgementOf(one, address, subject)]) : [unread];
    found.push(...checks.flatMap((check) => failureOf(check, "apply.condition_failed")));
  }
  return found;
}

/** What a plan leaves alone because it is not asked for has no conditions. */
const isInScope = ({ address, action }: Change, { options: { targets, excludes } }: Plan): boolean =>
  action !== "no-op" || ((targets.length === 0 || targets.includes(address)) && !excludes.includes(address));

/** One result for its one subject, which is named where it passed as well. */
const judgementOf = (one: CompiledPolicy, address: Address, subject: PolicySubject): Judgement => {
  const about = { address, range: one.policy.range };
  const judge = () => judgePolicy(one, [subject], new Set()).map((check) => ({ ...check, ...about }));
  return { policy: one.policy, about, judge };
};

function failureOf(
  { policy, status, address, message, range }: Check,
  code: "guard.condition" | "apply.condition_failed",
): Diagnostic[] {
  if (status === "passed") return [];
  const hint =
    code === "guard.condition"
      ? "nothing is applied while it does not hold"
      : "what was applied is saved; the next apply looks again";
  return [error(code, `${policy} of ${address}: ${message}`, { address, range, rule: policy, hint })];
}
