import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Mutant } from "./mutations";

/** A mutant that may live, and why. */
export interface Accepted {
  readonly file: string;
  readonly id: string;
  readonly reason: string;
}

/** Reads `survivors.txt`: `FILE ID CHANGE: REASON` in each line; `#` begins a comment. */
export const acceptedSurvivors = (
  text = readFileSync(join(__dirname, "survivors.txt"), "utf8"),
): readonly Accepted[] =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, file, id, reason] = /^(\S+) ([0-9a-f]{8}) .*: (\S.*)$/.exec(line) ?? [];
      if (file === undefined || id === undefined || reason === undefined)
        throw new Error(`survivors.txt: not "FILE ID CHANGE: REASON": ${line}`);
      return { file, id, reason };
    });

/** What a mutant changes, in one line: `if (left [<= -> <] 0) return undefined;`. */
export function changeOf({ from, to, operator, around: [before, after] }: Mutant): string {
  const change =
    operator === "block" ? "{...} -> {}" : `${cut(from, 60)} -> ${/^;?$/.test(to) ? "nothing" : to}`;
  return `${before.length > 40 ? `...${before.slice(-37)}` : before}[${change}]${cut(after, 40)}`;
}

const cut = (text: string, length: number): string => {
  const flat = text.replace(/\s+/g, " ");
  return flat.length > length ? `${flat.slice(0, length - 3)}...` : flat;
};
