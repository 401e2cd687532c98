import * as z from "zod";
import type { CodeHost, Discussion, HostComment, HostIssue, HostOptions, PullRequest } from "./code-host";
import { isMarked } from "./code-host";
import { createHostClient, type HostClient } from "./host-client";
import { askOnce, makeOnce } from "./once";

const user = z.looseObject({ username: z.string() });
const note = z.looseObject({
  id: z.number(),
  body: z.string().nullish(),
  author: user.nullish(),
  /** GitLab's own: "changed the description". */
  system: z.boolean().optional(),
});
const issue = z.looseObject({
  iid: z.number(),
  title: z.string(),
  description: z.string().nullish(),
  web_url: z.string().optional(),
  author: user.nullish(),
});
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
  const ownName = askOnce(() => authorOf(client, options.author));
  const notesOf = ({ kind, number }: Discussion): string =>
    `${project}/${kind === "issue" ? "issues" : "merge_requests"}/${number}/notes`;
  const wordsOf = ({ kind, number }: Discussion): string =>
    `${kind === "issue" ? "issue" : "merge request"} ${number}`;
  const host: CodeHost = {
    name: "GitLab",
    mostCharacters: 1_000_000,
    findComments: async (at, marker) => {
      const name = await ownName();
      const found = await client.sendPages({
        operation: `list the notes of ${wordsOf(at)}`,
        path: `${notesOf(at)}?sort=asc&order_by=created_at`,
        answer: z.array(note),
        needs,
      });
      return found
        .filter(
          (one) =>
            one.system !== true &&
            one.author?.username === name &&
            (marker === undefined || isMarked(one.body, marker)),
        )
        .map(commentOf);
    },
    writeComment: (at, marker, body) =>
      makeOnce(
        options,
        async () =>
          commentOf(
            await client.send({
              ...{ operation: `comment on ${wordsOf(at)}`, method: "POST", path: notesOf(at) },
              ...{ body: { body }, answer: note, needs },
            }),
          ),
        async () => (await host.findComments(at, marker)).find((one) => one.body.trim() === body.trim()),
      ),
    rewriteComment: async (at, id, body) =>
      commentOf(
        await client.send({
          ...{ operation: `rewrite a note of ${wordsOf(at)}`, method: "PUT", body: { body } },
          ...{ path: `${notesOf(at)}/${encodeURIComponent(id)}`, answer: note, needs },
        }),
      ),
    ...issuesOf(client, project, ownName, options),
    ...mergesOf(client, project),
    close: client.close,
  };
  return host;
}

function issuesOf(client: HostClient, project: string, ownName: () => Promise<string>, options: HostOptions) {
  const change = async (number: number, operation: string, body: object): Promise<HostIssue> =>
    issueOf(
      await client.send({
        ...{ operation: `${operation} issue ${number}`, method: "PUT" as const, body },
        ...{ path: `${project}/issues/${number}`, answer: issue, needs },
      }),
    );
  const findIssues: CodeHost["findIssues"] = async () => {
    const name = await ownName();
    const found = await client.sendPages({
      operation: "list open issues",
      path: `${project}/issues?state=opened&order_by=created_at&sort=desc&author_username=${encodeURIComponent(name)}`,
      answer: z.array(issue),
      needs,
    });
    return found.filter(({ author }) => author?.username === name).map(issueOf);
  };
  return {
    findIssues,
    openIssue: (marker, { title, body, labels = [] }) =>
      makeOnce(
        options,
        async () =>
          issueOf(
            await client.send({
              operation: "open an issue",
              method: "POST",
              path: `${project}/issues`,
              body: { title, description: body, ...(labels.length > 0 && { labels: labels.join(",") }) },
              answer: issue,
              needs,
            }),
          ),
        async () => (await findIssues()).find(({ body: text }) => isMarked(text, marker)),
      ),
    updateIssue: (number, { title, body }) => change(number, "update", { title, description: body }),
    closeIssue: (number) => change(number, "close", { state_event: "close" }),
  } satisfies Partial<CodeHost>;
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

const commentOf = ({ id, body }: z.infer<typeof note>): HostComment => ({ id: String(id), body: body ?? "" });

const issueOf = ({ iid: number, title, description, web_url: url }: z.infer<typeof issue>): HostIssue => ({
  ...{ number, title, body: description ?? "" },
  ...(url !== undefined && { url }),
});

const pullOf = ({ iid, state }: z.infer<typeof merge>): PullRequest => ({
  number: iid,
  // `locked` while it is being merged: the commit may be there before that ends.
  isMerged: state === "merged" || state === "locked",
});
