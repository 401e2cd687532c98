import { createHash } from "node:crypto";
import { graphemes, isListLike, list, text, type Value } from "./expression-value";
import { format } from "./format-function";
import { any, deep, type FunctionRule, nullable, number, string, whole } from "./function-rule";
import { jsonDecode, jsonEncode } from "./json-functions";
import { ExpressionProblem, unsupported } from "./problem";

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

function substring(value: string, offset: number, length: number): string {
  const characters = graphemes(value);
  const start = offset < 0 ? Math.max(0, offset + characters.length) : offset;
  return characters.slice(start, length < 0 ? undefined : start + length).join("");
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

function split(separator: string, value: string): Value {
  return list((separator === "" ? [...value] : value.split(separator)).map(text), "string");
}

function indent(spaces: number, value: string): string {
  if (!Number.isInteger(spaces) || spaces < 0 || spaces > 1000)
    throw new ExpressionProblem("the indentation is a whole number up to 1000");
  return value.replaceAll("\n", `\n${" ".repeat(spaces)}`);
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
  (value: string): string =>
    createHash(algorithm).update(value, "utf8").digest(encoding);

function parseInteger(given: Value, radix: number): number {
  if (!Number.isInteger(radix) || radix < 2 || radix > 36)
    throw new ExpressionProblem("the base is a whole number from 2 to 36");
  const value = given.kind === "string" ? given.value : "";
  const digits = /^[+-]?([0-9a-z]+)$/i.exec(value)?.[1] ?? "";
  if (digits === "" || [...digits].some((digit) => Number.parseInt(digit, 36) >= radix))
    throw new ExpressionProblem(`the text is not a whole number of base ${radix}`);
  return Number.parseInt(value, radix);
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

/** `formatlist`: a format for each item of its lists, which are equally long. */
function formatEach(pattern: string, ...args: readonly Value[]): Value {
  const lists = args.filter(isListLike);
  const [first] = lists;
  const length = first?.items.length ?? 1;
  if (lists.some(({ items }) => items.length !== length))
    throw new ExpressionProblem("the lists are not equally long");
  const argsOf = (i: number) => args.map((arg) => (isListLike(arg) ? (arg.items[i] as Value) : arg));
  return list(
    Array.from({ length }, (_, i) => text(format(pattern, argsOf(i)))),
    "string",
  );
}

const ofText = (change: (value: string) => string): FunctionRule => deep([string], change);
const ofTexts = (change: (value: string, other: string) => string): FunctionRule =>
  deep([string, string], change);
const testOf = (test: (value: string, other: string) => boolean): FunctionRule =>
  deep([string, string], test);
const ofNumber = (change: (value: number) => number): FunctionRule => deep([number], change);

/** Functions of text and numbers. */
export const textFunctions: Readonly<Record<string, FunctionRule>> = {
  upper: ofText(upper),
  lower: ofText(lower),
  title: ofText(title),
  trimspace: ofText((value) => value.replace(spaceAtEnds, "")),
  trim: ofTexts(trimLetters),
  trimprefix: ofTexts((value, start) => (value.startsWith(start) ? value.slice(start.length) : value)),
  trimsuffix: ofTexts((value, end) =>
    value.endsWith(end) ? value.slice(0, value.length - end.length) : value,
  ),
  chomp: ofText((value) => value.replace(/[\r\n]+$/, "")),
  indent: deep([number, string], indent),
  startswith: testOf((value, start) => value.startsWith(start)),
  endswith: testOf((value, end) => value.endsWith(end)),
  strcontains: testOf((value, part) => value.includes(part)),
  strrev: ofText((value) => graphemes(value).reverse().join("")),
  replace: deep([string, string, string], replace, { check: refusePattern }),
  split: deep([string, string], split),
  substr: deep([string, whole, whole], substring),
  base64encode: ofText((value) => Buffer.from(value, "utf8").toString("base64")),
  base64decode: ofText(decodeBase64),
  urlencode: ofText(encodeUrl),
  sha256: ofText(digest("sha256")),
  base64sha256: ofText(digest("sha256", "base64")),
  sha1: ofText(digest("sha1")),
  md5: ofText(digest("md5")),
  jsonencode: deep([nullable], jsonEncode),
  jsondecode: deep([string], jsonDecode),
  format: deep([string], (pattern, ...args) => format(pattern, args), { rest: nullable }),
  formatlist: deep([string], formatEach, { rest: any }),
  parseint: deep([any, number], parseInteger),
  abs: ofNumber(Math.abs),
  ceil: ofNumber(Math.ceil),
  floor: ofNumber(Math.floor),
  signum: ofNumber(Math.sign),
  max: deep([number], Math.max, { rest: number }),
  min: deep([number], Math.min, { rest: number }),
};
