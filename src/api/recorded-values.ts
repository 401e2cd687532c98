import { Secret } from "../model/secret";

/** A value that the state knows by its fingerprint alone, which was made with the address. */
export interface RecordedValue {
  readonly address: string;
  /** HMAC-SHA-256 over address and value, hex. */
  readonly fingerprint: string;
}

export interface RecordedService {
  readonly values: readonly RecordedValue[];
  /** The recorded branch, which a deployment may name. */
  readonly branch?: string | undefined;
}

/** What the state knows of values that this run may not have. */
export interface RecordedValues {
  /** By the id of the service; those without values are left out. */
  readonly services: ReadonlyMap<string, RecordedService>;
  /** The key of the fingerprints; absent where this run does not have it. */
  readonly key?: Uint8Array | undefined;
}

export const hiddenText = "(hidden: RNV_STATE_KEY is not set)";

/** Characters of the shortest text that is looked up. */
const shortest = 4;

/** Returns the parts of a text that are the value of a recorded variable of its service, the longest first. */
export function recordedParts(text: string, { values }: RecordedService, key: Uint8Array): readonly string[] {
  const isValue = (part: Secret): boolean =>
    values.some(({ address, fingerprint }) => part.fingerprint(key, address) === fingerprint);
  return [...candidatesIn(text)]
    .filter((part) => part.length >= shortest && !/^\d+$/.test(part) && isValue(new Secret(part)))
    .sort((a, b) => b.length - a.length);
}

/**
 * The parts of a text in which a value may stand: all of it, its lines, its words with and without the signs around them,
 * what is in quotes or between two quotes, what is between two signs, what follows a `=` or `:`, and the password of an
 * address.
 */
function candidatesIn(text: string): ReadonlySet<string> {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  const words = text.split(/\s+/);
  const quoted = [...text.matchAll(/(["'`])(.*?)\1/gs)].map(([, , inner]) => inner as string);
  const tails = [...words, ...lines].flatMap((part) =>
    [...part.matchAll(/[=:]/g)].map(({ index }) => part.slice(index + 1).trim()),
  );
  const passwords = words.flatMap((word) => /:\/\/[^/\s]*?:([^/\s]+)@/.exec(word)?.[1] ?? []);
  const between = [text.split(/["'`]/), text.split(/[\s"'`=:;,&?@()[\]{}<>|]/)].flat();
  const whole = [text, ...lines, ...words, ...quoted, ...between, ...tails, ...passwords];
  return new Set(whole.flatMap((part) => [part, part.replace(/^["'`([{<]+|["'`)\]}>.,;:!?]+$/g, "")]));
}
