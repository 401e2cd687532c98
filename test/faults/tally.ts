import type { Played } from "./play";

/** What a part of the matrix came to; parts add up. */
export interface Tally {
  cases: number;
  /** Cases by fault, and how many of them met it. */
  readonly faults: Record<string, { cases: number; fired: number }>;
  /** Cells that end in a stop, with how many cases end so, and one of them. */
  readonly stops: Record<string, { count: number; readonly name: string }>;
  /** What the judge found, with the first cases that show it. */
  readonly failures: Record<string, { count: number; readonly names: string[] }>;
}

export const emptyTally = (): Tally => ({ cases: 0, faults: {}, stops: {}, failures: {} });

const shownNames = 3;

export function count(tally: Tally, played: Played): void {
  tally.cases += 1;
  meet(tally, played.fault, 1, played.fired ? 1 : 0);
  if (played.stop !== undefined) {
    stop(tally, stopCell(played), 1, played.name);
  }
  for (const found of played.faults) fail(tally, found, 1, [played.name]);
  if (isSeed(played.name) && !played.fired) fail(tally, "a seed that meets no fault", 1, [played.name]);
  if (played.stop === "none") fail(tally, "not reached, without a reason", 1, [played.name]);
}

export function add(sum: Tally, part: Tally): void {
  sum.cases += part.cases;
  for (const [name, { cases, fired }] of Object.entries(part.faults)) meet(sum, name, cases, fired);
  for (const [cell, { count: cases, name }] of Object.entries(part.stops)) stop(sum, cell, cases, name);
  for (const [found, { count: times, names }] of Object.entries(part.failures))
    fail(sum, found, times, names);
}

function meet(tally: Tally, name: string, cases: number, fired: number): void {
  const fault = tally.faults[name] ?? { cases: 0, fired: 0 };
  tally.faults[name] = { cases: fault.cases + cases, fired: fault.fired + fired };
}

function stop(tally: Tally, cell: string, cases: number, name: string): void {
  const found = tally.stops[cell] ?? { count: 0, name };
  tally.stops[cell] = { count: found.count + cases, name: found.name };
}

function fail(tally: Tally, found: string, times: number, names: readonly string[]): void {
  const key = found
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")
    .replace(/ \([0-9a-f]{8}\)/, "")
    .slice(0, 300);
  const failure = tally.failures[key] ?? { count: 0, names: [] };
  const shown = [...failure.names, ...names].slice(0, shownNames);
  tally.failures[key] = { count: failure.count + times, names: shown };
}

/** Scenario, fault and request, and how it ends; without counters and ids. */
const stopCell = ({ name, scenario, stop, explained }: Played): string =>
  isSeed(name)
    ? `seed ${scenario} ${explained}: ${stop}`
    : `${name.replace(/ @\d+ .*| #\d+$/, "").replace(/#\d+ /, "")}: ${stop}`;

const isSeed = (name: string): boolean => name.startsWith("seed ");
