import { join } from "node:path";
import { createRandom } from "../faults/random";
import { casesIn } from "../support/rows";

/** What parsers, terminals, runners and object keys trip over. */
const tokens = casesIn<string>(join(__dirname, "tokens.json"));

/** One to six changes of a text: bits, cuts, copies, and words that mean something to someone. */
export function mutate(text: string, seed: number): string {
  const { below } = createRandom(seed);
  let result = text;
  for (let left = 1 + below(6); left > 0; left -= 1) result = change(result, below);
  return result;
}

/** Where a value begins and how far it goes: after a colon, a comma or a bracket; words of JSON are no values to nudge. */
const values = /(?<=[:[,]\s*"?)(?!true\b|false\b|null\b)[A-Za-z0-9][^"\n,\]}]*/g;

/** One or two characters of values, each replaced by one of its kind: a text that most readers still take. */
export function nudge(text: string, seed: number): string {
  const { below } = createRandom(seed);
  const places = [...text.matchAll(values)].map(({ index, 0: value }) => ({ index, length: value.length }));
  let result = text;
  for (let left = 1 + below(2); left > 0 && places.length > 0; left -= 1) {
    const { index, length } = places[below(places.length)] as (typeof places)[number];
    const at = index + below(length);
    const kind = kinds.find((some) => some.includes(text[at] as string)) ?? (text[at] as string);
    result = result.slice(0, at) + kind[below(kind.length)] + result.slice(at + 1);
  }
  return result;
}

/** Digits of hexadecimal numbers stay such digits: most of them are ids. */
const kinds = ["0123456789", "abcdef", "ghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

function change(text: string, below: (n: number) => number): string {
  const at = below(text.length + 1);
  const length = 1 + below(below(4) === 0 ? 200 : 8);
  const token = tokens[below(tokens.length)] as string;
  switch (below(8)) {
    case 0:
      return (
        text.slice(0, at) +
        String.fromCharCode((text.charCodeAt(at) || 0) ^ (1 << below(8))) +
        text.slice(at + 1)
      );
    case 1:
      return text.slice(0, at) + text.slice(at + length);
    case 2:
      return text.slice(0, at) + text.slice(at, at + length).repeat(1 + below(3)) + text.slice(at);
    case 3:
      return text.slice(0, at) + token.repeat(below(20) === 0 ? 500 : 1) + text.slice(at);
    case 4:
      return text.slice(0, at) + token + text.slice(at + length);
    case 5: {
      const from = below(text.length + 1);
      return text.slice(0, at) + text.slice(from, from + length) + text.slice(at);
    }
    case 6:
      return text.slice(0, at);
    default:
      return text.replace(new RegExp(`(["']?)\\b\\w{${1 + below(6)},}\\b\\1`), token);
  }
}
