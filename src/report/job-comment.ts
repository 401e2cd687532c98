import type * as zlib from "node:zlib";
import { type Diagnostic, hasErrors } from "../diagnostics/diagnostic";
import { Secret } from "../model/secret";
import type { TargetPlace } from "../model/target";
import { capitalized } from "../model/text";
import { type PlanDifference, type PlanRecord, recordPlan } from "../plan/digest";
import { hasChanges, type Plan } from "../plan/plan";
import { findingsBlock } from "./diagnostics";
import { codeSpan, escapeMarkdown, foldedParts } from "./escape-text";
import { planMarkdown } from "./plan-text";
import { differenceText, planLine, remedyText } from "./plan-wording";
import { joined } from "./sections";
import { endOfRun } from "./status-text";

/** The plan that a comment is about: one comment for each. */
export interface CommentSubject extends Pick<TargetPlace, "manifest" | "stage" | "stack"> {
  /** The seal of the record in the comment; without it the record authenticates nothing. */
  readonly seal?: RecordSeal | undefined;
}

/** The facts that authenticate a record; a copy in another pull request, or an edited record, does not match. */
export interface RecordSeal {
  /** The key of fingerprints; a manifest without variables may have none. */
  readonly key?: Uint8Array | undefined;
  readonly repository?: string | undefined;
  readonly pullRequest?: number | undefined;
}

export interface CommentOrigin {
  readonly commit?: string | undefined;
  /** Id of the run, 32 hex digits. */
  readonly runId?: string | undefined;
  /** Address of the job's page, where the whole report is kept. */
  readonly page?: string | undefined;
}

/**
 * Returns the hidden line by which a text of ours is found again: `plan`, `apply`, `drift` of a manifest in a stage. No
 * part of it can end a comment of HTML.
 */
export function markerOf(kind: string, { manifest, stack, stage }: Omit<CommentSubject, "seal">): string {
  const parts = Object.entries({ manifest, stack, stage }).map(
    // Half of a pair of characters, which a stack may be called, is none that can be encoded.
    ([name, value]) => `${name}=${encodeURIComponent(Buffer.from(value ?? "").toString())}`,
  );
  return `<!-- rnv ${kind} ${parts.join(" ")} -->`;
}

const markerForm = /^(<!-- rnv \w+ manifest=\S*) stack=(\S*) stage=([\w-]*)\S* -->$/;

/** Returns true for the marker of a stage, or without stages of a stack, that the manifest does not have; undefined: not known. */
export function isOfGone(
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

/** The part of a comment that a record may take: a longer one makes the comment poorer than the comparison richer. */
const shareOfRecord = 0.5;

/** Loaded where there is a comment. */
const loadZlib = () => require("node:zlib") as typeof zlib;

/** The kinds of comments that hold a record: `plan`, to review, and `apply`, of a refused apply. */
type RecordKind = "plan" | "apply";

/** Returns the HMAC of a packed record under the key of its seal; empty without a key. */
function macOf(packed: string, kind: RecordKind, { seal = {}, ...subject }: CommentSubject): string {
  if (!seal.key) return "";
  const about = [seal.repository ?? "", seal.pullRequest ?? 0, markerOf(kind, subject), packed];
  return new Secret(Buffer.from(seal.key).toString("hex")).sign(JSON.stringify(about));
}

/** The record of a plan as the second hidden line, for apply to compare with: shorter and stricter if room is short. */
function recordLine(plan: Plan, kind: RecordKind, subject: CommentSubject, limit: number): string {
  if (hasErrors(plan.diagnostics)) return "<!-- rnv record none -->";
  const { changes, ...short } = recordPlan(plan, subject.seal?.key);
  const line = (record: PlanRecord): string => {
    const packed = loadZlib().deflateRawSync(JSON.stringify(record)).toString("base64url");
    return `<!-- rnv record ${packed}.${macOf(packed, kind, subject)} -->`;
  };
  const whole = line({ ...short, changes });
  if (whole.length <= limit * shareOfRecord) return whole;
  const named = line(short);
  return named.length <= limit * 0.9 ? named : line({ ...short, unread: {} });
}

const recordPattern = /^<!-- rnv record ([\w-]+)\.(\w*) -->$/;

export const recordLineIn = (body: string): string | undefined =>
  body.split(/\r?\n/).find((line) => recordPattern.test(line));

/** Bytes of a record, unpacked: more than any comment holds. */
const largestRecord = 8_000_000;

/**
 * Reads the record behind the marker of a kind of comments. Undefined where there is none; `"foreign"` where it is that of
 * another pull request, key or stage, or was edited.
 */
export function readRecord(
  body: string,
  kind: RecordKind,
  subject: CommentSubject,
): PlanRecord | "foreign" | undefined {
  const lines = body.split(/\r?\n/);
  const at = lines.indexOf(markerOf(kind, subject));
  const [, packed, mac] = recordPattern.exec(lines[at + 1] ?? "") ?? [];
  if (at < 0 || packed === undefined || mac === undefined) return undefined;
  if (mac !== macOf(packed, kind, subject)) return "foreign";
  try {
    const bytes = Buffer.from(packed, "base64url");
    const text = loadZlib().inflateRawSync(bytes, { maxOutputLength: largestRecord }).toString("utf8");
    const record = JSON.parse(text) as PlanRecord;
    return /^[0-9a-f]{64}$/.test(record.digest) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** The comment on a plan, with its marker and its record, within `limit` characters. */
export function planComment(
  plan: Plan,
  subject: CommentSubject,
  origin: CommentOrigin,
  limit: number,
): string {
  const head = [markerOf("plan", subject), recordLine(plan, "plan", subject, limit)].join("\n");
  return `${head}\n${planSection(plan, subject, origin, limit - head.length - 1)}`;
}

function planSection(plan: Plan, subject: CommentSubject, origin: CommentOrigin, limit: number): string {
  const title = `rnv plan${subjectText(subject)}`;
  const told = [plan.diagnostics, plan.standing, plan.unchecked];
  if (!hasChanges(plan) && told.every(({ length }) => length === 0))
    return `**${title}**: ${planLine(plan)}\n`;
  const foot = `\n${originLine(origin)}\n`;
  const room = limit - foot.length;
  const text = planMarkdown(plan, room, title);
  if (text.length <= room) return `${text}${foot}`;
  const warning =
    "> [!CAUTION]\n> This plan is too long for a comment: not even the list of what it ends fits. Read the report of the job before you approve.";
  return `### ${title}\n\n**${planLine(plan)}**\n\n${warning}\n${foot}`;
}

/** The comment where no plan could be made: an earlier plan in its place no longer holds. */
export function failedPlanComment(
  diagnostics: readonly Diagnostic[],
  subject: CommentSubject,
  origin: CommentOrigin,
  limit: number,
): string {
  const errors = findingsBlock(diagnostics, Math.min(limit - 1000, 20_000));
  return joined([headOf("plan", subject), "**No plan could be made.**", errors, originLine(origin)]);
}

/** The marker of a comment, other hidden lines, and its heading. */
const headOf = (kind: RecordKind, subject: CommentSubject, hidden: readonly string[] = []): string =>
  [markerOf(kind, subject), ...hidden, `### rnv ${kind}${subjectText(subject)}`].join("\n");

/** The end of an apply in a job, for its comment. */
export interface AppliedResult {
  readonly exitCode: number;
  /** Undefined where it ended before anything was applied. */
  readonly summary?: string | undefined;
  /** The record that the comment before it holds, and that this run applies: another run continues it. */
  readonly record?: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

const appliedWord = "**Applied.**";

export const wasApplied = (body: string): boolean => body.includes(appliedWord);

/** Exit codes after which the same job goes on. */
const resumable: ReadonlySet<number> = new Set([3, 6, 7, 8, 130]);

/** Codes of findings that an apply still waits for; each names the step to take. */
const waits: ReadonlySet<string> = new Set(["apply.awaiting_checkout", "apply.deploy_timeout"]);

export function appliedComment(
  { exitCode, summary, record, diagnostics }: AppliedResult,
  subject: CommentSubject,
  origin: CommentOrigin,
): string {
  const errors = diagnostics.filter(({ severity, code }) => severity === "error" || waits.has(code));
  // For a deployment, the cause says more than the exit code.
  const cause = exitCode === 7 || exitCode === 8 ? errors[0]?.summary : undefined;
  const state = cause
    ? `**${escapeMarkdown(cause)} (exit ${exitCode}).**`
    : `**${capitalized(endOfRun(exitCode))}.**`;
  return joined([
    headOf("apply", subject, record === undefined ? [] : [record]),
    `${exitCode === 0 ? appliedWord : state} ${escapeMarkdown(summary ?? "")}`.trimEnd(),
    findingsBlock(errors, 20_000),
    resumable.has(exitCode) ? "Nothing is lost. Run this job again to continue." : "",
    originLine(origin),
  ]);
}

/** The text of a comment without its hidden lines, for the summary and the report of the job. */
export const shownComment = (body: string): string => body.replace(/^<!-- rnv [^\n]*-->\n/gm, "");

/**
 * The comment on an apply that was refused because its plan differs from the reviewed plan. It has `why` in words, and
 * the differences; none where nothing was reviewed.
 */
export function refusedComment(
  plan: Plan,
  { why, differences }: Readonly<{ why: string; differences: readonly PlanDifference[] | undefined }>,
  subject: CommentSubject,
  origin: CommentOrigin,
  limit: number,
): string {
  const told = [
    headOf("apply", subject, [recordLine(plan, "apply", subject, limit)]),
    `> [!WARNING]\n> Nothing was applied: ${escapeMarkdown(why)}.`,
    differences ? differenceText(differences) : "",
    remedyText(plan.digest ?? "", subject.seal?.pullRequest),
  ];
  const rest = planSection(plan, subject, origin, limit - joined(told).length - 100);
  return joined([...told, foldedParts("The plan as it is now", [rest.trimEnd()])]);
}

/** Manifests that most repositories have one of: beside a stage they are not named. */
const usualManifest = /^(rnv|rnv\.ya?ml|rnv\.config\.\w+|cdktf\.out)$/;

function subjectText({ manifest, stage, stack }: CommentSubject): string {
  const narrower = [stage, stack].filter((part) => part !== undefined && part !== "");
  const isNamed = narrower.length === 0 || !usualManifest.test(manifest);
  return ` of ${[...narrower, ...(isNamed ? [manifest] : [])].map((part) => codeSpan(part ?? "")).join(", ")}`;
}

function originLine({ commit, runId, page }: CommentOrigin): string {
  const by = runId === undefined ? "" : `run ${codeSpan(runId)}, `;
  const made = commit === undefined ? by : `${by}commit ${codeSpan(commit.slice(0, 10))}; `;
  return `<sub>${made}the whole report is kept by ${pageLink("the job", page)}</sub>`;
}

/** Links to the page of a job; the words alone where its address is none that Markdown leaves as it is. */
export const pageLink = (words: string, page: string | undefined): string =>
  page !== undefined && /^https?:\/\/[\w.:/@%-]+$/.test(page) ? `[${words}](${page})` : words;
