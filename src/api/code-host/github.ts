import * as z from "zod";
import { DiagnosticsError, warning } from "../../diagnostics/diagnostic";
import { ApiError } from "../api-error";
import type { CodeHost, Discussion, HostComment, HostIssue, HostOptions, PullRequest } from "./code-host";
import { isMarked } from "./code-host";
import { createHostClient, type HostClient } from "./host-client";
import { askOnce, makeOnce } from "./once";

const user = z.looseObject({ login: z.string() });
const comment = z.looseObject({
  id: z.number(),
  body: z.string().nullish(),
  html_url: z.string().optional(),
  user: user.nullish(),
});
const issue = z.looseObject({
  number: z.number(),
  title: z.string(),
  body: z.string().nullish(),
  html_url: z.string().optional(),
  user: user.nullish(),
  /** A pull request is an issue too. */
  pull_request: z.unknown().optional(),
});
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
  const ownLogin = askOnce(() => authorOf(client, options.author));
  const written: WrittenCheck = async (one) => {
    const [by, own] = [one.user?.login, await ownLogin()];
    if (by !== undefined && by !== own) throw writtenByAnother(by, own);
    return one;
  };
  const isOwn: OwnTest = async () => {
    const login = await ownLogin();
    return ({ user: by }) => by?.login === login;
  };
  const host: CodeHost = {
    name: "GitHub",
    mostCharacters: 65_536,
    findComments: async ({ kind, number }, marker) => {
      const found = await client.sendPages({
        operation: `list the comments of ${kind} ${number}`,
        path: `${repository}/issues/${number}/comments`,
        answer: z.array(comment),
        needs: needsComments,
      });
      const own = await isOwn();
      return found
        .filter((one) => own(one) && (marker === undefined || isMarked(one.body, marker)))
        .map(commentOf);
    },
    writeComment: (at, marker, body) =>
      makeOnce(
        options,
        async () =>
          commentOf(
            await written(
              await client.send({
                operation: `comment on ${at.kind} ${at.number}`,
                method: "POST",
                path: `${repository}/issues/${at.number}/comments`,
                body: { body },
                answer: comment,
                needs: needOf(at),
              }),
            ),
          ),
        async () => (await host.findComments(at, marker)).find((one) => isSameText(one.body, body)),
      ),
    rewriteComment: async (at, id, body) =>
      commentOf(
        await client.send({
          operation: `rewrite a comment of ${at.kind} ${at.number}`,
          method: "PATCH",
          path: `${repository}/issues/comments/${encodeURIComponent(id)}`,
          body: { body },
          answer: comment,
          needs: needOf(at),
        }),
      ),
    ...issuesOf(client, repository, { isOwn, written }, options),
    ...pullsOf(client, repository, options),
    close: client.close,
  };
  return host;
}

const needOf = ({ kind }: Discussion): string => (kind === "issue" ? needsIssues : needsComments);

type OwnTest = () => Promise<(of: { readonly user?: { readonly login: string } | null }) => boolean>;

/** Returns a text that was just written, as long as it will be found again as our own. Else throws `DiagnosticsError`. */
type WrittenCheck = <One extends { readonly user?: { readonly login: string } | null | undefined }>(
  one: One,
) => Promise<One>;

/** The token of an app of one's own cannot ask who it is. */
const writtenByAnother = (by: string, own: string): DiagnosticsError =>
  new DiagnosticsError([
    warning("config.invalid", `GitHub wrote this as ${by}, and rnv looks for texts of ${own}`, {
      detail: "It is not found again: the next run writes another, and an apply finds no review.",
      hint: `set RNV_COMMENT_AUTHOR=${by} in the jobs`,
    }),
  ]);

function issuesOf(
  client: HostClient,
  repository: string,
  { isOwn, written }: { readonly isOwn: OwnTest; readonly written: WrittenCheck },
  options: HostOptions,
) {
  const change = async (number: number, operation: string, body: object): Promise<HostIssue> =>
    issueOf(
      await client.send({
        ...{ operation: `${operation} issue ${number}`, method: "PATCH" as const, body },
        ...{ path: `${repository}/issues/${number}`, answer: issue, needs: needsIssues },
      }),
    );
  const findIssues: CodeHost["findIssues"] = async () => {
    const own = await isOwn();
    const found = await client.sendPages({
      operation: "list open issues",
      path: `${repository}/issues?state=open&sort=created&direction=desc`,
      answer: z.array(issue),
      needs: needsIssues,
    });
    return found.filter((one) => one.pull_request === undefined && own(one)).map(issueOf);
  };
  return {
    findIssues,
    openIssue: (marker, { title, body, labels = [] }) =>
      makeOnce(
        options,
        async () =>
          issueOf(
            await written(
              await client.send({
                operation: "open an issue",
                method: "POST",
                path: `${repository}/issues`,
                body: { title, body, ...(labels.length > 0 && { labels }) },
                answer: issue,
                needs: needsIssues,
              }),
            ),
          ),
        async () => (await findIssues()).find(({ body: text }) => isMarked(text, marker)),
      ),
    updateIssue: (number, { title, body }) => change(number, "update", { title, body }),
    closeIssue: (number) => change(number, "close", { state: "closed", state_reason: "completed" }),
  } satisfies Partial<CodeHost>;
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

/** GitHub keeps lines as a browser sends them. */
const isSameText = (kept: string, sent: string): boolean =>
  kept.replaceAll("\r\n", "\n").trim() === sent.replaceAll("\r\n", "\n").trim();

const commentOf = ({ id, body, html_url: url }: z.infer<typeof comment>): HostComment => ({
  id: String(id),
  body: body ?? "",
  ...(url !== undefined && { url }),
});

const issueOf = ({ number, title, body, html_url: url }: z.infer<typeof issue>): HostIssue => ({
  ...{ number, title, body: body ?? "" },
  ...(url !== undefined && { url }),
});

const pullOf = ({ number, merged_at: mergedAt }: z.infer<typeof pull>): PullRequest => ({
  number,
  isMerged: typeof mergedAt === "string",
});
