import { suggest } from "../../diagnostics/suggest";
import { collectionFunctions } from "./collection-functions";
import { attempted, isSensitive, isValue, marked, type Value, whenKnown } from "./expression-value";
import { applyDeep, type Call, type FunctionRule, resultOf } from "./function-rule";
import { ExpressionProblem, unsupported } from "./problem";
import { textFunctions } from "./text-functions";

const rules: ReadonlyMap<string, FunctionRule> = new Map(
  Object.entries({ ...textFunctions, ...collectionFunctions }),
);

/** Functions that see their arguments unevaluated. */
export const lazyFunctions = ["try", "can"];

/** The names of the functions that there are, in order. */
export const functionNames: readonly string[] = [...rules.keys(), ...lazyFunctions].sort();

/** Calls a function; what is unknown or secret in its arguments makes the result so. */
export function callFunction(name: string, given: readonly Value[]): Value {
  const rule = rules.get(name);
  if (rule === undefined) {
    const meant = suggest(name, functionNames);
    throw unsupported(
      `the function ${name}`,
      `${meant === undefined ? "" : `did you mean "${meant}"? `}compute it in the program, or run the stack with Terraform. There are: ${functionNames.join(", ")}`,
    );
  }
  checkCount(name, rule, given.length);
  rule.check?.(given);
  const isSecret = given.some(isSensitive);
  const call: Call = (known) => run(name, rule, known, isSecret);
  if (rule.seesMarks) return call(given);
  if (rule.isShallow) return callShallow(rule, given, call);
  return applyDeep(rule, given, call);
}

/** Runs a function of known values. Its problems begin with its name: `isSecret`, without the text of an argument. */
function run(name: string, rule: FunctionRule, known: readonly Value[], isSecret: boolean): Value {
  const result = attempted(() => resultOf(rule, known));
  if (isValue(result)) return result;
  const summary = isSecret
    ? `${name} does not take its arguments, of which one is secret`
    : `${name}: ${result.message}`;
  throw new ExpressionProblem(summary, result.code);
}

function checkCount(name: string, { takes, rest, optional = 0 }: FunctionRule, found: number): void {
  const least = takes.length - optional;
  if (found >= least && (rest !== undefined || found <= takes.length)) return;
  const most = rest === undefined ? takes.length : undefined;
  const wanted =
    most === least ? String(least) : most === undefined ? `${least} or more` : `${least} to ${most}`;
  throw new ExpressionProblem(`${name} takes ${wanted} argument${wanted === "1" ? "" : "s"}, found ${found}`);
}

function callShallow(rule: FunctionRule, given: readonly Value[], call: Call): Value {
  const isMarked = given.some((value) => value.sensitive === true);
  const bare = given.map(({ sensitive: _sensitive, ...value }) => value as Value);
  const isLater = bare.some(({ kind }) => kind === "later");
  return marked(
    isLater ? whenKnown(bare, rule.gives, (known) => callShallow(rule, known, call)) : call(bare),
    isMarked,
  );
}
