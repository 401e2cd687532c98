import { randomBytes } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { SynthesizedFiles } from "../declaration/load-request";
import { DiagnosticsError, failure } from "../diagnostics/diagnostic";
import { systemClock } from "../model/time";
import { aliveBy } from "../state/alive-by";
import { acquireLock, recordFor } from "../state/lock-record";
import { makeIgnoredFolder, nodeDisk } from "../state/node-disk";
import { localLocks } from "../state/stores/local-backend";

interface OutputPlace {
  readonly cwd: string;
  /** Absolute path of the output folder. */
  readonly folder: string;
  /** The program writes there, whatever CDKTF_OUTDIR says. */
  readonly isOfProgram: boolean;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** Longer than any program may run. */
const lockTimeoutMs = 400_000;

/**
 * Calls `write` with a folder of this run alone, and copies what is written over the output folder. A program that has an
 * output folder of its own writes there, while other runs wait.
 */
export async function writeOutput(
  place: OutputPlace,
  write: (folder: string) => Promise<SynthesizedFiles>,
): Promise<SynthesizedFiles> {
  const { cwd, folder, isOfProgram } = place;
  if (isOfProgram) return holdFolder(place, () => keepingManifest(folder, () => write(folder)));
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

async function holdFolder<T>({ cwd, signal, say }: OutputPlace, work: () => Promise<T>): Promise<T> {
  const isAlive = aliveBy((pid, how) => process.kill(pid, how));
  const path = join(cwd, ".rnv", "synth.lock");
  const locks = localLocks({ disk: nodeDisk, path, isAlive });
  const id = randomBytes(8).toString("hex");
  const since = new Date(systemClock.now()).toISOString();
  const self = await recordFor(nodeDisk, {
    ...{ id, since, host: hostname(), pid: process.pid, command: "synthesis" },
  });
  let isTold = false;
  const onHeld = (): void => {
    if (!isTold) say("Waiting for another run that synthesizes here.");
    isTold = true;
  };
  const asker = { clock: systemClock, disk: nodeDisk, isAlive };
  const wait = { timeoutMs: lockTimeoutMs, signal, onHeld };
  const { record } = await acquireLock(locks, self, asker, wait).catch((cause: unknown) => {
    if (!(cause instanceof DiagnosticsError)) throw cause;
    throw failure("state.lock_held", "another run still synthesizes here", {
      hint: `wait for it to end; if it is certainly gone, remove ${path}`,
    });
  });
  try {
    return await work();
  } finally {
    await locks.freeLock(record);
  }
}

/** Sets the manifest of an earlier run aside, which must not be taken for that of this run, and puts it back after a failure. */
async function keepingManifest<T>(folder: string, write: () => Promise<T>): Promise<T> {
  const manifest = join(folder, "manifest.json");
  const aside = `${manifest}.before`;
  if (existsSync(manifest)) renameSync(manifest, aside);
  try {
    return await write();
  } finally {
    if (existsSync(manifest)) rmSync(aside, { force: true });
    else if (existsSync(aside)) renameSync(aside, manifest);
  }
}

/** The stacks in an output folder by name, with the time at which each was written. */
export function stacksIn(folder: string): ReadonlyMap<string, number | undefined> {
  const stacks = join(folder, "stacks");
  const names = existsSync(stacks) ? readdirSync(stacks) : [];
  const timeOf = (name: string) =>
    statSync(join(stacks, name, "cdk.tf.json"), { throwIfNoEntry: false })?.mtimeMs;
  return new Map(names.map((name) => [name, timeOf(name)]));
}

/** Copies an output folder over another. Stacks that are gone are removed; files of Terraform stay. */
function publish(from: string, to: string): void {
  const written = stacksIn(from);
  for (const name of stacksIn(to).keys()) {
    if (written.has(name)) continue;
    const stack = join(to, "stacks", name);
    for (const part of ["cdk.tf.json", "assets"]) rmSync(join(stack, part), { recursive: true, force: true });
    try {
      rmdirSync(stack);
    } catch {
      // It holds more: files of Terraform.
    }
  }
  cpSync(from, to, { recursive: true });
}
