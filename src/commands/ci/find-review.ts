import type { CodeHost } from "../../api/code-host/code-host";
import { type Diagnostic, error } from "../../diagnostics/diagnostic";
import { joinRecords, type PlanRecord } from "../../plan/digest";
import { readRecord } from "../../render/job-comment";

/** The review that an apply relies on. */
export interface Review {
  readonly pullRequest?: number;
  /** Those that came with the same push: a queue merges several at once. */
  readonly others?: readonly number[];
  /** Of the plan in its comment, with those of the others; undefined where none stands, or none could be made. */
  readonly record?: PlanRecord;
  /** There was no host to ask. */
  readonly isUnread?: true;
}

/** Where the review is looked for. */
interface ReviewPlace {
  /** As the job says; else it is found by the commit. */
  readonly pullRequest?: number | undefined;
  readonly commit?: string | undefined;
  /** The commits before it that came with the same push. */
  readonly earlier?: readonly string[] | undefined;
  readonly marker: string;
}

/** Finds the pull requests of a job, and the record of the plans that were reviewed in them. */
export async function findReview(
  host: CodeHost,
  { pullRequest, commit, earlier = [], marker }: ReviewPlace,
): Promise<Review> {
  const found = pullRequest ?? (await findMerged(host, commit));
  if (found === undefined) return {};
  const numbers = new Set([found]);
  for (const one of pullRequest === undefined ? earlier : []) {
    const before = await findMerged(host, one);
    if (before !== undefined) numbers.add(before);
  }
  const records: PlanRecord[] = [];
  for (const number of numbers) {
    const comments = await host.findComments({ kind: "pull request", number }, marker);
    const record = comments.map(({ body }) => readRecord(body, marker)).find((one) => one !== undefined);
    if (record) records.push(record);
  }
  const [first, ...more] = records;
  const others = [...numbers].slice(1);
  return { pullRequest: found, others, ...(first && { record: joinRecords([first, ...more]) }) };
}

/** Finds the pull request that a commit was merged with: one that is open has not been reviewed yet. */
export const findMerged = async (host: CodeHost, commit: string | undefined): Promise<number | undefined> =>
  commit === undefined
    ? undefined
    : (await host.pullRequestsOf(commit)).find(({ isMerged }) => isMerged)?.number;

/** An apply in the job of a pull request that is open, in a queue, or was given up: it does nothing. */
export const notMerged = (number: number): Diagnostic =>
  error("plan.digest", `pull request ${number} is not merged`, {
    hint: `Apply in a job of the branch it is merged to. To apply it all the same: --pull-request ${number}`,
  });

/** An apply without a review: it does nothing. */
export function unreviewed({ pullRequest, isUnread }: Review): Diagnostic {
  const hint =
    "Plan in the pull request with rnv ci plan. Or review rnv plan and give its digest: --expect-digest DIGEST";
  if (isUnread)
    return error("plan.digest", "cannot read the reviewed plan: this job has no code host", {
      hint: "Run it in GitHub Actions or GitLab, with GITHUB_TOKEN or RNV_GITLAB_TOKEN. Or give the digest of the reviewed plan: --expect-digest DIGEST",
    });
  return error(
    "plan.digest",
    pullRequest === undefined
      ? "no merged pull request found for this commit"
      : `pull request ${pullRequest} has no plan comment for this stage`,
    { hint },
  );
}
