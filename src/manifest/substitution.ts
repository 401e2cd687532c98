/** A variable in a text, as docker compose writes it: `$NAME`, `${NAME:-default}`, `${NAME:?message}`, `${NAME:+text}`. */
export interface Substitution {
  readonly name: string;
  readonly operator: "" | "-" | "?" | "+";
  /** `:` before the operator: an empty variable counts as one that is not set. */
  readonly isEmptyUnset: boolean;
  readonly operand: string;
}

/** Text in which braces are closed, two deep: the default of a default. */
const balanced = "(?:[^{}]|\\{(?:[^{}]|\\{[^{}]*\\})*\\})*";
const name = "[A-Za-z_][A-Za-z0-9_]*";
const each = new RegExp(`\\$\\$|\\$(${name})|\\$\\{(${name})(?:(:?)([-?+])(${balanced}))?\\}`, "g");

/** Splits a text at its variables; `$$` is a literal `$`. */
export function splitSubstitutions(text: string): readonly (string | Substitution)[] {
  const parts: (string | Substitution)[] = [];
  let literal = "";
  let end = 0;
  for (const found of text.matchAll(each)) {
    const [whole, bare, braced = bare, colon, operator = "", operand = ""] = found;
    literal += text.slice(end, found.index) + (braced === undefined ? "$" : "");
    end = found.index + whole.length;
    if (braced === undefined) continue;
    const isEmptyUnset = colon === ":";
    parts.push(literal, {
      name: braced,
      operator: operator as Substitution["operator"],
      isEmptyUnset,
      operand,
    });
    literal = "";
  }
  return [...parts, literal + text.slice(end)].filter((part) => part !== "");
}

/** Returns true if a text holds a `$` that belongs to no variable. */
export const hasStrayDollar = (text: string): boolean => text.replace(each, "").includes("$");
