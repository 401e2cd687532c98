import type { Disk } from "./disk";
import type { Recorded } from "./recorded";
import { largestJournal, largestSnapshot, type StateFiles } from "./state-files";

/**
 * What can be made out of a state that cannot be read: enough for the one that takes its place to have a higher serial
 * and generation, so that nothing built on the damaged one passes for newer.
 */
export async function salvage(disk: Disk, files: StateFiles): Promise<Recorded> {
  const snapshot = await textOf(disk, files.snapshot, largestSnapshot);
  const journal = await textOf(disk, files.journal, largestJournal);
  return {
    ...salvageText(snapshot),
    serial: Math.max(highest(snapshot, "serial"), highest(journal, "serial")),
    generation: Math.max(highest(snapshot, "generation"), highest(journal, "generation")),
  };
}

/** As `salvage`, for one document. */
export const salvageText = (text: string): Recorded => ({
  state: undefined,
  lineage: null,
  serial: highest(text, "serial"),
  generation: highest(text, "generation"),
  journals: [],
  pending: [],
  encrypted: text.includes('"rnv-state-encrypted"') || text.includes('"kind":"sealed"'),
});

const textOf = async (disk: Disk, path: string, limit: number): Promise<string> => {
  const bytes = await disk.read(path, limit).catch(() => undefined);
  return Buffer.from(bytes ?? []).toString("utf8");
};

/** The largest number that stands behind the key anywhere in the text. */
function highest(text: string, key: string): number {
  const found = text.matchAll(new RegExp(`"${key}"\\s*:\\s*(\\d{1,12})`, "g"));
  let most = 0;
  for (const [, digits] of found) most = Math.max(most, Number(digits));
  return most;
}
