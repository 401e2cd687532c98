import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { EndedBy } from "../../commands/fleet/member-result";
import { packageRoot } from "../files";
import { hasGroups, type MemberNews, type MembersJob, type MemberTarget } from "./run-members";

/** How the process of members ended, with what it printed. */
export interface EndedProcess {
  readonly endedBy: EndedBy;
  readonly output: string;
}

interface ProcessWatch {
  /** Aborted: the process is interrupted, once, and hands that on to what it has started. */
  readonly signal: AbortSignal;
  readonly onNews: (news: MemberNews) => void;
}

/** How long a process that took too long, or that writes nothing and was interrupted, has to end what is in flight. */
const graceMs = 10_000;

/** Milliseconds that a timer can wait; it would not wait at all for more. */
const longestWait = 2 ** 31 - 1;

/** Characters that are kept of what it prints. */
const mostKept = 100_000;

/**
 * Runs members in one process, to its end. It has a process group of its own: a Ctrl-C at the terminal reaches it through
 * this process alone. It ends by itself when this process does. A member that takes too long ends it. Never rejects.
 */
export async function startMembers(job: MembersJob, watch: ProcessWatch): Promise<EndedProcess> {
  const { cwd, environment: env } = job.targets[0] as MemberTarget;
  try {
    const child = fork(programPath(), ["fleet", "members"], {
      ...{ cwd, env, execArgv: [], detached: hasGroups },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    return await watchProcess(child, job, watch);
  } catch (cause) {
    const { code = "unknown reason" } = cause as NodeJS.ErrnoException;
    return { endedBy: "itself", output: `rnv cannot be started in ${cwd} (${code})` };
  }
}

/** Hands a process its members, and resolves at its end. Rejects where it could not be started. */
function watchProcess(
  child: ChildProcess,
  job: MembersJob,
  { signal, onNews }: ProcessWatch,
): Promise<EndedProcess> {
  let endedBy: EndedBy = "itself";
  let output = "";
  let grace: NodeJS.Timeout | undefined;
  const timers = new Map<string, NodeJS.Timeout>();
  const timeouts = new Map(job.targets.map(({ member, timeoutMs }) => [member.name, timeoutMs]));
  const kill = (): void => signalTo(child.pid, "SIGKILL");
  const interrupt = (why: EndedBy): void => {
    if (endedBy === "itself") {
      endedBy = why;
      signalTo(child.pid, "SIGINT");
    }
    if (why === "timeout" || job.verb !== "apply") grace ??= setTimeout(kill, graceMs);
  };
  // Several run again: they need no time to end.
  const endLate = (): void => (job.targets.length > 1 ? kill() : interrupt("timeout"));
  const abort = (): void => interrupt("interrupted");
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  child.on("message", (message) => {
    const news = message as MemberNews;
    clearTimeout(timers.get(news.name));
    const wait = Math.min(timeouts.get(news.name) ?? longestWait, longestWait);
    if (news.result === undefined) timers.set(news.name, setTimeout(endLate, wait));
    // Interrupted for its time is not interrupted by the user.
    if (news.result?.status !== "interrupted" || endedBy !== "timeout") onNews(news);
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output = (output + text).slice(-mostKept);
  });
  // What it has started and left behind would hold its output open, and go on.
  child.once("exit", kill);
  child.send(job, () => {});
  const ended = new Promise<EndedProcess>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve({ endedBy, output }));
  });
  return ended.finally(() => {
    for (const timer of [grace, ...timers.values()]) clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  });
}

/** The entry of this program: beside its bundle, else where the package has it. */
function programPath(): string {
  const beside = join(__dirname, "rnv.js");
  return existsSync(beside) ? beside : join(packageRoot(__dirname), "dist", "bin", "rnv.js");
}

/** Sends a signal to a process: to its whole group for its end, and to itself alone for an interruption. */
function signalTo(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(hasGroups && signal === "SIGKILL" ? -pid : pid, signal);
  } catch {
    // It has ended already.
  }
}
