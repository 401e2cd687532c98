import { existsSync, mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { type EndedMember, judgeMember, makeReport, unrunMember } from "../../commands/fleet/judge-member";
import { DiagnosticsError, error } from "../../diagnostics/diagnostic";
import { folderProblem } from "../../manifest/find-fleet";
import { memberEnvironment } from "../../manifest/fleet-environment";
import type { FleetMember, FleetVerb, Shard } from "../../model/fleet";
import { diagnosticData } from "../../report/diagnostics";
import {
  type FleetReport,
  fleetMetrics,
  fleetReportJson,
  fleetReportMarkdown,
  fleetReportText,
  type MemberResult,
  memberLine,
} from "../../report/fleet-report";
import { packageRoot, readText, writeWholeFile } from "../files";
import { formatOf, type Invocation, interruptionNotices } from "../invocation";
import { jobVariables } from "../job";
import { writeFleetPage } from "../page-file";
import { exitCodes, outStyle } from "../report";
import { chooseMembers } from "./choose-members";
import { runProgram } from "./run-program";

/** `rnv fleet plan|drift|apply`: runs every member as a process of its own, with one report of all. */
export async function runFleet(
  invocation: Invocation,
  verb: FleetVerb,
  childOptions: readonly string[],
): Promise<number> {
  const { options, signal, terminal } = invocation;
  if (verb === "apply" && options.autoApprove !== true)
    throw new DiagnosticsError([
      error("command.usage", "a fleet does not ask while it applies", {
        hint: "look at rnv fleet plan, then give --auto-approve; deletions are confirmed by removed: in the manifests",
      }),
    ]);
  const { selected, members, all, root, shard } = chooseMembers(invocation);
  const startedAt = new Date();
  const started = performance.now();
  const run = memberRunner(invocation, { verb, childOptions, root, all });
  const results: MemberResult[] = [];
  const queue = members.values();
  const next = async (): Promise<void> => {
    for (const member of queue) {
      const result = signal.aborted ? unrunMember(member, undefined) : await run(member);
      results.push(result);
      if (formatOf(options) === "text" && !terminal.live)
        terminal.err(`[${results.length}/${members.length}] ${memberLine(result, verb === "apply")}\n`);
    }
  };
  const most = (options.parallelism as number | undefined) ?? 2 * availableParallelism();
  await Promise.all(Array.from({ length: Math.min(most, members.length) }, next));
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
    makeFolder(folder);
    writeWholeFile(join(folder, reportName(report.shard)), fleetReportJson(report), { mode: 0o644 });
  }
  if (typeof options.metrics === "string") {
    const path = resolve(cwd, options.metrics);
    // Read by a collector that is another user.
    writeWholeFile(path, fleetMetrics(report, existsSync(path) ? readText(path) : ""), { mode: 0o644 });
  }
  writeFleetPage(invocation, report);
  if (format === "json") terminal.out(fleetReportJson(report));
  else if (format === "markdown") terminal.out(fleetReportMarkdown(report));
  else terminal.out(fleetReportText(report, outStyle(invocation)));
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown";
    throw new DiagnosticsError([error("command.usage", `cannot make the folder ${folder} (${code})`)]);
  }
}

/** Reports of shards lie beside each other in one folder. */
const reportName = (shard: Shard | undefined): string =>
  shard === undefined ? "fleet.json" : `fleet-${shard.index}-of-${shard.count}.json`;

interface Runner {
  readonly verb: FleetVerb;
  readonly childOptions: readonly string[];
  /** Where the folders of the members start. */
  readonly root: string;
  /** The whole fleet: what one names is handed to no other. */
  readonly all: readonly FleetMember[];
}

/** Options of the verb itself, so that it prints a document, asks nothing, and tells changes by its exit code. */
const fixedOptions: Readonly<Record<FleetVerb, readonly string[]>> = {
  plan: ["--format", "json", "--detailed-exitcode", "--no-input"],
  drift: ["--format", "json", "--no-input"],
  apply: ["--json", "--auto-approve", "--no-input"],
};

/** How long a member that took too long, or that writes nothing and was interrupted, has to end what is in flight. */
const graceMs = 10_000;

function memberRunner(
  invocation: Invocation,
  { verb, childOptions, root, all }: Runner,
): (member: FleetMember) => Promise<MemberResult> {
  const { cwd, environment, options, signal } = invocation;
  const program = programPath();
  return async (member) => {
    const given = memberEnvironment(member, all, environment, {
      cwd,
      isOfJob: (name) => jobVariables.has(name),
    });
    if (given.missing.length > 0)
      return unrunMember(
        member,
        given.missing.map((name) => notSet(member, name)),
      );
    const problem = folderProblem(member, root);
    if (problem !== undefined) return unrunMember(member, [diagnosticData(problem)]);
    const words = [
      verb,
      ...fixedOptions[verb],
      ...childOptions,
      ...member.files.flatMap((file) => ["--file", file]),
      ...(member.stage === undefined ? [] : ["--stage", member.stage]),
    ];
    const ended = await runProgram({
      command: process.execPath,
      args: [program, ...words],
      cwd: join(root, member.folder),
      environment: given.environment,
      timeoutMs: member.timeoutMs ?? (options.memberTimeout as number),
      graceMs,
      signal,
      isReading: verb !== "apply",
    });
    tellAnnotations(ended, invocation);
    // Its status says so, and whoever reads the report cannot press a key.
    const { writing, reading } = interruptionNotices;
    const stderr = ended.stderr.replace(writing, "").replace(`\n${reading}\n`, "\n");
    return judgeMember(verb, member, { ...ended, stderr });
  };
}

/** The entry of this program: beside its bundle, else where the package has it. */
function programPath(): string {
  const beside = join(__dirname, "rnv.js");
  return existsSync(beside) ? beside : join(packageRoot(__dirname), "dist", "bin", "rnv.js");
}

const notSet = (member: FleetMember, name: string) => ({
  severity: "error" as const,
  code: "config.missing" as const,
  summary: `${name} is not set, which ${member.name} is to be given`,
  hint: `set it in the job, or take it out of env of ${member.name} in the fleet file`,
});

/** In GitHub Actions, what members say beside lines of the pull request. */
function tellAnnotations({ stderr }: EndedMember, { environment, terminal }: Invocation): void {
  if (environment.GITHUB_ACTIONS !== "true") return;
  for (const line of stderr.split("\n")) if (/^::(error|warning) /.test(line)) terminal.err(`${line}\n`);
}
