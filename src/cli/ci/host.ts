import { diagnosticOf } from "../../api/api-error";
import type * as hosts from "../../api/code-host/create-host";
import { createHttpTransport } from "../../api/http-transport";
import { StaleCommentError } from "../../commands/ci/comments";
import { findReview, type Review } from "../../commands/ci/review";
import { warning } from "../../diagnostics/diagnostic";
import { Secret } from "../../model/secret";
import { systemClock } from "../../model/time";
import type { Comment, CommentSubject } from "../../report/ci/comment";
import { negation, parsed, positive } from "../options";
import { exitCodes, report, type Screen } from "../screen";
import type { Target } from "../target";
import { type CiJob, firstOf, platformOf, repositoryOf } from "./job";

export const commentOptions = {
  pullRequest: parsed(
    "--pull-request <number>",
    "the pull request or merge request, where a job of GitHub or GitLab does not say",
    positive,
  ),
  comment: negation("--no-comment", "write no comment"),
};

/** Environment variables of each platform. The first variable of a row that is set counts. */
const hostVariables = {
  github: {
    name: "GitHub",
    token: ["GITHUB_TOKEN", "GH_TOKEN"],
    apiUrl: ["GITHUB_API_URL"],
    repository: ["GITHUB_REPOSITORY"],
    hint:
      "give the step `env: { GITHUB_TOKEN: $" +
      "{{ github.token }} }`, and the job `permissions: pull-requests: write`",
  },
  gitlab: {
    name: "GitLab",
    // The token of the job itself (CI_JOB_TOKEN) may not write notes.
    token: ["RNV_GITLAB_TOKEN", "GITLAB_TOKEN"],
    apiUrl: ["CI_API_V4_URL"],
    repository: ["CI_PROJECT_ID"],
    hint: "make a project access token (role Reporter, scope api) and set it as the masked variable RNV_GITLAB_TOKEN",
  },
} as const;

/** Opens the code host of this job, or warns of its absence. Throws for an address that must not get the token. */
function openCodeHost(screen: Screen): hosts.CodeHost | undefined {
  const { environment } = screen;
  const platform = platformOf(environment);
  if (platform === undefined) return undefined;
  const { name, hint, ...wanted } = hostVariables[platform];
  const without = (variable: string, why = "is not set") => {
    const summary = `${name} is not notified of this run: ${variable} ${why}`;
    report(screen, [warning("config.missing", summary, { hint })]);
    return undefined;
  };
  const token = firstOf(environment, wanted.token);
  const repository = firstOf(environment, wanted.repository);
  const apiUrl =
    firstOf(environment, wanted.apiUrl) ?? (platform === "github" ? "https://api.github.com" : undefined);
  if (token === undefined) return without(wanted.token[0]);
  if (repository === undefined) return without(wanted.repository[0]);
  if (apiUrl === undefined) return without(wanted.apiUrl[0]);
  if (!/^[!-~]+$/.test(token)) return without(wanted.token[0], "holds spaces or line breaks");
  const author = firstOf(environment, ["RNV_COMMENT_AUTHOR"]);
  const transport = createHttpTransport({ environment });
  // Loaded late: only jobs need it.
  const { createHost } = require("../../api/code-host/create-host") as typeof hosts;
  const given = { apiUrl, repository, token: new Secret(token), author, transport, clock: systemClock };
  return createHost(platform, given);
}

/**
 * Calls the code host of the job. Returns undefined outside of such a job, or without a setting that the host needs.
 * Warns of a missing setting, and of a pull request that gets no comment.
 */
export async function withHost<Answer>(
  screen: Screen,
  speak: (host: hosts.CodeHost) => Promise<Answer>,
  { pullRequest }: Partial<CiJob> = {},
): Promise<Answer | undefined> {
  const { environment } = screen;
  if (platformOf(environment) === undefined && pullRequest !== undefined)
    report(screen, [
      warning("config.missing", `no comment on pull request ${pullRequest}: no code host here`, {
        hint: "Run it in GitHub Actions or GitLab, or post plan.md of the reports yourself.",
      }),
    ]);
  const host = openCodeHost(screen);
  try {
    return host && (await speak(host));
  } finally {
    await host?.close();
  }
}

/** Writes to the code host; a failure is a warning. Returns 1 for a stale comment: readers would trust it. */
export async function notifyHost(
  screen: Screen,
  job: CiJob,
  tell: (host: hosts.CodeHost) => Promise<void>,
): Promise<number> {
  try {
    await withHost(screen, tell, job);
    return exitCodes.done;
  } catch (cause) {
    const isStale = cause instanceof StaleCommentError;
    report(screen, [{ ...diagnosticOf(cause), severity: isStale ? "error" : "warning" }]);
    return isStale ? exitCodes.error : exitCodes.done;
  }
}

/** Finds the comments that may hold the review of a job. Throws if the host does not answer. */
export const reviewOf = async (screen: Screen, job: CiJob): Promise<Review> =>
  (await withHost(screen, (host) => findReview(host, job), job)) ?? {
    isUnread: true,
    pullWord: job.pullWord,
    pullRequests: [],
    comments: [],
  };

export function subjectOf(target: Target, key?: Uint8Array): CommentSubject {
  const { manifest, stage, stack } = target;
  return { manifest, stage, stack, key, repository: repositoryOf(target) };
}

export const commentOf = (
  target: Target,
  { commit, page, pullWord }: CiJob,
  { key, ...more }: Pick<Comment, "key" | "pullRequest" | "runId" | "limit">,
): Comment => ({ ...subjectOf(target, key), commit, page, pullWord, ...more });
