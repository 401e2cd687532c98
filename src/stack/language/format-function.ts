import { convert } from "./conversion";
import {
  attempted,
  describeType,
  graphemes,
  isValue,
  numberText,
  typeOf,
  type Value,
} from "./expression-value";
import { jsonEncode } from "./json-functions";
import { ExpressionProblem } from "./problem";

/** One `%…` of a format. */
interface Verb {
  readonly flags: string;
  readonly width: number | undefined;
  readonly places: number | undefined;
  readonly letter: string;
  /** As written. */
  readonly source: string;
}

const verbPattern = /%([-+ 0#]*)(\d+)?(?:\.(\d*))?(?:\[(\d+)\])?(.)/suy;
const widest = 10_000;

/** Text by a format as in Terraform, whose verbs are those of Go. */
export function format(pattern: string, args: readonly Value[]): string {
  const pieces: string[] = [];
  let used = 0;
  let next = 0;
  for (let at = 0; at < pattern.length; ) {
    const open = pattern.indexOf("%", at);
    pieces.push(pattern.slice(at, open === -1 ? undefined : open));
    if (open === -1) break;
    verbPattern.lastIndex = open;
    const found = verbPattern.exec(pattern);
    if (found === null) throw new ExpressionProblem("the format ends within a verb");
    at = verbPattern.lastIndex;
    const [source, flags = "", width, places, index, letter = ""] = found;
    if (letter === "%") {
      pieces.push("%");
      continue;
    }
    const verb: Verb = {
      flags,
      width: sizeOf(width, source),
      places: places === undefined ? undefined : sizeOf(places, source),
      letter,
      source,
    };
    const position = index === undefined ? next : Number(index) - 1;
    next = position + 1;
    used = Math.max(used, next);
    const arg = args[position];
    if (arg === undefined) throw new ExpressionProblem(`there is no argument ${next} for ${source}`);
    pieces.push(formatOne(verb, arg));
  }
  if (used < args.length)
    throw new ExpressionProblem(
      `the format uses ${used} argument${used === 1 ? "" : "s"}, found ${args.length}`,
    );
  return pieces.join("");
}

function sizeOf(digits: string | undefined, source: string): number | undefined {
  if (digits === undefined) return undefined;
  const size = Number(digits === "" ? "0" : digits);
  if (size > widest) throw new ExpressionProblem(`${source} is wider than ${widest}`);
  return size;
}

function formatOne(verb: Verb, value: Value): string {
  const { letter, source } = verb;
  if (value.kind === "null" && letter !== "v")
    throw new ExpressionProblem(`null cannot be formatted by ${source}`);
  if (letter === "v") return padded(verb, plainText(verb, value));
  if (letter === "t") return String(asType(value, "bool", source).value);
  if ("bdoxX".includes(letter)) return integer(verb, value);
  if ("eEfgG".includes(letter)) return decimal(verb, value);
  if (letter !== "s" && letter !== "q") throw new ExpressionProblem(`there is no verb ${source}`);
  const whole = asType(value, "string", source).value;
  const cut =
    verb.places === undefined || verb.places === 0 ? whole : graphemes(whole).slice(0, verb.places).join("");
  return padded(verb, letter === "s" ? cut : jsonEncode({ kind: "string", value: cut }));
}

function asType<Kind extends "bool" | "string" | "number">(
  value: Value,
  kind: Kind,
  source: string,
): Extract<Value, { kind: Kind }> {
  const found = attempted(() => convert(value, kind));
  if (isValue(found) && found.kind === kind) return found as Extract<Value, { kind: Kind }>;
  throw new ExpressionProblem(`${source} takes a ${kind}, found ${describeType(typeOf(value))}`);
}

function plainText({ flags }: Verb, value: Value): string {
  if (flags.includes("#")) return jsonEncode(value);
  if (value.kind === "string") return value.value;
  return value.kind === "number" ? general(value.value) : jsonEncode(value);
}

function padded({ flags, width = 0 }: Verb, shown: string): string {
  const missing = width - graphemes(shown).length;
  if (missing <= 0) return shown;
  const pad = (flags.includes("0") ? "0" : " ").repeat(missing);
  return flags.includes("-") ? shown + pad : pad + shown;
}

/** A number, filled up with spaces, or with zeros behind its sign. */
function paddedNumber(
  { flags, width = 0 }: Verb,
  isNegative: boolean,
  digits: string,
  { prefix = "", takesZeros = true } = {},
): string {
  const sign = isNegative ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  const start = sign + prefix;
  const missing = Math.max(0, width - start.length - digits.length);
  if (flags.includes("-")) return start + digits + " ".repeat(missing);
  return flags.includes("0") && takesZeros
    ? start + "0".repeat(missing) + digits
    : " ".repeat(missing) + start + digits;
}

const bases: Readonly<Record<string, number>> = { b: 2, d: 10, o: 8, x: 16, X: 16 };
const prefixes: Readonly<Record<string, string>> = { b: "0b", o: "0", x: "0x", X: "0X" };

function integer(verb: Verb, value: Value): string {
  const { flags, places, letter, source } = verb;
  const found = asType(value, "number", source).value;
  if (!Number.isInteger(found)) throw new ExpressionProblem(`${source} takes a whole number`);
  const lowerCase = Math.abs(found).toString(bases[letter]);
  const digits = letter === "X" ? lowerCase.toUpperCase() : lowerCase;
  if (digits === "0" && places === 0) return "";
  const prefix = flags.includes("#") ? prefixes[letter] : undefined;
  const takesZeros = places === undefined;
  return paddedNumber(verb, found < 0, digits.padStart(places ?? 0, "0"), { prefix, takesZeros });
}

function decimal(verb: Verb, value: Value): string {
  const { places, letter, source } = verb;
  const found = asType(value, "number", source).value;
  if (places !== undefined && places > mostPlaces)
    throw new ExpressionProblem(`${source} has more than ${mostPlaces} digits`);
  const positive = Math.abs(found);
  const isGeneral = letter === "g" || letter === "G";
  const write = letter === "f" ? fixed : scientific;
  const digits = isGeneral ? general(positive, places) : write(positive, places ?? 6);
  return paddedNumber(verb, found < 0, letter < "a" ? digits.toUpperCase() : digits);
}

/** Digits behind the point that a format may ask for. */
const mostPlaces = 100;

/** Writes a number by `%f`; of two numbers that are equally near it takes the even one. */
function fixed(positive: number, places: number): string {
  const rounded = positive.toFixed(places);
  const isHalf = Math.abs((positive * 2 ** (places + 1)) % 2) === 1;
  return isHalf && /[13579]$/.test(rounded) ? (positive * (1 - Number.EPSILON)).toFixed(places) : rounded;
}

/** Writes a number by `%e`: its exponent has two digits at least. */
const scientific = (value: number, places?: number): string =>
  value.toExponential(places).replace(/(?<=e[+-])\d$/, "0$&");

/** Digits that are enough to give any number back. */
const allDigits = 17;

/** Writes a number by `%g`: the exponent decides whether it is shown; without `places` in the fewest digits. */
function general(value: number, places?: number): string {
  // No digit is one digit.
  const count = places === 0 ? 1 : places;
  const rounded = count === undefined || count > allDigits ? value : Number(value.toPrecision(count));
  const [digits = "", power] = rounded.toExponential().split("e");
  const exponent = Number(power);
  const length = digits.replace(/\D/g, "").length;
  const isShort = count !== undefined && count > length && length > exponent;
  const limit = isShort ? length : (count ?? 6);
  return exponent < -4 || exponent >= limit ? scientific(rounded) : numberText(rounded);
}
