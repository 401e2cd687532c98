/** Reads a decimal text; undefined for another text. */
export const parseNumber = (text: string): number | undefined =>
  /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;

/** Without an exponent, in the fewest digits that give the number back. */
const plainDigits = new Intl.NumberFormat("en", { useGrouping: false, maximumSignificantDigits: 21 });

/** Writes a number with all of its digits, as Terraform does: never `1e-7`. */
export const numberText = (value: number): string => plainDigits.format(value);

/** Digits behind the point that a format may ask for. */
export const mostPlaces = 100;

/** Writes a number by `%f`; of two numbers that are equally near it takes the even one. */
export function fixed(positive: number, places: number): string {
  const rounded = positive.toFixed(places);
  const isHalf = Math.abs((positive * 2 ** (places + 1)) % 2) === 1;
  return isHalf && /[13579]$/.test(rounded) ? (positive * (1 - Number.EPSILON)).toFixed(places) : rounded;
}

/** Writes a number by `%e`: its exponent has two digits at least. */
export const scientific = (value: number, places?: number): string =>
  value.toExponential(places).replace(/(?<=e[+-])\d$/, "0$&");

/** Digits that are enough to give any number back. */
const allDigits = 17;

/** Writes a number by `%g`: the exponent decides whether it is shown; without `places` in the fewest digits. */
export function general(value: number, places?: number): string {
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
