import { spawn } from "node:child_process";

export interface ProgramRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Once passed, it is interrupted, and killed a grace later. */
  readonly timeoutMs: number;
  /** Once aborted, it is interrupted: it ends what is in flight by itself. */
  readonly signal: AbortSignal;
  /** How long one that took too long has to end what is in flight. */
  readonly graceMs: number;
  /** It writes nothing: an interrupted one is killed a grace later, too. One that writes is left to end what is in flight. */
  readonly isReading: boolean;
}

export interface EndedProgram {
  /** Undefined where a signal ended it. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
  readonly cause: "itself" | "timeout" | "interrupted" | "not started";
}

/** Milliseconds that a timer can wait; it would not wait at all for more. */
const longestWait = 2 ** 31 - 1;

/** Characters of one stream that are kept: more than the plan of ten thousand services. */
const mostKept = 256 * 1024 * 1024;

/** Windows opens a console for a process that is detached. */
const hasGroups = process.platform !== "win32";

/**
 * Runs a program to its end. It has a process group of its own: a Ctrl-C at the terminal reaches it through this process
 * alone, once, and what it has started ends with it. Whoever ends this process ends it, too. Never rejects.
 */
export function runProgram(run: ProgramRun): Promise<EndedProgram> {
  const started = performance.now();
  return new Promise((resolve) => {
    const texts = { stdout: "", stderr: "" };
    let cause: EndedProgram["cause"] = "itself";
    let grace: NodeJS.Timeout | undefined;
    const notStarted = ({ code }: NodeJS.ErrnoException): string =>
      `${run.command} cannot be started in ${run.cwd} (${code ?? "unknown reason"})`;
    const { child, problem } = spawnOrProblem(run);
    if (child === undefined) {
      resolve({
        exitCode: undefined,
        ...texts,
        stderr: notStarted(problem),
        seconds: 0,
        cause: "not started",
      });
      return;
    }
    const send = (signal: NodeJS.Signals): void => signalTo(child.pid, signal);
    const kill = (): void => send("SIGKILL");
    // A second interruption would end it at once.
    const interrupt = (why: "timeout" | "interrupted"): void => {
      if (cause !== "itself") return;
      cause = why;
      send("SIGINT");
      if (why === "timeout" || run.isReading) grace = setTimeout(kill, run.graceMs);
    };
    const timer = setTimeout(
      () => {
        interrupt("timeout");
        grace ??= setTimeout(kill, run.graceMs);
      },
      Math.min(run.timeoutMs, longestWait),
    );
    const abort = (): void => interrupt("interrupted");
    if (run.signal.aborted) abort();
    run.signal.addEventListener("abort", abort, { once: true });
    const release = endWithProcess(kill);
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => {
        if (texts[name].length < mostKept) texts[name] += text;
      });
    const end = (exitCode: number | undefined): void => {
      clearTimeout(timer);
      clearTimeout(grace);
      run.signal.removeEventListener("abort", abort);
      release();
      resolve({ exitCode, ...texts, seconds: (performance.now() - started) / 1000, cause });
    };
    child.once("error", (problem) => {
      cause = "not started";
      texts.stderr = notStarted(problem);
      end(undefined);
    });
    // What it has started and left behind would hold its output open, and go on.
    child.once("exit", kill);
    child.once("close", (exitCode) => end(exitCode ?? undefined));
  });
}

/** Starts a program; the problem where its words or its environment cannot be handed to any. */
function spawnOrProblem(run: ProgramRun) {
  try {
    const child = spawn(run.command, [...run.args], {
      cwd: run.cwd,
      env: run.environment,
      stdio: ["ignore", "pipe", "pipe"],
      detached: hasGroups,
    });
    return { child };
  } catch (cause) {
    return { problem: cause as NodeJS.ErrnoException };
  }
}

/** Functions that end the programs that run. */
const ends = new Set<() => void>();

const endAll = (): void => {
  for (const end of ends) end();
};

/** Calls `end` when this process exits; the function that it returns takes that back. */
function endWithProcess(end: () => void): () => void {
  if (ends.size === 0) process.on("exit", endAll);
  ends.add(end);
  return () => {
    ends.delete(end);
    if (ends.size === 0) process.off("exit", endAll);
  };
}

/** Sends a signal to a program: to its whole group for its end, and to itself alone for an interruption, which it hands on. */
function signalTo(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(hasGroups && signal === "SIGKILL" ? -pid : pid, signal);
  } catch {
    // It has ended already.
  }
}
