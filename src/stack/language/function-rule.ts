import { convert, numberOf, textOf, wholeNumber } from "./conversion";
import {
  describeType,
  isListLike,
  isMapLike,
  isSensitive,
  type ListValue,
  type MapValue,
  marked,
  typeOf,
  unmarked,
  type Value,
  type ValueType,
  whenKnown,
} from "./expression-value";
import { valueOfPlain } from "./json-functions";
import { ExpressionProblem } from "./problem";

/** A parameter of a function. */
export interface Parameter<Argument = unknown> {
  /** Returns the argument at `position` as the function takes it; throws `ExpressionProblem` for another value. */
  readonly read: (value: Value, position: number) => Argument;
  readonly takesNull?: true;
}

const wanted =
  <Kind extends Value>(words: string, isKind: (value: Value) => value is Kind) =>
  (value: Value): Kind => {
    if (isKind(value)) return value;
    throw new ExpressionProblem(`${words} is required, found ${describeType(typeOf(value))}`);
  };

const isList = (value: Value): value is ListValue => isListLike(value) && value.kind !== "set";

export const any: Parameter<Value> = { read: (value) => value };
export const nullable: Parameter<Value> = { ...any, takesNull: true };
export const string: Parameter<string> = { read: textOf };
export const number: Parameter<number> = { read: numberOf };
export const whole: Parameter<number> = { read: wholeNumber };
/** A list or a tuple. */
export const list: Parameter<ListValue> = { read: wanted("a list", isList) };
/** A list, a tuple or a set. */
export const items: Parameter<ListValue> = { read: wanted("a list", isListLike) };
export const mapping: Parameter<MapValue> = { read: wanted("a map", isMapLike) };
export const collection: Parameter<ListValue | MapValue> = {
  read: (value, position) => {
    if (isListLike(value) || isMapLike(value)) return value;
    const found = describeType(typeOf(value));
    throw new ExpressionProblem(`argument ${position} is a list or a map, found ${found}`);
  },
};
/** A list that is converted to `type`. */
export const typed = (type: ValueType): Parameter<ListValue> => ({
  read: (value) => convert(value, type) as ListValue,
});

/** A function of Terraform. */
export interface FunctionRule {
  readonly takes: readonly Parameter[];
  /** The parameter of all further arguments. */
  readonly rest?: Parameter;
  /** How many of `takes` may be left out. */
  readonly optional?: number;
  /** It looks at its arguments, not into them: parts may be unknown or secret, and stay so. */
  readonly isShallow?: true;
  /** It is asked for marks, and its result bears none. */
  readonly seesMarks?: true;
  /** Refuses a call as soon as the argument that is wrong is known. */
  readonly check?: (args: readonly Value[]) => void;
  /** Takes the arguments as its parameters read them. */
  readonly call: (args: readonly unknown[]) => Result;
}

/** A value, or a text, a number or a flag that becomes one. */
type Result = Value | string | number | boolean;

type Others<Rest> = Partial<Omit<FunctionRule, "rest">> & { readonly rest?: Parameter<Rest> };

type Implementation<Takes extends readonly Parameter[], Rest> = (
  ...args: [...{ -readonly [I in keyof Takes]: ReturnType<Takes[I]["read"]> }, ...Rest[]]
) => Result;

/** A function of values that are known as a whole. */
export const deep = <const Takes extends readonly Parameter[], Rest = never>(
  takes: Takes,
  call: Implementation<Takes, Rest>,
  others: Others<Rest> = {},
): FunctionRule => ({
  takes,
  call: (args) => call(...(args as Parameters<typeof call>)),
  ...others,
});

/** A function that hands on parts of its arguments, which may be unknown or secret. */
export const shallow = <const Takes extends readonly Parameter[], Rest = never>(
  takes: Takes,
  call: Implementation<Takes, Rest>,
  others: Others<Rest> = {},
): FunctionRule => deep(takes, call, { isShallow: true, ...others });

/** Returns the arguments as the parameters of the function read them. */
const readArguments = ({ takes, rest }: FunctionRule, given: readonly Value[]): readonly unknown[] =>
  given.map((value, i) => {
    const { read, takesNull } = takes[i] ?? (rest as Parameter);
    if (value.kind === "null" && takesNull !== true)
      throw new ExpressionProblem(`argument ${i + 1} must not be null`);
    return read(value, i + 1);
  });

/** Returns the result for arguments that are known. */
export function resultOf(rule: FunctionRule, known: readonly Value[]): Value {
  rule.check?.(known);
  const found = rule.call(readArguments(rule, known));
  return typeof found === "object" ? found : valueOfPlain(found);
}

export type Call = (known: readonly Value[]) => Value;

/** Applies a function now, or once its arguments are known; the result of secrets is secret. */
export const applyDeep = (
  rule: FunctionRule,
  given: readonly Value[],
  call: Call = (known) => resultOf(rule, known),
): Value => marked(whenKnown(given.map(unmarked), call), given.some(isSensitive));
