import type * as z from "zod";
import { DiagnosticsError, warning } from "../../diagnostics/diagnostic";
import { ApiError } from "../api-error";
import {
  type CodeHost,
  type Discussion,
  type HostComment,
  type HostIssue,
  type HostOptions,
  type IssueText,
  isMarked,
  type PullRequest,
} from "./code-host";
import { createHostClient, type HostCall, type HostClient } from "./host-client";

/** A text with the login of its author; without one it is not for us: the host's own note, a pull request among issues. */
type Authored<Text> = Text & { readonly author: string | undefined };

type Query = Readonly<Record<string, string>>;

/** The routes and forms of a host; paths are below that of the repository. */
export interface HostRoutes {
  readonly name: CodeHost["name"];
  readonly pullWord: string;
  readonly mostCharacters: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly updateMethod: "PATCH" | "PUT";
  /** Reads the login that the token writes as from the answer of `/user`. */
  readonly login: z.ZodType<string>;
  /** The login of a token that may not ask for it. */
  readonly unaskedLogin?: string;
  readonly repository: (name: string) => string;
  readonly comment: z.ZodType<Authored<HostComment>>;
  readonly commentsOf: (at: Discussion) => string;
  /** Asks for the oldest first. */
  readonly commentsQuery: Query;
  readonly commentAt: (at: Discussion, id: string) => string;
  readonly issue: z.ZodType<Authored<HostIssue>>;
  /** Asks for the open issues, newest first. */
  readonly openIssues: (author: string) => Query;
  readonly bodyOf: (issue: Partial<IssueText>) => object;
  readonly closed: object;
  /** `mergeCommits`: commits that it brought to its branch. */
  readonly pull: z.ZodType<PullRequest & { readonly mergeCommits: readonly (string | null | undefined)[] }>;
  readonly pulls: string;
  readonly openPulls: Query;
  readonly pullsOf: (commit: string) => string;
  /** Milliseconds between questions for the pull requests of a commit while there are none. */
  readonly pausesForPulls: readonly number[];
  /** The permissions that a job needs. */
  readonly needs: Readonly<Record<"comments" | "issues" | "pulls" | "commit" | "login", string>>;
}

/** Opens the host of a repository; each comment and issue is made once. */
export function createHost(routes: HostRoutes, options: HostOptions): CodeHost {
  const client = createHostClient(routes, options);
  const repository = routes.repository(options.repository);
  return {
    name: routes.name,
    mostCharacters: routes.mostCharacters,
    ...textsOf(client, routes, repository, options),
    ...pullsOf(client, routes, repository, options),
    close: client.close,
  };
}

/** Tells the texts that this token's account wrote from those of others. */
function ownership(client: HostClient, host: HostRoutes, given: string | undefined) {
  let login = given;
  const ownLogin = async (): Promise<string> => {
    login ??= await askLogin(client, host);
    return login;
  };
  return {
    ownLogin,
    owned: async <One extends Authored<unknown>>(found: readonly One[]): Promise<readonly One[]> => {
      const own = await ownLogin();
      return found.filter(({ author }) => author === own);
    },
    /** Returns what was just written, as long as it will be found again as our own. */
    written: async <One extends Authored<unknown>>(one: One): Promise<One> => {
      const own = await ownLogin();
      if (one.author !== undefined && one.author !== own) throw writtenByAnother(host.name, one.author, own);
      return one;
    },
  };
}

function textsOf(client: HostClient, host: HostRoutes, repository: string, options: HostOptions) {
  const { comment, issue, needs } = host;
  const wordsOf = ({ kind, number }: Discussion) => `${kind === "issue" ? kind : host.pullWord} ${number}`;
  const needsAt = ({ kind }: Discussion) => (kind === "issue" ? needs.issues : needs.comments);
  const issues = `${repository}/issues`;
  const { ownLogin, owned, written } = ownership(client, host, options.author);
  const make = <One extends object>(call: Write<One>, find: () => Promise<One | undefined>): Promise<One> =>
    makeOnce(
      options,
      async () => withoutAuthor(await written(await client.send({ ...call, method: "POST" }))),
      find,
    );
  const rewrite = async <One extends object>(call: Write<One>): Promise<One> =>
    withoutAuthor(await client.send({ ...call, method: host.updateMethod }));
  const change = (number: number, verb: string, body: object): Promise<HostIssue> => {
    const call = { operation: `${verb} issue ${number}`, path: `${issues}/${number}`, body };
    return rewrite({ ...call, answer: issue, needs: needs.issues });
  };
  const texts: TextCalls = {
    findComments: async (at, marker) => {
      const call = { operation: `list the comments of ${wordsOf(at)}`, needs: needs.comments };
      const path = `${repository}${host.commentsOf(at)}`;
      const own = await owned(
        await client.sendPages({ ...call, path, query: host.commentsQuery, item: comment }),
      );
      return own.filter((one) => marker === undefined || isMarked(one.body, marker)).map(withoutAuthor);
    },
    writeComment: (at, marker, body) => {
      const path = `${repository}${host.commentsOf(at)}`;
      const call = { operation: `comment on ${wordsOf(at)}`, path, body: { body } };
      return make({ ...call, answer: comment, needs: needsAt(at) }, async () =>
        (await texts.findComments(at, marker)).find((one) => isSameText(one.body, body)),
      );
    },
    rewriteComment: (at, id, body) => {
      const path = `${repository}${host.commentAt(at, id)}`;
      const call = { operation: `rewrite a comment of ${wordsOf(at)}`, path, body: { body } };
      return rewrite({ ...call, answer: comment, needs: needsAt(at) });
    },
    findIssues: async () => {
      const query = host.openIssues(await ownLogin());
      const call = { operation: "list open issues", path: issues, query, needs: needs.issues };
      return (await owned(await client.sendPages({ ...call, item: issue }))).map(withoutAuthor);
    },
    openIssue: (marker, text) => {
      const call = { operation: "open an issue", path: issues, body: host.bodyOf(text) };
      return make({ ...call, answer: issue, needs: needs.issues }, async () =>
        (await texts.findIssues()).find(({ body }) => isMarked(body, marker)),
      );
    },
    updateIssue: (number, text) => change(number, "update", host.bodyOf(text)),
    closeIssue: (number) => change(number, "close", host.closed),
  };
  return texts;
}

const pullsOf = (client: HostClient, host: HostRoutes, repository: string, { clock }: HostOptions) =>
  ({
    pullRequestsOf: async (commit) => {
      const ask = () =>
        client.sendPages({
          operation: `find the ${host.pullWord} of the commit`,
          path: `${repository}${host.pullsOf(commit)}`,
          item: host.pull,
          needs: host.needs.commit,
        });
      let found = await ask();
      for (const pause of host.pausesForPulls) {
        if (found.length > 0) break;
        await clock.sleep(pause);
        found = await ask();
      }
      const rank = ({ isMerged, mergeCommits }: (typeof found)[number]): number => {
        if (mergeCommits.includes(commit)) return 0;
        return isMerged ? 1 : 2;
      };
      return [...found].sort((a, b) => rank(a) - rank(b)).map(pullOf);
    },
    openPullRequests: async () => {
      const found = await client.sendPages({
        operation: `list open ${host.pullWord}s`,
        path: `${repository}${host.pulls}`,
        query: host.openPulls,
        item: host.pull,
        needs: host.needs.pulls,
      });
      return found.map(pullOf);
    },
  }) satisfies Partial<CodeHost>;

const pullOf = ({ number, isMerged }: PullRequest): PullRequest => ({ number, isMerged });

async function askLogin(client: HostClient, { login, unaskedLogin, needs }: HostRoutes): Promise<string> {
  const call = { operation: "ask who the token belongs to", method: "GET", path: "/user" } as const;
  try {
    return await client.send({ ...call, answer: login, needs: needs.login });
  } catch (cause) {
    const mayNotAsk = cause instanceof ApiError && (cause.status === 403 || cause.status === 404);
    if (mayNotAsk && unaskedLogin !== undefined) return unaskedLogin;
    throw cause;
  }
}

type Write<One> = Omit<HostCall<Authored<One>>, "method">;

type TextCalls = Pick<
  CodeHost,
  Extract<keyof CodeHost, `${string}${"Comment" | "Comments" | "Issue" | "Issues"}`>
>;

const withoutAuthor = <Text extends object>({ author: _author, ...text }: Authored<Text>): Text =>
  text as unknown as Text;

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

/** Reads may lag behind a write whose answer was lost. */
const looks = [1000, 4000] as const;

/**
 * Makes something with a POST exactly once: after an answer that was lost it looks, with pauses, for what was asked for,
 * and asks again only where it is not there.
 */
async function makeOnce<Made>(
  { clock }: Pick<HostOptions, "clock">,
  make: () => Promise<Made>,
  find: () => Promise<Made | undefined>,
): Promise<Made> {
  try {
    return await make();
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.kind !== "uncertain") throw cause;
    for (const pause of looks) {
      await clock.sleep(pause);
      const found = await find();
      if (found !== undefined) return found;
    }
    return make();
  }
}
