import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const path = join(__dirname, "stops.txt");

/** Cells of the matrix that may end in a stop: DESIGN section 7 lists why. The list may only shrink. */
const knownStops = (): ReadonlySet<string> =>
  new Set(existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : []);

export const newStops = (cells: readonly string[]): string[] => {
  const known = knownStops();
  return cells.filter((cell) => !known.has(cell)).sort();
};

/** Cells that are known to end in a stop, and in a whole run did not. */
export const missingStops = (cells: readonly string[]): string[] =>
  [...knownStops()].filter((cell) => !cells.includes(cell));

export const writeStops = (cells: readonly string[]): void =>
  writeFileSync(path, `${[...cells].sort().join("\n")}\n`);
