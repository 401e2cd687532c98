import { diagnosticOf } from "../../api/api-error";
import { type HostComment, type HostIssue, markerIn } from "../../api/code-host/code-host";
import type { CodeHost } from "../../api/code-host/create-host";
import { type Diagnostic, DiagnosticsError, error } from "../../diagnostics/diagnostic";
import { append } from "../../model/graph";
import { joinRecords, type PlanRecord } from "../../plan/digest";
import { type CommentSubject, readRecord } from "../../report/ci/comment";
import { groupBy } from "../../report/order";

const discussionOf = (number: number) => ({ kind: "pull request", number }) as const;

/** The comments that may hold the review of an apply. */
export interface Review {
  /** The one of the job, else those of one push: a queue merges several at once. */
  readonly pullRequests: readonly number[];
  /** Our comments on all of them, oldest first. */
  readonly comments: readonly { readonly pullRequest: number; readonly body: string }[];
  /** There was no host to ask. */
  readonly isUnread?: true;
}

interface ReviewedJob {
  readonly pullRequest?: number | undefined;
  readonly commit?: string | undefined;
  readonly earlier?: readonly string[];
}

/**
 * Finds the pull requests of a job, and our comments on them: the one that the job names, else those of its commit and of the
 * `earlier` ones, which came with the same push.
 */
export async function findReview(
  host: CodeHost,
  { pullRequest, commit, earlier = [] }: ReviewedJob,
): Promise<Review> {
  const findMerged = async (one: string) => (await host.pullRequestsOf(one)).map(({ number }) => number);
  const isNamed = pullRequest !== undefined;
  // Several may have it: a branch is merged into another one as it is.
  const numbers = new Set(isNamed ? [pullRequest] : commit === undefined ? [] : await findMerged(commit));
  for (const one of isNamed || numbers.size === 0 ? [] : earlier)
    for (const number of (await findMerged(one)).slice(0, 1)) numbers.add(number);
  const comments = [];
  for (const number of numbers)
    for (const { body } of await host.findComments(discussionOf(number)))
      comments.push({ pullRequest: number, body });
  return { pullRequests: [...numbers], comments };
}

/**
 * Returns the records of the reviewed plans of a subject: any of one pull request, or those of several, joined and each. With a
 * `digest` the record that has it, also that of an apply that was refused. A diagnostic where there is none.
 */
export function recordsOf(
  review: Review,
  subject: CommentSubject,
  digest: string | undefined,
): readonly PlanRecord[] | Diagnostic {
  const kinds = digest === undefined ? (["plan"] as const) : (["plan", "apply"] as const);
  let isForeign = false;
  const byNumber = new Map<number, PlanRecord[]>();
  for (const { pullRequest, body } of review.comments)
    for (const kind of kinds) {
      const record = readRecord(body, kind, { ...subject, pullRequest });
      isForeign ||= record === "foreign";
      if (typeof record !== "object" || (digest ?? record.digest) !== record.digest) continue;
      append(byNumber, pullRequest, record);
    }
  const [first, ...more] = [...byNumber.values()];
  if (first === undefined) return unreviewed(review, { isForeign, digest });
  if (digest !== undefined || more.length === 0) return first;
  const [one, ...others] = [first, ...more].flatMap((records) => records.at(-1) ?? []);
  return one ? [joinRecords([one, ...others]), one, ...others] : [];
}

/** An apply in the job of a pull request that is open, in a queue, or was given up: it does nothing. */
export const notMerged = (number: number): Diagnostic =>
  error("plan.digest", `pull request ${number} is not merged`, {
    hint: `Apply in a job of the branch it is merged to. To apply it all the same: --pull-request ${number}`,
  });

/** An apply without a review: it does nothing. */
function unreviewed(
  { pullRequests: [pullRequest], isUnread }: Review,
  { isForeign, digest }: { readonly isForeign: boolean; readonly digest: string | undefined },
): Diagnostic {
  if (isUnread)
    return error("plan.digest", "cannot read the reviewed plan: this job has no code host", {
      hint: "Run it in GitHub Actions or GitLab, with GITHUB_TOKEN or RNV_GITLAB_TOKEN. Elsewhere, apply the digest of a reviewed plan: rnv apply --expect-digest DIGEST",
    });
  if (pullRequest === undefined)
    return error("plan.digest", "no merged pull request found for this commit", {
      hint: "Merge a pull request, or name one: --pull-request NUMBER",
    });
  if (isForeign)
    return error("plan.digest", `the plan comment of pull request ${pullRequest} is not authentic`, {
      detail: "It was edited or copied, or its job has another RNV_STATE_KEY.",
      hint: "Give both jobs the same RNV_STATE_KEY, and plan in a pull request again.",
    });
  const what =
    digest === undefined ? "no plan comment for this stage" : `no comment with the digest ${digest}`;
  return error("plan.digest", `pull request ${pullRequest} has ${what}`, {
    hint: "Plan in the pull request with rnv ci plan. A refused rnv ci apply comments with the plan as it is now, and its digest.",
  });
}

interface WantedComment {
  /** It begins with its marker. */
  readonly body: string;
  /** It is worth no comment of its own: only one that stands already is rewritten. */
  readonly isQuiet: boolean;
  /** Says of the one that stands that it stays. */
  readonly unless?: (body: string) => boolean;
}

/** A comment of an older run is still there, and could not be rewritten. */
export class StaleCommentError extends DiagnosticsError {
  constructor(pullRequest: number, cause: unknown) {
    const { code, summary, hint } = diagnosticOf(cause);
    super([
      error(code, `pull request ${pullRequest} still shows the comment of an older run: ${summary}`, {
        hint: hint ?? "Run the job again.",
      }),
    ]);
  }
}

/**
 * Brings the one comment of each marker to its text: the one that stands is rewritten, and a new one is written only where
 * there is none. Others of the same marker, such as of two jobs at once, are no longer found by it. All else of ours gets what
 * `textOf` returns for its marker. The list is asked for once: it may be long.
 */
export async function keepComments(
  host: CodeHost,
  pullRequest: number,
  wanted: readonly WantedComment[],
  textOf: (marker: string) => string | undefined = () => undefined,
): Promise<void> {
  const own = await host.findComments(discussionOf(pullRequest));
  const marked = groupBy(own, ({ body }) => markerIn(body));
  const all = wanted.map((one) => ({ ...one, standing: marked.get(markerIn(one.body)) ?? [] }));
  const markers = new Set(wanted.map(({ body }) => markerIn(body)));
  const others = own.flatMap((one): typeof all => {
    const marker = markerIn(one.body);
    const body = markers.has(marker) ? undefined : textOf(marker ?? "");
    return body === undefined ? [] : [{ body, isQuiet: true, standing: [one] }];
  });
  await keepEach([...all, ...others], async ({ standing, ...one }) => {
    await keepComment(host, pullRequest, one, standing).catch((cause: unknown) => {
      throw standing.length > 0 ? new StaleCommentError(pullRequest, cause) : cause;
    });
  });
}

/** Keeps each of `all`: one that fails stops no other. The failure that is thrown at the end is that of a stale comment first. */
async function keepEach<T>(all: readonly T[], keep: (one: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const one of all) await keep(one).catch((cause: unknown) => failures.push(cause));
  if (failures.length > 0) throw failures.find((cause) => cause instanceof StaleCommentError) ?? failures[0];
}

async function keepComment(
  host: CodeHost,
  pullRequest: number,
  { body, isQuiet, unless }: WantedComment,
  [first, ...others]: readonly HostComment[],
): Promise<void> {
  const at = discussionOf(pullRequest);
  for (const { id } of others)
    await host.rewriteComment(at, id, "*This comment is out of date: a newer run keeps the first one.*\n");
  if (first === undefined) {
    if (!isQuiet) await host.writeComment(at, body);
  } else if (first.body !== body && unless?.(first.body) !== true)
    await host.rewriteComment(at, first.id, body);
}

interface WantedIssue {
  /** The hidden line that it is found by. */
  readonly marker: string;
  readonly title: string;
  /** It begins with the marker. Undefined once there is nothing to tell any more: the issue that stands is closed. */
  readonly body?: string | undefined;
  /** The comment with which it is closed. */
  readonly farewell: string;
}

const labels = ["rnv-drift"];

/**
 * Brings the one issue of each marker to its text: it is opened, rewritten while there is something to tell, and closed
 * with a comment once there is not. One of what is no longer declared is closed with what `farewellTo` returns for its marker.
 * The list is asked for once. What fails stops no other, and is thrown at the end.
 */
export async function keepIssues(
  host: CodeHost,
  wanted: readonly WantedIssue[],
  farewellTo: (marker: string) => string | undefined,
): Promise<void> {
  if (wanted.length === 0) return;
  const own = await host.findIssues();
  await keepEach(wanted, async (one) => {
    const standing = own.find(({ body }) => markerIn(body) === one.marker);
    await keepIssue(host, one, standing);
  });
  await keepEach(own, async (issue) => {
    const marker = markerIn(issue.body) ?? "";
    const farewell = farewellTo(marker);
    if (farewell !== undefined) await keepIssue(host, { marker, title: "", farewell }, issue);
  });
}

async function keepIssue(
  host: CodeHost,
  { marker, title, body, farewell }: WantedIssue,
  standing: HostIssue | undefined,
): Promise<void> {
  if (standing === undefined) {
    if (body !== undefined) await host.openIssue({ title, body, labels });
    return;
  }
  const { number } = standing;
  if (body !== undefined) {
    await host.updateIssue(number, { title, body });
    return;
  }
  // Before it is closed: a duplicated comment says the same, an issue that is closed without a word does not.
  await host.writeComment({ kind: "issue", number }, `${marker}\n${farewell}`);
  await host.closeIssue(number);
}
