import { BigNumber } from "./big-number";
import {
  bool,
  ExpressionProblem,
  isListLike,
  nothing,
  number,
  object,
  text,
  tuple,
  type Value,
} from "./expression-value";

/** JSON as Terraform's `jsonencode` writes it: sorted keys, no white space, HTML characters escaped. */
export function jsonEncode(value: Value): string {
  return encoded(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function encoded(value: Value): string {
  switch (value.kind) {
    case "null":
      return "null";
    case "bool":
      return String(value.value);
    case "number":
      return value.value.toString();
    case "string":
      return JSON.stringify(value.value);
    case "later":
      throw new Error("a value that is not known was given to a function");
    default: {
      if (isListLike(value)) return `[${value.items.map(encoded).join(",")}]`;
      const members = [...value.entries].map(([key, inner]) => `${JSON.stringify(key)}:${encoded(inner)}`);
      return `{${members.join(",")}}`;
    }
  }
}

/** The value that JSON stands for. */
export function jsonDecode(source: string): Value {
  try {
    JSON.parse(source);
  } catch {
    throw new ExpressionProblem("the text is not JSON");
  }
  let at = 0;
  const token = /[\s,:]*("(?:[^"\\]|\\.)*"|[[\]{}]|[^\s,:[\]{}]+)/y;
  const next = (): string => {
    token.lastIndex = at;
    const found = token.exec(source);
    at = token.lastIndex;
    return found?.[1] ?? "";
  };
  const read = (first: string, depth: number): Value => {
    if (depth > deepest) throw new ExpressionProblem(`JSON of more than ${deepest} levels`);
    if (first === "[") {
      const items: Value[] = [];
      for (let one = next(); one !== "]"; one = next()) items.push(read(one, depth + 1));
      return tuple(items);
    }
    if (first === "{") {
      const entries = new Map<string, Value>();
      for (let key = next(); key !== "}"; key = next())
        entries.set(JSON.parse(key) as string, read(next(), depth + 1));
      return object(entries);
    }
    if (first.startsWith('"')) return text(JSON.parse(first) as string);
    if (first === "null") return nothing;
    if (first === "true" || first === "false") return bool(first === "true");
    const parsed = BigNumber.parse(first);
    if (parsed === undefined) throw new ExpressionProblem("JSON with a number that is too large");
    return number(parsed);
  };
  return read(next(), 0);
}

const deepest = 100;
