import { join } from "node:path";
import { type Evaluation, evaluate } from "../../../src/stack/language/evaluate";
import { parseExpression } from "../../../src/stack/language/expression";
import {
  isKnown,
  isSensitive,
  jsonEncode,
  later,
  marked,
  text,
  type Value,
} from "../../../src/stack/language/expression-value";
import { stepsInto } from "../../../src/stack/language/operators";
import { ExpressionProblem, StackProblem } from "../../../src/stack/language/problem";
import { rowsIn } from "../../support/rows";

/** Stands for a value that Terraform refuses. */
export const refused = "(error)";
export const knownLater = "(known after apply)";
export const hidden = "(sensitive value)";

/** Names that expressions use: one that is known after apply, and a secret. */
export const declarations = `
resource "terraform_data" "u" {}
variable "s" {
  default   = "secret"
  sensitive = true
}
`;

const resolve: Evaluation["resolve"] = (root, [name, ...rest]) => {
  const range = { file: "", start: 0, end: 0 };
  if (root === "terraform_data") return later({ kind: "reference", segments: [], source: "", range });
  if (root === "var" && name === "s") return stepsInto(marked(text("secret")), rest);
  throw new ExpressionProblem(`${root} is not declared`);
};

/** Evaluates an expression; throws `StackProblem`. */
export const evaluated = (expression: string): Value =>
  evaluate(parseExpression(expression), { resolve, spend: () => {} });

/** Result of an expression as JSON, or one of the words above. */
export function resultOf(expression: string): string {
  try {
    const value = evaluated(expression);
    if (isSensitive(value)) return hidden;
    return isKnown(value) ? jsonEncode(value) : knownLater;
  } catch (cause) {
    if (cause instanceof StackProblem) return refused;
    throw cause;
  }
}

/** The core that the results are from; those of `contains` with null are from 1.16. */
export const recordedWith = 1.15;

/** Expressions with their results in Terraform, one a line. */
export const recorded = rowsIn(join(__dirname, "expressions.tsv")) as readonly [string, string][];
