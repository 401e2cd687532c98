import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { parseJson } from "../../api/transport";
import { endedMember, makeReport } from "../../commands/fleet";
import { runTargets } from "../../commands/targets";
import { error, failure } from "../../diagnostics/diagnostic";
import { type FleetMember, startsPrograms } from "../../manifest/beside/find-fleet";
import { reasonOf, shortList } from "../../model/text";
import { longestTimer } from "../../model/time";
import { jsonText } from "../../report/escape-text";
import {
  type FleetReport,
  type FleetVerb,
  fleetMetrics,
  fleetReportMarkdown,
  fleetReportSchema,
  fleetReportText,
  type MemberResult,
  memberLine,
} from "../../report/fleet-report";
import { groupBy } from "../../report/order";
import { counted } from "../../report/plan-wording";
import { makeFolder, packageRoot, readText, writeWholeFile } from "../files";
import type { Run } from "../open-target";
import { writePage } from "../output-files";
import { withProfile } from "../profile";
import { outStyle, type Screen, tryToWrite } from "../screen";
import { killGroup } from "../synthesize";
import { chooseMembers, inShard, shardOf } from "./choose-members";
import type { MembersValues, RunValues, ShownValues } from "./options";
import type { MembersJob, MemberWork } from "./run-members";

export async function runFleet(
  work: MemberWork,
  given: RunValues & { readonly detailedExitcode?: boolean },
  { target, screen }: Run,
): Promise<number> {
  const { verb } = work;
  const { signal, terminal, format } = screen;
  const { untrusted, answerTimeoutMs } = target;
  const { selected, root } = await chooseMembers(given, target, screen);
  const shard = given.shard ?? shardOf(target.environment);
  const members = inShard(selected, shard);
  const started = { at: new Date().toISOString(), ms: performance.now() };
  const results = new Map<string, MemberResult>();
  const onResult = (result: MemberResult): void => {
    results.set(result.name, result);
    if (format === "text" && !terminal.live)
      terminal.note(`[${results.size}/${members.length}] ${memberLine(result, verb === "apply")}\n`);
  };
  for (const member of members)
    if (member.problems.length > 0) onResult(endedMember(verb, member, "failed", member));
  const pending = () => members.filter(({ name }) => !results.has(name));
  const most = given.parallelism ?? 2 * availableParallelism();
  const run = (groups: readonly (readonly FleetMember[])[]) => {
    const parallelism = Math.max(1, Math.floor(most / groups.length));
    const runOne = (group: readonly FleetMember[]) =>
      runProcess({ work, untrusted, answerTimeoutMs, parallelism, root, members: group }, signal, onResult);
    return runTargets(groups, runOne, { parallelism: most, signal });
  };
  await run([...groupBy(pending(), (one) => sharedBy(verb, one, root, untrusted)).values()]);
  // Those that a shared process left without a result, because it hung or broke, run again, each alone.
  if (!signal.aborted) await run(pending().map((one) => [one]));
  for (const member of pending()) onResult(endedMember(verb, member, "interrupted"));
  const head = {
    ...{ verb, started_at: started.at, seconds: (performance.now() - started.ms) / 1000 },
    ...{ shard, selected: selected.map(({ name }) => name) },
  };
  return showReport(given, screen, makeReport(head, [...results.values()], given.detailedExitcode === true));
}

/** Prints a report and writes it where the options say; returns its exit code, and 1 for 0 where a file cannot be written. */
function showReport(given: ShownValues, screen: Screen, report: FleetReport): number {
  const { terminal, cwd, format } = screen;
  const written = tryToWrite(screen, () => {
    if (given.report !== undefined) {
      const folder = resolve(cwd, given.report);
      // Reports of shards are beside each other in one folder.
      const part = report.shard ? `-${report.shard.index}-of-${report.shard.count}` : "";
      makeFolder(folder);
      writeWholeFile(join(folder, `fleet${part}.json`), jsonText(report), { mode: 0o644 });
    }
    if (given.metrics !== undefined)
      writeWholeFile(resolve(cwd, given.metrics), fleetMetrics(report), { mode: 0o644 });
    writePage({ file: given.html, screen }, (make) => make.fleetPage(report));
  });
  if (format === "json") terminal.out(jsonText(report));
  else if (format === "markdown") terminal.out(fleetReportMarkdown(report));
  else terminal.out(fleetReportText(report, outStyle(screen)));
  return report.exit_code || written;
}

/** `rnv fleet report DIR`: joins the reports of shards. */
export function joinFleet(
  given: ShownValues & { readonly dir: string; readonly detailedExitcode: boolean },
  screen: Screen,
): number {
  const folder = resolve(screen.cwd, given.dir);
  const reports = reportsIn(folder).map((name) => parseReport(name, readText(join(folder, name))));
  return showReport(given, screen, joinReports(reports, given.detailedExitcode));
}

/** Reports below a folder: a job that gathers artifacts gives each a folder of its own. */
function reportsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /(^|[\\/])fleet(-\d+-of-\d+)?\.json$/.test(name))
      .sort();
  } catch (cause) {
    throw failure("command.usage", `cannot read the folder ${folder}: ${reasonOf(cause)}`);
  }
}

/** `rnv fleet matrix`: the jobs of a workflow, one for each member or each shard. */
export async function printMatrix(
  given: MembersValues & { readonly shards: number | undefined },
  { target, screen }: Run,
): Promise<undefined> {
  const { selected } = await chooseMembers(given, target, screen);
  const count = Math.min(given.shards ?? 0, selected.length);
  const include =
    given.shards === undefined
      ? selected.map(({ name: member, manifest: folder, stage }) => ({ member, folder, stage }))
      : Array.from({ length: count }, (_, i) => ({ shard: `${i + 1}/${count}` }));
  screen.terminal.out(`${JSON.stringify({ include })}\n`);
}

/**
 * Joins the reports of the shards of one run. A shard that ran twice counts with its later run; a member without a result is
 * an error: what did not run must not look clean. Throws `DiagnosticsError` where the files are not the reports of one run.
 */
export function joinReports(all: readonly FleetReport[], isDetailed: boolean): FleetReport {
  const reports = [...all].sort((a, b) => startOf(a) - startOf(b));
  const [first] = reports;
  if (first === undefined)
    throw failure("command.usage", "there is no report of a fleet", {
      hint: "rnv fleet drift --report DIR writes one",
    });
  // In other parts, too: one run is in as many for all.
  const runs = new Set(reports.map((one) => [runText(one), ...one.selected].join("\n")));
  if (runs.size > 1)
    throw failure("command.usage", "the reports are not those of one run", {
      detail: `They are ${[...new Set(reports.map(runText))].join(", and ")}.`,
      hint: "give each run a folder of its own",
    });
  const { verb, selected, started_at, shard: { count } = { count: 1 } } = first;
  const results = new Map(reports.flatMap(({ members }) => members.map((one) => [one.name, one])));
  const told = new Set(reports.map(({ shard }) => shard?.index));
  const missing = Array.from({ length: count }, (_, i) => i + 1).filter((index) => !told.has(index));
  const hint = `run shard ${shortList(missing.map(String), 10)} of ${count} again`;
  const lost = error("command.usage", "it is in no report", { hint });
  for (const name of selected.filter((one) => !results.has(one)))
    results.set(name, endedMember(verb, { name, stage: name.split("@")[1] }, "failed", { problems: [lost] }));
  const end = Math.max(...reports.map((one) => startOf(one) + one.seconds * 1000));
  const head = { verb, started_at, seconds: (end - startOf(first)) / 1000, selected };
  return makeReport(head, [...results.values()], isDetailed);
}

const startOf = ({ started_at }: FleetReport): number => Date.parse(started_at);

const runText = ({ verb, selected, shard }: FleetReport): string =>
  `of ${verb} of ${counted(selected.length, "member")} in ${counted(shard?.count ?? 1, "part")}`;

/** Reads a report. Throws `DiagnosticsError` for a file that is none. */
export function parseReport(file: string, text: string): FleetReport {
  const { data } = fleetReportSchema.safeParse(parseJson(text));
  if (data !== undefined) return data;
  throw failure("command.usage", `${file} is no report of a fleet`, {
    hint: "give the folder that --report names alone: the reports of one run, and nothing else",
  });
}

const ofConnection =
  /^(RNV_BASE_URL|RNV_WORKSPACE_ID|RNV_API_KEY|RNV_API_KEY_FILE|(HTTPS?|NO)_PROXY|NODE_.*)$/i;

/** Returns the same text for members that may share a process: they reach one workspace, with one key, in one way. */
function sharedBy(verb: FleetVerb, member: FleetMember, root: string, untrusted: boolean): string {
  const folder = join(root, member.manifest);
  const used = withProfile(member.environment, undefined, untrusted ? undefined : folder).environment;
  const isAlone = verb === "apply" || used.RNV_BASE_URL?.trim() === "embedded";
  if (isAlone || startsPrograms(folder, verb)) return member.name;
  return JSON.stringify(
    Object.entries(used)
      .filter(([name]) => ofConnection.test(name))
      .sort(),
  );
}

/** Milliseconds that a process whose members should have ended has to end what is in flight. */
const graceMs = 10_000;

const mostPrinted = 2000;

/**
 * Runs members in one process, to its end, in the folder of the first and with its environment. One alone always has a result.
 * The process has a group of its own: a Ctrl-C at the terminal reaches it through this process alone, once. It ends by itself
 * when this process does. Never rejects.
 */
async function runProcess(
  job: MembersJob,
  signal: AbortSignal,
  onResult: (result: MemberResult) => void,
): Promise<void> {
  const { members, root, work } = job;
  const first = members[0] as FleetMember;
  const cwd = join(root, first.manifest);
  const start = performance.now();
  let output = "";
  let isStuck = false;
  let isTold = false;
  try {
    const child = fork(join(packageRoot(__dirname), "dist", "bin", "rnv.js"), ["fleet", "members"], {
      ...{ cwd, env: first.environment, execArgv: [], detached: true },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    // Each member ends by itself when its time is over: a process in which none does so hangs.
    const longest = Math.max(...members.map(({ timeoutMs }) => timeoutMs));
    const stop = (): void => {
      isStuck = true;
      killGroup(child.pid);
    };
    let stuck = setTimeout(stop, Math.min(longest + graceMs, longestTimer)).unref();
    const interrupt = (): void => {
      child.kill("SIGINT");
      if (work.verb === "apply") return;
      clearTimeout(stuck);
      stuck = setTimeout(stop, graceMs).unref();
    };
    if (signal.aborted) interrupt();
    signal.addEventListener("abort", interrupt, { once: true });
    child.on("message", (result) => {
      stuck.refresh();
      isTold = true;
      onResult(result as MemberResult);
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-mostPrinted);
    });
    child.once("exit", () => {
      clearTimeout(stuck);
      signal.removeEventListener("abort", interrupt);
      // What it has started and left behind would hold its output open, and go on.
      killGroup(child.pid);
    });
    child.send(job, () => {});
    await once(child, "close");
  } catch (cause) {
    const { code = "unknown reason" } = cause as NodeJS.ErrnoException;
    output = `rnv cannot be started in ${cwd} (${code})`;
  }
  if (isTold || members.length > 1) return;
  const endedBy = signal.aborted ? "interrupted" : isStuck ? "timeout" : "failed";
  onResult(endedMember(work.verb, first, endedBy, { output, seconds: (performance.now() - start) / 1000 }));
}
