import * as z from "zod";
import { ApiError } from "../api-error";
import type { CodeHost, HostOptions, PullRequest } from "./code-host";
import { createHostClient, type HostClient } from "./host-client";
import { type HostTexts, textsOf } from "./host-texts";

const user = z.looseObject({ login: z.string() });
const comment = z
  .looseObject({
    id: z.number(),
    body: z.string().nullish(),
    html_url: z.string().optional(),
    user: user.nullish(),
  })
  .transform(({ id, body, html_url: url, user: by }) => ({
    ...{ id: String(id), body: body ?? "", author: by?.login },
    ...(url !== undefined && { url }),
  }));
const issue = z
  .looseObject({
    number: z.number(),
    title: z.string(),
    body: z.string().nullish(),
    html_url: z.string().optional(),
    user: user.nullish(),
    /** A pull request is an issue too. */
    pull_request: z.unknown().optional(),
  })
  .transform(({ number, title, body, html_url: url, user: by, pull_request: pull }) => ({
    ...{ number, title, body: body ?? "", author: pull === undefined ? by?.login : undefined },
    ...(url !== undefined && { url }),
  }));
const pull = z.looseObject({
  number: z.number(),
  merged_at: z.string().nullish(),
  merge_commit_sha: z.string().nullish(),
});

/** The account as which the token of a workflow writes; the token itself may not ask. */
const workflowAuthor = "github-actions[bot]";

const needsComments = "give the job `permissions: pull-requests: write`; a pull request of a fork has none";
const needsIssues = "give the job `permissions: issues: write`";
const needsPulls = "give the job `permissions: pull-requests: read`";

/** Opens GitHub, or a GitHub Enterprise Server. */
export function createGitHub(options: HostOptions): CodeHost {
  const client = createHostClient(
    "GitHub",
    { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" },
    options,
  );
  const repository = `/repos/${options.repository.split("/").map(encodeURIComponent).join("/")}`;
  const texts: HostTexts = {
    ...{ name: "GitHub", updateMethod: "PATCH", comment, issue },
    wordsOf: ({ kind, number }) => `${kind} ${number}`,
    commentsOf: ({ number }) => `${repository}/issues/${number}/comments`,
    commentAt: (_, id) => `${repository}/issues/comments/${encodeURIComponent(id)}`,
    issues: `${repository}/issues`,
    openIssues: () => `${repository}/issues?state=open&sort=created&direction=desc`,
    bodyOf: ({ title, body, labels = [] }) => ({ title, body, ...(labels.length > 0 && { labels }) }),
    closed: { state: "closed", state_reason: "completed" },
    needsOf: (kind) => (kind === "issue" ? needsIssues : needsComments),
    login: () => authorOf(client, options.author),
  };
  return {
    name: "GitHub",
    mostCharacters: 65_536,
    ...textsOf(client, texts, options),
    ...pullsOf(client, repository, options),
    close: client.close,
  };
}

/** Milliseconds between questions for the pull requests of a commit: GitHub lists them a while after the merge. */
const pausesForPulls = [1000, 2000, 4000, 6000, 7000];

const pullsOf = (client: HostClient, repository: string, { clock }: Pick<HostOptions, "clock">) =>
  ({
    pullRequestsOf: async (commit) => {
      const ask = () =>
        client.sendPages({
          operation: "find the pull request of the commit",
          path: `${repository}/commits/${encodeURIComponent(commit)}/pulls`,
          answer: z.array(pull),
          needs: `${needsPulls}, and check out a commit that GitHub has`,
        });
      let found = await ask();
      for (const pause of pausesForPulls) {
        if (found.length > 0) break;
        await clock.sleep(pause);
        found = await ask();
      }
      const brought = (one: z.infer<typeof pull>): boolean => one.merge_commit_sha === commit;
      return [...found.filter(brought), ...found.filter((one) => !brought(one))].map(pullOf);
    },
    openPullRequests: async () => {
      const found = await client.sendPages({
        operation: "list open pull requests",
        path: `${repository}/pulls?state=open`,
        answer: z.array(pull),
        needs: needsPulls,
      });
      return found.map(pullOf);
    },
  }) satisfies Partial<CodeHost>;

/** A token of a person or a machine may ask who it is; that of a workflow may not, and is known. */
async function authorOf(client: HostClient, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  try {
    const { login } = await client.send({
      ...{ operation: "ask who the token belongs to", method: "GET", path: "/user", answer: user },
      needs: "check the token (GITHUB_TOKEN)",
    });
    return login;
  } catch (cause) {
    if (cause instanceof ApiError && (cause.status === 403 || cause.status === 404)) return workflowAuthor;
    throw cause;
  }
}

const pullOf = ({ number, merged_at: mergedAt }: z.infer<typeof pull>): PullRequest => ({
  number,
  isMerged: typeof mergedAt === "string",
});
