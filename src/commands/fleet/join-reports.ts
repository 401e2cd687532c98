import { type Diagnostic, error } from "../../diagnostics/diagnostic";
import { shortList } from "../../model/text";
import { type FleetReport, fleetReportSchema, type MemberResult } from "../../report/fleet-report";
import { counted } from "../../report/plan-wording";
import { makeReport, refusedMember } from "./member-result";

interface ReadReport {
  readonly file: string;
  readonly text: string;
}

interface Joined {
  readonly report?: FleetReport;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Joins the reports of the shards of one run. A shard that ran twice counts with its later run; a member without a result is
 * an error: what did not run must not look clean.
 */
export function joinReports(files: readonly ReadReport[], isDetailed: boolean): Joined {
  const { reports, diagnostics } = parseReports(files);
  const [first] = reports;
  if (diagnostics.length > 0 || first === undefined) return { diagnostics };
  // In other parts, too: one run is in as many for all.
  const other = reports.find(
    ({ verb, selected, shard }) =>
      verb !== first.verb || shard?.count !== first.shard?.count || !sameNames(selected, first.selected),
  );
  if (other !== undefined) return { diagnostics: [otherRun(first, other)] };
  const results = new Map<string, MemberResult>();
  for (const report of [...reports].sort((a, b) => Date.parse(a.started_at) - Date.parse(b.started_at)))
    for (const member of report.members) results.set(member.name, member);
  const missing = first.selected.filter((name) => !results.has(name));
  const joined = makeReport(
    {
      verb: first.verb,
      started_at: reports.map((report) => report.started_at).sort()[0] as string,
      seconds: secondsOf(reports),
      selected: first.selected,
    },
    [...results.values(), ...missing.map(untold)],
    { isDetailed },
  );
  return {
    report: joined,
    diagnostics: missing.length === 0 ? [] : [membersMissing(missing, reports)],
  };
}

/** The result of a member of which no report tells: whoever reads the joined one must not take it for clean. */
function untold(name: string): MemberResult {
  const hint = "run the shard again that did not end";
  const stage = name.split("@")[1];
  return refusedMember({ name, stage }, [error("command.usage", "it is in no report", { hint })]);
}

/** Reads the reports; a file that is none, or no file at all, is a diagnostic. */
function parseReports(files: readonly ReadReport[]): {
  readonly reports: readonly FleetReport[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const parsed = files.map(({ file, text }) => ({ file, ...fleetReportSchema.safeParse(parseJson(text)) }));
  const reports = parsed.flatMap(({ data }) => data ?? []);
  if (parsed.length === 0)
    return {
      reports,
      diagnostics: [
        error("command.usage", "there is no report of a fleet", {
          hint: "rnv fleet drift --report DIR writes one",
        }),
      ],
    };
  const diagnostics = parsed.flatMap(({ file, success }) =>
    success
      ? []
      : error("command.usage", `${file} is no report of a fleet`, {
          hint: "give the folder that --report names alone: the reports of one run, and nothing else",
        }),
  );
  return { reports, diagnostics };
}

const otherRun = (first: FleetReport, other: FleetReport): Diagnostic => {
  const words = ({ verb, selected, shard }: FleetReport): string =>
    `of ${verb} of ${counted(selected.length, "member")}${shard === undefined ? "" : ` in ${shard.count} parts`}`;
  return error("command.usage", "the reports are not those of one run", {
    detail: `One is ${words(first)}, another ${words(other)}, or of others.`,
    hint: "give each run a folder of its own",
  });
};

const membersMissing = (missing: readonly string[], reports: readonly FleetReport[]): Diagnostic =>
  error("command.usage", `no report has ${missing.length === 1 ? "1 member" : `${missing.length} members`}`, {
    detail: `${shortList(missing, 10)}.${missingShards(reports)}`,
    hint: "run the shards again that did not end",
  });

const sameNames = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name, i) => name === b[i]);

/** From the first start to the last end. */
function secondsOf(reports: readonly FleetReport[]): number {
  const start = Math.min(...reports.map(({ started_at: at }) => Date.parse(at)));
  const end = Math.max(...reports.map(({ started_at: at, seconds }) => Date.parse(at) + seconds * 1000));
  return Math.round((end - start) / 10) / 100;
}

function missingShards(reports: readonly FleetReport[]): string {
  const count = Math.max(...reports.map(({ shard }) => shard?.count ?? 1));
  const told = new Set(reports.map(({ shard }) => shard?.index ?? 1));
  const missing = Array.from({ length: count }, (_, i) => i + 1).filter((index) => !told.has(index));
  return missing.length === 0
    ? ""
    : ` There is none of ${missing.length === 1 ? "shard" : "shards"} ${shortList(missing.map(String), 10)} of ${count}.`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
