import stringWidth from "string-width";

/** The text filled with spaces up to a number of columns. */
export const padTo = (text: string, columns: number): string =>
  text + " ".repeat(Math.max(0, columns - stringWidth(text)));

/** Left-aligned columns, two spaces apart; the last one is not filled. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, stringWidth(cell));
    });
  }
  return rows.map((row) =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : padTo(cell, widths[i] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
