import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { mostRequests } from "../../api/rate-limiter";
import {
  chooseMembers,
  endedMember,
  inShard,
  joinReports,
  makeReport,
  parseReport,
} from "../../commands/fleet";
import { runTargets } from "../../commands/targets";
import { realOf } from "../../declaration/project-files";
import { type FleetMember, startsPrograms } from "../../manifest/beside/find-fleet";
import { groupBy } from "../../model/collections";
import { reasonOf } from "../../model/file-error";
import { longestTimer } from "../../model/time";
import { jsonText } from "../../report/escape-text";
import {
  type FleetReport,
  type FleetVerb,
  fleetMetrics,
  fleetReportMarkdown,
  fleetReportText,
  type MemberResult,
  memberLine,
} from "../../report/fleet-report";
import { resourceTypes } from "../../resources";
import { jobVariables } from "../ci/job";
import { makeFolder, packageRoot, readText, writeWholeFile } from "../files";
import type { Run } from "../open-target";
import type { SharedValues } from "../options";
import { writePage } from "../output-files";
import { withProfile } from "../profile";
import { type Screen, report as tell, tryToWrite } from "../screen";
import { requestedStage } from "../stages";
import { killGroup } from "../synthesize";
import { policiesOf } from "../verbs/plan";
import { type MembersValues, type RunValues, type ShownValues, shardOf } from "./options";
import type { MembersJob } from "./run-members";

function membersOf(given: MembersValues, { target, screen }: Run): Promise<readonly FleetMember[]> {
  const { cwd, environment, untrusted, runProgram } = target;
  const { dir = ".", member: named, changedSince, memberTimeoutMs: timeoutMs = longestTimer } = given;
  return chooseMembers({
    // Git resolves links in paths.
    root: realOf(resolve(cwd, dir)),
    cwd,
    types: resourceTypes,
    environment,
    untrusted,
    runProgram,
    timeoutMs,
    jobVariables,
    named,
    changedSince,
    stage: requestedStage(target),
    policies: policiesOf(target).map((path) => realOf(resolve(cwd, path))),
    report: (found) => tell(screen, found),
  });
}

export async function runFleet(
  verb: FleetVerb,
  given: RunValues & Pick<SharedValues, "detailedExitcode">,
  run: Run,
): Promise<number> {
  const { target, screen } = run;
  const { signal, terminal, format } = screen;
  const { untrusted, answerTimeoutMs } = target;
  const selected = await membersOf(given, run);
  const shard = given.shard ?? shardOf(target.environment);
  const members = inShard(selected, shard);
  const started = { at: new Date().toISOString(), ms: performance.now() };
  const results = new Map<string, MemberResult>();
  const onResult = (result: MemberResult): void => {
    results.set(result.name, result);
    if (format === "text" && !terminal.live)
      terminal.note(`[${results.size}/${members.length}] ${memberLine(result, verb)}\n`);
  };
  for (const member of members)
    if (member.problems.length > 0) onResult(endedMember(verb, member, "failed", member));
  const pending = () => members.filter(({ name }) => !results.has(name));
  const most = given.parallelism ?? 2 * availableParallelism();
  const runGroups = (groups: readonly (readonly FleetMember[])[]) => {
    const parallelism = Math.max(1, Math.floor(most / groups.length));
    const maxConcurrency = Math.max(1, Math.floor(mostRequests / Math.min(groups.length, most)));
    const job = { verb, given, untrusted, answerTimeoutMs, parallelism, maxConcurrency };
    const runOne = (members: readonly FleetMember[]) => runProcess({ ...job, members }, signal, onResult);
    return runTargets(groups, runOne, { parallelism: most, signal });
  };
  await runGroups([...groupBy(pending(), (member) => processKey(member, { verb, untrusted })).values()]);
  // After a shared process hung or failed, run its members without a result again, each alone.
  if (!signal.aborted) await runGroups(pending().map((member) => [member]));
  for (const member of pending()) onResult(endedMember(verb, member, "interrupted"));
  const head = {
    verb,
    started_at: started.at,
    seconds: (performance.now() - started.ms) / 1000,
    shard,
    selected: selected.map(({ name }) => name),
  };
  return showReport(given, screen, makeReport(head, [...results.values()], given.detailedExitcode === true));
}

/** Prints and writes a report. Returns its exit code; 1 if it is 0 and a file cannot be written. */
function showReport(given: ShownValues, screen: Screen, report: FleetReport): number {
  const { terminal, cwd, format } = screen;
  const written = tryToWrite(screen, () => {
    if (given.report !== undefined) {
      const folder = resolve(cwd, given.report);
      const part = report.shard ? `-${report.shard.index}-of-${report.shard.count}` : "";
      makeFolder(folder);
      writeWholeFile(join(folder, `fleet${part}.json`), jsonText(report), { mode: 0o644 });
    }
    if (given.metrics !== undefined)
      writeWholeFile(resolve(cwd, given.metrics), fleetMetrics(report), { mode: 0o644 });
    writePage(screen, given.html, (make) => make.fleetPage(report));
  });
  if (format === "json") terminal.out(jsonText(report));
  else if (format === "markdown") terminal.out(fleetReportMarkdown(report));
  else terminal.out(fleetReportText(report, terminal.style));
  return report.exit_code || written;
}

export function joinFleet(
  given: ShownValues & { readonly dir: string; readonly detailedExitcode: boolean },
  screen: Screen,
): number {
  const folder = resolve(screen.cwd, given.dir);
  const reports = reportsIn(folder).map((name) => parseReport(name, readText(join(folder, name))));
  return showReport(given, screen, joinReports(reports, given.detailedExitcode));
}

/** Finds reports at any depth: a job that downloads artifacts gives each a folder. */
const reportsIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /(^|[\\/])fleet(-\d+-of-\d+)?\.json$/.test(name))
    .sort();

export async function printMatrix(
  given: MembersValues & { readonly shards: number | undefined },
  run: Run,
): Promise<undefined> {
  const selected = await membersOf(given, run);
  const count = Math.min(given.shards ?? 0, selected.length);
  const include =
    given.shards === undefined
      ? selected.map(({ name: member, manifest: folder, stage }) => ({ member, folder, stage }))
      : Array.from({ length: count }, (_, i) => ({ shard: `${i + 1}/${count}` }));
  run.screen.terminal.out(`${JSON.stringify({ include })}\n`);
}

const connectionVariables =
  /^(RNV_BASE_URL|RNV_WORKSPACE_ID|RNV_API_KEY|RNV_API_KEY_FILE|(HTTPS?|NO)_PROXY|NODE_.*)$/i;

/** Returns the same text for members that may share a process: they have the same connection. */
function processKey(member: FleetMember, job: Pick<MembersJob, "verb" | "untrusted">): string {
  const { verb, untrusted } = job;
  const used = withProfile(member.environment, undefined, untrusted ? undefined : member.cwd).environment;
  const isAlone = verb === "apply" || used.RNV_BASE_URL?.trim() === "embedded";
  if (isAlone || startsPrograms(member, verb)) return member.name;
  const shared = Object.entries(used).filter(([name]) => connectionVariables.test(name));
  return JSON.stringify(shared.sort());
}

/** Milliseconds between the timeout of the members and the kill of their process. */
const graceMs = 10_000;

const mostPrinted = 2000;

/**
 * Runs members in a process, with the folder and the environment of the first member. A single member always has a
 * result. The process has its own group, so that Ctrl-C reaches it once, through this process. It ends with this
 * process. Never rejects.
 */
async function runProcess(
  job: MembersJob,
  signal: AbortSignal,
  onResult: (result: MemberResult) => void,
): Promise<void> {
  const { members, verb } = job;
  const first = members[0] as FleetMember;
  const { cwd } = first;
  const start = performance.now();
  let output = "";
  let isStuck = false;
  let hasResult = false;
  try {
    const child = fork(join(packageRoot(__dirname), "dist", "bin", "rnv.js"), ["fleet", "members"], {
      cwd,
      env: first.environment,
      execArgv: [],
      detached: true,
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    // Members end themselves at their timeouts; after the longest timeout the process hangs.
    const longest = Math.max(...members.map(({ timeoutMs }) => timeoutMs));
    const stop = (): void => {
      isStuck = true;
      killGroup(child.pid);
    };
    let stuck = setTimeout(stop, Math.min(longest + graceMs, longestTimer)).unref();
    const interrupt = (): void => {
      child.kill("SIGINT");
      if (verb === "apply") return;
      clearTimeout(stuck);
      stuck = setTimeout(stop, graceMs).unref();
    };
    if (signal.aborted) interrupt();
    signal.addEventListener("abort", interrupt, { once: true });
    child.on("message", (result) => {
      stuck.refresh();
      hasResult = true;
      onResult(result as MemberResult);
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-mostPrinted);
    });
    child.once("exit", () => {
      clearTimeout(stuck);
      signal.removeEventListener("abort", interrupt);
      // Orphaned child processes would keep its output open, and continue.
      killGroup(child.pid);
    });
    child.send(job, () => {});
    await once(child, "close");
  } catch (cause) {
    output = `rnv cannot be started in ${cwd}: ${reasonOf(cause)}`;
  }
  if (hasResult || members.length > 1) return;
  const endedBy = signal.aborted ? "interrupted" : isStuck ? "timeout" : "failed";
  onResult(endedMember(verb, first, endedBy, { output, seconds: (performance.now() - start) / 1000 }));
}
