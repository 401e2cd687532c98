/** A half-open range of character offsets in one file. Lines are worked out only when printed. */
export interface SourceRange {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

export interface Position {
  /** 1-based. */
  readonly line: number;
  /** 1-based, counted in UTF-16 code units. */
  readonly column: number;
}

/** The lines of the text that was asked about last: a thousand findings lie in few files. */
let lines: { readonly text: string; readonly starts: readonly number[] } = { text: "", starts: [0] };

function startsOfLines(text: string): readonly number[] {
  const starts = [0];
  for (let i = text.indexOf("\n"); i !== -1; i = text.indexOf("\n", i + 1)) starts.push(i + 1);
  return starts;
}

/** Line and column of a character offset in a text. */
export function positionAt(text: string, offset: number): Position {
  if (lines.text !== text) lines = { text, starts: startsOfLines(text) };
  const { starts } = lines;
  const clamped = Math.max(0, Math.min(offset, text.length));
  let line = 1;
  for (let last = starts.length; line < last; ) {
    const middle = Math.ceil((line + last) / 2);
    if ((starts[middle - 1] as number) <= clamped) line = middle;
    else last = middle - 1;
  }
  return { line, column: clamped - (starts[line - 1] as number) + 1 };
}
