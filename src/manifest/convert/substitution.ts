/** A variable in a text of a compose file: `$NAME`, `${NAME:-default}`, `${NAME:?message}`, `${NAME:+text}`. */
export interface Substitution {
  readonly name: string;
  readonly operator: string;
  readonly operand: string;
}

const opening = /\$(?:\$|([A-Za-z_]\w*)|\{([A-Za-z_]\w*):?([-?+]?))/y;

/** Splits a text at its variables; `$$` is a literal `$`. */
export function splitSubstitutions(text: string): readonly (string | Substitution)[] {
  const parts: (string | Substitution)[] = [];
  let literal = "";
  let at = 0;
  while (at < text.length) {
    opening.lastIndex = at;
    const [found, bare, braced, operator = ""] = opening.exec(text) ?? [];
    const start = at + (found?.length ?? 0);
    const end = braced === undefined ? start : closeOf(text, start);
    const name = bare ?? braced;
    if (found === undefined || end === undefined) literal += text[at++];
    else if (name === undefined) literal += "$";
    else {
      if (literal !== "") parts.push(literal);
      literal = "";
      parts.push({ name, operator, operand: text.slice(start, end) });
    }
    if (found !== undefined && end !== undefined) at = braced === undefined ? end : end + 1;
  }
  return literal === "" && parts.length > 0 ? parts : [...parts, literal];
}

/** Returns the position of the `}` that closes a variable, past those of defaults in its default. */
function closeOf(text: string, start: number): number | undefined {
  let depth = 1;
  for (const { 0: found, index } of text.slice(start).matchAll(/\$\{|\}/g)) {
    depth += found === "}" ? -1 : 1;
    if (depth === 0) return start + index;
  }
  return undefined;
}

/** Returns a text with each variable's default in its place; undefined where one has none. */
export function withDefaults(text: string): string | undefined {
  const parts = splitSubstitutions(text).map((part) => {
    if (typeof part === "string") return part;
    return part.operator === "-" ? withDefaults(part.operand) : undefined;
  });
  return parts.includes(undefined) ? undefined : parts.join("");
}
