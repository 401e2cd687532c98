import { spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";

/** One whole process to measure. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Undone before each run, outside of the measured time. */
  readonly before?: () => void | Promise<void>;
  /** Text that standard output must hold: without it the run is no measurement. */
  readonly shows?: string;
  /** Its time ends where it first prints, and it is killed then. */
  readonly endsAtOutput?: boolean;
}

export interface Run {
  readonly ms: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end and takes its wall time, spawning included. Throws when it fails. */
export async function measure(program: Program): Promise<Run> {
  await program.before?.();
  const started = performance.now();
  const run = await new Promise<Run>((resolve, reject) => {
    const child = spawn(program.command, program.args, {
      cwd: program.cwd,
      env: { PATH: process.env.PATH, HOME: tmpdir(), ...program.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      if (!program.endsAtOutput) return;
      resolve({ ms: performance.now() - started, stdout, stderr });
      child.kill();
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      const ms = performance.now() - started;
      if (code === 0) resolve({ ms, stdout, stderr });
      else reject(new Error(`${program.command} ${program.args.join(" ")}: ${code}\n${stdout}\n${stderr}`));
    });
  });
  if (program.shows !== undefined && !run.stdout.includes(program.shows))
    throw new Error(`${program.args.join(" ")} does not say "${program.shows}":\n${run.stdout.slice(-2000)}`);
  return run;
}

export async function times<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let i = 0; i < count; i += 1) made.push(await make());
  return made;
}

export interface Pairs {
  readonly a: readonly number[];
  readonly b: readonly number[];
  /** a / b of each pair. */
  readonly ratios: readonly number[];
}

/** A program, whose wall time is taken, or a function that takes another time. */
type Timed = Program | (() => Promise<number>);

const timeOf = async (timed: Timed): Promise<number> =>
  typeof timed === "function" ? timed() : (await measure(timed)).ms;

/** A B A B: the machine's moods hit both alike, so the ratio within a pair counts. */
export async function inPairs(a: Timed, b: Timed, count: number): Promise<Pairs> {
  const times: { a: number[]; b: number[] } = { a: [], b: [] };
  for (let i = 0; i < count; i += 1) {
    times.a.push(await timeOf(a));
    times.b.push(await timeOf(b));
  }
  return { ...times, ratios: ratiosOf(times.a, times.b) };
}

export const ratiosOf = (a: readonly number[], b: readonly number[]): number[] =>
  a.map((ms, i) => ms / (b[i] as number));

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((x, y) => x - y);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** Peak resident memory of a node program in MB (10^6 bytes), which it tells itself as it exits. */
export async function peakMegabytes(program: Program): Promise<number> {
  const report = join(tmpdir(), `rnv-bench-peak-${process.pid}`);
  const preload = `${report}.cjs`;
  writeFileSync(
    preload,
    `const { peakKb } = require(${JSON.stringify(resolve("test/support/peak-memory.cjs"))});
process.on("exit", () => require("node:fs").writeFileSync(${JSON.stringify(report)}, String(peakKb())));`,
  );
  try {
    await measure({ ...program, args: ["--require", preload, ...program.args] });
    return (Number(readFileSync(report, "utf8")) * 1024) / 1e6;
  } finally {
    rmSync(preload, { force: true });
    rmSync(report, { force: true });
  }
}
