import { isAbsolute, posix } from "node:path";
import { parseJson } from "../api/transport";
import { type Diagnostic, DiagnosticsError, error, failure } from "../diagnostics/diagnostic";
import {
  type FleetMember,
  type FleetRequest,
  findFleet,
  memberPlaceholder,
} from "../manifest/beside/find-fleet";
import {
  changedMembers,
  changesSince,
  sharedState,
  warnOfRemovedMembers,
} from "../manifest/beside/fleet-changes";
import { compareTexts, groupBy } from "../model/collections";
import { sha256 } from "../model/sha256";
import { type StageName, stageText } from "../model/stage";
import { shortList } from "../model/wording";
import { countsOfStage } from "../plan/drift";
import { diagnosticData } from "../report/documents";
import {
  type FleetReport,
  type FleetVerb,
  fleetReportSchema,
  type MemberResult,
  type MemberStatus,
  memberStatuses,
  statuses,
} from "../report/fleet-report";
import { counted } from "../report/plan-wording";
import { chooseNamed, joinExitCodes, type TargetOutcome } from "./targets";

interface MembersRequest extends FleetRequest {
  readonly named: readonly string[];
  readonly stage: StageName | undefined;
  readonly changedSince: string | undefined;
  /** Policies of the job, absolute: a change of one is of all members. */
  readonly policies: readonly string[];
  readonly report: (found: readonly Diagnostic[]) => void;
}

/** Returns the members of a folder that are meant, those of all shards: they are named, and have changed. */
export async function chooseMembers(request: MembersRequest): Promise<readonly FleetMember[]> {
  const { root, named, stage, changedSince, policies } = request;
  const all = await findFleet(request);
  const changes = changedSince === undefined ? undefined : changesSince(changedSince, request);
  if (changes) request.report(await warnOfRemovedMembers(request, all, changes));
  if (all.length === 0)
    throw failure("manifest.not_found", `there is no manifest below ${root}`, {
      hint: "a member has rnv.yaml, rnv.yml, rnv.config.ts or a folder rnv; others are named in rnv.fleet.yaml",
    });
  refuseSharedStates(all);
  const nameOf = ({ name }: FleetMember): string => name;
  const inStage = chooseNamed(all, nameOf, stage ? [`*@${stageText(stage)}`] : [], "member");
  const chosen = chooseNamed(inStage, nameOf, named, "member");
  return changes ? changedMembers(chosen, changes, root, policies) : chosen;
}

/** Throws where runs of several members would write one state, with an error for each such state. */
function refuseSharedStates(members: readonly FleetMember[]): void {
  const byState = groupBy(members, sharedState);
  const shared = [...byState]
    .filter(([state, sharing]) => state !== "" && sharing.length > 1)
    .map(([, sharing]) =>
      error("config.invalid", `${sharing.map(({ name }) => name).join(" and ")} would have one state`, {
        detail: "Each would plan to delete what the other has made.",
        hint: `give each a state of its own: RNV_STATE, and state in the fleet file, may hold ${memberPlaceholder} and, where there are stages, \${stage.name}`,
      }),
    );
  if (shared.length > 0) throw new DiagnosticsError(shared);
}

/**
 * The members of one shard: every `count`-th in the order of a hash of their names. Shards differ in size by one at most,
 * and large neighbours are apart. Shards 1 to `count` together are all members, each once.
 */
export function inShard<Member extends Pick<FleetMember, "name">>(
  members: readonly Member[],
  shard: FleetReport["shard"],
): readonly Member[] {
  if (shard === undefined) return members;
  const sorted = [...members].sort((a, b) => compareTexts(sha256(a.name), sha256(b.name)));
  return sorted.filter((_, at) => at % shard.count === shard.index - 1);
}

/** A member, of which a report of shards may not know the folder. */
type MemberNames = Pick<FleetMember, "name" | "stage"> & Partial<Pick<FleetMember, "manifest">>;

export function memberResult(
  verb: FleetVerb,
  member: MemberNames,
  results: readonly { readonly outcome: TargetOutcome; readonly seconds: number }[],
): MemberResult {
  const outcomes = results.map(({ outcome }) => outcome);
  const exitCode = joinExitCodes(outcomes.map((one) => one.exitCode));
  const seconds = results.reduce((sum, one) => sum + one.seconds, 0);
  const changes = sumOf(outcomes.map((one) => changesOf(verb, one)));
  const diagnostics = outcomes
    .flatMap(({ diagnostics }) => diagnostics.map(diagnosticData))
    // The report may have hundreds of members.
    .slice(0, 20)
    .map((one) => asOfMember(one, member));
  const runs = outcomes.flatMap(({ runId }) => runId ?? []);
  const hasApplied = verb === "apply" && Object.values(changes ?? {}).some((number) => number > 0);
  const isDrift = verb === "drift" && exitCode === 2;
  const ofCode = memberStatuses.find((one) => statuses[one][2] === exitCode) ?? "failed";
  const status = hasApplied && exitCode === 0 ? "applied" : isDrift ? "drift" : ofCode;
  const { name, manifest: folder, stage } = member;
  return {
    name,
    folder,
    stage,
    status,
    exit_code: exitCode,
    seconds: Math.round(seconds * 100) / 100,
    changes,
    drift: sumOf(outcomes.map(countsOfStage)),
    digest: verb === "plan" && outcomes.length === 1 ? outcomes[0]?.plan?.digest : undefined,
    runs: runs.length > 0 ? runs : undefined,
    diagnostics: diagnostics.length > 0 ? diagnostics : undefined,
  };
}

function changesOf(verb: FleetVerb, { plan, counts }: TargetOutcome): MemberResult["changes"] {
  if (verb === "plan") return plan && { ...plan.summary };
  if (verb === "drift" || counts === undefined) return undefined;
  const { added: add, changed: change, destroyed: destroy, adopted: adopt, forgotten: forget } = counts;
  return { add, change, destroy, adopt, forget };
}

function sumOf<T extends Readonly<Record<string, number>>>(all: readonly (T | undefined)[]): T | undefined {
  const known = all.filter((one) => one !== undefined);
  const add = (a: T, b: T) =>
    Object.fromEntries(Object.entries(a).map(([name, number]) => [name, number + (b[name] ?? 0)])) as T;
  return known.length === 0 ? undefined : known.reduce(add);
}

type MemberFinding = NonNullable<MemberResult["diagnostics"]>[number];

function asOfMember(finding: MemberFinding, { manifest: folder = "." }: MemberNames): MemberFinding {
  const hint = `${finding.hint}; the fleet file passes it to a member: env: { NAME: NAME }`;
  const found = finding.code === "manifest.env_missing" ? { ...finding, hint } : finding;
  const file = found.location?.file;
  if (file === undefined || folder === "." || isAbsolute(file) || file.startsWith("<")) return found;
  return { ...found, location: { ...found.location, file: posix.join(folder, file) } };
}

/** Returns the result of a member that was not run to its end, with the output of its process or the reason. */
export const endedMember = (
  verb: FleetVerb,
  member: MemberNames,
  endedBy: "failed" | "timeout" | "interrupted",
  { seconds = 0, output = "", problems: diagnostics = [] as readonly Diagnostic[] } = {},
): MemberResult => ({
  ...memberResult(verb, member, [{ outcome: { diagnostics, exitCode: statuses[endedBy][2] }, seconds }]),
  status: endedBy,
  output: output.trim() || undefined,
});

/** Makes the report of members; its exit code is the worst of theirs. */
export function makeReport(
  head: Pick<FleetReport, "verb" | "started_at" | "seconds" | "shard" | "selected">,
  members: readonly MemberResult[],
  isDetailed: boolean,
): FleetReport {
  // As `rnv plan` without -detailed-exitcode: a plan with changes, blocked or not, is a success.
  const isMade = ({ exit_code: code, changes }: MemberResult): boolean =>
    head.verb === "plan" && !isDetailed && changes !== undefined && (code === 2 || code === 4);
  const counts: Partial<Record<MemberStatus, number>> = {};
  for (const { status } of members) counts[status] = (counts[status] ?? 0) + 1;
  const exitCode = joinExitCodes(members.map((one) => (isMade(one) ? 0 : one.exit_code)));
  return {
    format_version: "1.0",
    ...head,
    seconds: Math.round(head.seconds * 100) / 100,
    exit_code: exitCode,
    counts,
    members: [...members].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/**
 * Joins the reports of the shards of one run. A shard that ran twice counts with its later run. A member without a result is
 * an error: it must not look clean. Throws `DiagnosticsError` where the files are not the reports of one run.
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
  const reported = new Set(reports.map(({ shard }) => shard?.index));
  const missing = Array.from({ length: count }, (_, i) => i + 1).filter((index) => !reported.has(index));
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
