import { createContext, Script } from "node:vm";
import { type Diagnostic, error, hasErrors, warning } from "../diagnostics/diagnostic";
import { didYouMean } from "../diagnostics/suggest";
import { readPolicies } from "../manifest/beside/policy-file";
import type { Address } from "../model/address";
import type { Desired } from "../model/desired";
import type { LiveResource } from "../model/live";
import { type Check, isCostLimit, type Policy, type ResourceCondition, stopsPlan } from "../model/policy";
import type { Change, Plan } from "../plan/plan";
import {
  type CompiledPolicy,
  judgePolicy,
  type PolicySubject,
  policyReader,
  settledSubject,
  subjectsOf,
} from "../plan/policy/judge";
import { planFromDocument } from "../plan/read-document";
import { readSavedPlan } from "../plan/saved-plan";
import { resourceTypes } from "../resources";
import type { CostLimit, PlanRequest } from "./context";
import type { Planning } from "./recover-and-read";

/** Milliseconds that a policy may take for all of a plan; a policy that loops fails. */
const longestJudgement = 2000;

/** Judges a plan by the policies of its request, and by the conditions of its resources. */
export async function judgePlan(
  { context: { cwd }, request, desired }: Pick<Planning, "context" | "request" | "desired">,
  plan: Plan,
): Promise<Partial<PolicyResults> & Pick<PolicyResults, "diagnostics">> {
  if (!request.policies) return { diagnostics: [] };
  const judged = await checkPolicies({ ...request, cwd }, plan, desired.stage?.name ?? "");
  const held = await checkPreconditions(desired, plan);
  return {
    checks: [...held.checks, ...judged.checks],
    diagnostics: [...held.diagnostics, ...judged.diagnostics],
  };
}

interface PolicyResults {
  readonly checks: readonly Check[];
  readonly diagnostics: readonly Diagnostic[];
}

interface PolicyRequest extends Pick<PlanRequest, "files" | "policies" | "overridePolicies" | "costLimits"> {
  readonly cwd: string;
}

/** Reads and type-checks the policies that a request names, and those beside its manifest. */
export async function loadPolicies(
  cwd: string,
  { files, policies: named = [] }: Pick<PolicyRequest, "files" | "policies">,
) {
  const { policies, diagnostics } = readPolicies(cwd, files, named);
  if (policies.length === 0) return { compiled: [], diagnostics };
  const read = policyReader(await import("@marcbachmann/cel-js"), resourceTypes)(policies);
  return { ...read, diagnostics: [...diagnostics, ...read.diagnostics] };
}

/**
 * Judges a plan by the policies of a request (DESIGN section 14). A failed check has a diagnostic: an error, which keeps the
 * plan from being applied, or a warning where the policy is advisory or overridden.
 */
async function checkPolicies(request: PolicyRequest, plan: Plan, stage: string): Promise<PolicyResults> {
  const { compiled, diagnostics } = await loadPolicies(request.cwd, request);
  const limits = (request.costLimits ?? []).map((limit) => judgeCost(limit, plan));
  if (hasErrors(diagnostics)) return { checks: limits, diagnostics };
  const overrides = new Set(request.overridePolicies ?? []);
  const known = compiled.map(({ policy }) => policy);
  const refused = refuseOverrides(overrides, known);
  const subjects = compiled.length === 0 ? () => [] : subjectsOf(plan, { stage, types: resourceTypes });
  const judged = compiled.flatMap((one) => judgeInTime(one, () => subjects(one.policy.each), overrides));
  const checks = [...judged, ...limits];
  const found = checks.flatMap((check) => findingOf(check, "guard.policy"));
  return { checks, diagnostics: [...refused, ...found] };
}

function refuseOverrides(overrides: ReadonlySet<string>, policies: readonly Policy[]): readonly Diagnostic[] {
  return [...overrides].flatMap((name): Diagnostic[] => {
    const policy = policies.find((one) => one.name === name);
    if (policy === undefined) {
      const names = policies.map((one) => one.name);
      const other = didYouMean(name, names) ?? "leave it out";
      const hint = isCostLimit({ policy: name }) ? `give --${name} another amount instead` : other;
      return [error("policy.invalid", `--override-policy ${name}: there is no such policy`, { hint })];
    }
    if (policy.level !== "mandatory") return [];
    const summary = `the policy ${name} is mandatory and cannot be overridden`;
    return [error("guard.policy", summary, { range: policy.range, hint: policy.message })];
  });
}

const judgement = new Script("judge()");

/** The context of all judgements, because only a script can be timed out. Made late: that takes as long as many judgements. */
let room: { judge?: () => unknown } | undefined;

/** Returns the checks of a policy or of a condition of one resource, or its error if it takes too long. */
function judgeInTime(
  one: CompiledPolicy & { readonly address?: Address },
  subjects: () => readonly PolicySubject[],
  overrides: ReadonlySet<string> = new Set(),
): readonly Check[] {
  const { address, policy } = one;
  const { name, level, range } = policy;
  const about = { address, range };
  room ??= createContext({});
  room.judge = () => {
    const checks = judgePolicy(one, subjects(), overrides);
    // A condition names its resource where it passed as well.
    return address === undefined ? checks : checks.map((check) => ({ ...check, ...about }));
  };
  try {
    return judgement.runInContext(room, { timeout: longestJudgement });
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw cause;
    const message = `it cannot be evaluated: it takes longer than ${longestJudgement / 1000} s`;
    return [{ policy: name, level, status: "error", message, ...about }];
  } finally {
    delete room.judge;
  }
}

function judgeCost({ kind, amount, currency }: CostLimit, { cost }: Plan): Check {
  const { before, after } = cost;
  const found = kind === "total" ? after[currency] : after[currency] - before[currency];
  const check = { policy: `max-monthly-${kind}`, level: "mandatory" } as const;
  if (found <= amount) return { ...check, status: "passed" };
  const shown = (money: number) => `${currency.toUpperCase()} ${money.toLocaleString("en")}`;
  const what = kind === "total" ? "the plan costs" : "the plan adds";
  const message = `${what} ${shown(found)} a month, and ${shown(amount)} is the limit`;
  return { ...check, status: "failed", message };
}

type FailureCode = "guard.policy" | "guard.condition" | "apply.condition_failed";

/** Returns the finding of a check that did not pass: a warning where it stops nothing. */
function findingOf(check: Check, code: FailureCode): Diagnostic[] {
  const { policy, status, message, address, range } = check;
  if (status === "passed") return [];
  const name = code === "guard.policy" ? `policy ${policy}` : policy;
  const summary = `${name}${address === undefined ? "" : ` of ${address}`}: ${message}`;
  const about = { rule: policy, address, range };
  if (stopsPlan(check)) return [error(code, summary, { ...about, hint: hintFor(check, code) })];
  const hint = status === "overridden" ? "overridden by --override-policy" : "advisory: nothing is stopped";
  return [warning("policy.failed", summary, { ...about, hint })];
}

function hintFor(check: Check, code: FailureCode): string {
  const { policy, level, status } = check;
  if (code === "guard.condition") return "nothing is applied while it does not hold";
  if (code === "apply.condition_failed") return "what was applied is saved; the next apply looks again";
  if (status === "error")
    return "nothing overrides a policy that cannot be evaluated: fix the expression or its inputs";
  if (isCostLimit(check)) return `if that is meant: give --${policy} another amount`;
  return level === "overridable"
    ? `if that is meant: --override-policy ${policy}`
    : "the policy is mandatory";
}

/**
 * Judges a saved plan by other policies: `rnv policy check`. A plan holds only declared and recorded fields: a policy that
 * asks for another field cannot be evaluated, and fails.
 */
export async function checkSavedPlan(
  cwd: string,
  text: string,
  policies: readonly string[],
): Promise<PolicyResults> {
  const { document, diagnostics } = readSavedPlan(text);
  const whole = document && planFromDocument(document.plan);
  if (!whole) return { checks: [], diagnostics };
  const { files, stage = "", overridePolicies = [] } = document.request;
  const results = await checkPolicies({ cwd, files, policies, overridePolicies }, whole, stage);
  if (results.checks.length > 0 || results.diagnostics.length > 0) return results;
  const hint = "write rnv.policy.yaml beside the manifest, or name a file by --policy or RNV_POLICY";
  return {
    ...results,
    diagnostics: [error("policy.invalid", "there are no policies to judge by", { hint })],
  };
}

/** Reads and type-checks the conditions of all resources (DESIGN section 14). */
export async function compileConditions({ resources }: Pick<Desired, "resources">) {
  const declared = [...resources.values()].flatMap(({ address, type, conditions = [] }) =>
    conditions.map((one) => ({ address, policy: policyOf(type, one) })),
  );
  if (declared.length === 0) return { compiled: [], diagnostics: [] };
  const readOne = policyReader(await import("@marcbachmann/cel-js"), resourceTypes);
  const read = declared.map(({ address, policy }) => ({ address, ...readOne([policy]) }));
  return {
    compiled: read.flatMap(({ address, compiled }) => compiled.map((one) => ({ ...one, address }))),
    diagnostics: read.flatMap(({ address, diagnostics }) => diagnostics.map((one) => ({ ...one, address }))),
  };
}

const policyOf = (type: string, { kind, condition, message, range }: ResourceCondition): Policy => ({
  name: kind,
  level: "mandatory",
  each: type,
  require: condition,
  message,
  range,
  seesComputed: kind === "postcondition" ? true : undefined,
});

/** Judges the preconditions of a plan. A failure is an error: nothing is applied. */
async function checkPreconditions(desired: Desired, plan: Plan): Promise<PolicyResults> {
  if (plan.options.mode !== "apply") return { checks: [], diagnostics: [] };
  const { compiled, diagnostics } = await compileConditions(desired);
  const stage = desired.stage?.name ?? "";
  const subjects = subjectsOf(plan, { stage, types: resourceTypes });
  const inScope = changesInScope(plan);
  const asked = compiled.filter(({ address, policy }) => !policy.seesComputed && inScope.has(address));
  const types = new Set(asked.map(({ policy }) => policy.each));
  const byAddress = new Map([...types].flatMap(subjects).map((subject) => [subject.address, subject]));
  const checks = asked.flatMap((one) => {
    const subject = byAddress.get(one.address);
    return subject === undefined ? [] : judgeInTime(one, () => [subject]);
  });
  const found = checks.flatMap((check) => findingOf(check, "guard.condition"));
  return { checks, diagnostics: [...diagnostics, ...found] };
}

/** Returns the errors of conditions that do not hold once an apply has settled; an unreadable resource fails, too. */
export async function checkPostconditions(
  desired: Desired,
  plan: Plan,
  read: (change: Change) => Promise<LiveResource | undefined>,
): Promise<readonly Diagnostic[]> {
  if (plan.options.mode !== "apply") return [];
  const { compiled } = await compileConditions(desired);
  const stage = desired.stage?.name ?? "";
  const inScope = changesInScope(plan);
  const found: Diagnostic[] = [];
  for (const one of compiled) {
    const { address } = one;
    const change = inScope.get(address);
    if (change === undefined || !one.policy.seesComputed) continue;
    const live = await read(change);
    const { name: policy, level, range } = one.policy;
    const message = "it cannot be evaluated: the platform does not show the resource";
    const unread: Check = { policy, level, range, address, status: "error", message };
    const subject = live && settledSubject(plan, change, live, { stage, types: resourceTypes });
    const checks = subject ? judgeInTime(one, () => [subject]) : [unread];
    found.push(...checks.flatMap((check) => findingOf(check, "apply.condition_failed")));
  }
  return found;
}

/** Returns changes by their addresses. A resource that a plan leaves alone because it is not asked for has no conditions. */
function changesInScope({ changes, options: { targets, excludes } }: Plan): ReadonlyMap<Address, Change> {
  const isAsked = (address: Address): boolean =>
    (targets.length === 0 || targets.includes(address)) && !excludes.includes(address);
  const asked = changes.filter(({ address, action }) => action !== "no-op" || isAsked(address));
  return new Map(asked.map((change) => [change.address, change]));
}
