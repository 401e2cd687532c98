import * as z from "zod";
import { ApiError } from "../api-error";
import { pathSegment } from "../request";
import { type HostRoutes, pullWords } from "./code-host";

const user = z.looseObject({ login: z.string() });
const comment = z
  .looseObject({ id: z.number(), body: z.string().nullish(), user: user.nullish() })
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
    number,
    title,
    body: body ?? "",
    author: pull === undefined ? by?.login : undefined,
  }));
const pull = z
  .looseObject({
    number: z.number(),
    merged_at: z.string().nullish(),
    merge_commit_sha: z.string().nullish(),
  })
  .transform(({ number, merged_at: mergedAt, merge_commit_sha: merge }) => ({
    number,
    isMerged: typeof mergedAt === "string",
    mergeCommits: [merge],
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
  bodyOf: ({ title, body, labels = [] }) => ({ title, body, labels: labels.length > 0 ? labels : undefined }),
  closed: { state: "closed", state_reason: "completed" },
  pull,
  pulls: "/pulls",
  openPulls: { state: "open" },
  pullsOf: (commit) => `/commits/${encodeURIComponent(commit)}/pulls`,
  pullsFrom: ({ branch, base }, repository) => ({
    state: "open",
    head: `${repository.split("/")[0]}:${branch}`,
    base,
  }),
  pullBody: ({ title, body, branch, base }) => ({ title, body, head: branch, base }),
  // The branch moves once: GitHub closes the pull request of a branch that has nothing more than its base.
  commitFile: async ({ branch, commit, file, text, title }, send) => {
    const made = z.looseObject({ sha: z.string() });
    const { tree } = await send("GET", `/git/commits/${commit}`, z.looseObject({ tree: made }));
    const changed = [{ path: file, mode: "100644", type: "blob", content: text }];
    const { sha: whole } = await send("POST", "/git/trees", made, { base_tree: tree.sha, tree: changed });
    const parents = { tree: whole, parents: [commit] };
    const { sha } = await send("POST", "/git/commits", made, { message: title, ...parents });
    const ref = `refs/heads/${branch}`;
    await send("POST", "/git/refs", z.unknown(), { ref, sha }).catch((cause: unknown) => {
      if (!(cause instanceof ApiError) || cause.status !== 422) throw cause;
      return send("PATCH", `/git/${ref}`, z.unknown(), { sha, force: true });
    });
  },
  // GitHub lists them a while after the merge.
  pausesForPulls: [1000, 2000, 4000, 6000, 7000],
  needs: {
    comments: "give the job `permissions: pull-requests: write`; a pull request of a fork has none",
    issues: "give the job `permissions: issues: write`",
    pulls: needsPulls,
    propose: "give the step the token of an app that may write contents and pull requests, as GITHUB_TOKEN",
    commit: `${needsPulls}, and check out a commit that GitHub has`,
  },
};
