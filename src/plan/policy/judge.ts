import type * as cel from "@marcbachmann/cel-js";
import { type Diagnostic, error, type SourceRange } from "../../diagnostics/diagnostic";
import { didYouMean } from "../../diagnostics/suggest";
import type { Address } from "../../model/address";
import { groupBy } from "../../model/collections";
import type { LiveResource } from "../../model/live";
import type { Check, Policy, PolicyExpression } from "../../model/policy";
import type { ResourceType } from "../../model/resource-type";
import { type Change, instanceOf, type Plan } from "../plan";
import { changeView, memberViews, type Planned, planView, type View, viewOf } from "./views";

type CelLibrary = typeof cel;

/** Evaluates an expression with its variables, by name. Throws the errors of the library. */
export type Evaluate = (variables: Readonly<Record<string, unknown>>) => unknown;

export interface CompiledPolicy {
  readonly policy: Policy;
  readonly when?: Evaluate;
  readonly require: Evaluate;
}

const limits = { maxAstNodes: 500, maxDepth: 30, maxListElements: 200, maxMapEntries: 50 };

interface ScopeNames {
  readonly environment: cel.Environment;
  readonly variables: readonly string[];
  readonly names: readonly string[];
}

/** Returns how to read and type-check policies; every mistake is returned, at its place. An environment is made once. */
export function policyReader(library: CelLibrary, types: readonly ResourceType[]) {
  const readings = new Map<string, ScopeNames>();
  const readingFor = (policy: Policy): ScopeNames | undefined => {
    const scope = `${policy.each}${policy.seesComputed ? " computed" : ""}`;
    const reading = readings.get(scope) ?? readingOf(library, policy, types);
    if (reading) readings.set(scope, reading);
    return reading;
  };
  return (policies: readonly Policy[]) => {
    const diagnostics: Diagnostic[] = [];
    const compiled = policies.flatMap((policy): CompiledPolicy[] => {
      const reading = readingFor(policy);
      if (reading === undefined) {
        diagnostics.push(unknownScope(policy, types));
        return [];
      }
      const compile = (expression: PolicyExpression): Evaluate | undefined => {
        const { valid, type, error: problem } = reading.environment.check(expression.text);
        if (valid && (type === "bool" || type === "dyn")) return reading.environment.parse(expression.text);
        const mistake = problem ?? { summary: `it is ${type}, and true or false is wanted` };
        diagnostics.push(mistakeIn(policy, expression, mistake, reading));
        return undefined;
      };
      const require = compile(policy.require);
      const when = policy.when && compile(policy.when);
      if (require === undefined || (policy.when && when === undefined)) return [];
      return [{ policy, require, when }];
    });
    return { compiled, diagnostics };
  };
}

function unknownScope({ name, each, range }: Policy, types: readonly ResourceType[]): Diagnostic {
  const known = ["plan", "change", ...types.map(({ type }) => type)];
  const hint = didYouMean(each, known) ?? `one of ${known.join(", ")}`;
  const summary = `the policy ${name} is for each "${each}", which a plan does not have`;
  return error("policy.invalid", summary, { range, hint });
}

function readingOf(
  { Environment }: CelLibrary,
  { each, seesComputed }: Policy,
  types: readonly ResourceType[],
): ScopeNames | undefined {
  const type = types.find((one) => one.type === each);
  if (type === undefined && each !== "plan" && each !== "change") return undefined;
  const view = type && viewOf(type, seesComputed ? "settled" : "planned");
  const environment = new Environment({
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
    limits,
  });
  const views: readonly View<never>[] = [...(view ? [...view.groups, view] : []), ...memberViews];
  for (const { name, ctor, fields } of views) environment.registerType(name, { ctor, fields: { ...fields } });
  const variables: Record<string, string> = { plan: "Plan" };
  if (each !== "plan") variables[each] = view?.name ?? "Change";
  for (const [name, celType] of Object.entries(variables)) environment.registerVariable(name, celType);
  const names = [...Object.keys(variables), ...views.flatMap(({ fields }) => Object.keys(fields))];
  return { environment, variables: Object.keys(variables), names };
}

/** Signs of other languages, and those of CEL. */
const meantSigns: Readonly<Record<string, string>> = { "=": "==", and: "&&", or: "||", not: "!" };

/** Returns the error of an expression, with its place in the file where that is known. */
function mistakeIn(
  { name }: Policy,
  { text, start, range: whole }: PolicyExpression,
  { summary, range }: { readonly summary: string; readonly range?: Omit<SourceRange, "file"> },
  reading: ScopeNames,
): Diagnostic {
  const isPlaced = range !== undefined && start !== undefined;
  const at = isPlaced ? whole.source?.range(start + range.start, start + range.end) : whole;
  const word = range === undefined ? "" : text.slice(range.start, range.end);
  const variables = reading.variables.map((variable) => `\`${variable}\``);
  const hint = `it is judged with ${variables.join(" and ")}; secrets are not among their fields`;
  const details = { range: at, hint: meantBy(word, reading) ?? hint };
  return error("policy.invalid", `the policy ${name} cannot be read: ${summary}`, details);
}

function meantBy(word: string, { names }: ScopeNames): string | undefined {
  const sign = meantSigns[word];
  if (sign !== undefined) return `did you mean "${sign}"?`;
  const known = /^\w+$/.test(word) ? names : [];
  return known.includes(word) ? undefined : didYouMean(word, known);
}

/**
 * Judges one policy for each of its subjects. Returns one result that says it passed, or one for each subject that failed.
 * An expression that throws, or says neither true nor false, is an error of that policy: it never passes.
 */
export function judgePolicy(
  compiled: CompiledPolicy,
  subjects: readonly PolicySubject[],
  overrides: ReadonlySet<string>,
): readonly Check[] {
  const { name, level, message } = compiled.policy;
  const isOverridden = level === "overridable" && overrides.has(name);
  const failures = subjects.flatMap(({ address, range, variables }): readonly Check[] => {
    const verdict = judge(compiled, variables);
    if (verdict === undefined) return [];
    // An expression that could not be evaluated is never overridden.
    const status = verdict.problem !== undefined ? "error" : isOverridden ? "overridden" : "failed";
    return [{ policy: name, level, status, address, message: verdict.problem ?? message, range }];
  });
  return failures.length === 0 ? [{ policy: name, level, status: "passed" }] : failures;
}

/** Returns undefined where it passes or does not apply. */
function judge(
  { when, require }: CompiledPolicy,
  variables: PolicySubject["variables"],
): { readonly problem?: string } | undefined {
  try {
    const wanted = when ? when(variables) : true;
    if (wanted === false) return undefined;
    if (wanted !== true) return { problem: "`when` is neither true nor false" };
    const result = require(variables);
    if (result === true) return undefined;
    return result === false ? {} : { problem: "`require` is neither true nor false" };
  } catch (cause) {
    const { summary } = cause as { readonly summary?: string };
    return { problem: `it cannot be evaluated: ${summary ?? "an error in the expression"}` };
  }
}

export interface PolicySubject {
  /** Undefined for the plan as a whole. */
  readonly address?: Address;
  readonly range?: SourceRange;
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface PolicyScope {
  /** `preview/12`; empty where there are no stages. */
  readonly stage: string;
  readonly types: readonly ResourceType[];
}

/** Returns how to find the subjects of a scope (`plan`, `change`, a resource type), each made once for all policies. */
export function subjectsOf(plan: Plan, scope: PolicyScope): (each: string) => readonly PolicySubject[] {
  const { stage, types } = scope;
  const all = plannedIn(plan, stage);
  const written = all.filter(({ change }) => change.action !== "no-op");
  const whole = planView.of({ plan, stage, changes: written.map(changeView.of) });
  const parts = partsOf(all);
  const known = new Map<string, readonly PolicySubject[]>();
  const make = (each: string): readonly PolicySubject[] => {
    if (each === "plan") return [{ variables: { plan: whole } }];
    const about = ({ change: { address, range } }: Planned, value: object): PolicySubject => ({
      address,
      range,
      variables: { [each]: value, plan: whole },
    });
    if (each === "change") return written.map((one) => about(one, changeView.of(one)));
    const type = types.find((one) => one.type === each);
    if (type === undefined) return [];
    const view = viewOf(type);
    return all
      .filter(({ change }) => change.type === each && isThereAfter(change))
      .map((one) => about(one, view.of({ ...one, parts: parts.get(one.change.address) ?? [] })));
  };
  return (each) => {
    const subjects = known.get(each) ?? make(each);
    known.set(each, subjects);
    return subjects;
  };
}

/** A resource as it was read after an apply, for its postconditions. */
export function settledSubject(
  plan: Plan,
  change: Change,
  { attributes, computed }: Pick<LiveResource, "attributes" | "computed">,
  { stage, types }: PolicyScope,
): PolicySubject {
  const settled = { ...change, attributes: [] };
  const instance = { ...instanceOf(plan, change), live: undefined, resolved: new Map(attributes) };
  const type = types.find((one) => one.type === change.type) as ResourceType;
  const parts = partsOf(plannedIn(plan, stage)).get(change.address) ?? [];
  const value = viewOf(type, "settled").of({ change: settled, instance, stage, parts, computed });
  const whole = planView.of({ plan, stage, changes: [] });
  return { address: change.address, variables: { [change.type]: value, plan: whole } };
}

const plannedIn = (plan: Plan, stage: string): readonly Planned[] =>
  plan.changes.map((change) => ({ change, instance: instanceOf(plan, change), stage }));

const isThereAfter = ({ action }: Change): boolean => action !== "delete" && action !== "forget";

const partsOf = (all: readonly Planned[]) =>
  groupBy(
    all.filter(({ change }) => isThereAfter(change)),
    ({ change }) => change.parent,
  );
