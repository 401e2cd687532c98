/** Reads a decimal text; undefined for another text. */
export const parseNumber = (text: string): number | undefined =>
  /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;

/** Writes a number with all of its digits, as Terraform does: never `1e-7`. */
export const numberText = (value: number): string => formatNumber(value, "f");

/** Digits behind the point that a format may ask for. */
export const mostPlaces = 100;

/** Writes a number by `%f`, `%e` or `%g`; without `places` in the fewest digits that give it back. */
export function formatNumber(value: number, style: "f" | "e" | "g", places?: number): string {
  const sign = value < 0 ? "-" : "";
  const positive = Math.abs(value);
  if (style === "f" && places !== undefined) return sign + fixed(positive, places);
  if (style === "g") return sign + general(positive, places === 0 ? 1 : places);
  const { digits, point } = decimalOf(positive, places === undefined ? undefined : places + 1);
  return style === "f"
    ? sign + positional(digits, point, digits.length - point)
    : sign + scientific(digits, point, places ?? digits.length - 1);
}

/** Rounds to so many places; of two that are equally near it takes the even one. */
function fixed(positive: number, places: number): string {
  const rounded = positive.toFixed(places);
  const isHalf = Math.abs((positive * 2 ** (places + 1)) % 2) === 1;
  return isHalf && /[13579]$/.test(rounded) ? (positive * (1 - Number.EPSILON)).toFixed(places) : rounded;
}

/** A number is `0.digits * 10 ** point`, without zeros at the end. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

function decimalOf(positive: number, count: number | undefined): Decimal {
  const [digits = "", exponent] = positive
    .toExponential(count === undefined ? undefined : count - 1)
    .split("e");
  return {
    digits: digits.replace(".", "").replace(/0+$/, ""),
    point: positive === 0 ? 0 : Number(exponent) + 1,
  };
}

function general(positive: number, count: number | undefined): string {
  const { digits, point } = decimalOf(positive, count);
  const isShort = count !== undefined && count > digits.length && digits.length >= point;
  const limit = count === undefined ? 6 : isShort ? digits.length : count;
  return point - 1 < -4 || point - 1 >= limit
    ? scientific(digits, point, digits.length - 1)
    : positional(digits, point, digits.length - point);
}

function positional(digits: string, point: number, places: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, "0") : "0";
  const fraction = point >= 0 ? digits.slice(point) : "0".repeat(-point) + digits;
  return places > 0 ? `${whole}.${fraction}` : whole;
}

function scientific(digits: string, point: number, places: number): string {
  const rest = places > 0 ? `.${digits.slice(1).padEnd(places, "0")}` : "";
  const exponent = digits === "" ? 0 : point - 1;
  return `${digits[0] ?? "0"}${rest}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}
