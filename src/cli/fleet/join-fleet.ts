import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseJson } from "../../api/transport";
import { endedMember, makeReport } from "../../commands/fleet";
import { error, failure } from "../../diagnostics/diagnostic";
import { reasonOf, shortList } from "../../model/text";
import { type FleetReport, fleetReportSchema } from "../../report/fleet-report";
import { counted } from "../../report/plan-wording";
import { readText } from "../files";
import type { Screen } from "../screen";
import type { Request } from "../target";
import { chooseMembers } from "./choose-members";
import type { MembersValues, ShownValues } from "./options";
import { showReport } from "./run-fleet";

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
export function printMatrix(
  given: MembersValues & { readonly shards: number | undefined },
  target: Request,
  screen: Screen,
): undefined {
  const { selected } = chooseMembers(given, target, screen);
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
  const { verb, selected, started_at } = first;
  const results = new Map(reports.flatMap(({ members }) => members.map((one) => [one.name, one])));
  const lost = error("command.usage", "it is in no report", { hint: `run ${missingShards(reports)} again` });
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

/** Names the shards of a run that have no report: `shard 2, 3 of 4`. */
function missingShards(reports: readonly FleetReport[]): string {
  const told = new Set(reports.map(({ shard }) => shard?.index));
  const count = reports[0]?.shard?.count ?? 1;
  const all = Array.from({ length: count }, (_, i) => i + 1);
  const missing = all.filter((index) => !told.has(index)).map(String);
  return `shard ${shortList(missing, 10)} of ${count}`;
}
