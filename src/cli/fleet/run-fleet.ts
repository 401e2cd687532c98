import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { brokenMember, type EndedBy, makeReport, refusedMember } from "../../commands/fleet";
import { runTargets } from "../../commands/targets";
import { error, failure } from "../../diagnostics/diagnostic";
import { folderProblem, startsPrograms } from "../../manifest/find-fleet";
import { memberEnvironment } from "../../manifest/fleet-environment";
import type { FleetVerb } from "../../model/fleet";
import {
  type FleetReport,
  fleetMetrics,
  fleetReportJson,
  fleetReportMarkdown,
  fleetReportText,
  type MemberResult,
  memberLine,
} from "../../report/fleet-report";
import { makeFolder, packageRoot, writeMetrics, writeWholeFile } from "../files";
import { formatOf, type Invocation } from "../invocation";
import { jobVariables } from "../job";
import { writePage } from "../page-file";
import { withProfile } from "../profile";
import { exitCodes, outStyle } from "../report";
import { chooseMembers } from "./choose-members";
import { hasGroups, type MemberNews, type MembersJob, type MemberTarget } from "./run-members";

/** `rnv fleet plan|drift|apply`: runs every member, in as few processes as may be, with one report of all. */
export async function runFleet(invocation: Invocation, verb: FleetVerb): Promise<number> {
  const { options, signal, terminal } = invocation;
  if (verb === "apply" && options.autoApprove !== true)
    throw failure("command.usage", "a fleet does not ask while it applies", {
      hint: "look at rnv fleet plan, then give --auto-approve; deletions are confirmed by removed: in the manifests",
    });
  const chosen = chooseMembers(invocation);
  const { selected, members, shard } = chosen;
  const startedAt = new Date();
  const started = performance.now();
  const results: MemberResult[] = [];
  const onResult = (result: MemberResult): void => {
    results.push(result);
    if (formatOf(options) === "text" && !terminal.live)
      terminal.err(`[${results.length}/${members.length}] ${memberLine(result, verb === "apply")}\n`);
  };
  const { targets, refused } = targetsOf(invocation, chosen);
  for (const result of refused) onResult(result);
  await runAll(invocation, verb, targets, onResult);
  const ended = new Set(results.map(({ name }) => name));
  for (const member of members)
    if (!ended.has(member.name)) onResult(brokenMember(member, "interrupted", "", 0));
  const report = makeReport(
    {
      verb,
      started_at: startedAt.toISOString(),
      seconds: Math.round((performance.now() - started) / 10) / 100,
      ...(shard && { shard }),
      selected: selected.map(({ name }) => name),
    },
    results,
    { isDetailed: options.detailedExitcode === true },
  );
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
  writePage(invocation, (load) => load.fleet().fleetPage(report));
  if (format === "json") terminal.out(fleetReportJson(report));
  else if (format === "markdown") terminal.out(fleetReportMarkdown(report));
  else terminal.out(fleetReportText(report, outStyle(invocation)));
}

/** The members as targets, with what their runs are given; and results of those that cannot be run. */
function targetsOf(
  { cwd, environment, options }: Invocation,
  { members, all, root }: ReturnType<typeof chooseMembers>,
): { readonly targets: readonly MemberTarget[]; readonly refused: readonly MemberResult[] } {
  const targets: MemberTarget[] = [];
  const refused: MemberResult[] = [];
  const isOfJob = (name: string): boolean => jobVariables.has(name);
  for (const member of members) {
    const given = memberEnvironment(member, all, environment, { cwd, isOfJob });
    const problem = given.missing.length === 0 ? folderProblem(member, root) : undefined;
    const unset = given.missing.map((name) =>
      error("config.missing", `${name} is not set, which ${member.name} is to be given`, {
        hint: `set it in the job, or take it out of env of ${member.name} in the fleet file`,
      }),
    );
    const problems = [...unset, ...(problem ? [problem] : [])];
    const timeoutMs = member.timeoutMs ?? (options.memberTimeout as number);
    if (problems.length > 0) refused.push(refusedMember(member, problems));
    else targets.push({ member, cwd: join(root, member.folder), environment: given.environment, timeoutMs });
  }
  return { targets, refused };
}

/** Runs all members; those that may share a process do. */
async function runAll(
  invocation: Invocation,
  verb: FleetVerb,
  targets: readonly MemberTarget[],
  onResult: (result: MemberResult) => void,
): Promise<void> {
  const { options: given, signal } = invocation;
  const { secrets, failOn, strict, lockTimeout, answerTimeout, untrusted } = given;
  const options = { secrets, failOn, strict, lockTimeout, answerTimeout, untrusted };
  const groups = new Map<string, MemberTarget[]>();
  for (const target of targets) {
    const key = sharedBy(verb, target, untrusted === true);
    groups.set(key, [...(groups.get(key) ?? []), target]);
  }
  const most = (given.parallelism as number | undefined) ?? 2 * availableParallelism();
  const parallelism = Math.max(1, Math.floor(most / groups.size));
  const run = (group: readonly MemberTarget[]): Promise<void> =>
    runGroup(invocation, { verb, options, parallelism, targets: group }, onResult);
  await runTargets(groups.values(), run, { parallelism: most, signal });
}

/** Names of the settings that a process reaches the service with. */
const ofConnection =
  /^(RNV_BASE_URL|RNV_WORKSPACE_ID|RNV_API_KEY|RNV_API_KEY_FILE|(HTTPS?|NO)_PROXY|NODE_.*)$/i;

/** Returns the same text for members that may share a process: they reach one workspace, with one key, in one way. */
function sharedBy(verb: FleetVerb, { member, cwd, environment }: MemberTarget, untrusted: boolean): string {
  const used = withProfile(environment, undefined, untrusted ? undefined : cwd).environment;
  const isAlone = verb === "apply" || used.RNV_BASE_URL?.trim() === "embedded";
  if (isAlone || startsPrograms(member, cwd, verb)) return member.name;
  const settings = Object.entries(used).filter(([name]) => ofConnection.test(name));
  return JSON.stringify(settings.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Runs members in one process; after one that hangs or breaks it, those that may have done so run again, each alone. */
async function runGroup(
  invocation: Invocation,
  job: MembersJob,
  onResult: (result: MemberResult) => void,
): Promise<void> {
  const { signal, terminal } = invocation;
  const begun = new Map<string, number>();
  const ended = new Set<string>();
  const onNews = ({ name, result, annotations = "" }: MemberNews): void => {
    if (annotations !== "") terminal.err(annotations);
    if (result === undefined) begun.set(name, performance.now());
    else {
      ended.add(name);
      onResult(result);
    }
  };
  const { endedBy, output } = await startMembers(job, { signal, onNews });
  const left = job.targets.filter(({ member }) => !ended.has(member.name));
  if (job.targets.length === 1 || signal.aborted) {
    for (const { member } of left) {
      const now = performance.now();
      const seconds = (now - (begun.get(member.name) ?? now)) / 1000;
      onResult(brokenMember(member, signal.aborted ? "interrupted" : endedBy, output, seconds));
    }
    return;
  }
  const suspects = left.filter(({ member }) => begun.size === ended.size || begun.has(member.name));
  const others = left.filter((target) => !suspects.includes(target));
  const again = [...suspects.map((target) => [target]), ...(others.length === 0 ? [] : [others])];
  const run = (targets: readonly MemberTarget[]) => runGroup(invocation, { ...job, targets }, onResult);
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
  const { cwd, environment: env } = job.targets[0] as MemberTarget;
  try {
    // The entry of this program: beside its bundle, else where the package has it.
    const beside = join(__dirname, "rnv.js");
    const program = existsSync(beside) ? beside : join(packageRoot(__dirname), "dist", "bin", "rnv.js");
    const child = fork(program, ["fleet", "members"], {
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

/** Sends a signal to a process: to its whole group for its end, and to itself alone for an interruption. */
function signalTo(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(hasGroups && signal === "SIGKILL" ? -pid : pid, signal);
  } catch {
    // It has ended already.
  }
}
