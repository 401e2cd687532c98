import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseJson } from "../../api/transport";
import { makeReport, refusedMember } from "../../commands/fleet";
import { type Diagnostic, DiagnosticsError, error, failure } from "../../diagnostics/diagnostic";
import { reasonOf, shortList } from "../../model/text";
import { type FleetReport, fleetReportSchema, type MemberResult } from "../../report/fleet-report";
import { counted } from "../../report/plan-wording";
import { readText } from "../files";
import type { Invocation } from "../invocation";
import { report as tell } from "../report";
import { chooseMembers } from "./choose-members";
import { showReport } from "./run-fleet";

/** `rnv fleet report DIR`: joins the reports of shards. */
export async function joinFleet(invocation: Invocation): Promise<number> {
  const { cwd, positional, options } = invocation;
  const folder = resolve(cwd, positional[0] as string);
  const files = reportsIn(folder).map((name) => ({ file: name, text: readText(join(folder, name)) }));
  const { report, diagnostics } = joinReports(files, options.detailedExitcode === true);
  showReport(invocation, report);
  tell(invocation, diagnostics);
  return report.exit_code;
}

type ReportFile = Readonly<Record<"file" | "text", string>>;

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

/** Jobs of one matrix, which GitHub takes at most. */
const mostJobs = 256;

/** `rnv fleet matrix`: the jobs of a workflow, one for each member or each shard. */
export async function printMatrix(invocation: Invocation): Promise<number> {
  const { options, terminal } = invocation;
  const whole = { ...options, shard: { index: 1, count: 1 } };
  const { selected } = chooseMembers({ ...invocation, options: whole });
  const shards = options.shards as number | undefined;
  if ((shards ?? selected.length) > mostJobs)
    throw failure("command.usage", `a matrix of GitHub has at most ${mostJobs} jobs`, {
      hint:
        shards === undefined
          ? `let each job run a part of the ${selected.length} members: --shards 20`
          : `--shards ${mostJobs}`,
    });
  const count = Math.min(shards ?? 0, selected.length);
  const include =
    shards === undefined
      ? selected.map(({ name: member, folder, stage }) => ({ member, folder, stage }))
      : Array.from({ length: count }, (_, i) => ({ shard: `${i + 1}/${count}` }));
  terminal.out(`${JSON.stringify({ include })}\n`);
  return 0;
}

/**
 * Joins the reports of the shards of one run. A shard that ran twice counts with its later run; a member without a result is
 * an error: what did not run must not look clean. Throws `DiagnosticsError` where the files are not the reports of one run.
 */
export function joinReports(
  files: readonly ReportFile[],
  isDetailed: boolean,
): { readonly report: FleetReport; readonly diagnostics: readonly Diagnostic[] } {
  const [first, ...others] = parseReports(files);
  const reports = [first, ...others];
  // In other parts, too: one run is in as many for all.
  const other = others.find(
    ({ verb, selected, shard }) =>
      verb !== first.verb ||
      shard?.count !== first.shard?.count ||
      selected.join("\n") !== first.selected.join("\n"),
  );
  if (other !== undefined) throw otherRun(first, other);
  const results = new Map<string, MemberResult>();
  for (const report of [...reports].sort((a, b) => Date.parse(a.started_at) - Date.parse(b.started_at)))
    for (const member of report.members) results.set(member.name, member);
  const missing = first.selected.filter((name) => !results.has(name));
  const { verb, selected } = first;
  const [started_at = first.started_at] = reports.map((report) => report.started_at).sort();
  // From the first start to the last end.
  const start = Math.min(...reports.map(({ started_at: at }) => Date.parse(at)));
  const end = Math.max(...reports.map(({ started_at: at, seconds }) => Date.parse(at) + seconds * 1000));
  const hint = "run the shard again that did not end";
  const untold = [error("command.usage", "it is in no report", { hint })];
  const report = makeReport(
    { verb, started_at, seconds: Math.round((end - start) / 10) / 100, selected },
    [
      ...results.values(),
      ...missing.map((name) => refusedMember({ name, stage: name.split("@")[1] }, untold)),
    ],
    { isDetailed },
  );
  if (missing.length === 0) return { report, diagnostics: [] };
  const count = counted(missing.length, "member");
  const lack = error("command.usage", `no report has ${count}`, {
    detail: `${shortList(missing, 10)}.${missingShards(reports)}`,
    hint: "run the shards again that did not end",
  });
  return { report, diagnostics: [lack] };
}

/** Reads the reports. Throws `DiagnosticsError` where there is none, and for files that are none. */
function parseReports(files: readonly ReportFile[]): readonly [FleetReport, ...FleetReport[]] {
  const parsed = files.map(({ file, text }) => ({ file, ...fleetReportSchema.safeParse(parseJson(text)) }));
  const hint = "give the folder that --report names alone: the reports of one run, and nothing else";
  const wrong = parsed.filter(({ success }) => !success);
  if (wrong.length > 0)
    throw new DiagnosticsError(
      wrong.map(({ file }) => error("command.usage", `${file} is no report of a fleet`, { hint })),
    );
  const [first, ...others] = parsed.flatMap(({ data }) => data ?? []);
  if (first !== undefined) return [first, ...others];
  throw failure("command.usage", "there is no report of a fleet", {
    hint: "rnv fleet drift --report DIR writes one",
  });
}

function otherRun(first: FleetReport, other: FleetReport): DiagnosticsError {
  const words = ({ verb, selected, shard }: FleetReport): string =>
    `of ${verb} of ${counted(selected.length, "member")}${shard === undefined ? "" : ` in ${shard.count} parts`}`;
  return failure("command.usage", "the reports are not those of one run", {
    detail: `One is ${words(first)}, another ${words(other)}, or of others.`,
    hint: "give each run a folder of its own",
  });
}

function missingShards(reports: readonly FleetReport[]): string {
  const count = Math.max(...reports.map(({ shard }) => shard?.count ?? 1));
  const told = new Set(reports.map(({ shard }) => shard?.index ?? 1));
  const missing = Array.from({ length: count }, (_, i) => i + 1).filter((index) => !told.has(index));
  return missing.length === 0
    ? ""
    : ` There is none of ${missing.length === 1 ? "shard" : "shards"} ${shortList(missing.map(String), 10)} of ${count}.`;
}
