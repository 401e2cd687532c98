import type { SourceRange } from "../diagnostics/diagnostic";
import type { Address } from "./address";

/** The effect of a failed policy: `advisory` warns, `mandatory` stops, `overridable` stops unless named. */
type PolicyLevel = "advisory" | "overridable" | "mandatory";

export interface PolicyExpression {
  readonly text: string;
  readonly range: SourceRange;
  /** Offset of its first character in the file; undefined where quotes or folding move its characters. */
  readonly start?: number;
}

/** A rule that a plan must pass (DESIGN section 14). */
export interface Policy {
  readonly name: string;
  readonly level: PolicyLevel;
  /** The subject that it judges: the `plan`, each `change`, or each resource of a type: `service`. */
  readonly each: string;
  /** Items for which it is false are not judged. Default: every item is judged. */
  readonly when?: PolicyExpression;
  readonly require: PolicyExpression;
  readonly message: string;
  readonly range: SourceRange;
  /** Computed attributes are available as well: the policy is judged after an apply. */
  readonly seesComputed?: true;
}

export const conditionKinds = ["precondition", "postcondition"] as const;
export type ConditionKind = (typeof conditionKinds)[number];

/** A condition on one resource before it is changed, or once an apply has settled (DESIGN section 14). */
export interface ResourceCondition {
  readonly kind: ConditionKind;
  readonly condition: PolicyExpression;
  readonly message: string;
  readonly range: SourceRange;
}

/** The result of one policy; of a failed one, for one subject. */
export interface Check {
  readonly policy: string;
  readonly level: PolicyLevel;
  /** `error`: it could not be evaluated, which counts as failed. */
  readonly status: "passed" | "failed" | "overridden" | "error";
  /** The address that it failed for; undefined for the plan as a whole. */
  readonly address?: Address;
  readonly message?: string;
  readonly range?: SourceRange;
}

/** Policies that an option gives: `--max-monthly-increase`. */
const costLimits = ["max-monthly-increase", "max-monthly-total"] as const;

export const isCostLimit = ({ policy }: Pick<Check, "policy">): boolean =>
  costLimits.some((limit) => limit === policy);

/** Returns true if a result is of a condition of one resource; no policy has such a name. */
export const isCondition = ({ policy }: Pick<Check, "policy">): boolean =>
  conditionKinds.some((kind) => kind === policy);

export const stopsPlan = ({ level, status }: Check): boolean =>
  (status === "failed" || status === "error") && level !== "advisory";
