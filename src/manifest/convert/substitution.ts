/** A variable in a text of a compose file: `$NAME`, `${NAME:-default}`, `${NAME:?message}`, `${NAME:+text}`. */
export interface Substitution {
  readonly name: string;
  readonly operator: string;
  readonly operand: string;
}

/** Text in which braces are closed, two deep: the default of a default. */
const balanced = "(?:[^{}]|\\{(?:[^{}]|\\{[^{}]*\\})*\\})*";
const each = new RegExp(`\\$\\$|\\$([A-Za-z_]\\w*)|\\$\\{([A-Za-z_]\\w*):?([-?+]?)(${balanced})\\}`, "g");

/** Splits a text at its variables; `$$` is a literal `$`. */
export function splitSubstitutions(text: string): readonly (string | Substitution)[] {
  const parts: (string | Substitution)[] = [];
  let literal = "";
  let end = 0;
  for (const { index, 0: found, 1: bare, 2: name = bare, 3: operator = "", 4: operand = "" } of text.matchAll(
    each,
  )) {
    literal += text.slice(end, index) + (name === undefined ? "$" : "");
    end = index + found.length;
    if (name === undefined) continue;
    parts.push(literal, { name, operator, operand });
    literal = "";
  }
  return [...parts, literal + text.slice(end)].filter((part) => part !== "");
}

/** Returns a text with each variable's default in its place; undefined where one has none. */
export function withDefaults(text: string): string | undefined {
  const parts = splitSubstitutions(text).map((part) => {
    if (typeof part === "string") return part;
    return part.operator === "-" ? withDefaults(part.operand) : undefined;
  });
  return parts.includes(undefined) ? undefined : parts.join("");
}
