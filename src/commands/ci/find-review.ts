import type { CodeHost } from "../../api/code-host/code-host";
import { type Diagnostic, error } from "../../diagnostics/diagnostic";
import type { PlanRecord } from "../../plan/digest";
import { readRecord } from "../../render/job-comment";

/** The review that an apply relies on. */
export interface Review {
  readonly pullRequest?: number;
  /** Of the plan in its comment; undefined where none stands, or none could be made. */
  readonly record?: PlanRecord;
}

/** Where the review is looked for. */
interface ReviewPlace {
  /** As the job says; else it is found by the commit. */
  readonly pullRequest?: number | undefined;
  readonly commit?: string | undefined;
  readonly marker: string;
}

/** Finds the pull request of a job, and the record of the plan that was reviewed in it. */
export async function findReview(
  host: CodeHost,
  { pullRequest, commit, marker }: ReviewPlace,
): Promise<Review> {
  const found = pullRequest ?? (commit === undefined ? undefined : await mergedWith(host, commit));
  if (found === undefined) return {};
  const comments = await host.findComments({ kind: "pull request", number: found }, marker);
  const record = comments.map(({ body }) => readRecord(body, marker)).find((one) => one !== undefined);
  return { pullRequest: found, ...(record && { record }) };
}

/** One that is open has been reviewed by nobody yet. */
const mergedWith = async (host: CodeHost, commit: string): Promise<number | undefined> =>
  (await host.pullRequestsOf(commit)).find(({ isMerged }) => isMerged)?.number;

/** An apply without a review: it does nothing. */
export const unreviewed = ({ pullRequest }: Review): Diagnostic =>
  error(
    "plan.digest",
    pullRequest === undefined
      ? "nothing was reviewed: no pull request was merged with this commit"
      : `nothing was reviewed: pull request ${pullRequest} has no plan of this manifest and stage`,
    {
      hint: "plan in the pull request with rnv ci plan; or review rnv plan, and give its digest: --expect-digest",
    },
  );
