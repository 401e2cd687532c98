import { binaryLevels } from "./operators";
import { invalid, type StackProblem, unsupported } from "./problem";

export type Expression =
  | { readonly kind: "value"; readonly value: null | boolean | number | string }
  | { readonly kind: "text"; readonly parts: readonly TextPart[] }
  | { readonly kind: "root"; readonly name: string }
  | { readonly kind: "access"; readonly of: Expression; readonly key: Expression }
  /** `list[*].name`: the steps behind the sign are taken in each item. */
  | { readonly kind: "splat"; readonly of: Expression; readonly each: Expression }
  | {
      readonly kind: "call";
      readonly name: string;
      readonly args: readonly Expression[];
      readonly spreads: boolean;
    }
  | { readonly kind: "list"; readonly items: readonly Expression[] }
  | { readonly kind: "object"; readonly entries: readonly (readonly [Expression, Expression])[] }
  | ({ readonly kind: "for" } & Loop)
  | { readonly kind: "unary"; readonly operator: "-" | "!"; readonly of: Expression }
  | {
      readonly kind: "binary";
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: "condition";
      readonly condition: Expression;
      readonly yes: Expression;
      readonly no: Expression;
    };

/** `[for key, value in of : result if condition]`, or with `{name => result}`. */
interface Loop {
  readonly key: string | undefined;
  readonly value: string;
  readonly of: Expression;
  readonly name: Expression | undefined;
  readonly result: Expression;
  readonly condition: Expression | undefined;
  /** Results of one name are a list. */
  readonly groups: boolean;
}

export type TextPart = string | Expression;

/** The name of the item of a splat, which no other name can be. */
export const splatItem = "*";

/** Levels of nesting, and operators in a row. */
const maxDepth = 50;
const maxOperators = 250;
const identifier = /[\p{ID_Start}_][\p{ID_Continue}-]*/uy;
const number = /\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y;

/** The parts of a JSON text of a stack; throws `StackProblem` for syntax that rnv does not read. */
export const parseText = (text: string): readonly TextPart[] => new Parser(text).text();

export function parseExpression(text: string): Expression {
  const parser = new Parser(text);
  const found = parser.expression();
  parser.expectEnd();
  return found;
}

class Parser {
  private at = 0;
  private depth = 0;

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
      const escaped = this.match(/\$\$\{|%%\{/y);
      if (escaped !== undefined) literal += escaped.slice(1);
      else if (this.match(/\$\{/y) !== undefined) {
        flush();
        parts.push(this.expression());
        this.expect("}");
      } else if (this.match(/%\{/y) !== undefined) throw unsupported("the directive %{…}");
      else if (quoted && this.source[this.at] === "\\") literal += this.escape();
      else {
        literal += this.source[this.at];
        this.at += 1;
      }
    }
    flush();
    return parts;
  }

  private escape(): string {
    const written = this.match(/\\(?:[nrt"\\]|u[\dA-Fa-f]{4}|U00(?:0[\dA-Fa-f]|10)[\dA-Fa-f]{4})/y);
    if (written === undefined) throw invalid(`there is no escape \\${this.source[this.at + 1] ?? ""}`);
    if (written.startsWith("\\U")) return String.fromCodePoint(Number.parseInt(written.slice(2), 16));
    return JSON.parse(`"${written}"`) as string;
  }

  private nested<T>(read: () => T): T {
    this.depth += 1;
    if (this.depth > maxDepth) throw unsupported(`an expression of more than ${maxDepth} levels`);
    const found = read();
    this.depth -= 1;
    return found;
  }

  expression(): Expression {
    return this.nested(() => {
      const condition = this.binary(0);
      this.space();
      if (this.source[this.at] !== "?") return condition;
      this.at += 1;
      const yes = this.expression();
      this.expect(":");
      return { kind: "condition", condition, yes, no: this.expression() };
    });
  }

  private binary(level: number): Expression {
    const operators = binaryLevels[level];
    if (operators === undefined) return this.unary();
    let left = this.binary(level + 1);
    for (let steps = 0; ; steps += 1) {
      if (steps > maxOperators) throw unsupported(`more than ${maxOperators} operators in a row`);
      this.space();
      const operator = operators.find((one) => this.source.startsWith(one, this.at));
      if (operator === undefined) return left;
      this.at += operator.length;
      const right = this.binary(level + 1);
      left = { kind: "binary", operator, left, right };
    }
  }

  private unary(): Expression {
    this.space();
    const operator = this.match(/-|!(?!=)/y);
    if (operator === undefined) return this.traversal();
    return { kind: "unary", operator: operator as "-" | "!", of: this.nested(() => this.unary()) };
  }

  /** A term and the steps into it. Behind `.*` an index is of the whole list. */
  private traversal(): Expression {
    const found = this.steps(this.term());
    const sign = this.match(/\.\*|\[\s*\*\s*\]/y);
    if (sign === undefined) return found;
    const each = this.steps({ kind: "root", name: splatItem }, sign === ".*" ? "attributes" : "all");
    return this.steps({ kind: "splat", of: found, each });
  }

  private steps(of: Expression, kinds: "all" | "attributes" = "all"): Expression {
    let found = of;
    for (;;) {
      this.space();
      const key = this.attribute() ?? (kinds === "all" ? this.index() : undefined);
      if (key === undefined) return found;
      found = { kind: "access", of: found, key };
    }
  }

  /** The key of `.name` or `.0`; undefined where none follows. */
  private attribute(): Expression | undefined {
    if (this.match(/\.(?![.*])/y) === undefined) return undefined;
    const name = this.match(identifier);
    const digits = name === undefined ? this.match(/\d+/y) : undefined;
    if (name === undefined && digits === undefined) throw this.unexpected("a name");
    return { kind: "value", value: name ?? Number(digits) };
  }

  /** The key of `[…]`; undefined where none follows. */
  private index(): Expression | undefined {
    if (this.match(/\[(?!\s*\*\s*\])/y) === undefined) return undefined;
    const key = this.expression();
    this.expect("]");
    return key;
  }

  private term(): Expression {
    this.space();
    const first = this.source[this.at] ?? "";
    if (first === '"') return this.quoted();
    if (first === "[") return this.loop("]") ?? { kind: "list", items: this.sequence("]").items };
    if (first === "{") return this.loop("}") ?? this.object();
    if (first === "(") {
      this.at += 1;
      const inner = this.expression();
      this.expect(")");
      return inner;
    }
    const digits = this.match(number);
    if (digits !== undefined) return { kind: "value", value: Number(digits) };
    const name = this.match(identifier);
    if (name === undefined) throw this.unexpected("a value");
    if (name === "true" || name === "false") return { kind: "value", value: name === "true" };
    if (name === "null") return { kind: "value", value: null };
    const namespace = this.match(/(?:::[\p{ID_Start}_][\p{ID_Continue}-]*)+/uy) ?? "";
    if (this.match(/\s*(?=\()/y) === undefined) return { kind: "root", name };
    const { items, spreads } = this.sequence(")");
    return { kind: "call", name: name + namespace, args: items, spreads };
  }

  private quoted(): Expression {
    this.at += 1;
    const parts = this.text(true);
    this.expect('"');
    return { kind: "text", parts };
  }

  private sequence(close: string): { items: Expression[]; spreads: boolean } {
    this.at += 1;
    const items: Expression[] = [];
    let spreads = false;
    for (this.space(); this.source[this.at] !== close; this.space()) {
      items.push(this.expression());
      this.space();
      spreads = close === ")" && this.match(/\.{3}\s*/y) !== undefined;
      if (this.source[this.at] === "," && !spreads) this.at += 1;
      else if (this.source[this.at] !== close) this.expect(close);
    }
    this.at += 1;
    return { items, spreads };
  }

  private object(): Expression {
    this.at += 1;
    const entries: [Expression, Expression][] = [];
    for (this.space(); this.source[this.at] !== "}"; this.space()) {
      const key = this.key();
      this.space();
      if (!/[=:]/.test(this.source[this.at] ?? "")) this.expect("=");
      this.at += 1;
      entries.push([key, this.expression()]);
      this.space();
      if (this.source[this.at] === ",") this.at += 1;
      else if (this.source[this.at] !== "}") this.expect("}");
    }
    this.at += 1;
    return { kind: "object", entries };
  }

  /** A bare word before the sign is a name. */
  private key(): Expression {
    this.space();
    const name = this.match(/[\p{ID_Start}_][\p{ID_Continue}-]*(?=\s*(?:=(?!=)|:))/uy);
    return name === undefined ? this.expression() : { kind: "value", value: name };
  }

  /** A `for` in brackets that are still to be opened; undefined where there is none. */
  private loop(close: "]" | "}"): Expression | undefined {
    if (this.match(/[[{]\s*for(?=\s)/y) === undefined) return undefined;
    const first = this.word();
    const hasKey = this.match(/\s*,/y) !== undefined;
    const value = hasKey ? this.word() : first;
    if (this.word() !== "in") throw this.unexpected("in");
    const of = this.expression();
    this.expect(":");
    const name = close === "}" ? this.expression() : undefined;
    if (name !== undefined) this.expect("=>");
    const result = this.expression();
    this.space();
    const groups = name !== undefined && this.match(/\.{3}/y) !== undefined;
    this.space();
    const condition = this.match(/if(?=[\s(!])/y) === undefined ? undefined : this.expression();
    this.expect(close);
    return { kind: "for", key: hasKey ? first : undefined, value, of, name, result, condition, groups };
  }

  private word(): string {
    this.space();
    const found = this.match(identifier);
    if (found === undefined) throw this.unexpected("a name");
    return found;
  }

  expectEnd(): void {
    this.space();
    if (this.at < this.source.length) throw this.unexpected("the end");
  }

  private expect(text: string): void {
    this.space();
    if (!this.source.startsWith(text, this.at)) throw this.unexpected(text);
    this.at += text.length;
  }

  private unexpected(wanted: string): StackProblem {
    const isEnd = this.at >= this.source.length;
    return invalid(
      isEnd
        ? `the expression ends where ${wanted} is expected`
        : `${wanted} is expected at character ${this.at + 1}`,
    );
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }

  private space(): void {
    this.match(/\s*/y);
  }
}
