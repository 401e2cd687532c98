import { boolOf, convert, equal, numberOf, textOf } from "./conversion";
import {
  attempted,
  describeType,
  isListLike,
  isMapLike,
  isSensitive,
  isValue,
  type LaterValue,
  marked,
  text,
  typeOf,
  unmarked,
  type Value,
  whenKnown,
} from "./expression-value";
import { deep, type FunctionRule, nullable } from "./function-rule";
import { valueOfPlain } from "./json-functions";
import { ExpressionProblem } from "./problem";

const numeric = { read: numberOf, takesNull: true } as const;
const flag = { read: boolOf, takesNull: true } as const;

const arithmetic = (call: (a: number, b: number) => number): FunctionRule => deep([numeric, numeric], call);
const comparison = (call: (a: number, b: number) => boolean): FunctionRule => deep([numeric, numeric], call);

function divide(a: number, b: number): number {
  if (b === 0) throw new ExpressionProblem("a division by zero");
  return a / b;
}

/** By zero, too: what Terraform leaves then is the dividend. */
const remainder = (a: number, b: number): number => (b !== 0 ? a % b : a === 0 ? divide(a, b) : a);

/** The binary operators by how tightly they bind, the loosest first. */
const levels: readonly Readonly<Record<string, FunctionRule>>[] = [
  { "||": deep([flag, flag], (a, b) => a || b) },
  { "&&": deep([flag, flag], (a, b) => a && b) },
  {
    "==": deep([nullable, nullable], equal),
    "!=": deep([nullable, nullable], (a, b) => !equal(a, b)),
  },
  {
    "<=": comparison((a, b) => a <= b),
    ">=": comparison((a, b) => a >= b),
    "<": comparison((a, b) => a < b),
    ">": comparison((a, b) => a > b),
  },
  { "+": arithmetic((a, b) => a + b), "-": arithmetic((a, b) => a - b) },
  { "*": arithmetic((a, b) => a * b), "/": arithmetic(divide), "%": arithmetic(remainder) },
];
export const binaryLevels = levels.map((level) => Object.keys(level));
export const binaryOperators = Object.assign({}, ...levels) as Readonly<Record<string, FunctionRule>>;

export const unaryOperators = {
  "-": deep([numeric], (a) => -a),
  "!": deep([flag], (a) => !a),
};

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
  // What has no parts has none by a key that is known later, either, unless that is a reference: its type is open.
  const mayHaveParts = isMapLike(value) || isListLike(value) || value.kind === "later";
  const isOpenKey = key.kind === "later" && key.parts?.length === 1;
  if (value.kind === "later" || isOpenKey || (mayHaveParts && key.kind === "later"))
    return whenKnown([value, key], ([known, step]) => stepInto(known as Value, step as Value));
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

/** Takes the steps of a name into its value. */
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
