import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { brokenMember, type EndedBy, makeReport, refusedMember } from "../../commands/fleet";
import { runTargets } from "../../commands/targets";
import { failure } from "../../diagnostics/diagnostic";
import { type FleetMember, startsPrograms } from "../../manifest/find-fleet";
import type { FleetReport, MemberResult } from "../../model/report-documents";
import type { FleetVerb } from "../../model/target";
import {
  fleetMetrics,
  fleetReportJson,
  fleetReportMarkdown,
  fleetReportText,
  memberLine,
} from "../../report/fleet-report";
import { makeFolder, packageRoot, writeMetrics, writeWholeFile } from "../files";
import { formatOf, type Invocation } from "../invocation";
import { writePage } from "../page-file";
import { withProfile } from "../profile";
import { exitCodes, outStyle } from "../report";
import { chooseMembers } from "./choose-members";
import type { MemberNews, MembersJob } from "./run-members";

/** `rnv fleet plan|drift|apply`: runs every member, in as few processes as may be, with one report of all. */
export async function runFleet(invocation: Invocation, verb: FleetVerb): Promise<number> {
  const { options, signal, terminal } = invocation;
  if (verb === "apply" && options.autoApprove !== true)
    throw failure("command.usage", "a fleet does not ask while it applies", {
      hint: "look at rnv fleet plan, then give --auto-approve; deletions are confirmed by removed: in the manifests",
    });
  const { selected, members, root, shard } = chooseMembers(invocation);
  const started = { at: new Date().toISOString(), ms: performance.now() };
  const results = new Map<string, MemberResult>();
  const onResult = (result: MemberResult): void => {
    results.set(result.name, result);
    if (formatOf(options) === "text" && !terminal.live)
      terminal.err(`[${results.size}/${members.length}] ${memberLine(result, verb === "apply")}\n`);
  };
  for (const member of members)
    if (member.problems.length > 0) onResult(refusedMember(member, member.problems));
  const sound = members.filter(({ problems }) => problems.length === 0);
  await runAll(invocation, { verb, root, members: sound }, onResult);
  for (const member of members) if (!results.has(member.name)) onResult(brokenMember(member, "interrupted"));
  const head = {
    ...{ verb, started_at: started.at, seconds: (performance.now() - started.ms) / 1000 },
    ...{ shard, selected: selected.map(({ name }) => name) },
  };
  const isDetailed = options.detailedExitcode === true;
  const report = makeReport(head, [...results.values()], { isDetailed });
  showReport(invocation, report);
  return signal.aborted ? exitCodes.interrupted : report.exit_code;
}

/** Prints a report and writes it where the options say. */
export function showReport(invocation: Invocation, report: FleetReport): void {
  const { options, terminal, cwd } = invocation;
  const format = formatOf(options);
  if (typeof options.report === "string") {
    const folder = resolve(cwd, options.report);
    // Reports of shards are beside each other in one folder.
    const part = report.shard ? `-${report.shard.index}-of-${report.shard.count}` : "";
    makeFolder(folder);
    writeWholeFile(join(folder, `fleet${part}.json`), fleetReportJson(report), { mode: 0o644 });
  }
  if (typeof options.metrics === "string")
    writeMetrics(resolve(cwd, options.metrics), (before) => fleetMetrics(report, before));
  writePage(invocation, (make) => make.fleetPage(report));
  if (format === "json") terminal.out(fleetReportJson(report));
  else if (format === "markdown") terminal.out(fleetReportMarkdown(report));
  else terminal.out(fleetReportText(report, outStyle(invocation)));
}

/** Runs all members; those that may share a process do. */
async function runAll(
  invocation: Invocation,
  { verb, root, members }: Pick<MembersJob, "verb" | "root" | "members">,
  onResult: (result: MemberResult) => void,
): Promise<void> {
  const { options, signal } = invocation;
  const groups = new Map<string, FleetMember[]>();
  for (const member of members) {
    const key = sharedBy(verb, member, join(root, member.folder), options.untrusted === true);
    const timeoutMs = member.timeoutMs ?? (options.memberTimeout as number);
    groups.set(key, [...(groups.get(key) ?? []), { ...member, timeoutMs }]);
  }
  const most = (options.parallelism as number | undefined) ?? 2 * availableParallelism();
  const parallelism = Math.max(1, Math.floor(most / groups.size));
  const run = (group: readonly FleetMember[]): Promise<void> =>
    runGroup(invocation, { verb, options, parallelism, root, members: group }, onResult);
  await runTargets(groups.values(), run, { parallelism: most, signal });
}

/** Names of the settings that a process reaches the service with. */
const ofConnection =
  /^(RNV_BASE_URL|RNV_WORKSPACE_ID|RNV_API_KEY|RNV_API_KEY_FILE|(HTTPS?|NO)_PROXY|NODE_.*)$/i;

/** Returns the same text for members that may share a process: they reach one workspace, with one key, in one way. */
function sharedBy(verb: FleetVerb, member: FleetMember, folder: string, untrusted: boolean): string {
  const used = withProfile(member.environment, undefined, untrusted ? undefined : folder).environment;
  const isAlone = verb === "apply" || used.RNV_BASE_URL?.trim() === "embedded";
  if (isAlone || startsPrograms(member, folder, verb)) return member.name;
  const settings = Object.entries(used).filter(([name]) => ofConnection.test(name));
  return JSON.stringify(settings.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Runs members in one process; after one that hangs or breaks it, those that may have done so run again, each alone. */
async function runGroup(
  invocation: Invocation,
  job: MembersJob,
  onResult: (result: MemberResult) => void,
): Promise<void> {
  const { signal } = invocation;
  const begun = new Map<string, number>();
  const ended = new Set<string>();
  const onNews = ({ name, result }: MemberNews): void => {
    if (result === undefined) begun.set(name, performance.now());
    else {
      ended.add(name);
      onResult(result);
    }
  };
  const { endedBy, output } = await startMembers(job, { signal, onNews });
  const left = job.members.filter(({ name }) => !ended.has(name));
  if (job.members.length === 1 || signal.aborted) {
    const now = performance.now();
    for (const member of left) {
      const seconds = (now - (begun.get(member.name) ?? now)) / 1000;
      onResult(brokenMember(member, signal.aborted ? "interrupted" : endedBy, output, seconds));
    }
    return;
  }
  const suspects = left.filter(({ name }) => begun.size === ended.size || begun.has(name));
  const others = left.filter((member) => !suspects.includes(member));
  const again = [...suspects.map((member) => [member]), ...(others.length === 0 ? [] : [others])];
  const run = (members: readonly FleetMember[]) => runGroup(invocation, { ...job, members }, onResult);
  await runTargets(again, run, { signal, parallelism: job.parallelism });
}

interface ProcessWatch {
  /** Aborted: the process is interrupted, once, and hands that on to what it has started. */
  readonly signal: AbortSignal;
  readonly onNews: (news: MemberNews) => void;
}

/** How the process of members ended, with what it printed. */
interface EndedProcess {
  readonly endedBy: EndedBy;
  readonly output: string;
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
async function startMembers(job: MembersJob, watch: ProcessWatch): Promise<EndedProcess> {
  const { folder, environment: env } = job.members[0] as FleetMember;
  const cwd = join(job.root, folder);
  try {
    // The entry of this program: beside its bundle, else where the package has it.
    const beside = join(__dirname, "rnv.js");
    const program = existsSync(beside) ? beside : join(packageRoot(__dirname), "dist", "bin", "rnv.js");
    const child = fork(program, ["fleet", "members"], {
      ...{ cwd, env, execArgv: [], detached: true },
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
  const timeouts = new Map(job.members.map(({ name, timeoutMs }) => [name, timeoutMs]));
  const kill = (): void => signalTo(child.pid, "SIGKILL");
  const interrupt = (why: EndedBy): void => {
    if (endedBy === "itself") {
      endedBy = why;
      signalTo(child.pid, "SIGINT");
    }
    if (why === "timeout" || job.verb !== "apply") grace ??= setTimeout(kill, graceMs);
  };
  // Several run again: they need no time to end.
  const endLate = (): void => (job.members.length > 1 ? kill() : interrupt("timeout"));
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

/** Sends a signal to a process: to its whole group for its end, and to itself alone for an interruption. */
function signalTo(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(signal === "SIGKILL" ? -pid : pid, signal);
  } catch {
    // It has ended already.
  }
}
