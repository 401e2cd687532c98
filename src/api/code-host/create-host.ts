import * as z from "zod";
import { DiagnosticsError, warning } from "../../diagnostics/diagnostic";
import { ApiError, unlessAbsent } from "../api-error";
import {
  type Discussion,
  type HostComment,
  type HostIssue,
  type HostOptions,
  type HostRoutes,
  type HostSend,
  type HostText,
  type IssueText,
  type JobPlatform,
  markerIn,
  type Proposal,
  type PullRequest,
} from "./code-host";
import { github } from "./github";
import { gitlab } from "./gitlab";
import { createHostClient, type HostCall, type HostClient } from "./host-client";

export type CodeHost = ReturnType<typeof createHost>;

/**
 * Opens the host of a repository for jobs (DESIGN section 15): comments, issues and pull requests. A marker finds our
 * texts: the first hidden line, `<!-- rnv … -->`. The account of this token must have written them, because anyone may
 * copy a marker. Failed calls throw `ApiError` with a hint of their own.
 * @public loaded late
 */
export function createHost(platform: JobPlatform, options: HostOptions) {
  const host = { github, gitlab }[platform];
  const client = createHostClient(host, options);
  const repository = host.repository(options.repository);
  const own = ownTexts(client, host, options);
  return {
    mostCharacters: host.mostCharacters,
    pullWord: host.pullWord,
    ...commentsOf(client, host, repository, own),
    ...issuesOf(client, host, repository, own),
    ...pullsOf(client, host, repository, options),
    close: client.close,
  };
}

type OwnTexts = ReturnType<typeof ownTexts>;

function ownTexts(client: HostClient, host: HostRoutes, { author, clock }: HostOptions) {
  let login = author;
  const ownLogin = async (): Promise<string> => {
    login ??= await askLogin(client, host);
    return login;
  };
  return {
    ownLogin,
    owned: async <One extends HostText>(found: readonly One[]): Promise<readonly One[]> => {
      const own = await ownLogin();
      return found.filter((text) => text.author === own);
    },
    /**
     * Makes a text exactly once. After a lost answer it looks for the text with `find`, with pauses, and sends the request
     * again only if the text is not there. Throws if later runs would not find it as our own.
     */
    make: async <One extends HostText>(
      call: Omit<HostCall<One>, "method">,
      find: () => Promise<One | undefined>,
    ): Promise<One> => {
      const make = async (): Promise<One> => {
        const created = await client.send({ ...call, method: "POST" });
        const own = await ownLogin();
        if (created.author !== undefined && created.author !== own)
          throw writtenByAnother(host.name, created.author, own);
        return created;
      };
      try {
        return await make();
      } catch (cause) {
        if (!(cause instanceof ApiError) || cause.kind !== "uncertain") throw cause;
      }
      for (const pause of looks) {
        await clock.sleep(pause);
        const found = await find();
        if (found !== undefined) return found;
      }
      return make();
    },
  };
}

/** Reads may lag behind a write whose answer was lost. */
const looks = [1000, 4000] as const;

function commentsOf(client: HostClient, host: HostRoutes, repository: string, own: OwnTexts) {
  const { comment: answer, needs } = host;
  const wordsOf = ({ kind, number }: Discussion) => `${kind === "issue" ? kind : host.pullWord} ${number}`;
  const needsAt = ({ kind }: Discussion) => (kind === "issue" ? needs.issues : needs.comments);
  /** Own comments, oldest first, through all pages. */
  const findComments = async (at: Discussion): Promise<readonly HostComment[]> => {
    const call = { operation: `list the comments of ${wordsOf(at)}`, needs: needs.comments };
    const path = `${repository}${host.commentsOf(at)}`;
    return own.owned(await client.sendPages({ ...call, path, query: host.commentsQuery, item: answer }));
  };
  return {
    findComments,
    /** Writes a new comment: it is never there twice. */
    writeComment: (at: Discussion, body: string): Promise<HostComment> => {
      const path = `${repository}${host.commentsOf(at)}`;
      const call = { operation: `comment on ${wordsOf(at)}`, path, body: { body } };
      return own.make({ ...call, answer, needs: needsAt(at) }, async () =>
        (await findComments(at)).find((comment) => isSameText(comment.body, body)),
      );
    },
    rewriteComment: (at: Discussion, id: string, body: string): Promise<unknown> => {
      const path = `${repository}${host.commentAt(at, id)}`;
      const call = { operation: `rewrite a comment of ${wordsOf(at)}`, path, body: { body } };
      return client.send({ ...call, method: host.updateMethod, answer, needs: needsAt(at) });
    },
  };
}

function issuesOf(client: HostClient, host: HostRoutes, repository: string, own: OwnTexts) {
  const path = `${repository}/issues`;
  const of = { answer: host.issue, needs: host.needs.issues };
  const change = (number: number, verb: string, body: object): Promise<unknown> => {
    const call = { ...of, operation: `${verb} issue ${number}`, path: `${path}/${number}`, body };
    return client.send({ ...call, method: host.updateMethod });
  };
  /** Own open issues, newest first, through all pages. */
  const findIssues = async (): Promise<readonly HostIssue[]> => {
    const query = host.openIssues(await own.ownLogin());
    const call = { operation: "list open issues", path, query, needs: of.needs };
    return own.owned(await client.sendPages({ ...call, item: host.issue }));
  };
  return {
    findIssues,
    /** Opens an issue, as safely as `writeComment`: it is found by the marker in its body. */
    openIssue: (issue: IssueText): Promise<HostIssue> =>
      own.make({ ...of, operation: "open an issue", path, body: host.bodyOf(issue) }, async () =>
        (await findIssues()).find(({ body }) => markerIn(body) === markerIn(issue.body)),
      ),
    updateIssue: (number: number, issue: Omit<IssueText, "labels">) =>
      change(number, "update", host.bodyOf(issue)),
    closeIssue: (number: number) => change(number, "close", host.closed),
  };
}

function pullsOf(
  client: HostClient,
  host: HostRoutes,
  repository: string,
  { clock, repository: name }: HostOptions,
) {
  // All commits of a push share them: those that have no pull request must not wait one after the other.
  const pauses = [...host.pausesForPulls];
  return {
    /** Returns the merged pull requests that brought a commit to its branch, else those that it belongs to. */
    pullRequestsOf: async (commit: string): Promise<readonly PullRequest[]> => {
      const ask = () =>
        client.sendPages({
          operation: `find the ${host.pullWord} of the commit`,
          path: `${repository}${host.pullsOf(commit)}`,
          item: host.pull,
          needs: host.needs.commit,
        });
      let found = await ask();
      while (found.length === 0 && pauses.length > 0) {
        await clock.sleep(pauses.shift() ?? 0);
        found = await ask();
      }
      const merged = found.filter(({ isMerged }) => isMerged);
      const brought = merged.filter(({ mergeCommits }) => mergeCommits.includes(commit));
      return brought.length > 0 ? brought : merged;
    },
    openPullRequests: (): Promise<readonly PullRequest[]> =>
      client.sendPages({
        operation: `list open ${host.pullWord}s`,
        path: `${repository}${host.pulls}`,
        query: host.openPulls,
        item: host.pull,
        needs: host.needs.pulls,
      }),
    /** Commits a file to a branch, and opens its pull request, or writes the text of an open pull request. */
    propose: async (proposal: Proposal): Promise<PullRequest> => {
      const call = { operation: `open a ${host.pullWord} of ${proposal.branch}`, needs: host.needs.propose };
      const path = `${repository}${host.pulls}`;
      const send: HostSend = (method, below, answer, body) =>
        client.send({ ...call, method, path: `${repository}${below}`, answer, body });
      await host.commitFile(proposal, send);
      const query = host.pullsFrom(proposal, name);
      const [open] = await client.sendPages({ ...call, path, query, item: host.pull });
      const write = { ...call, answer: host.pull, body: host.pullBody(proposal) };
      return open
        ? client.send({ ...write, method: host.updateMethod, path: `${path}/${open.number}` })
        : client.send({ ...write, method: "POST", path });
    },
    /** Returns true if a pull request is closed or merged. A 404 also hides those that a token may not see. */
    isClosedPull: async (number: string): Promise<boolean> => {
      const path = `${repository}${host.pulls}/${number}`;
      const call = { operation: `read ${host.pullWord} ${number}`, method: "GET", path } as const;
      const answer = z.looseObject({ state: z.string() });
      const found = await unlessAbsent(() => client.send({ ...call, answer, needs: host.needs.pulls }));
      return found?.state === "closed" || found?.state === "merged";
    },
  };
}

async function askLogin(client: HostClient, { login, unaskedLogin, needs }: HostRoutes): Promise<string> {
  const call = { operation: "ask who the token belongs to", method: "GET", path: "/user" } as const;
  try {
    return await client.send({ ...call, answer: login, needs: needs.comments });
  } catch (cause) {
    const mayNotAsk = cause instanceof ApiError && (cause.status === 403 || cause.status === 404);
    if (mayNotAsk && unaskedLogin !== undefined) return unaskedLogin;
    throw cause;
  }
}

/** A host may keep lines as a browser sends them. */
const isSameText = (kept: string, sent: string): boolean =>
  kept.replaceAll("\r\n", "\n").trim() === sent.replaceAll("\r\n", "\n").trim();

/** The token of an app of one's own cannot ask who it is. */
const writtenByAnother = (host: string, by: string, own: string): DiagnosticsError =>
  new DiagnosticsError([
    warning("config.invalid", `${host} wrote this as ${by}, and rnv looks for texts of ${own}`, {
      detail: "It is not found again: the next run writes another, and an apply finds no review.",
      hint: `set RNV_COMMENT_AUTHOR=${by} in the jobs`,
    }),
  ]);
