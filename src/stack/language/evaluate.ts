import { collectionFunctions } from "./collection-functions";
import { boolOf, convert, textOf, unifiedType } from "./conversion";
import { type Expression, splatItem, type TextPart } from "./expression";
import {
  type Attempt,
  attempted,
  bool,
  describeType,
  filled,
  isKnown,
  isListLike,
  isMapLike,
  isSensitive,
  isValue,
  marked,
  nothing,
  number,
  object,
  outcomeOf,
  postponed,
  text,
  tuple,
  typeOf,
  unmarked,
  type Value,
  valueOfPlain,
  whenKnown,
} from "./expression-value";
import {
  applyDeep,
  binaryOperators,
  type FunctionCall,
  type FunctionRule,
  joinText,
  resultOf,
  stepInto,
  unaryOperators,
} from "./operators";
import { ExpressionProblem, unsupported } from "./problem";
import { textFunctions } from "./text-functions";

export interface Evaluation {
  readonly resolve: (root: string, steps: readonly (string | number)[]) => Value;
  readonly spend: () => void;
  /** Names of loops, and `*`: the item of a splat. */
  readonly names?: ReadonlyMap<string, Value>;
}

/** The value of the parts of a text: of an expression that stands alone the value itself. */
export function evaluateText(parts: readonly TextPart[], environment: Evaluation): Value {
  const [only] = parts;
  if (parts.length === 1 && typeof only === "object") return evaluate(only, environment);
  return joinText(parts.map((part) => (typeof part === "string" ? text(part) : evaluate(part, environment))));
}

export function evaluate(expression: Expression, environment: Evaluation): Value {
  environment.spend();
  const inner = (one: Expression): Value => evaluate(one, environment);
  switch (expression.kind) {
    case "value":
      return valueOfPlain(expression.value);
    case "text":
      return evaluateText(expression.parts, environment);
    case "list":
      return tuple(expression.items.map(inner));
    case "object":
      return objectOf(expression.entries.map(([key, value]) => [inner(key), inner(value)] as const));
    case "call":
      return evaluateCall(expression, environment);
    case "unary":
      return applyDeep(unaryOperators[expression.operator], [inner(expression.of)]);
    case "binary":
      return evaluateBinary(expression, environment);
    case "condition":
      return evaluateCondition(expression, environment);
    case "for":
      return evaluateLoop(expression, environment);
    case "splat":
      return evaluateSplat(expression, environment);
    default:
      return evaluateAccess(expression, environment);
  }
}

/** The value of an expression that is evaluated again once the awaited values are known. */
const evaluateLater = (expression: Expression, values: readonly Value[], environment: Evaluation): Value =>
  postponed(values, (fill) => {
    const { resolve, names = [] } = environment;
    const known: Evaluation = {
      ...environment,
      resolve: (root, steps) => filled(resolve(root, steps), fill),
      names: new Map([...names].map(([name, value]) => [name, filled(value, fill)])),
    };
    return filled(evaluate(expression, known), fill);
  });

type KindOf<Kind extends Expression["kind"]> = Extract<Expression, { kind: Kind }>;

/** An object by keys that are values; with a key that is known later, the whole object is. */
export function objectOf(pairs: readonly (readonly [Value, Value])[]): Value {
  const keys = pairs.map(([key]) => key);
  if (!keys.every(isKnown))
    return postponed(pairs.flat(), (fill) =>
      objectOf(pairs.map(([key, value]) => [filled(key, fill), filled(value, fill)])),
    );
  const entries = new Map(pairs.map(([key, value]) => [textOf(key), value]));
  return marked(object(entries), keys.some(isSensitive));
}

/** `a + b`. An operand of `&&` or `||` that decides alone is the result, even where the other fails. */
function evaluateBinary(expression: KindOf<"binary">, environment: Evaluation): Value {
  const { operator } = expression;
  const rule = binaryOperators[operator] as FunctionRule;
  const sides = [expression.left, expression.right].map((one) =>
    attempted(() => evaluate(one, environment)),
  ) as [Attempt, Attempt];
  if (operator !== "&&" && operator !== "||") return applyDeep(rule, sides.map(outcomeOf));
  const values = sides.filter(isValue);
  const deciding = operator === "||";
  // Terraform takes null for false here.
  const decides = values.filter(isKnown).map((one) => (one.kind !== "null" && boolOf(one)) === deciding);
  if (decides.includes(true)) return marked(bool(deciding), values.some(isSensitive));
  return isValue(sides[0]) && !values.every(isKnown)
    ? evaluateLater(expression, values, environment)
    : applyDeep(rule, sides.map(outcomeOf));
}

/** `condition ? yes : no`. Both results have a type that fits both; the rejected result may fail. */
function evaluateCondition(expression: KindOf<"condition">, environment: Evaluation): Value {
  const condition = evaluate(expression.condition, environment);
  const [yes, no] = [expression.yes, expression.no].map((one) =>
    attempted(() => evaluate(one, environment)),
  ) as [Attempt, Attempt];
  if (condition.kind === "later")
    return evaluateLater(expression, [condition, ...[yes, no].filter(isValue)], environment);
  const [chosen, rejected] = boolOf(unmarked(condition)) ? [yes, no] : [no, yes];
  const value = outcomeOf(chosen);
  // A rejected result that fails may have any type.
  const types = [typeOf(value), isValue(rejected) ? typeOf(rejected) : "any"] as const;
  const type = unifiedType(types);
  if (type === undefined)
    throw new ExpressionProblem(
      `the two results of a condition are of one type, found ${types.map(describeType).join(" and ")}`,
    );
  const isSecret = isValue(rejected) && rejected.sensitive === true;
  return marked(convert(value, type), condition.sensitive === true || isSecret);
}

function evaluateCall(expression: KindOf<"call">, environment: Evaluation): Value {
  const { name, args, spreads } = expression;
  if (lazyFunctions.includes(name)) return evaluateLazily(expression, environment);
  const given = args.map((arg) => evaluate(arg, environment));
  if (!spreads) return callFunction(name, given);
  const spread = given.at(-1) ?? nothing;
  if (spread.kind === "later") return evaluateLater(expression, given, environment);
  if (!isListLike(spread)) throw new ExpressionProblem(`${name}: a list is required before ...`);
  return marked(callFunction(name, [...given.slice(0, -1), ...spread.items]), spread.sensitive === true);
}

/** The first argument of `try` that does not fail; for `can` only whether there is one. */
function evaluateLazily(expression: KindOf<"call">, environment: Evaluation): Value {
  const { name, args } = expression;
  const isCan = name === "can";
  if (args.length === 0 || (isCan && args.length > 1))
    throw new ExpressionProblem(`${name} does not take ${args.length} arguments`);
  const attempts = args.map((arg) => attempted(() => evaluate(arg, environment)));
  const first = attempts.find(isValue);
  if (first !== undefined && !isKnown(first))
    return evaluateLater(expression, attempts.filter(isValue), environment);
  return isCan ? bool(first !== undefined) : outcomeOf(first ?? (attempts.at(-1) as Attempt));
}

function evaluateLoop(expression: KindOf<"for">, environment: Evaluation): Value {
  const over = evaluate(expression.of, environment);
  if (over.kind !== "later") return loopOver(over, expression, environment);
  // Evaluated with an item that is known later, to find the other values that the body awaits.
  const body = loopOver(tuple([stepInto(over, number(0))]), expression, environment);
  return evaluateLater(expression, [over, body], environment);
}

function loopOver(over: Value, loop: KindOf<"for">, environment: Evaluation): Value {
  const isObject = loop.name !== undefined;
  const found: (readonly [Value, Value])[] = [];
  let isSecret = over.sensitive === true;
  const conditions: Value[] = [];
  for (const [key, value] of pairsOf(over)) {
    const names = new Map(environment.names);
    if (loop.key !== undefined) names.set(loop.key, key);
    names.set(loop.value, marked(value, over.sensitive === true));
    const within = { ...environment, names };
    const condition = loop.condition && evaluate(loop.condition, within);
    if (condition?.kind === "later") conditions.push(condition);
    else if (condition !== undefined) {
      isSecret ||= isSensitive(condition);
      if (!boolOf(condition)) continue;
    }
    const name = loop.name === undefined ? key : evaluate(loop.name, within);
    found.push([name, evaluate(loop.result, within)]);
  }
  const names = isObject ? found.map(([name]) => name) : [];
  const waits = [...conditions, ...names.filter(({ kind }) => kind === "later")];
  if (waits.length > 0) return evaluateLater(loop, [...waits, ...found.flat()], environment);
  if (!isObject) return marked(tuple(found.map(([, value]) => value)), isSecret);
  return marked(grouped(found, loop), isSecret || names.some(isSensitive));
}

function grouped(pairs: readonly (readonly [Value, Value])[], { groups }: KindOf<"for">): Value {
  const entries = new Map<string, Value[]>();
  for (const [name, value] of pairs) {
    const key = textOf(name);
    const before = entries.get(key);
    if (before !== undefined && !groups)
      throw new ExpressionProblem("two items have the same key: write ... behind the value to group them");
    entries.set(key, [...(before ?? []), value]);
  }
  return object([...entries].map(([key, values]) => [key, groups ? tuple(values) : (values[0] as Value)]));
}

function pairsOf(over: Value): readonly (readonly [Value, Value])[] {
  if (isMapLike(over)) return [...over.entries].map(([key, value]) => [text(key), value]);
  if (!isListLike(over)) throw new ExpressionProblem("for goes over a list, a set or a map");
  return over.items.map((item, i) => [over.kind === "set" ? item : number(i), item]);
}

function evaluateSplat(expression: KindOf<"splat">, environment: Evaluation): Value {
  const over = evaluate(expression.of, environment);
  if (over.kind === "later") return evaluateLater(expression, [over], environment);
  const items = over.kind === "null" ? [] : isListLike(over) ? over.items : [over];
  const found = items.map((item) =>
    evaluate(expression.each, { ...environment, names: new Map(environment.names).set(splatItem, item) }),
  );
  // The items of a list have one type, and so have their parts.
  const result = over.kind === "list" ? convert(tuple(found), { kind: "list", of: "any" }) : tuple(found);
  return marked(result, over.sensitive === true);
}

/** `local.x.a[0]`: the root is resolved with the steps that are known; the others go into its value. */
function evaluateAccess(expression: KindOf<"root" | "access">, environment: Evaluation): Value {
  const keys: Value[] = [];
  let at: Expression = expression;
  while (at.kind === "access") {
    keys.unshift(evaluate(at.key, environment));
    at = at.of;
  }
  if (at.kind !== "root") return keys.reduce(stepInto, evaluate(at, environment));
  const named = environment.names?.get(at.name);
  if (named !== undefined) return keys.reduce(stepInto, named);
  const steps = keys.map(stepOf);
  const open = steps.indexOf(undefined);
  const known = steps.slice(0, open === -1 ? undefined : open) as (string | number)[];
  const found = environment.resolve(at.name, known);
  return open === -1 ? found : keys.slice(open).reduce(stepInto, found);
}

/** The step that a key takes; undefined for a key that is only known later, or is none. */
function stepOf(key: Value): string | number | undefined {
  if (key.sensitive === true) return undefined;
  return key.kind === "string" || key.kind === "number" ? key.value : undefined;
}

const rules: ReadonlyMap<string, FunctionRule> = new Map(
  Object.entries({ ...textFunctions, ...collectionFunctions }),
);

const lazyFunctions = ["try", "can"];

const functionNames: readonly string[] = [...rules.keys(), ...lazyFunctions].sort();
const otherFunctions = `compute it in the program, or run the stack with Terraform. There are: ${functionNames.join(", ")}`;

/** Calls a function. With unknown or secret parts in its arguments, the result is unknown or secret. */
function callFunction(name: string, given: readonly Value[]): Value {
  const rule = rules.get(name);
  if (rule === undefined) throw unsupported(`the function ${name}`, otherFunctions);
  checkCount(name, rule, given.length);
  rule.check?.(given);
  const call: FunctionCall = (known) => run(name, rule, known, given);
  if (rule.seesMarks) return call(given);
  if (rule.isShallow) return callShallow(rule, given, call);
  return applyDeep(rule, given, call);
}

/** Runs a function of known values. Its problems begin with its name; with a secret `given`, they quote no argument. */
function run(name: string, rule: FunctionRule, known: readonly Value[], given: readonly Value[]): Value {
  const result = attempted(() => resultOf(rule, known));
  if (isValue(result)) return result;
  const summary = given.some(isSensitive)
    ? `${name} does not take its arguments, of which one is secret`
    : `${name}: ${result.message}`;
  throw new ExpressionProblem(summary, result.code);
}

function checkCount(name: string, { takes, rest, optional = 0 }: FunctionRule, found: number): void {
  const isRight = found >= takes.length - optional && (rest !== undefined || found <= takes.length);
  if (!isRight) throw new ExpressionProblem(`${name} does not take ${found} arguments`);
}

function callShallow(rule: FunctionRule, given: readonly Value[], call: FunctionCall): Value {
  const isMarked = given.some((value) => value.sensitive === true);
  const bare = given.map(({ sensitive: _sensitive, ...value }) => value as Value);
  const isLater = bare.some(({ kind }) => kind === "later");
  return marked(isLater ? whenKnown(bare, (known) => callShallow(rule, known, call)) : call(bare), isMarked);
}
