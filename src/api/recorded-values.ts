import { Secret } from "../model/secret";

/** A value that the state knows by its fingerprint alone, which was made with the address. */
export interface RecordedValue {
  readonly address: string;
  /** HMAC-SHA-256 over address and value, hex. */
  readonly fingerprint: string;
  /** The manifest holds its source, not its text, or does not declare it. */
  readonly isOutside: boolean;
}

/** Recorded values of all services, as far as this run does not have them. */
export interface RecordedValues {
  readonly values: readonly RecordedValue[];
  /** The recorded branches, which deployments may name. */
  readonly branches: ReadonlySet<unknown>;
  /** The key of the fingerprints; absent where this run does not have it. */
  readonly key?: Uint8Array | undefined;
}

export interface KnownSecrets {
  readonly secrets: readonly Secret[];
  /** Those whose text is not in the manifest: they are masked in attribute values, too. */
  readonly outside: readonly Secret[];
  readonly recorded?: RecordedValues | undefined;
}

export const hiddenText = "(hidden: RNV_STATE_KEY is not set)";

/** Returns a function that finds the parts of a text that `isPart` accepts and that are recorded values, the longest first. */
export function partFinder(
  values: readonly RecordedValue[],
  key: Uint8Array | undefined,
  isPart: (part: string) => boolean,
): (text: string) => readonly string[] {
  if (!key || values.length === 0) return () => [];
  // Texts repeat words, and each costs a fingerprint for each value.
  const known = new Map<string, boolean>();
  const isValue = (part: Secret): boolean =>
    values.some(({ address, fingerprint }) => part.fingerprint(key, address) === fingerprint);
  const isKnown = (part: string): boolean => {
    const forms = new Set([part, orSame(part, decodeURIComponent)]);
    if (!known.has(part))
      known.set(
        part,
        [...forms].some((form) => isValue(new Secret(form))),
      );
    return known.get(part) === true;
  };
  return (text) =>
    [...candidatesIn(text)]
      .filter((part) => isPart(part) && isKnown(part))
      .sort((a, b) => b.length - a.length);
}

/**
 * Returns the parts of a text that may be a value: the text, its lines, its words with and without the signs around them.
 * The texts in quotes, between two quotes or between two signs are parts, and those behind a `=` or `:`. The password of
 * an address is a part, and so is the text before a `-` or `.`, as in the name of a host.
 */
function candidatesIn(text: string): ReadonlySet<string> {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  const words = text.split(/\s+/);
  const quoted = [...text.matchAll(/(["'`])(.*?)\1/gs)].map(([, , inner]) => inner as string);
  const tails = [...words, ...lines].flatMap((part) =>
    [...part.matchAll(/[=:]/g)].map(({ index }) => part.slice(index + 1).trim()),
  );
  const passwords = words.flatMap((word) => /:\/\/[^/\s]*?:([^/\s]+)@/.exec(word)?.[1] ?? []);
  const between = [/["'`]/, /[\s"'`=:;,&?@()[\]{}<>|]/, /[\s"'`=:;,&?@()[\]{}<>|/]/].flatMap((sign) =>
    text.split(sign),
  );
  const openings = between.flatMap((part) =>
    [...part.matchAll(/[-.]/g)].map(({ index }) => part.slice(0, index)),
  );
  const whole = [text, ...lines, ...words, ...quoted, ...between, ...openings, ...tails, ...passwords];
  return new Set(whole.flatMap((part) => [part, part.replace(/^["'`([{<]+|["'`)\]}>.,;:!?]+$/g, "")]));
}

/** Half of a pair of surrogates cannot be written in a URL, and not every percent sign read. */
export function orSame(text: string, convert: (text: string) => string): string {
  try {
    return convert(text);
  } catch {
    return text;
  }
}
