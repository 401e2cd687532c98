/** East Asian wide and fullwidth blocks, and emoji: two columns each in a terminal. */
const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;
const zero = /[\p{M}\u200B]/u;
/** SGR sequences of our own colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for
const colour = /\u001b\[[\d;]*m/g;

/** Terminal columns that a line takes; colours take none. */
export function displayWidth(text: string): number {
  const bare = text.replace(colour, "");
  if (/^[\u0020-\u007e]*$/.test(bare)) return bare.length;
  let width = 0;
  for (const character of bare) width += zero.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}

/** The text filled with spaces up to a number of columns. */
export const padTo = (text: string, columns: number): string =>
  text + " ".repeat(Math.max(0, columns - displayWidth(text)));

/** Left-aligned columns, two spaces apart; the last one is not filled. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, displayWidth(cell));
    });
  }
  return rows.map((row) =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : padTo(cell, widths[i] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
