import type { SourceRange } from "../diagnostics/diagnostic";
import type { Address } from "./address";

/** The effect of a failed policy: `advisory` is told, `overridable` stops unless it is overridden by name, `mandatory` stops. */
export type PolicyLevel = "advisory" | "overridable" | "mandatory";

/** A CEL expression as it is written, and where. */
export interface PolicyExpression {
  readonly text: string;
  /** The scalar that holds it. */
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
  /** Where it says no, there is nothing to judge; everything is judged unless given. */
  readonly when?: PolicyExpression;
  readonly require: PolicyExpression;
  readonly message: string;
  /** Its key in the file. */
  readonly range: SourceRange;
  /** What the service computes of a resource is there, too: it is judged after an apply. */
  readonly seesComputed?: true;
}

export const conditionKinds = ["precondition", "postcondition"] as const;
export type ConditionKind = (typeof conditionKinds)[number];

/** What must hold of one resource before it is changed, or once an apply has settled (DESIGN section 14). */
export interface ResourceCondition {
  readonly kind: ConditionKind;
  readonly condition: PolicyExpression;
  readonly message: string;
  /** Its entry in the list. */
  readonly range: SourceRange;
}

/** The result of one policy; of a failed one, for one subject. */
export interface Check {
  readonly policy: string;
  readonly level: PolicyLevel;
  /** `error`: it could not be judged, which counts as failed. */
  readonly status: "passed" | "failed" | "overridden" | "error";
  /** The address that it failed for; undefined for the plan as a whole. */
  readonly address?: Address;
  readonly message?: string;
  /** Where that is declared. */
  readonly range?: SourceRange;
}

/** Policies that an option gives: `--max-monthly-increase`. */
export const costLimits = ["max-monthly-increase", "max-monthly-total"] as const;

/** Whether a result is of a limit of cost. */
export const isCostLimit = ({ policy }: Pick<Check, "policy">): boolean =>
  costLimits.some((limit) => limit === policy);

/** Whether a result is of a condition of one resource; no policy has the name of one. */
export const isCondition = ({ policy }: Pick<Check, "policy">): boolean =>
  conditionKinds.some((kind) => kind === policy);

/** Whether a result keeps the plan from being applied. */
export const stopsPlan = ({ level, status }: Check): boolean =>
  (status === "failed" || status === "error") && level !== "advisory";
