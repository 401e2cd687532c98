import { type Diagnostic, DiagnosticsError, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { isDataAddress } from "../model/data-source";
import type { DesiredCondition } from "../model/desired";
import { append } from "../model/graph";
import type { Check } from "../model/policy";
import { isPlain, type ResolvedValue, Unknown } from "../model/value";
import { deferredUntil, usedData } from "./check";
import type { Decision } from "./decision";
import type { PlanInput } from "./plan";
import { lookupIn, resolveValue } from "./resolve";

/** What a plan says about the conditions of its stack. */
interface JudgedConditions {
  readonly checks: readonly Check[];
  readonly diagnostics: readonly Diagnostic[];
  /** Those of resources that only apply can tell, by address. */
  readonly open: ReadonlyMap<Address, readonly DesiredCondition[]>;
}

/**
 * Judges the conditions of what is in scope, as Terraform does: what is known now stops the plan, the rest is judged
 * before and after the resource is applied. A plan that destroys asks for none.
 */
export function judgeConditions(
  input: PlanInput,
  decisions: ReadonlyMap<Address, Decision>,
  scope: ReadonlySet<Address>,
): JudgedConditions {
  const checks: Check[] = [];
  const diagnostics: Diagnostic[] = [];
  const open = new Map<Address, DesiredCondition[]>();
  const { desired, options } = input;
  if (options.mode !== "apply" || desired.conditions === undefined) return { checks, diagnostics, open };
  const used = new Set(usedData(input, scope).map(({ source }) => source.address));
  const lookup = lookupIn(decisions);
  for (const one of desired.conditions) {
    const { address } = one;
    const source = desired.data.get(address);
    if (source === undefined ? !scope.has(address) : !used.has(address)) continue;
    const judged = judgeCondition(one, (value) => resolveValue(value, lookup));
    if (judged === "open" && source === undefined) append(open, address, one);
    else if (judged === "open") {
      // A data source that could not be read says so itself.
      const waitsFor = referencesIn(one, lookup).find((on) => !isDataAddress(on));
      if (waitsFor !== undefined)
        diagnostics.push(deferredUntil(source as NonNullable<typeof source>, waitsFor));
    } else {
      checks.push(judged.check);
      if (judged.failure) diagnostics.push(judged.failure);
    }
  }
  return { checks, diagnostics, open };
}

/** Addresses whose values a condition waits for. */
function referencesIn(
  { condition }: DesiredCondition,
  lookup: ReturnType<typeof lookupIn>,
): readonly Address[] {
  const found = resolveValue(condition, lookup);
  return found instanceof Unknown ? found.references.map(({ address }) => address) : [];
}

type Resolve = (value: DesiredCondition["condition"]) => ResolvedValue;

/** Judges a condition with what `resolve` knows; `open` where that is not enough. Its message is shown as far as it is known. */
export function judgeCondition(
  one: DesiredCondition,
  resolve: Resolve,
): "open" | { readonly check: Check; readonly failure?: Diagnostic } {
  const { address, kind, range, condition } = one;
  const check = { policy: kind, level: "mandatory", address, range } as const;
  try {
    const found = resolve(condition);
    if (found instanceof Unknown) return "open";
    if (found === true || found === "true") return { check: { ...check, status: "passed" } };
    const isJudged = found === false || found === "false";
    const message = isJudged ? messageOf(one, resolve) : "its condition is neither true nor false";
    const failed = { ...check, status: isJudged ? "failed" : "error", message } as const;
    return { check: failed, failure: failureOf(one, message) };
  } catch (cause) {
    if (!(cause instanceof DiagnosticsError)) throw cause;
    const [first] = cause.diagnostics;
    const message = `it cannot be judged: ${first?.summary ?? "an error in the expression"}`;
    return { check: { ...check, status: "error", message }, failure: failureOf(one, message) };
  }
}

function messageOf({ message }: DesiredCondition, resolve: Resolve): string {
  const said = resolve(message);
  return typeof said === "string"
    ? said
    : isPlain(said)
      ? JSON.stringify(said)
      : "the condition does not hold";
}

const failureOf = ({ owner, kind, address, range }: DesiredCondition, message: string): Diagnostic =>
  error("guard.condition", `${owner}: ${kind}: ${message}`, {
    address,
    range,
    rule: kind,
    hint: "what it asks for is not so; change what it looks at, or the condition",
  });
