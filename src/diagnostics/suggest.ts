import { distance } from "fastest-levenshtein";

/** Characters; a longer text is no slip of the pen, and to compare two such takes the square of their length. */
const longestWord = 256;

/** The candidate closest to a misspelt word, if it is close enough to be meant. */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > longestWord) return undefined;
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    // No fewer edits than the lengths differ.
    if (Math.abs(word.length - candidate.length) >= bestDistance) continue;
    const found = editsBetween(plainForm(word), plainForm(candidate));
    if (found < bestDistance) {
      best = candidate;
      bestDistance = found;
    }
  }
  return best;
}

const plainForm = (word: string): string => word.normalize().toLowerCase();

/** Letters to add, leave out or replace; two that changed places count as one. */
function editsBetween(word: string, candidate: string): number {
  const edits = distance(word, candidate);
  return edits === 2 && lettersOf(word) === lettersOf(candidate) ? 1 : edits;
}

const lettersOf = (word: string): string => [...word].sort().join("");

/** `did you mean "x"?`, or undefined when nothing is close. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const found = suggest(word, candidates);
  return found === undefined ? undefined : `did you mean "${found}"?`;
}

/** Suggests the address for Terraform's form (`rnv_service.api`), a name without its project, or a misspelt address. */
export function didYouMeanAddress(
  text: string,
  resources: Iterable<readonly [address: string, resource: { readonly parent?: unknown }]>,
): string | undefined {
  const known = new Map(resources);
  const plain = text.replace(/^rnv_/, "");
  const [type, ...names] = plain.split(".");
  const ending = `.${names.join(".")}`;
  const named = [...known.keys()].filter(
    (address) =>
      address.endsWith(`.${plain}`) || (address.startsWith(`${type}.`) && address.endsWith(ending)),
  );
  const [whole = "", ...others] = named.filter(
    (address) => !named.includes(String(known.get(address)?.parent)),
  );
  return others.length === 0 && whole ? `did you mean "${whole}"?` : didYouMean(plain, known.keys());
}

/** Returns the hints that there are as one. */
export const joinHints = (...hints: readonly (string | undefined)[]): string =>
  hints.filter((hint) => hint !== undefined).join("; ");
