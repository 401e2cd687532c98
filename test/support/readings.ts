import type { EmulatorOptions } from "../../src/emulator/emulator";
import { parseReadings, readingsText } from "../../src/emulator/readings";
import { sha256 } from "../../src/model/sha256";

/** Seeds of `npm test`: together they draw nearly every variant of the rows that have up to four. */
const seeds = [0, 16, 119, 168] as const;

/** Suites that are played under readings; the others take the plain one. */
const drawing = /^(scenario|property|golden|contract|terraform\/(life-cycle|replay))\b/;

/** Both are there where Jest runs (`environment.cjs`). */
const told = globalThis as {
  /** The path of the suite, and the words of the test or block that runs. */
  readonly rnvTestName?: () => string;
  /** By name of a test or block: the readings that a failure prints. */
  readonly rnvReadings?: Map<string, string>;
};

/**
 * Returns the readings of the test or block that runs: a seed by its name, or what RNV_READINGS says. `pinned` are rows
 * that its assertions are about; a number or a text stands as it is.
 */
export function readingsHere(pinned?: EmulatorOptions["readings"]): EmulatorOptions["readings"] {
  const name = told.rnvTestName?.() ?? "";
  if (!drawing.test(name) || (pinned !== undefined && typeof pinned !== "object")) return pinned;
  const [suite = ""] = name.split(" ");
  const chosen = process.env.RNV_READINGS ?? `${seeds[seedAt(name)]}`;
  const readings = { ...parseReadings(chosen), ...pinned };
  told.rnvReadings?.set(
    name,
    `Readings of ${suite}: RNV_READINGS=${chosen}\nRows that are not plain: ${readingsText(readings)}`,
  );
  return readings;
}

const seedAt = (name: string): number => Number.parseInt(sha256(name).slice(0, 8), 16) % seeds.length;

/** Leaves out the deployments that the platform queued by itself (`otherDeployments`). */
export const askedFor = <One extends { readonly actor: string }>(
  deployments: readonly One[],
): readonly One[] => deployments.filter(({ actor }) => actor !== "auto-deploy");

/** Returns the seed that a number stands for, for cases that have one. */
export const readingSeedOf = (number: number): number => seeds[number % seeds.length] ?? 0;
