import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { plantedBugs, remotePlantedBugs } from "./planted-bugs";

/** What the last whole run came to. */
export interface Figures {
  readonly cases: number;
  readonly seeds: number;
  /** Cases that end in a stop. */
  readonly stops: number;
  readonly naive: { readonly cases: number; readonly duplicates: number; readonly orphans: number };
  readonly kills: { readonly runs: number; readonly hit: number };
}

const root = join(__dirname, "../..");
const path = join(__dirname, "figures.json");
export const readme = join(root, "README.md");

export const readFigures = (): Figures => JSON.parse(readFileSync(path, "utf8")) as Figures;

/** Keeps what a run came to; what it did not measure stays. */
export const keepFigures = (measured: Partial<Figures>): void =>
  writeFileSync(path, `${JSON.stringify({ ...readFigures(), ...measured }, null, 2)}\n`);

const digits = "[\\d,]+";
const shown = (figure: number): string => figure.toLocaleString("en-US");

/** The text of README.md with these figures. Throws where it has no place for one. */
export function withFigures(text: string, { cases, seeds, stops, naive, kills }: Figures): string {
  const bugs = plantedBugs.length + remotePlantedBugs.length;
  const lines: readonly (readonly [string, string])[] = [
    [
      `${digits} cases, ${digits} of them random seeds`,
      `${shown(cases)} cases, ${shown(seeds)} of them random seeds`,
    ],
    [`${digits} end in a stop`, `${shown(stops)} end in a stop`],
    [
      `${digits} cases: ${digits} leave doubles, ${digits} leave orphans`,
      `${shown(naive.cases)} cases: ${shown(naive.duplicates)} leave doubles, ${shown(naive.orphans)} leave orphans`,
    ],
    [`${digits} bugs planted`, `${shown(bugs)} bugs planted`],
    [`${digits} runs, ${digits} of them hit`, `${shown(kills.runs)} runs, ${shown(kills.hit)} of them hit`],
  ];
  return lines.reduce((before, [from, to]) => {
    const places = before.match(new RegExp(from, "g")) ?? [];
    if (places.length !== 1) throw new Error(`README.md holds ${places.length} times: ${from}`);
    return before.replace(new RegExp(from), to);
  }, text);
}
