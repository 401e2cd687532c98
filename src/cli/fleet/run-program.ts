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
}

export interface EndedProgram {
  /** Undefined where a signal ended it. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
  readonly cause: "itself" | "timeout" | "interrupted" | "not started";
}

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
    const child = spawn(run.command, [...run.args], {
      cwd: run.cwd,
      env: run.environment,
      stdio: ["ignore", "pipe", "pipe"],
      detached: hasGroups,
    });
    const texts = { stdout: "", stderr: "" };
    let cause: EndedProgram["cause"] = "itself";
    let grace: NodeJS.Timeout | undefined;
    const send = (signal: NodeJS.Signals): void => signalTo(child.pid, signal);
    const kill = (): void => send("SIGKILL");
    const timer = setTimeout(() => {
      cause = "timeout";
      send("SIGINT");
      grace = setTimeout(kill, run.graceMs);
    }, run.timeoutMs);
    const interrupt = (): void => {
      cause = "interrupted";
      send("SIGINT");
    };
    if (run.signal.aborted) interrupt();
    run.signal.addEventListener("abort", interrupt, { once: true });
    process.on("exit", kill);
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => {
        if (texts[name].length < mostKept) texts[name] += text;
      });
    const end = (exitCode: number | undefined): void => {
      clearTimeout(timer);
      clearTimeout(grace);
      run.signal.removeEventListener("abort", interrupt);
      process.off("exit", kill);
      resolve({ exitCode, ...texts, seconds: (performance.now() - started) / 1000, cause });
    };
    child.once("error", ({ code }: NodeJS.ErrnoException) => {
      cause = "not started";
      texts.stderr = `${run.command} cannot be started in ${run.cwd} (${code ?? "unknown reason"})`;
      end(undefined);
    });
    // What it has started may hold its output open: its own end is what counts.
    child.once("exit", () => setTimeout(() => child.stdout.destroy().emit("close"), 1000).unref());
    child.once("close", (exitCode) => end(exitCode ?? undefined));
  });
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
