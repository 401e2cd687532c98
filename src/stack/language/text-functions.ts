import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { boolOf, numberOf, textOf } from "./conversion";
import {
  graphemes,
  isListLike,
  jsonDecode,
  jsonEncode,
  list,
  longestText,
  numberText,
  text,
  tooLong,
  type Value,
} from "./expression-value";
import { any, deep, type FunctionRule, nullable, number, string, whole } from "./operators";
import { ExpressionProblem, unsupported } from "./problem";

interface FormatVerb {
  readonly flags: string;
  readonly width: number | undefined;
  readonly places: number | undefined;
  readonly letter: string;
  readonly source: string;
}

const verbPattern = /%([-+ 0]*)(\d+)?(?:\.(\d*))?(?:\[(\d+)\])?(.)?/gsu;

/** The longest text that a verb may ask for, and the most digits behind a point. */
const widest = 100;

const computeIt = "compute it in the program, or run the stack with Terraform";

/** Text by a format as in Terraform, whose verbs are those of Go. */
function format(pattern: string, args: readonly Value[]): string {
  let used = 0;
  let next = 0;
  const formatted = pattern.replace(verbPattern, (source, flags, width, places, index, letter) => {
    if (letter === undefined) throw new ExpressionProblem("the format ends within a verb");
    if (letter === "%") return "%";
    const position = index === undefined ? next : Number(index) - 1;
    next = position + 1;
    used = Math.max(used, next);
    const arg = args[position];
    if (arg === undefined) throw new ExpressionProblem(`there is no argument ${next} for ${source}`);
    const [columns, digits] = [width, places].map((size) => sizeOf(size, source));
    return formatOne({ flags, width: columns, places: digits, letter, source }, arg);
  });
  if (used < args.length)
    throw new ExpressionProblem(
      `the format uses ${used} argument${used === 1 ? "" : "s"}, found ${args.length}`,
    );
  return formatted;
}

function sizeOf(digits: string | undefined, source: string): number | undefined {
  if (digits === undefined) return undefined;
  if (Number(digits) > widest) throw new ExpressionProblem(`${source} is wider than ${widest}`);
  return Number(digits);
}

function formatOne(verb: FormatVerb, value: Value): string {
  const { letter, places, source } = verb;
  if (value.kind === "null" && letter !== "v")
    throw new ExpressionProblem(`null cannot be formatted by ${source}`);
  if (letter === "v") return padded(verb, plainText(value));
  if (letter === "t") return String(boolOf(value));
  if (letter === "d") return integer(verb, numberOf(value));
  if (letter === "f") return decimal(verb, numberOf(value));
  if (letter !== "s" && letter !== "q") throw unsupported(`the verb ${source} of format`, computeIt);
  const written = textOf(value);
  const cut = places === undefined || places === 0 ? written : graphemes(written).slice(0, places).join("");
  return padded(verb, letter === "s" ? cut : jsonEncode({ kind: "string", value: cut }));
}

function plainText(value: Value): string {
  if (value.kind === "string") return value.value;
  return value.kind === "number" ? general(value.value) : jsonEncode(value);
}

/** Pads a shown value: with zeros behind its sign, or with spaces. */
function padded({ flags, width = 0 }: FormatVerb, shown: string, fill = zeroOr(flags), sign = ""): string {
  const missing = fill.repeat(Math.max(0, width - sign.length - graphemes(shown).length));
  if (flags.includes("-")) return sign + shown + missing;
  return fill === "0" ? sign + missing + shown : missing + sign + shown;
}

const zeroOr = (flags: string): "0" | " " => (flags.includes("0") ? "0" : " ");

function paddedNumber(verb: FormatVerb, value: number, digits: string, fill = zeroOr(verb.flags)): string {
  const { flags } = verb;
  const sign = value < 0 ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  return padded(verb, digits, flags.includes("-") ? " " : fill, sign);
}

function integer(verb: FormatVerb, value: number): string {
  const { places, source } = verb;
  if (!Number.isInteger(value)) throw new ExpressionProblem(`${source} takes a whole number`);
  const digits = value === 0 && places === 0 ? "" : String(Math.abs(value)).padStart(places ?? 0, "0");
  return paddedNumber(verb, value, digits, places === undefined ? undefined : " ");
}

function decimal(verb: FormatVerb, value: number): string {
  return paddedNumber(verb, value, fixed(Math.abs(value), verb.places ?? 6));
}

/** Writes a number by `%f`; of two numbers that are equally near it takes the even one. */
function fixed(positive: number, places: number): string {
  const rounded = positive.toFixed(places);
  const isHalf = Math.abs((positive * 2 ** (places + 1)) % 2) === 1;
  return isHalf && /[13579]$/.test(rounded) ? (positive * (1 - Number.EPSILON)).toFixed(places) : rounded;
}

/** Writes a number by `%v`, in the fewest digits; its exponent decides whether it is shown, with two digits at least. */
function general(value: number): string {
  const exponent = Number(value.toExponential().split("e")[1]);
  if (exponent >= -4 && exponent < 6) return numberText(value);
  return value.toExponential().replace(/(?<=e[+-])\d$/, "0$&");
}

/** Letters that change case in a way of their own: two in one (ǆ), and Greek ones with an iota below. */
const specialLetters = /[\u01c4-\u01cc\u01f1-\u01f3\u1f80-\u1ffc]/;

/** Letters of another case where that is one letter too: Terraform changes letter by letter, and keeps ß. */
function inCase(value: string, change: (letter: string) => string): string {
  const special = specialLetters.exec(value)?.[0];
  if (special !== undefined) throw unsupported(`the letter ${special} in another case`, computeIt);
  return [...value]
    .map((letter) => {
      const changed = change(letter);
      return [...changed].length === 1 ? changed : letter;
    })
    .join("");
}

const upper = (value: string): string => inCase(value, (letter) => letter.toUpperCase());
const lower = (value: string): string => inCase(value.replaceAll("İ", "i"), (letter) => letter.toLowerCase());

/** White space of Unicode, as Terraform trims it. */
const spaceAtEnds = /^[\p{White_Space}]+|[\p{White_Space}]+$/gu;

function trimLetters(value: string, letters: string): string {
  const isKept = (letter: string): boolean => !letters.includes(letter);
  const characters = [...value];
  const start = characters.findIndex(isKept);
  return start === -1 ? "" : characters.slice(start, characters.findLastIndex(isKept) + 1).join("");
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
  if (size > longestText) throw tooLong();
  return pieces.join(by);
}

/** Refuses a `replace` whose second argument is a regular expression for Terraform: text between slashes. */
function refusePattern([, found]: readonly Value[]): void {
  if (found?.kind === "string" && /^\/.*\/$/s.test(found.value))
    throw unsupported("replace with a pattern", computeIt);
}

function split(separator: string, value: string): Value {
  return list((separator === "" ? [...value] : value.split(separator)).map(text), "string");
}

function indent(spaces: number, value: string): string {
  if (!Number.isInteger(spaces) || spaces < 0 || spaces > 1000)
    throw new ExpressionProblem("the indentation is a whole number up to 1000");
  return value.replaceAll("\n", `\n${" ".repeat(spaces)}`);
}

function decodeBase64(written: string): string {
  const value = written.replace(/[\r\n]/g, "");
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value);
  if (!isBase64) throw new ExpressionProblem("the text is not base64");
  const bytes = Buffer.from(value, "base64");
  if (isUtf8(bytes)) return bytes.toString();
  throw new ExpressionProblem("what the base64 stands for is not UTF-8 text");
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

const title = (value: string): string =>
  value.replace(
    /(^|[^\p{L}\p{N}_])(\p{L})/gu,
    (_all, before: string, letter: string) => before + upper(letter),
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
const ofTexts = (call: (value: string, other: string) => string | boolean): FunctionRule =>
  deep([string, string], call);
const ofNumber = (change: (value: number) => number): FunctionRule => deep([number], change);

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
  startswith: ofTexts((value, start) => value.startsWith(start)),
  endswith: ofTexts((value, end) => value.endsWith(end)),
  strcontains: ofTexts((value, part) => value.includes(part)),
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
  signum: deep([whole], Math.sign),
  max: deep([number], Math.max, { rest: number }),
  min: deep([number], Math.min, { rest: number }),
};
