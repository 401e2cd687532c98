export interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** Above this many comparisons the two sides of what differs are shown whole, one after the other. */
const mostCells = 250_000;
const context = 2;

/**
 * The shortest way from one list of lines to another; long equal stretches are folded to a count. What is equal at
 * both ends is told apart first: of a long text mostly a few lines change.
 */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const left = before.slice(head, before.length - tail);
  const right = after.slice(head, after.length - tail);
  const differing = left.length * right.length > mostCells ? replaced(left, right) : align(left, right);
  const same = (text: string): DiffLine => ({ sign: " ", text });
  return fold([
    ...before.slice(0, head).map(same),
    ...differing,
    ...before.slice(before.length - tail).map(same),
  ]);
}

const replaced = (before: readonly string[], after: readonly string[]): DiffLine[] => [
  ...before.map((text): DiffLine => ({ sign: "-", text })),
  ...after.map((text): DiffLine => ({ sign: "+", text })),
];

function align(before: readonly string[], after: readonly string[]): DiffLine[] {
  const common = commonLengths(before, after);
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    const left = before[i];
    const right = after[j];
    if (left !== undefined && left === right) {
      lines.push({ sign: " ", text: left });
      i += 1;
      j += 1;
    } else if (
      left !== undefined &&
      (right === undefined || (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0))
    ) {
      lines.push({ sign: "-", text: left });
      i += 1;
    } else if (right !== undefined) {
      lines.push({ sign: "+", text: right });
      j += 1;
    }
  }
  return lines;
}

/** Length of the longest common subsequence of what follows each pair of positions. */
function commonLengths(before: readonly string[], after: readonly string[]): number[][] {
  const table = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i -= 1) {
    const row = table[i] as number[];
    const below = table[i + 1] as number[];
    for (let j = after.length - 1; j >= 0; j -= 1)
      row[j] = before[i] === after[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
  }
  return table;
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
