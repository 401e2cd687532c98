import { isAbsolute, posix } from "node:path";
import type { Diagnostic } from "../diagnostics/diagnostic";
import type { FleetMember } from "../manifest/find-fleet";
import type { FleetVerb } from "../model/target";
import { countsOfStage } from "../plan/drift";
import { diagnosticData } from "../report/diagnostics";
import type { FleetReport, MemberResult, MemberStatus } from "../report/fleet-report";
import { joinResults, type TargetOutcome, type TargetResult } from "./targets";

/** A member, of which a report of shards may not know the folder. */
type NamedMember = Pick<FleetMember, "name" | "stage"> & Partial<Pick<FleetMember, "folder">>;

const resultOf = (
  { name, folder, stage }: NamedMember,
  ended: Pick<MemberResult, "status" | "exit_code" | "seconds"> & Partial<MemberResult>,
): MemberResult => ({ name, folder, stage, ...ended, seconds: Math.round(ended.seconds * 100) / 100 });

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

/** Returns the result of a member from those of its stacks. */
export function memberResult(
  verb: FleetVerb,
  member: NamedMember,
  results: readonly Omit<TargetResult, "target">[],
): MemberResult {
  const { exitCode, seconds, changes, drift } = joinResults(
    results.map(({ outcome, seconds }) => ({
      ...{ exitCode: outcome.exitCode, seconds },
      changes: changesOf(verb, outcome),
      drift: countsOfStage({ ...outcome, seconds }),
    })),
  );
  const outcomes = results.map(({ outcome }) => outcome);
  const diagnostics = outcomes
    .flatMap(({ diagnostics }) => diagnostics.map((one) => diagnosticData(one)))
    // Enough to see what is wrong, in a report of hundreds of members.
    .slice(0, 20)
    .map((one) => placedIn(one, member));
  const runs = outcomes.flatMap(({ runId }) => runId ?? []);
  const hasApplied = verb === "apply" && Object.values(changes ?? {}).some((number) => number > 0);
  const isDrift = verb === "drift" && exitCode === 2;
  const status = hasApplied && exitCode === 0 ? "applied" : isDrift ? "drift" : statuses[exitCode];
  return resultOf(member, {
    ...{ status: status ?? "failed", exit_code: exitCode, seconds, changes, drift },
    digest: verb === "plan" && outcomes.length === 1 ? outcomes[0]?.plan?.digest : undefined,
    runs: runs.length > 0 ? runs : undefined,
    diagnostics: diagnostics.length > 0 ? diagnostics : undefined,
  });
}

function changesOf(verb: FleetVerb, { plan, counts }: TargetOutcome): MemberResult["changes"] {
  if (verb === "plan") return plan && { ...plan.summary };
  if (verb === "drift" || counts === undefined) return undefined;
  const { added: add, changed: change, destroyed: destroy, adopted: adopt, forgotten: forget } = counts;
  return { add, change, destroy, adopt, forget };
}

type Finding = NonNullable<MemberResult["diagnostics"]>[number];

/** A finding whose file is named from the folder of the fleet. */
function placedIn(found: Finding, { folder = "." }: NamedMember): Finding {
  const file = found.location?.file;
  if (file === undefined || folder === "." || isAbsolute(file) || file.startsWith("<")) return found;
  return { ...found, location: { ...found.location, file: posix.join(folder, file) } };
}

/** The result of a member that is not run. */
export const refusedMember = (member: NamedMember, problems: readonly Diagnostic[]): MemberResult =>
  resultOf(member, {
    ...{ status: "failed", exit_code: 1, seconds: 0 },
    diagnostics: problems.map((one) => diagnosticData(one)),
  });

/** Exit codes of members that have no result, by what ended their run. */
const endCodes = { failed: 1, timeout: 7, interrupted: 130 } as const;

export type EndedBy = keyof typeof endCodes;

/** The result of a member whose run ended without one; `output` is what its process printed. */
export const brokenMember = (member: NamedMember, endedBy: EndedBy, output = "", seconds = 0): MemberResult =>
  resultOf(member, {
    ...{ status: endedBy, exit_code: endCodes[endedBy], seconds },
    output: output.trim().slice(-2000) || undefined,
  });

/** Makes the report of members; the exit code is the most telling one that `counts` says counts. */
export function makeReport(
  head: Pick<FleetReport, "verb" | "started_at" | "seconds" | "shard" | "selected">,
  members: readonly MemberResult[],
  { isDetailed }: { readonly isDetailed: boolean },
): FleetReport {
  // As `rnv plan` without -detailed-exitcode: a plan with changes, or with one that is blocked, was made.
  const isMade = ({ exit_code: code, changes }: MemberResult): boolean =>
    head.verb === "plan" && !isDetailed && changes !== undefined && (code === 2 || code === 4);
  const { exitCode, counts } = joinResults(
    members.map((one) => ({ status: one.status, exitCode: isMade(one) ? 0 : one.exit_code })),
  );
  return {
    ...{ format_version: "1.0", ...head, seconds: Math.round(head.seconds * 100) / 100 },
    ...{ exit_code: exitCode, counts },
    members: [...members].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}
