import { convert, equal, unifiedType } from "./conversion";
import {
  type Attempt,
  attempted,
  bool,
  describeType,
  type Fill,
  filled,
  isListLike,
  isMapLike,
  isSensitive,
  isValue,
  type LaterValue,
  marked,
  number,
  outcomeOf,
  postponed,
  text,
  typeOf,
  unmarked,
  type Value,
  type ValueType,
  whenKnown,
} from "./expression-value";
import { ExpressionProblem } from "./problem";

/** The binary operators by how tightly they bind, the loosest first. */
export const binaryLevels: readonly (readonly string[])[] = [
  ["||"],
  ["&&"],
  ["==", "!="],
  ["<=", ">=", "<", ">"],
  ["+", "-"],
  ["*", "/", "%"],
];

type Arithmetic = (a: number, b: number) => number;
type Comparison = (a: number, b: number) => boolean;

const arithmetic: ReadonlyMap<string, Arithmetic> = new Map<string, Arithmetic>([
  ["+", (a, b) => a + b],
  ["-", (a, b) => a - b],
  ["*", (a, b) => a * b],
  ["/", (a, b) => a / divisor(b)],
  // By zero, too: what Terraform leaves then is the dividend.
  ["%", (a, b) => (b === 0 && a !== 0 ? a : a % divisor(b))],
]);

const comparisons: ReadonlyMap<string, Comparison> = new Map<string, Comparison>([
  ["<", (a, b) => a < b],
  [">", (a, b) => a > b],
  ["<=", (a, b) => a <= b],
  [">=", (a, b) => a >= b],
]);

function divisor(value: number): number {
  if (value === 0) throw new ExpressionProblem("a division by zero");
  return value;
}

export const operatorType = (operator: string): ValueType => (arithmetic.has(operator) ? "number" : "bool");

/** The value of `a operator b`; it is marked as secret when either is. */
export function operate(operator: string, a: Value, b: Value): Value {
  const type = operatorType(operator);
  const isSecret = isSensitive(a) || isSensitive(b);
  const result = whenKnown([unmarked(a), unmarked(b)], type, ([left, right]) =>
    operateKnown(operator, left as Value, right as Value),
  );
  return marked(result, isSecret);
}

function operateKnown(operator: string, a: Value, b: Value): Value {
  if (operator === "==") return bool(equal(a, b));
  if (operator === "!=") return bool(!equal(a, b));
  const calculate = arithmetic.get(operator);
  if (calculate !== undefined) return number(calculate(numberOf(a), numberOf(b)));
  const compare = comparisons.get(operator);
  if (compare !== undefined) return bool(compare(numberOf(a), numberOf(b)));
  const [left, right] = [boolOf(a), boolOf(b)];
  return bool(operator === "&&" ? left && right : left || right);
}

/** The value of `-a` or `!a`. */
export function negate(operator: "-" | "!", value: Value): Value {
  const type = operator === "-" ? "number" : "bool";
  const result = whenKnown([unmarked(value)], type, ([known]) =>
    operator === "-" ? number(-numberOf(known as Value)) : bool(!boolOf(known as Value)),
  );
  return marked(result, isSensitive(value));
}

/** A value as a number; throws `ExpressionProblem` for another. */
export function numberOf(value: Value): number {
  const found = convert(value, "number");
  if (found.kind === "number") return found.value;
  throw new ExpressionProblem("null is no number");
}

/** A value as a whole number; throws `ExpressionProblem` for another. */
export function wholeNumber(value: Value): number {
  const found = numberOf(value);
  if (Number.isInteger(found)) return found;
  throw new ExpressionProblem("a whole number is required");
}

export function boolOf(value: Value): boolean {
  const found = convert(value, "bool");
  if (found.kind === "bool") return found.value;
  throw new ExpressionProblem("null is neither true nor false");
}

/** A value as text; throws `ExpressionProblem` for another. */
export function textOf(value: Value): string {
  const found = convert(value, "string");
  if (found.kind === "string") return found.value;
  throw new ExpressionProblem("null is no text");
}

/** A result of a condition. */
interface Choice {
  readonly attempt: Attempt;
  /** Its type where it fails and is not chosen. */
  readonly type: ValueType;
}

const typeOfChoice = ({ attempt, type }: Choice): ValueType => (isValue(attempt) ? typeOf(attempt) : type);

/** `condition ? yes : no`. Both have a type that fits both; the one that is not chosen may fail. */
export function choose(condition: Value, yes: Choice, no: Choice): Value {
  if (condition.kind === "later") {
    const values = [yes.attempt, no.attempt].filter(isValue);
    const type = unifiedType([typeOfChoice(yes), typeOfChoice(no)]) ?? "any";
    const once = (choice: Choice, fill: Fill): Choice => ({
      ...choice,
      attempt: attempted(() => filled(outcomeOf(choice.attempt), fill)),
    });
    return postponed([condition, ...values], type, (fill) =>
      choose(filled(condition, fill), once(yes, fill), once(no, fill)),
    );
  }
  const [chosen, rejected] = boolOf(unmarked(condition)) ? [yes, no] : [no, yes];
  const value = outcomeOf(chosen.attempt);
  const types = [typeOf(value), typeOfChoice(rejected)] as const;
  const type = unifiedType(types);
  if (type === undefined)
    throw new ExpressionProblem(
      `the two results of a condition are of one type, found ${types.map(describeType).join(" and ")}`,
    );
  const isSecret = isValue(rejected.attempt) && rejected.attempt.sensitive === true;
  return marked(convert(value, type), condition.sensitive === true || isSecret);
}

/** Joins values to a text, as a template does. */
export function joinText(values: readonly Value[]): Value {
  const converted = values.map(templateText);
  const isSecret = converted.some(isSensitive);
  const joined = whenKnown(converted.map(unmarked), "string", (known) => text(known.map(textOf).join("")));
  const parts = converted.flatMap(textParts);
  const isPlain = parts.every((part) => part !== undefined);
  return marked(
    joined.kind === "later" && isPlain ? { ...joined, parts: parts as TextParts } : joined,
    isSecret,
  );
}

type TextParts = NonNullable<LaterValue["parts"]>;

/** A piece of a joined text; undefined for what functions make. */
function textParts(value: Value): readonly (TextParts[number] | undefined)[] {
  if (value.kind === "string") return [value.value];
  return value.kind === "later" ? (value.parts ?? [undefined]) : [];
}

function templateText(value: Value): Value {
  if (value.kind === "null") throw new ExpressionProblem("null is not allowed inside text");
  if (isListLike(value) || isMapLike(value))
    throw new ExpressionProblem("a list or an object is not allowed inside text");
  return convert(value, "string");
}

/** `value[key]` and `value.key`. */
export function stepInto(value: Value, key: Value): Value {
  if (value.kind === "null") throw new ExpressionProblem("null has no parts");
  // What has no parts has none by a key that is known later, either, once that key has a type.
  const isOpenKey = key.kind === "later" && key.type === "any";
  const mayHaveParts = isMapLike(value) || isListLike(value) || value.kind === "later" || isOpenKey;
  if (mayHaveParts && (value.kind === "later" || key.kind === "later"))
    return whenKnown([value, key], "any", ([known, step]) => stepInto(known as Value, step as Value));
  if (mayHaveParts && isSensitive(key)) return stepBySecret(value, unmarked(key));
  const found = isMapLike(value) ? value.entries.get(textOf(key)) : itemAt(value, key);
  if (found === undefined)
    throw new ExpressionProblem(
      isMapLike(value) || isListLike(value)
        ? `there is no ${shownKey(key)} in the value${offered(value)}`
        : `a ${describeType(typeOf(value))} has no parts`,
      "stack.reference_unknown",
    );
  return marked(found, value.sensitive === true);
}

function stepBySecret(value: Value, key: Value): Value {
  const found = attempted(() => stepInto(value, key));
  if (isValue(found)) return marked(found);
  throw new ExpressionProblem("the value has no part by that key, which is secret", found.code);
}

function itemAt(value: Value, key: Value): Value | undefined {
  if (!isListLike(value) || value.kind === "set") return undefined;
  return value.items[numberOf(key)];
}

const shownKey = (key: Value): string =>
  key.kind === "number" ? String(key.value) : JSON.stringify(textOf(key));

const shownNames = 8;

/** What there is instead, unless it comes from a secret. */
function offered(value: Value): string {
  if (isListLike(value)) return `, which has ${value.items.length} items`;
  if (!isMapLike(value) || value.sensitive === true || value.entries.size === 0) return "";
  const names = [...value.entries.keys()];
  return `, which has ${names.slice(0, shownNames).join(", ")}${names.length > shownNames ? " …" : ""}`;
}
