import { isAbsolute, posix } from "node:path";
import * as z from "zod";
import { worstExitCode } from "../../model/exit-code";
import type { FleetMember, FleetVerb } from "../../model/fleet";
import {
  type FleetReport,
  fleetReportSchema,
  type MemberResult,
  type MemberStatus,
} from "../../report/fleet-report";

/** The exit and the output that the run of a member left. */
export interface EndedMember {
  /** Undefined where a signal ended it. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
  readonly cause: "itself" | "timeout" | "interrupted" | "not started";
}

const findings = fleetReportSchema.shape.members.element.shape.diagnostics.unwrap();
const numbers = fleetReportSchema.shape.members.element.shape.changes.unwrap();
const list = z.array(z.unknown());

/** The parts of the documents of plan and drift that a report needs; a newer version may say more. */
const documentSchema = z.object({
  errored: z.boolean().optional(),
  digest: z.string().optional(),
  summary: numbers.optional(),
  diagnostics: list.optional(),
  drifted: list.optional(),
  missing: list.optional(),
  pending: list.optional(),
  unmanaged: list.optional(),
});

const eventSchema = z.object({
  type: z.string(),
  counts: z.record(z.string(), z.int()).optional(),
  diagnostic: z.unknown().optional(),
});

/** The number of findings that a report keeps of one member: enough to see what is wrong, in a report of hundreds. */
const mostFindings = 20;
const mostOutput = 2000;

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

/** Returns what the run of a member means, from its exit code and the document that it printed. */
export function judgeMember(verb: FleetVerb, member: FleetMember, ended: EndedMember): MemberResult {
  const told = verb === "apply" ? readEvents(ended.stdout) : readDocument(ended.stdout, verb);
  const { exitCode, status } = endOf(verb, ended, told);
  const errors = (told.diagnostics ?? []).slice(0, mostFindings).map((found) => placedIn(found, member));
  const isSilent = status !== "clean" && !errors.some(({ severity }) => severity === "error");
  const output = ended.stderr.trim().slice(-mostOutput);
  return {
    name: member.name,
    folder: member.folder,
    ...(member.stage !== undefined && { stage: member.stage }),
    status,
    exit_code: exitCode,
    seconds: Math.round(ended.seconds * 100) / 100,
    ...(told.changes && { changes: told.changes }),
    ...(told.digest !== undefined && { digest: told.digest }),
    ...(told.drift && { drift: told.drift }),
    ...(errors.length > 0 && { diagnostics: errors }),
    ...(isSilent && ![0, 2].includes(exitCode) && output !== "" && { output }),
  };
}

type Finding = NonNullable<MemberResult["diagnostics"]>[number];

/** A finding whose file is named from the folder of the fleet. */
function placedIn(found: Finding, { folder }: FleetMember): Finding {
  const file = found.location?.file;
  if (file === undefined || folder === "." || isAbsolute(file) || file.startsWith("<")) return found;
  return { ...found, location: { ...found.location, file: posix.join(folder, file) } };
}

/** The result of a member that was not run. */
export const unrunMember = (member: FleetMember, diagnostics: MemberResult["diagnostics"]): MemberResult => ({
  name: member.name,
  folder: member.folder,
  ...(member.stage !== undefined && { stage: member.stage }),
  status: diagnostics === undefined ? "interrupted" : "failed",
  exit_code: diagnostics === undefined ? 130 : 1,
  seconds: 0,
  ...(diagnostics && { diagnostics }),
});

type Told = Pick<MemberResult, "changes" | "digest" | "drift" | "diagnostics"> & {
  readonly isWhole: boolean;
};

function endOf(
  verb: FleetVerb,
  { exitCode, cause }: EndedMember,
  told: Told,
): { readonly exitCode: number; readonly status: MemberStatus } {
  // One that came to its end all the same is reported as any other.
  const wasEnded = exitCode === undefined || exitCode === 130;
  if (cause === "timeout" && wasEnded) return { exitCode: 7, status: "timeout" };
  if (cause === "interrupted" && wasEnded) return { exitCode: 130, status: "interrupted" };
  if (exitCode === undefined || exitCode === 1) return { exitCode: 1, status: "failed" };
  // A success that shows nothing is none: what it did is not known.
  if (!told.isWhole && (exitCode === 0 || exitCode === 2)) return { exitCode: 1, status: "failed" };
  if (verb === "drift" && exitCode === 2) return { exitCode, status: "drift" };
  const hasApplied = verb === "apply" && Object.values(told.changes ?? {}).some((number) => number > 0);
  if (exitCode === 0 && hasApplied) return { exitCode, status: "applied" };
  return { exitCode, status: statuses[exitCode] ?? "failed" };
}

const nothing: Told = { isWhole: false };

function readDocument(stdout: string, verb: FleetVerb): Told {
  const parsed = documentSchema.safeParse(parseJson(stdout));
  if (!parsed.success) return nothing;
  const { data } = parsed;
  const drift = data.drifted &&
    data.missing && {
      drifted: data.drifted.length,
      missing: data.missing.length,
      pending: data.pending?.length ?? 0,
      unmanaged: data.unmanaged?.length ?? 0,
    };
  return {
    isWhole: data.errored !== true && (verb === "plan" ? data.summary !== undefined : drift !== undefined),
    ...(data.summary && { changes: data.summary }),
    ...(data.digest !== undefined && { digest: data.digest }),
    ...(drift && { drift }),
    ...(data.diagnostics && { diagnostics: knownFindings(data.diagnostics) }),
  };
}

/** The lines of `apply -json`. */
function readEvents(stdout: string): Told {
  const events = stdout.split("\n").flatMap((line) => {
    const parsed = eventSchema.safeParse(parseJson(line));
    return parsed.success ? [parsed.data] : [];
  });
  const counts = events.findLast(({ type }) => type === "summary")?.counts;
  const diagnostics = knownFindings(events.flatMap(({ diagnostic }) => (diagnostic ? [diagnostic] : [])));
  return {
    isWhole: counts !== undefined,
    ...(counts && {
      changes: {
        add: counts.added ?? 0,
        change: counts.changed ?? 0,
        destroy: counts.destroyed ?? 0,
        adopt: counts.adopted ?? 0,
        forget: counts.forgotten ?? 0,
      },
    }),
    diagnostics,
  };
}

/** Findings in the form of a report: those of a plan have offsets, which are unreadable, and the line beside them. */
const knownFindings = (found: readonly unknown[]): MemberResult["diagnostics"] =>
  found.flatMap((one) => {
    const { range, ...rest } = (one ?? {}) as {
      readonly range?: { readonly file?: unknown; readonly line?: unknown };
    };
    const location = range?.line === undefined ? {} : { location: { file: range.file, line: range.line } };
    const parsed = findings.element.safeParse({ ...location, ...rest });
    return parsed.success ? [parsed.data] : [];
  });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Makes the report of members; the exit code is the most telling one that `counts` says counts. */
export function makeReport(
  head: Pick<FleetReport, "verb" | "started_at" | "seconds" | "shard" | "selected">,
  members: readonly MemberResult[],
  { isDetailed }: { readonly isDetailed: boolean },
): FleetReport {
  const counts: Partial<Record<MemberStatus, number>> = {};
  for (const { status } of members) counts[status] = (counts[status] ?? 0) + 1;
  // As `rnv plan` without -detailed-exitcode: a plan with changes, or with one that is blocked, was made.
  const isMade = ({ exit_code: code, changes }: MemberResult): boolean =>
    head.verb === "plan" && !isDetailed && changes !== undefined && (code === 2 || code === 4);
  return {
    format_version: "1.0",
    ...head,
    exit_code: worstExitCode(members.map((one) => (isMade(one) ? 0 : one.exit_code))),
    counts,
    members: [...members].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}
