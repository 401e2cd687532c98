import { jsonEncode } from "../../../../src/manifest/stack/language/json-functions";
import { type Environment, evaluate } from "../../../../src/manifest/stack/language/evaluate";
import { parseExpression } from "../../../../src/manifest/stack/language/expression";
import { ExpressionProblem, isKnown, isSensitive } from "../../../../src/manifest/stack/language/expression-value";

/** Stands for a value that Terraform refuses. */
export const refused = "(error)";

/** What an expression is, as JSON; `(error)`, `(sensitive value)` or `(known after apply)`. */
export function resultOf(expression: string, resolve: Environment["resolve"] = undeclared): string {
  try {
    const value = evaluate(parseExpression(expression), { text: expression, resolve, spend: () => {} });
    if (isSensitive(value)) return "(sensitive value)";
    return isKnown(value) ? jsonEncode(value) : "(known after apply)";
  } catch (cause) {
    if (cause instanceof ExpressionProblem) return refused;
    throw cause;
  }
}

function undeclared(): never {
  throw new ExpressionProblem("not declared");
}
