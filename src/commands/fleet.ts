import { isAbsolute, posix } from "node:path";
import type { Diagnostic } from "../diagnostics/diagnostic";
import type { FleetMember } from "../manifest/beside/find-fleet";
import { countsOfStage } from "../plan/drift";
import { diagnosticData } from "../report/documents";
import {
  type FleetReport,
  type FleetVerb,
  type MemberResult,
  type MemberStatus,
  memberStatuses,
  statuses,
} from "../report/fleet-report";
import { joinResults, type TargetOutcome } from "./targets";

/** A member, of which a report of shards may not know the folder. */
type MemberNames = Pick<FleetMember, "name" | "stage"> & Partial<Pick<FleetMember, "manifest">>;

/** Returns the result of a member from those of its stacks. */
export function memberResult(
  verb: FleetVerb,
  member: MemberNames,
  results: readonly { readonly outcome: TargetOutcome; readonly seconds: number }[],
): MemberResult {
  const outcomes = results.map(({ outcome }) => outcome);
  const { exitCode, ...added } = joinResults(
    results.map(({ outcome, seconds }) => ({
      ...{ exitCode: outcome.exitCode, seconds },
      ...{ changes: changesOf(verb, outcome), drift: countsOfStage(outcome) },
    })),
  );
  const diagnostics = outcomes
    .flatMap(({ diagnostics }) => diagnostics.map(diagnosticData))
    // Enough to see what is wrong, in a report of hundreds of members.
    .slice(0, 20)
    .map((one) => placedIn(one, member));
  const runs = outcomes.flatMap(({ runId }) => runId ?? []);
  const hasApplied = verb === "apply" && Object.values(added.changes ?? {}).some((number) => number > 0);
  const isDrift = verb === "drift" && exitCode === 2;
  // The first, where several have the exit code.
  const ofCode = memberStatuses.find((one) => statuses[one][2] === exitCode) ?? "failed";
  const status = hasApplied && exitCode === 0 ? "applied" : isDrift ? "drift" : ofCode;
  const { name, manifest: folder, stage } = member;
  return {
    ...{ name, folder, stage, status, exit_code: exitCode, ...added },
    seconds: Math.round(added.seconds * 100) / 100,
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

type MemberFinding = NonNullable<MemberResult["diagnostics"]>[number];

/** A finding whose file is named from the folder of the fleet. */
function placedIn(found: MemberFinding, { manifest: folder = "." }: MemberNames): MemberFinding {
  const file = found.location?.file;
  if (file === undefined || folder === "." || isAbsolute(file) || file.startsWith("<")) return found;
  return { ...found, location: { ...found.location, file: posix.join(folder, file) } };
}

/** The result of a member that was not run to its end, with what its process printed or why it was not run. */
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

/** Makes the report of members; the exit code is the most telling one that `counts` says counts. */
export function makeReport(
  head: Pick<FleetReport, "verb" | "started_at" | "seconds" | "shard" | "selected">,
  members: readonly MemberResult[],
  isDetailed: boolean,
): FleetReport {
  // As `rnv plan` without -detailed-exitcode: a plan with changes, or with one that is blocked, was made.
  const isMade = ({ exit_code: code, changes }: MemberResult): boolean =>
    head.verb === "plan" && !isDetailed && changes !== undefined && (code === 2 || code === 4);
  const counts: Partial<Record<MemberStatus, number>> = {};
  for (const { status } of members) counts[status] = (counts[status] ?? 0) + 1;
  const { exitCode } = joinResults(members.map((one) => ({ exitCode: isMade(one) ? 0 : one.exit_code })));
  return {
    ...{ format_version: "1.0", ...head, seconds: Math.round(head.seconds * 100) / 100 },
    ...{ exit_code: exitCode, counts },
    members: [...members].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}
