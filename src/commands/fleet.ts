import { isAbsolute, posix } from "node:path";
import type { Diagnostic } from "../diagnostics/diagnostic";
import type { FleetMember, FleetVerb } from "../model/fleet";
import { diagnosticData } from "../report/diagnostics";
import type { FleetReport, MemberResult, MemberStatus } from "../report/fleet-report";
import { joinResults, type TargetOutcome } from "./targets";

const statuses: Readonly<Record<number, MemberStatus>> = {
  0: "clean",
  2: "changes",
  3: "partly",
  4: "blocked",
  5: "stale",
  6: "locked",
  7: "unsettled",
  8: "checkout",
  130: "interrupted",
};

/** Returns the result of a member from the outcomes of its stacks. */
export function memberResult(
  verb: FleetVerb,
  member: FleetMember,
  outcomes: readonly TargetOutcome[],
  seconds: number,
): MemberResult {
  const { exitCode, changes, drift } = joinResults(
    outcomes.map((outcome) => ({
      exitCode: outcome.exitCode,
      changes: changesOf(verb, outcome),
      drift: outcome.report && {
        drifted: outcome.report.drifted.length,
        missing: outcome.report.missing.length,
        pending: outcome.report.pending.length,
        unmanaged: outcome.report.unmanaged.length,
      },
    })),
  );
  const [only, another] = outcomes;
  const digest = another === undefined && verb === "plan" ? only?.plan?.digest : undefined;
  const found = outcomes
    .flatMap(({ diagnostics, sources }) => diagnostics.map((one) => diagnosticData(one, sources)))
    // Enough to see what is wrong, in a report of hundreds of members.
    .slice(0, 20)
    .map((one) => placedIn(one, member));
  const runs = outcomes.flatMap(({ runId }) => runId ?? []);
  const hasApplied = verb === "apply" && Object.values(changes ?? {}).some((number) => number > 0);
  const isDrift = verb === "drift" && exitCode === 2;
  const status = hasApplied && exitCode === 0 ? "applied" : isDrift ? "drift" : statuses[exitCode];
  return {
    ...baseOf(member),
    ...{ status: status ?? "failed", exit_code: exitCode, seconds: Math.round(seconds * 100) / 100 },
    ...(changes && { changes }),
    ...(digest !== undefined && { digest }),
    ...(runs.length > 0 && { runs }),
    ...(drift && { drift }),
    ...(found.length > 0 && { diagnostics: found }),
  };
}

const baseOf = ({ name, folder, stage }: NamedMember) => ({
  ...{ name, folder },
  ...(stage !== undefined && { stage }),
});

function changesOf(verb: FleetVerb, { plan, counts }: TargetOutcome): MemberResult["changes"] {
  if (verb === "plan") return plan && { ...plan.summary };
  if (verb === "drift" || counts === undefined) return undefined;
  const { added: add, changed: change, destroyed: destroy, adopted: adopt, forgotten: forget } = counts;
  return { add, change, destroy, adopt, forget };
}

type Finding = NonNullable<MemberResult["diagnostics"]>[number];

/** A finding whose file is named from the folder of the fleet. */
function placedIn(found: Finding, { folder }: FleetMember): Finding {
  const file = found.location?.file;
  if (file === undefined || folder === "." || isAbsolute(file) || file.startsWith("<")) return found;
  return { ...found, location: { ...found.location, file: posix.join(folder, file) } };
}

/** A member, of which a report of shards may not know the folder. */
type NamedMember = Pick<FleetMember, "name" | "stage"> & Partial<Pick<FleetMember, "folder">>;

/** The result of a member that is not run. */
export const refusedMember = (member: NamedMember, problems: readonly Diagnostic[]): MemberResult => ({
  ...baseOf(member),
  ...{ status: "failed", exit_code: 1, seconds: 0 },
  diagnostics: problems.map((one) => diagnosticData(one)),
});

/** How the process of a member ended that has no result: by itself unless it was ended. */
export type EndedBy = "itself" | "timeout" | "interrupted";

const ends = {
  itself: { status: "failed", exit_code: 1 },
  timeout: { status: "timeout", exit_code: 7 },
  interrupted: { status: "interrupted", exit_code: 130 },
} as const;

/** The result of a member whose process ended without one; `output` is what it printed. */
export function brokenMember(member: FleetMember, endedBy: EndedBy, output: string, seconds: number) {
  const end = output.trim().slice(-2000);
  const rounded = Math.round(seconds * 100) / 100;
  return { ...baseOf(member), ...ends[endedBy], seconds: rounded, ...(end !== "" && { output: end }) };
}

/** Makes the report of members; the exit code is the most telling one that `counts` says counts. */
export function makeReport(
  head: Pick<FleetReport, "verb" | "started_at" | "seconds" | "shard" | "selected">,
  members: readonly MemberResult[],
  { isDetailed }: { readonly isDetailed: boolean },
): FleetReport {
  // As `rnv plan` without -detailed-exitcode: a plan with changes, or with one that is blocked, was made.
  const isMade = ({ exit_code: code, changes }: MemberResult): boolean =>
    head.verb === "plan" && !isDetailed && changes !== undefined && (code === 2 || code === 4);
  const ends = members.map((one) => ({ status: one.status, exitCode: isMade(one) ? 0 : one.exit_code }));
  const { exitCode, counts } = joinResults(ends);
  const sorted = [...members].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { format_version: "1.0", ...head, exit_code: exitCode, counts, members: sorted };
}
