import * as z from "zod";
import { type HostRoutes, pullWords } from "./code-host";

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
    id: String(id),
    body: body ?? "",
    author: system === true ? undefined : author?.username,
  }));
const issue = z
  .looseObject({
    iid: z.number(),
    title: z.string(),
    description: z.string().nullish(),
    author: user.nullish(),
  })
  .transform(({ iid: number, title, description, author }) => ({
    number,
    title,
    body: description ?? "",
    author: author?.username,
  }));
const merge = z
  .looseObject({
    iid: z.number(),
    state: z.string(),
    merge_commit_sha: z.string().nullish(),
    squash_commit_sha: z.string().nullish(),
  })
  .transform(({ iid: number, state, merge_commit_sha: merged, squash_commit_sha: squashed }) => ({
    number,
    // `locked` while it is being merged: the commit may be there before that ends.
    isMerged: state === "merged" || state === "locked",
    mergeCommits: [merged, squashed],
  }));

const needs =
  "the token needs the scope `api` and the role Reporter or more (RNV_GITLAB_TOKEN or GITLAB_TOKEN); that of the job itself writes no notes";

const commentsOf: HostRoutes["commentsOf"] = ({ kind, number }) =>
  `/${kind === "issue" ? "issues" : "merge_requests"}/${number}/notes`;

/** GitLab, gitlab.com or one's own. */
export const gitlab: HostRoutes = {
  name: "GitLab",
  pullWord: pullWords.gitlab,
  mostCharacters: 1_000_000,
  headers: { accept: "application/json" },
  updateMethod: "PUT",
  login: user.transform(({ username }) => username),
  repository: (name) => `/projects/${encodeURIComponent(name)}`,
  comment,
  commentsOf,
  commentsQuery: { sort: "asc", order_by: "created_at" },
  commentAt: (at, id) => `${commentsOf(at)}/${encodeURIComponent(id)}`,
  issue,
  openIssues: (author) => ({
    state: "opened",
    order_by: "created_at",
    sort: "desc",
    author_username: author,
  }),
  bodyOf: ({ title, body, labels = [] }) => ({
    title,
    description: body,
    labels: labels.join(",") || undefined,
  }),
  closed: { state_event: "close" },
  pull: merge,
  pulls: "/merge_requests",
  openPulls: { state: "opened" },
  pullsOf: (commit) => `/repository/commits/${encodeURIComponent(commit)}/merge_requests`,
  pullsFrom: ({ branch, base }) => ({ state: "opened", source_branch: branch, target_branch: base }),
  pullBody: ({ title, body, branch, base }) => ({
    title,
    description: body,
    source_branch: branch,
    target_branch: base,
    remove_source_branch: true,
  }),
  commitFile: ({ branch, commit, file, text, title }, send) =>
    send("POST", "/repository/commits", z.unknown(), {
      branch,
      start_sha: commit,
      force: true,
      commit_message: title,
      actions: [{ action: "update", file_path: file, content: text }],
    }),
  pausesForPulls: [],
  needs: {
    comments: needs,
    issues: needs,
    pulls: needs,
    commit: needs,
    propose:
      "the token needs the scope `api` and the role Developer or more (RNV_GITLAB_TOKEN or GITLAB_TOKEN)",
  },
};
