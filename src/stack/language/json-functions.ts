import type { Plain } from "../../model/value";
import {
  bool,
  isListLike,
  nothing,
  number,
  numberText,
  object,
  text,
  tuple,
  type Value,
} from "./expression-value";
import { ExpressionProblem } from "./problem";

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
      return numberText(value.value);
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

/** Returns the value of a JSON text. */
export function jsonDecode(source: string): Value {
  let parsed: Plain;
  try {
    parsed = JSON.parse(source) as Plain;
  } catch {
    throw new ExpressionProblem("the text is not JSON");
  }
  return valueOfPlain(parsed);
}

const deepest = 100;

/** JSON without expressions as a value. */
export function valueOfPlain(plain: Plain, depth = 0): Value {
  if (depth > deepest) throw new ExpressionProblem(`JSON of more than ${deepest} levels`);
  if (plain === null) return nothing;
  if (typeof plain === "string") return text(plain);
  if (typeof plain === "boolean") return bool(plain);
  if (typeof plain === "number") return number(plain);
  const inner = (one: unknown): Value => valueOfPlain(one as Plain, depth + 1);
  if (Array.isArray(plain)) return tuple(plain.map(inner));
  return object(Object.entries(plain).map(([key, one]) => [key, inner(one)]));
}
