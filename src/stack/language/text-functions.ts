import { createHash } from "node:crypto";
import {
  bool,
  graphemes,
  isListLike,
  list,
  text,
  number as toNumber,
  type Value,
  type ValueType,
} from "./expression-value";
import { format } from "./format-function";
import { any, deep, type FunctionRule, nullable, number, type Parameter, string } from "./function-rule";
import { jsonDecode, jsonEncode } from "./json-functions";
import { numberOf, textOf, wholeNumber } from "./operators";
import { ExpressionProblem, unsupported } from "./problem";

/** A function of texts. */
const ofTexts = (
  count: number,
  call: (...texts: string[]) => Value,
  gives: ValueType = "string",
): FunctionRule => deep(new Array<Parameter>(count).fill(string), gives, (args) => call(...args.map(textOf)));

/** A letter of another case where that is one letter too: Terraform changes letter by letter. */
function inCase(value: string, change: (letter: string) => string): string {
  return [...value]
    .map((letter) => {
      const changed = [...change(letter)];
      return changed.length === 1 ? changed[0] : singleCase(letter, changed);
    })
    .join("");
}

/** Letters with an iota below have a capital of their own; İ loses its dot. */
function singleCase(letter: string, changed: readonly string[]): string {
  if (letter === "\u0130") return "i";
  const code = letter.codePointAt(0) as number;
  const hasCapital = changed[1] === "\u0399" && code >= 0x1f80 && code <= 0x1fff;
  if (!hasCapital) return letter;
  if (code < 0x1fb0) return String.fromCodePoint(code | 8);
  return [0x1fb3, 0x1fc3, 0x1ff3].includes(code) ? String.fromCodePoint(code + 9) : letter;
}

const upper = (value: string): string => inCase(value, (letter) => letter.toUpperCase());
const lower = (value: string): string => inCase(value, (letter) => letter.toLowerCase());

/** White space of Unicode, which is what Terraform trims. */
const spaceAtEnds = /^[\p{White_Space}]+|[\p{White_Space}]+$/gu;

function trimLetters(value: string, letters: string): string {
  const cut = new Set(letters);
  const characters = [...value];
  let start = 0;
  let end = characters.length;
  while (start < end && cut.has(characters[start] as string)) start += 1;
  while (end > start && cut.has(characters[end - 1] as string)) end -= 1;
  return characters.slice(start, end).join("");
}

function substring([given, offset, length]: readonly Value[]): Value {
  const characters = graphemes(textOf(given as Value));
  const [from, size] = [wholeNumber(offset as Value), wholeNumber(length as Value)];
  const start = from < 0 ? Math.max(0, from + characters.length) : from;
  return text(characters.slice(start, size < 0 ? undefined : start + size).join(""));
}

/** Replaces `found` by `by`; an empty `found` is between every two letters and around them. */
function replace(value: string, found: string, by: string): string {
  const pieces = found === "" ? ["", ...value, ""] : value.split(found);
  const size = value.length + pieces.length * by.length;
  if (size > largestReplacement) throw new ExpressionProblem(`the text would have ${size} characters`);
  return pieces.join(by);
}

/** Refuses a `replace` whose second argument is a regular expression for Terraform: text between slashes. */
function refusePattern([, found]: readonly Value[]): void {
  if (found?.kind === "string" && /^\/.*\/$/s.test(found.value))
    throw unsupported("replace with a pattern", "compute it in the program, or run the stack with Terraform");
}

const largestReplacement = 16 * 1024 * 1024;

function decodeBase64(written: string): string {
  const value = written.replace(/[\r\n]/g, "");
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value);
  if (!isBase64) throw new ExpressionProblem("the text is not base64");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, "base64"));
  } catch {
    throw new ExpressionProblem("what the base64 stands for is not UTF-8 text");
  }
}

const encodeUrl = (value: string): string =>
  encodeURIComponent(value)
    .replace(/%20/g, "+")
    .replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);

const digest =
  (algorithm: string, encoding: "hex" | "base64" = "hex") =>
  (value: string) =>
    text(createHash(algorithm).update(value, "utf8").digest(encoding));

function parseInteger([given, base]: readonly Value[]): Value {
  const radix = numberOf(base as Value);
  if (!Number.isInteger(radix) || radix < 2 || radix > 36)
    throw new ExpressionProblem("the base is a whole number from 2 to 36");
  const value = given?.kind === "string" ? given.value : "";
  const digits = /^[+-]?([0-9a-z]+)$/i.exec(value)?.[1] ?? "";
  if (digits === "" || [...digits].some((digit) => Number.parseInt(digit, 36) >= radix))
    throw new ExpressionProblem(`the text is not a whole number of base ${radix}`);
  return toNumber(Number.parseInt(value, radix));
}

/** Letters of two have a form of their own at the start of a word. */
const capital = (letter: string): string =>
  "ǄǅǆǇǈǉǊǋǌǱǲǳ".includes(letter) ? digraph(letter) : upper(letter);

const digraph = (letter: string): string =>
  ["ǅ", "ǈ", "ǋ", "ǲ"].find((one) => upper(one) === upper(letter)) ?? letter;

const title = (value: string): string =>
  value.replace(
    /(^|[^\p{L}\p{N}_])(\p{L})/gu,
    (_all, before: string, letter: string) => before + capital(letter),
  );

const formatOne = ([pattern, ...args]: readonly Value[]): Value =>
  text(format(textOf(pattern as Value), args));

/** `formatlist`: a format for each item of its lists, which are equally long. */
function formatEach([pattern, ...args]: readonly Value[]): Value {
  const lists = args.filter(isListLike);
  const [first] = lists;
  const length = first?.items.length ?? 1;
  if (lists.some(({ items }) => items.length !== length))
    throw new ExpressionProblem("the lists are not equally long");
  const items = Array.from({ length }, (_, i) =>
    formatOne([pattern as Value, ...args.map((arg) => (isListLike(arg) ? (arg.items[i] as Value) : arg))]),
  );
  return list(items, "string");
}

/** Functions of text and numbers. */
export const textFunctions: readonly (readonly [string, FunctionRule])[] = [
  ["upper", ofTexts(1, (value) => text(upper(value)))],
  ["lower", ofTexts(1, (value) => text(lower(value)))],
  ["title", ofTexts(1, (value) => text(title(value)))],
  ["trimspace", ofTexts(1, (value) => text(value.replace(spaceAtEnds, "")))],
  ["trim", ofTexts(2, (value, letters) => text(trimLetters(value, letters)))],
  [
    "trimprefix",
    ofTexts(2, (value, start) => text(value.startsWith(start) ? value.slice(start.length) : value)),
  ],
  [
    "trimsuffix",
    ofTexts(2, (value, end) => text(value.endsWith(end) ? value.slice(0, value.length - end.length) : value)),
  ],
  ["chomp", ofTexts(1, (value) => text(value.replace(/[\r\n]+$/, "")))],
  ["indent", deep([number, string], "string", indentLines)],
  ["startswith", ofTexts(2, (value, start) => bool(value.startsWith(start)), "bool")],
  ["endswith", ofTexts(2, (value, end) => bool(value.endsWith(end)), "bool")],
  ["strcontains", ofTexts(2, (value, part) => bool(value.includes(part)), "bool")],
  ["strrev", ofTexts(1, (value) => text(graphemes(value).reverse().join("")))],
  ["replace", { ...ofTexts(3, (value, found, by) => text(replace(value, found, by))), check: refusePattern }],
  [
    "split",
    ofTexts(
      2,
      (separator, value) =>
        list((separator === "" ? [...value] : value.split(separator)).map(text), "string"),
      { kind: "list", of: "string" },
    ),
  ],
  ["substr", deep([string, number, number], "string", substring)],
  ["base64encode", ofTexts(1, (value) => text(Buffer.from(value, "utf8").toString("base64")))],
  ["base64decode", ofTexts(1, (value) => text(decodeBase64(value)))],
  ["urlencode", ofTexts(1, (value) => text(encodeUrl(value)))],
  ["sha256", ofTexts(1, digest("sha256"))],
  ["base64sha256", ofTexts(1, digest("sha256", "base64"))],
  ["sha1", ofTexts(1, digest("sha1"))],
  ["md5", ofTexts(1, digest("md5"))],
  ["jsonencode", deep([nullable], "string", ([value]) => text(jsonEncode(value as Value)))],
  ["jsondecode", ofTexts(1, jsonDecode, "any")],
  ["format", deep([string], "string", formatOne, { rest: nullable })],
  ["formatlist", deep([string], { kind: "list", of: "string" }, formatEach, { rest: any })],
  ["parseint", deep([any, number], "number", parseInteger)],
  ...numberFunctions(),
];

function indentLines([spaces, value]: readonly Value[]): Value {
  const width = numberOf(spaces as Value);
  if (!Number.isInteger(width) || width < 0 || width > 1000)
    throw new ExpressionProblem("the indentation is a whole number up to 1000");
  return text(textOf(value as Value).replaceAll("\n", `\n${" ".repeat(width)}`));
}

function numberFunctions(): readonly (readonly [string, FunctionRule])[] {
  const of = (call: (...values: number[]) => number, others: Partial<FunctionRule> = {}): FunctionRule =>
    deep([number], "number", (args) => toNumber(call(...args.map(numberOf))), others);
  return [
    ["abs", of(Math.abs)],
    ["ceil", of(Math.ceil)],
    ["floor", of(Math.floor)],
    ["signum", of(Math.sign)],
    ["max", of(Math.max, { rest: number })],
    ["min", of(Math.min, { rest: number })],
  ];
}
