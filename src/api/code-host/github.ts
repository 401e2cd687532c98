import * as z from "zod";
import { pathSegment } from "../send";
import { type HostRoutes, pullWords } from "./code-host";

const user = z.looseObject({ login: z.string() });
const comment = z
  .looseObject({
    id: z.number(),
    body: z.string().nullish(),
    user: user.nullish(),
  })
  .transform(({ id, body, user: by }) => ({ id: String(id), body: body ?? "", author: by?.login }));
const issue = z
  .looseObject({
    number: z.number(),
    title: z.string(),
    body: z.string().nullish(),
    user: user.nullish(),
    /** A pull request is an issue too. */
    pull_request: z.unknown().optional(),
  })
  .transform(({ number, title, body, user: by, pull_request: pull }) => ({
    ...{ number, title, body: body ?? "", author: pull === undefined ? by?.login : undefined },
  }));
const pull = z
  .looseObject({
    number: z.number(),
    merged_at: z.string().nullish(),
    merge_commit_sha: z.string().nullish(),
  })
  .transform(({ number, merged_at: mergedAt, merge_commit_sha: merge }) => ({
    ...{ number, isMerged: typeof mergedAt === "string", mergeCommits: [merge] },
  }));

const needsPulls = "give the job `permissions: pull-requests: read`";

/** GitHub, or a GitHub Enterprise Server. */
export const github: HostRoutes = {
  name: "GitHub",
  pullWord: pullWords.github,
  mostCharacters: 65_536,
  headers: { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" },
  updateMethod: "PATCH",
  login: user.transform(({ login }) => login),
  // The token of a workflow may not ask who it is.
  unaskedLogin: "github-actions[bot]",
  repository: (name) => ["", "repos", ...name.split("/")].map(pathSegment).join("/"),
  comment,
  commentsOf: ({ number }) => `/issues/${number}/comments`,
  commentsQuery: {},
  commentAt: (_, id) => `/issues/comments/${encodeURIComponent(id)}`,
  issue,
  openIssues: () => ({ state: "open", sort: "created", direction: "desc" }),
  bodyOf: ({ title, body, labels = [] }) => ({ title, body, ...(labels.length > 0 && { labels }) }),
  closed: { state: "closed", state_reason: "completed" },
  pull,
  pulls: "/pulls",
  openPulls: { state: "open" },
  pullsOf: (commit) => `/commits/${encodeURIComponent(commit)}/pulls`,
  // GitHub lists them a while after the merge.
  pausesForPulls: [1000, 2000, 4000, 6000, 7000],
  needs: {
    comments: "give the job `permissions: pull-requests: write`; a pull request of a fork has none",
    issues: "give the job `permissions: issues: write`",
    pulls: needsPulls,
    commit: `${needsPulls}, and check out a commit that GitHub has`,
  },
};
