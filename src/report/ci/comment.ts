import type * as zlib from "node:zlib";
import { type Diagnostic, hasErrors } from "../../diagnostics/diagnostic";
import type { ApplyCounts } from "../../model/apply-event";
import type { TargetLocation } from "../../model/target-location";
import { capitalized } from "../../model/wording";
import { hasChanges, type Plan } from "../../plan/plan";
import { type PlanDifference, type PlanRecord, recordPlan, signRecord } from "../../plan/plan-record";
import { findingsBlock } from "../diagnostics";
import { codeSpan, escapeMarkdown, foldedParts } from "../escape-text";
import { summaryLine } from "../events";
import { endOfRun } from "../history-text";
import { failedPlanMarkdown, planMarkdown } from "../plan-text";
import { differenceText, planLine, remedyText } from "../plan-wording";
import { joined } from "../sections";

/** The plan that a comment is about, one comment for each; a copy of its record in another pull request does not match. */
export interface CommentSubject extends Pick<TargetLocation, "manifest" | "stage" | "stack"> {
  /** The key of fingerprints; without it the record authenticates nothing, and a manifest without variables may have none. */
  readonly key?: Uint8Array | undefined;
  readonly repository?: string | undefined;
  readonly pullRequest?: number | undefined;
}

/** A comment of a run, of at most `limit` characters. */
export interface Comment extends CommentSubject {
  readonly commit?: string | undefined;
  /** Id of the run, 32 hex digits. */
  readonly runId?: string | undefined;
  /** Address of the job's page, where the whole report is kept. */
  readonly page?: string | undefined;
  /** `merge request` in GitLab. */
  readonly pullWord: string;
  readonly limit: number;
}

/** Returns the hidden line by which a `plan`, `apply` or `drift` is found again. No part of it can end a comment of HTML. */
export function markerOf(kind: string, { manifest, stack, stage }: CommentSubject): string {
  const parts = Object.entries({ manifest, stack, stage }).map(
    // Half of a pair of characters, which a stack may be called, is none that can be encoded.
    ([name, value]) => `${name}=${encodeURIComponent(Buffer.from(value ?? "").toString())}`,
  );
  return `<!-- rnv ${kind} ${parts.join(" ")} -->`;
}

const markerForm = /^(<!-- rnv \w+ manifest=\S*) stack=(\S*) stage=([\w-]*)\S* -->$/;

/** Returns true for the marker of a stage, or without stages of a stack, that the manifest does not have; undefined: not known. */
export function isForRemovedTarget(
  marker: string,
  kind: string,
  manifest: string,
  { stages, stacks }: Readonly<Record<"stages" | "stacks", readonly string[] | undefined>>,
): boolean {
  const [, about, stack, stage = ""] = markerForm.exec(marker) ?? [];
  if (about === undefined || !markerOf(kind, { manifest }).startsWith(`${about} `)) return false;
  if (stage !== "") return stages?.includes(stage) === false;
  if (stack === "") return stages !== undefined && stages.length > 0;
  return stacks?.every((name) => markerOf(kind, { manifest, stack: name }) !== marker) === true;
}

/** Loaded where there is a comment. */
const loadZlib = () => require("node:zlib") as typeof zlib;

/** The kinds of comments that hold a record: `plan`, to review, and `apply`, of a refused apply. */
type RecordKind = "plan" | "apply";

/** Returns the HMAC of a packed record under the key of its subject; empty without a key. */
function macOf(packed: string, kind: RecordKind, subject: CommentSubject): string {
  const { key, repository = "", pullRequest = 0 } = subject;
  return key ? signRecord(key, repository, pullRequest, markerOf(kind, subject), packed) : "";
}

/** The record of a plan as the second hidden line, for apply to compare with: shorter and stricter if room is short. */
function recordLine(plan: Plan, kind: RecordKind, comment: Comment): string {
  if (hasErrors(plan.diagnostics)) return "<!-- rnv record none -->";
  const { key, limit } = comment;
  const { changes, ...short } = recordPlan(plan, key);
  const line = (record: PlanRecord): string => {
    const packed = loadZlib().deflateRawSync(JSON.stringify(record)).toString("base64url");
    return `<!-- rnv record ${packed}.${macOf(packed, kind, comment)} -->`;
  };
  const whole = line({ ...short, changes });
  // A longer record makes the comment poorer than the comparison richer.
  if (whole.length <= limit / 2) return whole;
  const named = line(short);
  return named.length <= limit * 0.9 ? named : line({ ...short, unread: {} });
}

const recordPattern = /^<!-- rnv record ([\w-]+)\.(\w*) -->$/;

export const recordLineIn = (body: string): string | undefined =>
  body.split(/\r?\n/).find((line) => recordPattern.test(line));

/**
 * Reads the record behind the marker of a kind of comments. Undefined where there is none; `"foreign"` where it is that of
 * another pull request, key or stage, or was edited.
 */
export function readRecord(body: string, kind: RecordKind, subject: CommentSubject) {
  const lines = body.split(/\r?\n/);
  const at = lines.indexOf(markerOf(kind, subject));
  const [, packed, mac] = recordPattern.exec(lines[at + 1] ?? "") ?? [];
  if (at < 0 || packed === undefined || mac === undefined) return undefined;
  if (mac !== macOf(packed, kind, subject)) return "foreign";
  try {
    const bytes = Buffer.from(packed, "base64url");
    // More bytes than the record of any comment has.
    const text = loadZlib().inflateRawSync(bytes, { maxOutputLength: 8_000_000 }).toString("utf8");
    const record = JSON.parse(text) as PlanRecord;
    return /^[0-9a-f]{64}$/.test(record.digest) ? record : undefined;
  } catch {
    return undefined;
  }
}

export function planComment(plan: Plan, comment: Comment): string {
  const head = [markerOf("plan", comment), recordLine(plan, "plan", comment)].join("\n");
  return `${head}\n${planSection(plan, comment, comment.limit - head.length - 1)}`;
}

function planSection(plan: Plan, comment: Comment, limit: number): string {
  const title = `rnv plan${subjectText(comment)}`;
  const findings = [...plan.diagnostics, ...plan.standing, ...plan.unchecked];
  if (!hasChanges(plan) && findings.length === 0) return `**${title}**: ${planLine(plan)}\n`;
  const foot = `\n${originLine(comment)}\n`;
  const room = limit - foot.length;
  const text = planMarkdown(plan, room, title);
  if (text.length <= room) return `${text}${foot}`;
  const warning =
    "> [!CAUTION]\n> This plan is too long for a comment: not even the list of what it ends fits. Read the report of the job before you approve.";
  return `### ${title}\n\n**${planLine(plan)}**\n\n${warning}\n${foot}`;
}

/** The comment where no plan could be made: an earlier plan in its place no longer holds. */
export function failedPlanComment(diagnostics: readonly Diagnostic[], comment: Comment): string {
  const limit = Math.min(comment.limit - 1000, 20_000);
  const failed = failedPlanMarkdown({ diagnostics }, { head: headOf("plan", comment), limit });
  return joined([failed, originLine(comment)]);
}

const headOf = (kind: RecordKind, subject: CommentSubject, hidden?: string): string =>
  [markerOf(kind, subject), ...(hidden ? [hidden] : []), `### rnv ${kind}${subjectText(subject)}`].join("\n");

interface ApplyEnd {
  readonly exitCode: number;
  readonly plan?: Plan;
  /** Undefined where it ended before anything was applied. */
  readonly counts?: ApplyCounts;
  readonly diagnostics: readonly Diagnostic[];
  /** Differences from the reviewed plan; undefined where nothing was reviewed. */
  readonly differences?: readonly PlanDifference[] | undefined;
}

export const wasApplied = (body: string): boolean => body.includes("**Applied.**");

/** Exit codes after which the same job goes on. */
const resumable: ReadonlySet<number> = new Set([3, 6, 7, 8, 130]);

/** The comment on an apply. `record` is that of the comment before, if it is applied by hand: another run continues it. */
export function applyComment(end: ApplyEnd, comment: Comment, record?: string): string {
  const { exitCode, plan, counts, diagnostics } = end;
  if (exitCode === 5 && plan) return refusedComment(plan, end, comment);
  const errors = diagnostics.filter(
    ({ severity, code }) => severity === "error" || code === "apply.awaiting_checkout",
  );
  // For a deployment, the cause says more than the exit code.
  const cause = exitCode === 7 || exitCode === 8 ? errors[0]?.summary : undefined;
  const found = cause ? `${escapeMarkdown(cause)} (exit ${exitCode})` : capitalized(endOfRun(exitCode));
  const state = exitCode === 0 ? "Applied" : found;
  const mode = plan?.options.mode ?? "apply";
  const summary = counts ? summaryLine({ mode, exitCode, counts }) : "";
  const line = exitCode === 0 && plan && !hasChanges(plan) ? planLine(plan) : summary;
  return joined([
    headOf("apply", comment, record),
    `**${state}.** ${escapeMarkdown(line)}`.trimEnd(),
    findingsBlock(errors, 20_000),
    resumable.has(exitCode) ? "Nothing is lost. Run this job again to continue." : "",
    originLine(comment),
  ]);
}

/** The text of a comment without its hidden lines, for the summary and the report of the job. */
export const shownComment = (body: string): string => body.replace(/^<!-- rnv [^\n]*-->\n/gm, "");

/** The comment on an apply whose plan is not the reviewed one: why, the differences, and the plan as it is now. */
function refusedComment(plan: Plan, { diagnostics, differences }: ApplyEnd, comment: Comment): string {
  const unreviewed = diagnostics.find(({ code }) => code === "plan.digest")?.summary ?? "";
  const isPlaced = differences?.every(({ kind }) => kind !== "somewhere");
  const why = isPlaced ? "main or the live service changed after the review" : unreviewed;
  const parts = [
    headOf("apply", comment, recordLine(plan, "apply", comment)),
    `> [!WARNING]\n> Nothing was applied: ${escapeMarkdown(why)}.`,
    differences ? differenceText(differences) : "",
    remedyText(plan, comment.pullWord, comment.pullRequest),
  ];
  const rest = planSection(plan, comment, comment.limit - joined(parts).length - 100);
  return joined([...parts, foldedParts("The plan as it is now", [rest.trimEnd()])]);
}

/** Manifests that most repositories have one of: beside a stage they are not named. */
const usualManifest = /^(rnv|rnv\.ya?ml|rnv\.config\.\w+|cdktf\.out)$/;

function subjectText({ manifest, stage, stack }: CommentSubject): string {
  const narrower = [stage, stack].filter((part) => part !== undefined && part !== "");
  const isNamed = narrower.length === 0 || !usualManifest.test(manifest);
  return ` of ${[...narrower, ...(isNamed ? [manifest] : [])].map((part) => codeSpan(part ?? "")).join(", ")}`;
}

function originLine({ commit, runId, page }: Comment): string {
  const by = runId === undefined ? "" : `run ${codeSpan(runId)}, `;
  const made = commit === undefined ? by : `${by}commit ${codeSpan(commit.slice(0, 10))}; `;
  return `<sub>${made}the whole report is kept by ${pageLink("the job", page)}</sub>`;
}

/** Links to the page of a job; the words alone where its address is none that Markdown leaves as it is. */
export const pageLink = (words: string, page: string | undefined): string =>
  page !== undefined && /^https?:\/\/[\w.:/@%-]+$/.test(page) ? `[${words}](${page})` : words;
