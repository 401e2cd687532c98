import type { Value, ValueType } from "./expression-value";

/** A parameter of a function: its type, and whether it takes null. */
export interface Parameter {
  readonly type: ValueType | "collection";
  readonly nullable?: true;
}

/** Parameters of any value, of text, of a number. */
export const any: Parameter = { type: "any" };
export const nullable: Parameter = { type: "any", nullable: true };
export const string: Parameter = { type: "string" };
export const number: Parameter = { type: "number" };

/** A function of Terraform. */
export interface FunctionRule {
  readonly takes: readonly Parameter[];
  /** The type of all further arguments. */
  readonly rest?: Parameter;
  /** How many of `takes` may be left out. */
  readonly optional?: number;
  /** The type of the result, as far as it is known before the arguments are. */
  readonly gives: ValueType;
  /** It looks at its arguments, not into them: parts may be unknown or secret, and stay so. */
  readonly shallow?: true;
  /** It is asked for marks, and its result bears none. */
  readonly seesMarks?: true;
  /** Refuses a call as soon as the argument that is wrong is known. */
  readonly check?: (args: readonly Value[]) => void;
  readonly call: (args: readonly Value[]) => Value;
}

/** A function that hands on parts of its arguments, which may be unknown or secret. */
export const shallow = (
  takes: FunctionRule["takes"],
  call: FunctionRule["call"],
  others: Partial<FunctionRule> = {},
): FunctionRule => ({ takes, gives: "any", shallow: true, call, ...others });

/** A function of values that are known as a whole. */
export const deep = (
  takes: FunctionRule["takes"],
  gives: ValueType,
  call: FunctionRule["call"],
  others: Partial<FunctionRule> = {},
): FunctionRule => ({ takes, gives, call, ...others });
