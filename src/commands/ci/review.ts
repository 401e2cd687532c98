import type { CodeHost } from "../../api/code-host/create-host";
import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import { append } from "../../model/collections";
import { shortList } from "../../model/wording";
import { isBlocked, type Plan } from "../../plan/plan";
import {
  compareWithRecord,
  declaredBesides,
  joinRecords,
  type PlanRecord,
  type Reviewed,
  takesRecordedSources,
} from "../../plan/plan-record";
import { type Comment, type CommentSubject, readRecord } from "../../report/ci/comment";
import { escapeText } from "../../report/escape-text";
import { counted, differenceText } from "../../report/plan-wording";
import { discussionOf } from "./comments";

export interface Review {
  /** `merge request` in GitLab. */
  readonly pullWord: string;
  /** The pull request of the job, else those of one push: a queue merges several at once. */
  readonly pullRequests: readonly number[];
  /** Our comments on all of them, oldest first. */
  readonly comments: readonly { readonly pullRequest: number; readonly body: string }[];
  /** There was no host to ask. */
  readonly isUnread?: true;
}

/**
 * Finds the pull requests of a job, and our comments on them. These are the pull request that the job names, or those of
 * its commit and of the `earlier` commits of that push.
 */
export async function findReview(
  host: CodeHost,
  job: Pick<Comment, "pullRequest" | "commit"> & { readonly earlier?: readonly string[] },
): Promise<Review> {
  const { pullRequest, commit, earlier = [] } = job;
  const findMerged = async (one: string) => (await host.pullRequestsOf(one)).map(({ number }) => number);
  const isNamed = pullRequest !== undefined;
  // Several may have the commit: a merged branch keeps its commits.
  const numbers = new Set(isNamed ? [pullRequest] : commit === undefined ? [] : await findMerged(commit));
  for (const one of isNamed || numbers.size === 0 ? [] : earlier)
    for (const number of (await findMerged(one)).slice(0, 1)) numbers.add(number);
  const comments = [];
  for (const number of numbers)
    for (const { body } of await host.findComments(discussionOf(number)))
      comments.push({ pullRequest: number, body });
  return { pullWord: host.pullWord, pullRequests: [...numbers], comments };
}

/**
 * Returns the records of the reviewed plans of a subject: any of one pull request, or those of several, joined and each. With a
 * `digest` the record that has it, also that of an apply that was refused.
 */
export function recordsOf(review: Review, subject: CommentSubject, digest: string | undefined): Reviewed {
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
  if (first === undefined) {
    const hasNone = !review.isUnread && !isForeign && digest === undefined;
    return { problem: unreviewed(review, { isForeign, digest }), hasNone: hasNone || undefined };
  }
  if (digest !== undefined || more.length === 0) return first;
  return joinRecords([first, ...more].flatMap((records) => records.at(-1) ?? []));
}

/** An apply in the job of a pull request that is open, in a queue, or was given up: it does nothing. */
export const notMerged = (number: number, pullWord: string): Diagnostic =>
  error("plan.digest", `${pullWord} ${number} is not merged`, {
    hint: `Apply in a job of the branch it is merged to. To apply it all the same: --pull-request ${number}`,
  });

function unreviewed(
  { pullRequests: [pullRequest], pullWord, isUnread }: Review,
  { isForeign, digest }: { readonly isForeign: boolean; readonly digest: string | undefined },
): Diagnostic {
  if (isUnread)
    return error("plan.digest", "cannot read the reviewed plan: this job has no code host", {
      hint: "Run it in GitHub Actions or GitLab, with GITHUB_TOKEN or RNV_GITLAB_TOKEN. Elsewhere, apply the digest of a reviewed plan: rnv apply --expect-digest DIGEST",
    });
  if (pullRequest === undefined)
    return error("plan.digest", `no merged ${pullWord} found for this commit`, {
      hint: `Merge a ${pullWord}, or name one: --pull-request NUMBER`,
    });
  if (isForeign)
    return error("plan.digest", `the plan comment of ${pullWord} ${pullRequest} is not authentic`, {
      detail: "It was edited or copied, or its job has another RNV_STATE_KEY.",
      hint: `Give both jobs the same RNV_STATE_KEY, and plan in a ${pullWord} again.`,
    });
  const what =
    digest === undefined ? "no plan comment for this stage" : `no comment with the digest ${digest}`;
  return error("plan.digest", `${pullWord} ${pullRequest} has ${what}`, {
    hint: `Plan in the ${pullWord} with rnv ci plan. A refused rnv ci apply comments with the plan as it is now, and its digest.`,
  });
}

interface QueueEnd {
  readonly exitCode: number;
  readonly finding?: Diagnostic;
  /** A list in Markdown of the differences from the reviewed plan. */
  readonly differences?: string | undefined;
}

/** Compares a plan of a merge queue with the reviewed plans. Changes ahead of it in the queue may come with it. */
export function compareInQueue(
  plan: Plan,
  reviewed: Reviewed,
  { key, pullWord }: { readonly key: Uint8Array | undefined; readonly pullWord: string },
): QueueEnd {
  if ("problem" in reviewed) {
    const isAccepted = reviewed.hasNone && takesRecordedSources(plan, key);
    return isAccepted ? { exitCode: 0 } : { exitCode: 5, finding: reviewed.problem };
  }
  const compared = reviewed.map((record) => {
    const differences = compareWithRecord(record, plan, { key });
    return { differences, besides: declaredBesides(differences, plan) };
  });
  const match = compared.find(({ differences, besides }) => differences.length === 0 || besides.length > 0);
  if (match === undefined) {
    const differences = compared[0] && differenceText(compared[0].differences);
    const finding = error("plan.digest", "the plan in the merge queue is not the reviewed one", {
      detail: differences,
      hint: `Merge or apply the changes ahead of it in the queue, then plan in the ${pullWord} again.`,
    });
    return { exitCode: 5, finding, differences };
  }
  const exitCode = isBlocked(plan) ? 4 : 0;
  const { besides } = match;
  if (besides.length === 0) return { exitCode };
  const ahead = `the reviewed plan plus ${counted(besides.length, "change")} ahead in the queue`;
  const finding = warning("plan.digest", ahead, {
    detail: shortList(besides.map(escapeText), 20),
    hint: `Each is applied with its own ${pullWord}, in order.`,
  });
  return { exitCode, finding };
}
