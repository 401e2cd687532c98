import * as z from "zod";
import type { CodeHost, HostOptions, PullRequest } from "./code-host";
import { createHostClient, type HostClient } from "./host-client";
import { type HostTexts, textsOf } from "./host-texts";

const user = z.looseObject({ username: z.string() });
const comment = z
  .looseObject({
    id: z.number(),
    body: z.string().nullish(),
    author: user.nullish(),
    /** GitLab's own: "changed the description". */
    system: z.boolean().optional(),
  })
  .transform(({ id, body, author, system }) => ({
    ...{ id: String(id), body: body ?? "" },
    author: system === true ? undefined : author?.username,
  }));
const issue = z
  .looseObject({
    iid: z.number(),
    title: z.string(),
    description: z.string().nullish(),
    web_url: z.string().optional(),
    author: user.nullish(),
  })
  .transform(({ iid: number, title, description, web_url: url, author }) => ({
    ...{ number, title, body: description ?? "", author: author?.username },
    ...(url !== undefined && { url }),
  }));
const merge = z.looseObject({
  iid: z.number(),
  state: z.string(),
  merge_commit_sha: z.string().nullish(),
  squash_commit_sha: z.string().nullish(),
});

const needs =
  "the token needs the scope `api` and the role Reporter or more (RNV_GITLAB_TOKEN or GITLAB_TOKEN); that of the job itself writes no notes";

/** Opens GitLab, gitlab.com or one's own. */
export function createGitLab(options: HostOptions): CodeHost {
  const client = createHostClient("GitLab", { accept: "application/json" }, options);
  const project = `/projects/${encodeURIComponent(options.repository)}`;
  const commentsOf: HostTexts["commentsOf"] = ({ kind, number }) =>
    `${project}/${kind === "issue" ? "issues" : "merge_requests"}/${number}/notes`;
  const texts: HostTexts = {
    ...{ name: "GitLab", updateMethod: "PUT", comment, issue, commentsOf },
    wordsOf: ({ kind, number }) => `${kind === "issue" ? "issue" : "merge request"} ${number}`,
    order: "?sort=asc&order_by=created_at",
    commentAt: (at, id) => `${commentsOf(at)}/${encodeURIComponent(id)}`,
    issues: `${project}/issues`,
    openIssues: (author) =>
      `${project}/issues?state=opened&order_by=created_at&sort=desc&author_username=${encodeURIComponent(author)}`,
    bodyOf: ({ title, body, labels = [] }) => ({
      ...{ title, description: body },
      ...(labels.length > 0 && { labels: labels.join(",") }),
    }),
    closed: { state_event: "close" },
    needsOf: () => needs,
    login: () => authorOf(client, options.author),
  };
  return {
    name: "GitLab",
    mostCharacters: 1_000_000,
    ...textsOf(client, texts, options),
    ...mergesOf(client, project),
    close: client.close,
  };
}

const mergesOf = (client: HostClient, project: string) =>
  ({
    pullRequestsOf: async (commit) => {
      const found = await client.sendPages({
        operation: "find the merge request of the commit",
        path: `${project}/repository/commits/${encodeURIComponent(commit)}/merge_requests`,
        answer: z.array(merge),
        needs,
      });
      const brought = (one: z.infer<typeof merge>): boolean =>
        one.merge_commit_sha === commit || one.squash_commit_sha === commit;
      const rank = (one: z.infer<typeof merge>): number =>
        brought(one) ? 0 : one.state === "merged" ? 1 : 2;
      return [...found].sort((a, b) => rank(a) - rank(b)).map(pullOf);
    },
    openPullRequests: async () => {
      const found = await client.sendPages({
        operation: "list open merge requests",
        path: `${project}/merge_requests?state=opened`,
        answer: z.array(merge),
        needs,
      });
      return found.map(pullOf);
    },
  }) satisfies Partial<CodeHost>;

async function authorOf(client: HostClient, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const { username } = await client.send({
    ...{ operation: "ask who the token belongs to", method: "GET", path: "/user", answer: user, needs },
  });
  return username;
}

const pullOf = ({ iid, state }: z.infer<typeof merge>): PullRequest => ({
  number: iid,
  // `locked` while it is being merged: the commit may be there before that ends.
  isMerged: state === "merged" || state === "locked",
});
