import { boolOf, convert, equal, numberOf, textOf, wholeNumber } from "./conversion";
import {
  attempted,
  describeType,
  isListLike,
  isMapLike,
  isSensitive,
  isValue,
  type LaterValue,
  type ListValue,
  type MapValue,
  marked,
  text,
  typeOf,
  unmarked,
  type Value,
  type ValueType,
  valueOfPlain,
  whenKnown,
} from "./expression-value";
import { ExpressionProblem, unsupported } from "./problem";

export interface Parameter<Argument = unknown> {
  /** Returns an argument as the function takes it; throws `ExpressionProblem` for another value. */
  readonly read: (value: Value) => Argument;
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
export const list: Parameter<ListValue> = { read: wanted("a list", isList) };
export const items: Parameter<ListValue> = { read: wanted("a list", isListLike) };
export const mapping: Parameter<MapValue> = { read: wanted("a map", isMapLike) };
const isCollection = (value: Value): value is ListValue | MapValue => isListLike(value) || isMapLike(value);
export const collection: Parameter<ListValue | MapValue> = { read: wanted("a list or a map", isCollection) };
export const typed = (type: ValueType): Parameter<ListValue> => ({
  read: (value) => convert(value, type) as ListValue,
});

export interface FunctionRule {
  readonly takes: readonly Parameter[];
  readonly rest?: Parameter;
  /** Number of parameters in `takes` that may be left out. */
  readonly optional?: number;
  /** It looks at its arguments, not into them: parts may be unknown or secret, and stay so. */
  readonly isShallow?: true;
  /** It is asked for marks, and its result bears none. */
  readonly seesMarks?: true;
  /** Refuses a call as soon as the argument that is wrong is known. */
  readonly check?: (args: readonly Value[]) => void;
  readonly call: (args: readonly unknown[]) => Result;
}

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
): FunctionRule => ({ takes, call: (args) => call(...(args as Parameters<typeof call>)), ...others });

/** A function that hands on parts of its arguments, which may be unknown or secret. */
export const shallow = <const Takes extends readonly Parameter[], Rest = never>(
  takes: Takes,
  call: Implementation<Takes, Rest>,
  others: Others<Rest> = {},
): FunctionRule => deep(takes, call, { isShallow: true, ...others });

const readArguments = ({ takes, rest }: FunctionRule, given: readonly Value[]): readonly unknown[] =>
  given.map((value, i) => {
    const { read, takesNull } = takes[i] ?? (rest as Parameter);
    if (value.kind === "null" && takesNull !== true)
      throw new ExpressionProblem(`argument ${i + 1} must not be null`);
    return read(value);
  });

export function resultOf(rule: FunctionRule, known: readonly Value[]): Value {
  rule.check?.(known);
  const found = rule.call(readArguments(rule, known));
  return typeof found === "object" ? found : valueOfPlain(found);
}

export type FunctionCall = (known: readonly Value[]) => Value;

/** Applies a function now, or once its arguments are known; the result of secrets is secret. */
export const applyDeep = (
  rule: FunctionRule,
  given: readonly Value[],
  call: FunctionCall = (known) => resultOf(rule, known),
): Value => marked(whenKnown(given.map(unmarked), call), given.some(isSensitive));

const numeric = { read: numberOf, takesNull: true } as const;
const flag = { read: boolOf, takesNull: true } as const;

const ofNumbers = (call: (a: number, b: number) => number | boolean): FunctionRule =>
  deep([numeric, numeric], (a: number, b: number) => exact(call(a, b), a, b));

const isShort = (value: number): boolean => Number(value.toPrecision(15)) === value;

/** Refuses a fraction with other last digits than Terraform's, such as 0.1 + 0.2. Those of 10 / 3 are there to be rounded. */
export function exact<Result extends number | boolean>(result: Result, a: number, b: number): Result {
  const areWhole = Number.isInteger(a) && Number.isInteger(b);
  if (typeof result === "boolean" || isShort(result) || areWhole || !isShort(a) || !isShort(b)) return result;
  throw unsupported("a fraction of more than 15 digits", "compute it in the program");
}

function divide(a: number, b: number): number {
  if (b === 0) throw new ExpressionProblem("a division by zero");
  return a / b;
}

/** Terraform's remainder of a division by zero is the dividend. */
const remainder = (a: number, b: number): number => (b !== 0 ? a % b : a === 0 ? divide(a, b) : a);

/** The binary operators by how tightly they bind, the loosest first. */
const levels: readonly Readonly<Record<string, FunctionRule>>[] = [
  { "||": deep([flag, flag], (a, b) => a || b) },
  { "&&": deep([flag, flag], (a, b) => a && b) },
  { "==": deep([nullable, nullable], equal), "!=": deep([nullable, nullable], (a, b) => !equal(a, b)) },
  {
    "<=": ofNumbers((a, b) => a <= b),
    ">=": ofNumbers((a, b) => a >= b),
    "<": ofNumbers((a, b) => a < b),
    ">": ofNumbers((a, b) => a > b),
  },
  { "+": ofNumbers((a, b) => a + b), "-": ofNumbers((a, b) => a - b) },
  { "*": ofNumbers((a, b) => a * b), "/": ofNumbers(divide), "%": ofNumbers(remainder) },
];
export const binaryLevels = levels.map((level) => Object.keys(level));
export const binaryOperators = Object.assign({}, ...levels) as Readonly<Record<string, FunctionRule>>;

export const unaryOperators = { "-": deep([numeric], (a) => -a), "!": deep([flag], (a) => !a) };

/** Joins values to a text, as a template does. */
export function joinText(values: readonly Value[]): Value {
  const converted = values.map(templateText);
  const isSecret = converted.some(isSensitive);
  const joined = whenKnown(converted.map(unmarked), (known) => text(known.map(textOf).join("")));
  const parts = converted.flatMap(textParts);
  const isPlain = parts.every((part) => part !== undefined);
  return marked(
    joined.kind === "later" && isPlain ? { ...joined, parts: parts as TextParts } : joined,
    isSecret,
  );
}

type TextParts = NonNullable<LaterValue["parts"]>;

/** The pieces of a joined text; undefined for results of functions. */
function textParts(value: Value): readonly (TextParts[number] | undefined)[] {
  if (value.kind === "string") return [value.value];
  return value.kind === "later" ? (value.parts ?? [undefined]) : [];
}

function templateText(value: Value): Value {
  if (value.kind === "null") throw new ExpressionProblem("null is not allowed inside text");
  if (isCollection(value)) throw new ExpressionProblem("a list or an object is not allowed inside text");
  return convert(value, "string");
}

export function stepInto(value: Value, key: Value): Value {
  if (value.kind === "null") throw new ExpressionProblem("null has no parts");
  // A value without parts has none by a later key either, unless the key is a reference: its type is open.
  const mayHaveParts = isCollection(value) || value.kind === "later";
  const isOpenKey = key.kind === "later" && key.parts?.length === 1;
  if (value.kind === "later" || isOpenKey || (mayHaveParts && key.kind === "later"))
    return whenKnown([value, key], ([known, step]) => stepInto(known as Value, step as Value));
  if (mayHaveParts && isSensitive(key)) return stepBySecret(value, unmarked(key));
  const found = isMapLike(value) ? value.entries.get(textOf(key)) : itemAt(value, key);
  if (found !== undefined) return marked(found, value.sensitive === true);
  const shownKey = key.kind === "number" ? String(key.value) : JSON.stringify(textOf(key));
  const why = mayHaveParts
    ? `there is no ${shownKey} in the value`
    : `a ${describeType(typeOf(value))} has no parts`;
  throw new ExpressionProblem(why, "stack.reference_unknown");
}

export const stepsInto = (value: Value, steps: readonly (string | number)[]): Value =>
  steps.map((step) => valueOfPlain(step)).reduce(stepInto, value);

function stepBySecret(value: Value, key: Value): Value {
  const found = attempted(() => stepInto(value, key));
  if (isValue(found)) return marked(found);
  throw new ExpressionProblem("the value has no part by that key, which is secret", found.code);
}

function itemAt(value: Value, key: Value): Value | undefined {
  if (!isListLike(value) || value.kind === "set") return undefined;
  return value.items[numberOf(key)];
}
