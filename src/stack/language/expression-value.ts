import type { AwaitedPart, SourceNode } from "../../declaration/tree";
import type { Plain } from "../../model/value";
import { ExpressionProblem, unsupported } from "./problem";

/** A type of Terraform; `any` is the type of null and of values that are not known yet. */
export type ValueType =
  | "any"
  | "string"
  | "number"
  | "bool"
  | { readonly kind: "list" | "set" | "map"; readonly of: ValueType }
  | MembersType;

/** The type of each member, of a tuple by its index. */
export interface MembersType {
  readonly kind: "tuple" | "object";
  readonly entries: ReadonlyMap<string | number, ValueType>;
  /** Defaults of the attributes that may be left out, of the type of a variable. */
  readonly optional?: ReadonlyMap<string, Value>;
}

export const tupleType = (items: readonly ValueType[]): MembersType => ({
  kind: "tuple",
  entries: new Map(items.map((item, i) => [i, item])),
});

/** A source that a value waits for: a reference, a text of the environment, or a secret by its source. */
export type Awaited = AwaitedPart | SourceNode;

export type Fill = (awaited: Awaited) => Value;

interface MarkedValue {
  readonly sensitive?: true;
}

export interface ListValue extends MarkedValue {
  readonly kind: "list" | "set" | "tuple";
  readonly items: readonly Value[];
  readonly of: ValueType;
}

export interface MapValue extends MarkedValue {
  readonly kind: "map" | "object";
  readonly entries: ReadonlyMap<string, Value>;
  readonly of: ValueType;
}

export interface LaterValue extends MarkedValue {
  readonly kind: "later";
  readonly awaits: readonly Awaited[];
  readonly compute: (fill: Fill) => Value;
  /** Its parts, if it is joined text or a single reference. */
  readonly parts?: readonly (string | Awaited)[];
}

export type Value =
  | ({ readonly kind: "null" } & MarkedValue)
  | ({ readonly kind: "bool"; readonly value: boolean } & MarkedValue)
  | ({ readonly kind: "number"; readonly value: number } & MarkedValue)
  | ({ readonly kind: "string"; readonly value: string } & MarkedValue)
  | ListValue
  | MapValue
  | LaterValue;

/** A text that a few doublings make out of a short one is a bomb. */
export const longestText = 16 * 1024 * 1024;

export const tooLong = (): ExpressionProblem =>
  new ExpressionProblem(`the text would have more than ${longestText} characters`);

export const nothing: Value = { kind: "null" };
export const bool = (value: boolean): Value => ({ kind: "bool", value });

/** A number of JavaScript. A whole number that it cannot hold exactly is refused. */
export function number(value: number): Value {
  if (
    Number.isSafeInteger(value) ||
    !(Number.isInteger(value) || Math.abs(value) === Number.POSITIVE_INFINITY)
  )
    return { kind: "number", value: value === 0 ? 0 : value };
  throw unsupported("a whole number beyond 2^53", "keep it as text, or compute it in the program");
}

export const parseNumber = (text: string): number | undefined =>
  /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;

/** Without an exponent, in the fewest digits that give the number back. */
const plainDigits = new Intl.NumberFormat("en", { useGrouping: false, maximumSignificantDigits: 21 });

/** Writes a number with all of its digits, as Terraform does: never `1e-7`. */
export const numberText = (value: number): string => plainDigits.format(value);

/** Text in the normal form that Terraform keeps. */
export function text(value: string): Value {
  if (value.length > longestText) throw tooLong();
  return { kind: "string", value: value.normalize("NFC") };
}

export const tuple = (items: readonly Value[]): ListValue => ({ kind: "tuple", items, of: "any" });
export const list = (items: readonly Value[], of: ValueType): ListValue => ({ kind: "list", items, of });
export const object = (entries: Iterable<readonly [string, Value]>): MapValue => ({
  kind: "object",
  entries: new Map([...entries].sort(([a], [b]) => compareText(a, b))),
  of: "any",
});
export const map = (entries: Iterable<readonly [string, Value]>, of: ValueType): MapValue => ({
  ...object(entries),
  kind: "map",
  of,
});

/** The order of texts: that of their bytes. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

export const marked = <V extends Value>(value: V, isSensitive = true): V =>
  isSensitive && value.sensitive !== true ? { ...value, sensitive: true } : value;

export const isListLike = (value: Value): value is ListValue => "items" in value;
export const isMapLike = (value: Value): value is MapValue => "entries" in value;

export const membersOf = (value: Value): readonly Value[] =>
  isListLike(value) ? value.items : isMapLike(value) ? [...value.entries.values()] : [];

const contains = (value: Value, test: (inner: Value) => boolean): boolean =>
  test(value) || membersOf(value).some((member) => contains(member, test));

export const isSensitive = (value: Value): boolean => contains(value, (inner) => inner.sensitive === true);

export const isKnown = (value: Value): boolean => !contains(value, (inner) => inner.kind === "later");

/** The value, and all that is in it, changed from the inside to the outside. */
function rebuilt(value: Value, change: (value: Value) => Value): Value {
  if (isListLike(value)) return change({ ...value, items: value.items.map((item) => rebuilt(item, change)) });
  if (!isMapLike(value)) return change(value);
  const entries = [...value.entries].map(([key, inner]) => [key, rebuilt(inner, change)] as const);
  return change({ ...value, entries: new Map(entries) });
}

export const unmarked = (value: Value): Value =>
  isSensitive(value) ? rebuilt(value, ({ sensitive: _sensitive, ...inner }) => inner) : value;

export const filled = (value: Value, fill: Fill): Value =>
  isKnown(value)
    ? value
    : rebuilt(value, (inner) =>
        inner.kind === "later" ? marked(inner.compute(fill), inner.sensitive === true) : inner,
      );

export type Attempt = Value | ExpressionProblem;

export const isValue = (attempt: Attempt): attempt is Value => !(attempt instanceof ExpressionProblem);

export function attempted(evaluate: () => Value): Attempt {
  try {
    return evaluate();
  } catch (cause) {
    if (cause instanceof ExpressionProblem) return cause;
    throw cause;
  }
}

export function outcomeOf(attempt: Attempt): Value {
  if (isValue(attempt)) return attempt;
  throw attempt;
}

export function awaitedBy(value: Value): readonly Awaited[] {
  if (value.kind === "later") return value.awaits;
  return membersOf(value).flatMap(awaitedBy);
}

export const later = (awaited: Awaited): LaterValue => ({
  kind: "later",
  awaits: [awaited],
  parts: [awaited],
  compute: (fill) => fill(awaited),
});

/** A value whose parts are known later, and are looked at one by one once they are. */
export function postponed(values: readonly Value[], compute: LaterValue["compute"]): LaterValue {
  const awaits = [...new Set(values.flatMap(awaitedBy))];
  return marked({ kind: "later", awaits, compute }, values.some(isSensitive));
}

export const whenKnown = (args: readonly Value[], apply: (known: readonly Value[]) => Value): Value =>
  args.every(isKnown) ? apply(args) : postponed(args, (fill) => apply(args.map((arg) => filled(arg, fill))));

export function typeOf(value: Value): ValueType {
  switch (value.kind) {
    case "null":
    case "later":
      return "any";
    case "tuple":
      return tupleType(value.items.map(typeOf));
    case "object":
      return {
        kind: "object",
        entries: new Map([...value.entries].map(([key, inner]) => [key, typeOf(inner)])),
      };
    case "list":
    case "set":
    case "map":
      return { kind: value.kind, of: value.of };
    default:
      return value.kind;
  }
}

export function describeType(type: ValueType): string {
  if (typeof type === "string") return type === "any" ? "any type" : type;
  return "of" in type ? `${type.kind} of ${describeType(type.of)}` : type.kind;
}

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

export const graphemes = (value: string): string[] =>
  /^[\x20-\x7e]*$/.test(value) ? [...value] : [...segmenter.segment(value)].map(({ segment }) => segment);

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
