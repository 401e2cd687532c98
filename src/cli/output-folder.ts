import { randomBytes } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { SynthesizedFiles } from "../declaration/load-request";
import { DiagnosticsError, failure } from "../diagnostics/diagnostic";
import { systemClock } from "../model/time";
import { aliveBy } from "../state/alive-by";
import { acquireLock, recordFor } from "../state/lock-record";
import { makeIgnoredFolder, nodeDisk } from "../state/node-disk";
import { localLocks } from "../state/stores/local-backend";

export interface OutputFolder {
  readonly cwd: string;
  readonly folder: string;
  /** The program ignores CDKTF_OUTDIR and writes to its own output folder. */
  readonly isOfProgram: boolean;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

const longestProgramMs = 400_000;

/**
 * Calls `write` with a folder of this run, and copies the result over the output folder. A program with its own output
 * folder writes directly, while other runs wait.
 */
export async function writeOutput(
  place: OutputFolder,
  write: (folder: string) => Promise<SynthesizedFiles>,
): Promise<SynthesizedFiles> {
  const { cwd, folder, isOfProgram } = place;
  if (isOfProgram) return holdFolder(place, () => write(folder));
  makeIgnoredFolder(join(cwd, ".rnv"));
  const scratch = mkdtempSync(join(cwd, ".rnv", "synth-"));
  try {
    const own = join(scratch, "cdktf.out");
    const written = await write(own);
    await holdFolder(place, async () => publish(own, folder));
    return written;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function holdFolder<T>({ cwd, signal, say }: OutputFolder, work: () => Promise<T>): Promise<T> {
  const disk = nodeDisk;
  const path = join(cwd, ".rnv", "synth.lock");
  const asker = { clock: systemClock, disk, isAlive: aliveBy((pid, how) => process.kill(pid, how)) };
  const locks = localLocks({ ...asker, path });
  const since = new Date(systemClock.now()).toISOString();
  const own = { id: randomBytes(8).toString("hex"), host: hostname(), pid: process.pid };
  const self = await recordFor(disk, { ...own, since, command: "synthesis" });
  const waiting = ["Waiting for another run that synthesizes here."];
  const onHeld = (): void => waiting.splice(0).forEach(say);
  const wait = { timeoutMs: longestProgramMs, signal, onHeld };
  const { record } = await acquireLock(locks, self, asker, wait).catch((cause: unknown) => {
    const hint = `wait for it to end; if it is certainly gone, remove ${path}`;
    if (!(cause instanceof DiagnosticsError)) throw cause;
    throw failure("state.lock_held", "another run still synthesizes here", { hint });
  });
  return work().finally(() => locks.freeLock(record));
}

/** Returns when the manifest of an output folder and each of its stacks were written. */
export function timesIn(folder: string): ReadonlyMap<string, number> {
  const names = existsSync(join(folder, "stacks")) ? readdirSync(join(folder, "stacks")) : [];
  const files = ["manifest.json", ...names.map((name) => `stacks/${name}/cdk.tf.json`)];
  const times = files.map((file) => [file, statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs]);
  return new Map(times.filter((entry): entry is [string, number] => entry[1] !== undefined));
}

/** Copies an output folder over another. Removes stacks that no longer exist; keeps files of Terraform. */
function publish(from: string, to: string): void {
  const written = timesIn(from);
  for (const file of timesIn(to).keys()) {
    if (written.has(file)) continue;
    const stack = join(to, file, "..");
    for (const part of ["cdk.tf.json", "assets"]) rmSync(join(stack, part), { recursive: true, force: true });
    if (readdirSync(stack).length === 0) rmdirSync(stack);
  }
  cpSync(from, to, { recursive: true });
}
