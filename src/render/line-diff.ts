import { diffArrays } from "diff";

export interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** Above this product of differing lines both sides are shown whole, one after the other: a diff may compare each pair. */
const mostPairs = 250_000;
const context = 2;

/**
 * Returns the shortest way from one list of lines to another; long equal stretches are folded to a count. Equal lines at
 * both ends are taken off first: of a long text mostly a few lines change.
 */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const left = before.slice(head, before.length - tail);
  const right = after.slice(head, after.length - tail);
  return fold([
    ...signed(" ", before.slice(0, head)),
    ...align(left, right),
    ...signed(" ", before.slice(before.length - tail)),
  ]);
}

const signed = (sign: DiffLine["sign"], lines: readonly string[]): DiffLine[] =>
  lines.map((text) => ({ sign, text }));

function align(before: string[], after: string[]): DiffLine[] {
  if (before.length * after.length > mostPairs) return [...signed("-", before), ...signed("+", after)];
  return diffArrays(before, after).flatMap(({ removed, added, value }) => {
    if (removed) return signed("-", value);
    return signed(added ? "+" : " ", value);
  });
}

function fold(lines: readonly DiffLine[]): DiffLine[] {
  const folded: DiffLine[] = [];
  const near = (index: number) =>
    lines.slice(Math.max(0, index - context), index + context + 1).some((line) => line.sign !== " ");
  let skipped: DiffLine[] = [];
  const flush = () => {
    if (skipped.length > 1) folded.push({ sign: " ", text: `... (${skipped.length} unchanged)` });
    else folded.push(...skipped);
    skipped = [];
  };
  lines.forEach((line, index) => {
    if (near(index)) {
      flush();
      folded.push(line);
    } else {
      skipped.push(line);
    }
  });
  flush();
  return folded;
}
