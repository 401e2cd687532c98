/**
 * A number as Terraform computes with it: a binary float of 512 bits, rounded to even, whose text is the shortest that
 * gives it back. What a function counts (`length`) has 64 bits.
 */
export class BigNumber {
  private constructor(
    /** The value is `mantissa * 2 ** exponent`. */
    private readonly mantissa: bigint,
    private readonly exponent: number,
    private readonly precision: number,
  ) {}

  static of(value: bigint | number, precision = countPrecision): BigNumber {
    return typeof value === "number" && !Number.isInteger(value)
      ? (BigNumber.parse(String(value)) as BigNumber)
      : rounded(BigNumber.exact, BigInt(value), 0, precision);
  }

  /** The number that a decimal text says; undefined for another text, and where the exponent is out of reach. */
  static parse(text: string): BigNumber | undefined {
    const found = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text);
    const [, sign = "", whole = "", fraction = "", exponent = "0"] = found ?? [];
    if (found === null || whole + fraction === "" || text.length > longestText) return undefined;
    const digits = BigInt(whole + fraction) * (sign === "-" ? -1n : 1n);
    const scale = Number(exponent) - fraction.length;
    if (Math.abs(scale) > largestScale) return undefined;
    return scale >= 0
      ? rounded(BigNumber.exact, digits * 10n ** BigInt(scale), 0, defaultPrecision)
      : quotient(BigNumber.exact, digits, 10n ** BigInt(-scale), 0, defaultPrecision);
  }

  private static exact(mantissa: bigint, exponent: number, precision: number): BigNumber {
    return new BigNumber(mantissa, exponent, precision);
  }

  private with(mantissa: bigint, exponent: number, other: BigNumber = this): BigNumber {
    return rounded(BigNumber.exact, mantissa, exponent, Math.max(this.precision, other.precision));
  }

  plus(other: BigNumber): BigNumber {
    const exponent = Math.min(this.exponent, other.exponent);
    return this.with(this.scaled(exponent) + other.scaled(exponent), exponent, other);
  }

  negated(): BigNumber {
    return new BigNumber(-this.mantissa, this.exponent, this.precision);
  }

  minus(other: BigNumber): BigNumber {
    return this.plus(other.negated());
  }

  times(other: BigNumber): BigNumber {
    const product = this.mantissa * other.mantissa;
    const exponent = this.exponent + other.exponent;
    // A product that needs more bits than its factors gets them, up to 512.
    const needed = Math.min(defaultPrecision, bitLength(product));
    return rounded(BigNumber.exact, product, exponent, Math.max(this.precision, other.precision, needed));
  }

  /** The divisor is not zero. */
  dividedBy(other: BigNumber): BigNumber {
    const precision = Math.max(this.precision, other.precision);
    return quotient(
      BigNumber.exact,
      this.mantissa,
      other.mantissa,
      this.exponent - other.exponent,
      precision,
    );
  }

  /** Returns the remainder of a division that is cut to a whole number: it has the sign of the dividend. */
  remainderOf(other: BigNumber): BigNumber {
    const whole = BigNumber.of(this.dividedBy(other).truncated(), this.precision);
    return this.minus(other.times(whole));
  }

  /** -1, 0 or 1. */
  compare(other: BigNumber): number {
    const exponent = Math.min(this.exponent, other.exponent);
    const difference = this.scaled(exponent) - other.scaled(exponent);
    return difference === 0n ? 0 : difference < 0n ? -1 : 1;
  }

  get sign(): number {
    return this.mantissa === 0n ? 0 : this.mantissa < 0n ? -1 : 1;
  }

  get isInteger(): boolean {
    return this.exponent >= 0 || this.mantissa % (1n << BigInt(-this.exponent)) === 0n;
  }

  /** Its whole part, towards zero. */
  truncated(): bigint {
    return this.exponent >= 0
      ? this.mantissa << BigInt(this.exponent)
      : this.mantissa / (1n << BigInt(-this.exponent));
  }

  floor(): BigNumber {
    const whole = this.truncated();
    return this.with(this.isInteger || this.sign >= 0 ? whole : whole - 1n, 0);
  }

  /** The whole number when it is one and an array may have so many items. */
  toIndex(): number | undefined {
    const whole = this.isInteger ? Number(this.truncated()) : Number.NaN;
    return Number.isSafeInteger(whole) ? whole : undefined;
  }

  toNumber(): number {
    return Number(this.toString());
  }

  toString(): string {
    const { digits, point } = this.decimal("shortest");
    return this.signed(positional(digits, point, Math.max(digits.length - point, 0)));
  }

  /** `%f`, `%e` and `%g` of a format; `places` is the precision, the shortest that gives the number back without it. */
  formatted(style: "f" | "e" | "g", places: number | undefined): string {
    const shortest = this.decimal("shortest");
    if (style === "f") {
      if (places === undefined) return this.toString();
      const { digits, point } = this.decimal(places, "fraction");
      return this.signed(positional(digits, point, places));
    }
    const wanted = places ?? (style === "e" ? shortest.digits.length - 1 : undefined);
    if (style === "e") {
      const { digits, point } = this.decimal((wanted as number) + 1, "digits");
      return this.signed(scientific(digits, point, wanted as number));
    }
    return this.signed(this.general(wanted));
  }

  private general(places: number | undefined): string {
    const count = places === 0 ? 1 : places;
    const { digits, point } = count === undefined ? this.decimal("shortest") : this.decimal(count, "digits");
    const limit =
      count === undefined ? 6 : count > digits.length && digits.length >= point ? digits.length : count;
    const kept = Math.min(count ?? digits.length, digits.length);
    if (point - 1 < -4 || point - 1 >= limit) return scientific(digits, point, kept - 1);
    const shown = (count ?? digits.length) > point ? digits.length : (count ?? digits.length);
    return positional(digits, point, Math.max(shown - point, 0));
  }

  private signed(text: string): string {
    return this.mantissa < 0n ? `-${text}` : text;
  }

  private scaled(exponent: number): bigint {
    return this.mantissa << BigInt(this.exponent - exponent);
  }

  /** Its digits without zeros at the ends: `0.digits * 10 ** point`. */
  private decimal(places: number | "shortest", counted: "digits" | "fraction" = "digits"): Decimal {
    const positive = this.mantissa < 0n ? -this.mantissa : this.mantissa;
    const all = decimalOf(positive, this.exponent);
    if (positive === 0n) return all;
    if (places === "shortest") return shortestOf(all, positive, this.exponent, this.precision);
    return roundTo(all, counted === "digits" ? places : places + all.point);
  }
}

/** Bits of the numbers of expressions. */
const defaultPrecision = 512;
/** Bits of numbers that functions count. */
const countPrecision = 64;
/** Numbers are short in programs, and work grows with their length. */
const longestText = 2000;
const largestScale = 4000;

type Make = (mantissa: bigint, exponent: number, precision: number) => BigNumber;

const bitLength = (value: bigint): number =>
  value === 0n ? 0 : (value < 0n ? -value : value).toString(2).length;

/** The nearest number of so many bits, the even one of two. */
function rounded(make: Make, mantissa: bigint, exponent: number, precision: number): BigNumber {
  const excess = bitLength(mantissa) - precision;
  if (excess <= 0) return make(mantissa, mantissa === 0n ? 0 : exponent, precision);
  const positive = mantissa < 0n ? -mantissa : mantissa;
  const shift = BigInt(excess);
  const half = 1n << (shift - 1n);
  const rest = positive & ((1n << shift) - 1n);
  const cut = positive >> shift;
  const up = rest > half || (rest === half && (cut & 1n) === 1n);
  const result = up ? cut + 1n : cut;
  return make(mantissa < 0n ? -result : result, exponent + excess, precision);
}

/** `dividend / divisor * 2 ** exponent`, rounded. */
function quotient(
  make: Make,
  dividend: bigint,
  divisor: bigint,
  exponent: number,
  precision: number,
): BigNumber {
  const shift = Math.max(0, precision + 2 + bitLength(divisor) - bitLength(dividend));
  const scaled = dividend << BigInt(shift);
  const whole = scaled / divisor;
  // A bit for what is cut, so that a half is told from more than that.
  const isCut = scaled % divisor !== 0n;
  const isNegative = dividend < 0n !== divisor < 0n;
  const sticky = (whole << 1n) + (isCut ? (isNegative ? -1n : 1n) : 0n);
  return rounded(make, sticky, exponent - shift - 1, precision);
}

interface Decimal {
  readonly digits: string;
  readonly point: number;
}

const trimmed = (digits: string, point: number): Decimal => {
  const kept = digits.replace(/0+$/, "");
  return { digits: kept, point: kept === "" ? 0 : point };
};

function decimalOf(mantissa: bigint, exponent: number): Decimal {
  if (mantissa === 0n) return { digits: "", point: 0 };
  if (exponent >= 0) {
    const text = (mantissa << BigInt(exponent)).toString();
    return trimmed(text, text.length);
  }
  const text = (mantissa * 5n ** BigInt(-exponent)).toString();
  return trimmed(text, text.length + exponent);
}

/** The digits that say the number and no other of its precision; the fewest. */
function shortestOf(all: Decimal, mantissa: bigint, exponent: number, precision: number): Decimal {
  const shift = bitLength(mantissa) - (precision + 1);
  // One bit more than the number has: the last stands for half of its last place.
  const scaled = shift < 0 ? mantissa << BigInt(-shift) : mantissa >> BigInt(shift);
  const lower = decimalOf(scaled - 1n, exponent + shift).digits;
  const upper = decimalOf(scaled + 1n, exponent + shift).digits;
  const isInclusive = (scaled & 2n) === 0n;
  for (let i = 0; i < all.digits.length; i += 1) {
    const digit = all.digits.charCodeAt(i);
    const below = lower.charCodeAt(i) || zero;
    const above = upper.charCodeAt(i) || zero;
    const isDownRight = below !== digit || (isInclusive && i + 1 === lower.length);
    const isUpRight = digit !== above && (isInclusive || digit + 1 < above || i + 1 < upper.length);
    if (isDownRight && isUpRight) return roundTo(all, i + 1);
    if (isDownRight) return trimmed(all.digits.slice(0, i + 1), all.point);
    if (isUpRight) return roundUp(all, i + 1);
  }
  return all;
}

const zero = "0".charCodeAt(0);

/** Keeps so many digits, the nearest, the even one of two. */
function roundTo(all: Decimal, count: number): Decimal {
  const { digits, point } = all;
  if (count < 0) return { digits: "", point: 0 };
  if (count >= digits.length) return all;
  const next = digits[count] as string;
  const isHalf = next === "5" && count + 1 === digits.length;
  const isUp = isHalf ? count > 0 && Number(digits[count - 1]) % 2 === 1 : next >= "5";
  return isUp ? roundUp(all, count) : trimmed(digits.slice(0, count), point);
}

function roundUp({ digits, point }: Decimal, count: number): Decimal {
  const kept = digits.slice(0, count);
  const raised = (BigInt(kept === "" ? "0" : kept) + 1n).toString().padStart(count, "0");
  return raised.length > count ? trimmed(raised, point + 1) : trimmed(raised, point);
}

function positional(digits: string, point: number, places: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, "0") : "0";
  if (places <= 0) return whole;
  const fraction = point >= 0 ? digits.slice(point) : "0".repeat(-point) + digits;
  return `${whole}.${fraction.slice(0, places).padEnd(places, "0")}`;
}

function scientific(digits: string, point: number, places: number): string {
  const first = digits[0] ?? "0";
  const rest = places > 0 ? `.${digits.slice(1, places + 1).padEnd(places, "0")}` : "";
  const exponent = digits === "" ? 0 : point - 1;
  return `${first}${rest}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}
