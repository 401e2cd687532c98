/** An expression of Terraform that rnv understands: a value, a reference, a call; `text` is text with parts. */
export type Expression =
  | { readonly kind: "value"; readonly value: null | boolean | number | string }
  | { readonly kind: "text"; readonly parts: readonly TextPart[] }
  | { readonly kind: "root"; readonly name: string }
  | { readonly kind: "access"; readonly of: Expression; readonly key: Expression }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: "list"; readonly items: readonly Expression[] }
  | { readonly kind: "object"; readonly entries: readonly (readonly [Expression, Expression])[] };

/** A literal piece of a text, or an expression with its source: `${var.x}`. */
export type TextPart = string | { readonly expression: Expression; readonly source: string };

/** Thrown for an expression that rnv does not understand, with words for the user. */
export class ExpressionProblem extends Error {}

const maxDepth = 50;
const identifier = /[A-Za-z_][\w-]*/y;
const number = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y;

/** The parts of a JSON text of a stack; throws `ExpressionProblem` for what rnv does not read. */
export const parseText = (text: string): readonly TextPart[] => new Parser(text).text();

/** A bare expression, such as an entry of `depends_on`. */
export function parseExpression(text: string): Expression {
  const parser = new Parser(text);
  const found = parser.expression();
  parser.expectEnd();
  return found;
}

/** Reads a text in one pass. */
class Parser {
  private at = 0;
  private depth = 0;
  /** The space before where it stands breaks the line. */
  private isNewLine = false;

  constructor(private readonly source: string) {}

  /** Literal text with `${…}` in it, up to the end, or up to a closing quote within an expression. */
  text(quoted = false): TextPart[] {
    const parts: TextPart[] = [];
    let literal = "";
    const flush = (): void => {
      if (literal !== "") parts.push(literal);
      literal = "";
    };
    while (this.at < this.source.length && !(quoted && this.source[this.at] === '"')) {
      const two = this.source.slice(this.at, this.at + 2);
      const three = this.source.slice(this.at, this.at + 3);
      if (three === "$${" || three === "%%{") {
        literal += three.slice(1);
        this.at += 3;
      } else if (two === "${") {
        flush();
        parts.push(this.interpolation());
      } else if (two === "%{") {
        throw new ExpressionProblem("the directive %{…}");
      } else if (quoted && two.startsWith("\\")) {
        literal += this.escape();
      } else {
        literal += two[0];
        this.at += 1;
      }
    }
    flush();
    return parts;
  }

  private interpolation(): TextPart {
    const start = this.at;
    this.at += 2;
    if (this.source[this.at] === "~") throw new ExpressionProblem("the trimming ${~ …}");
    const expression = this.expression();
    this.expect("}");
    return { expression, source: this.source.slice(start, this.at) };
  }

  private escape(): string {
    const letter = this.source[this.at + 1] ?? "";
    const known: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\" };
    const digits = letter === "u" ? 4 : letter === "U" ? 8 : 0;
    const code = this.source.slice(this.at + 2, this.at + 2 + digits);
    const text =
      digits > 0 && /^[0-9a-fA-F]+$/.test(code) ? codePoint(Number.parseInt(code, 16)) : known[letter];
    if (text === undefined) throw new ExpressionProblem(`the escape \\${letter}`);
    this.at += 2 + digits;
    return text;
  }

  expression(): Expression {
    this.depth += 1;
    if (this.depth > maxDepth) throw new ExpressionProblem(`more than ${maxDepth} levels of nesting`);
    let found = this.primary();
    for (let steps = 0; ; steps += 1) {
      if (steps > maxDepth) throw new ExpressionProblem(`more than ${maxDepth} steps in one reference`);
      this.space();
      const next = this.source[this.at];
      if (next === ".") found = { kind: "access", of: found, key: this.attribute() };
      else if (next === "[") found = { kind: "access", of: found, key: this.index() };
      else break;
    }
    this.depth -= 1;
    return found;
  }

  private attribute(): Expression {
    this.at += 1;
    const name = this.match(identifier) ?? this.match(/\d+/y);
    if (name === undefined)
      throw new ExpressionProblem(this.source[this.at] === "*" ? "the splat .*" : "an operator");
    return { kind: "value", value: /^\d/.test(name) ? Number(name) : name };
  }

  private index(): Expression {
    this.at += 1;
    this.space();
    if (this.source[this.at] === "*") throw new ExpressionProblem("the splat [*]");
    const key = this.expression();
    this.expect("]");
    return key;
  }

  private primary(): Expression {
    this.space();
    const first = this.source[this.at] ?? "";
    if (first === '"') return this.quoted();
    if (first === "[") return { kind: "list", items: this.sequence("]") };
    if (first === "{") return this.object();
    if (first === "(") {
      this.at += 1;
      const inner = this.expression();
      this.expect(")");
      return inner;
    }
    const digits = this.match(number);
    if (digits !== undefined) return { kind: "value", value: Number(digits) };
    const name = this.match(identifier);
    if (name === undefined)
      throw new ExpressionProblem(first === "" ? "an expression without an end" : "an operator");
    if (name === "for") throw new ExpressionProblem("for");
    if (name === "true" || name === "false") return { kind: "value", value: name === "true" };
    if (name === "null") return { kind: "value", value: null };
    return this.source[this.at] === "("
      ? { kind: "call", name, args: this.sequence(")") }
      : { kind: "root", name };
  }

  private quoted(): Expression {
    this.at += 1;
    const parts = this.text(true);
    this.expect('"');
    const [only] = parts;
    if (parts.length === 0) return { kind: "value", value: "" };
    return parts.length === 1 && typeof only === "string"
      ? { kind: "value", value: only }
      : { kind: "text", parts };
  }

  private sequence(close: string): Expression[] {
    this.at += 1;
    const items: Expression[] = [];
    for (this.space(); this.source[this.at] !== close; this.space()) {
      items.push(this.expression());
      this.space();
      if (this.source[this.at] === ",") this.at += 1;
      else if (this.source[this.at] !== close) this.expect(close);
    }
    this.at += 1;
    return items;
  }

  private object(): Expression {
    this.at += 1;
    const entries: [Expression, Expression][] = [];
    for (this.space(); this.source[this.at] !== "}"; this.space()) {
      const key = this.expression();
      this.space();
      if (!/[=:]/.test(this.source[this.at] ?? "")) this.expect("=");
      this.at += 1;
      // A bare word before the sign is a name.
      entries.push([key.kind === "root" ? { kind: "value", value: key.name } : key, this.expression()]);
      this.space();
      if (this.source[this.at] === ",") this.at += 1;
      else if (this.source[this.at] !== "}" && !this.isNewLine) this.expect("}");
    }
    this.at += 1;
    return { kind: "object", entries };
  }

  expectEnd(): void {
    this.space();
    if (this.at < this.source.length) throw new ExpressionProblem("an operator");
  }

  private expect(text: string): void {
    this.space();
    if (!this.source.startsWith(text, this.at)) {
      throw new ExpressionProblem(
        this.at >= this.source.length ? "an expression without an end" : "an operator",
      );
    }
    this.at += text.length;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }

  private space(): void {
    this.isNewLine = false;
    for (; /\s/.test(this.source[this.at] ?? ""); this.at += 1)
      this.isNewLine ||= this.source[this.at] === "\n";
  }
}

const codePoint = (code: number): string | undefined =>
  code > 0x10ffff ? undefined : String.fromCodePoint(code);
