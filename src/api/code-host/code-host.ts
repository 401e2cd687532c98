import type * as z from "zod";
import type { Secret } from "../../model/secret";
import type { Clock } from "../../model/time";
import type { Transport } from "../transport";

export interface Discussion {
  readonly kind: "pull request" | "issue";
  readonly number: number;
}

export interface HostText {
  readonly body: string;
  /** Its login; undefined where the text is not for us: the host's own note, a pull request among issues. */
  readonly author: string | undefined;
}

export interface HostComment extends HostText {
  readonly id: string;
}

export interface IssueText {
  readonly title: string;
  readonly body: string;
  readonly labels?: readonly string[];
}

export interface HostIssue extends HostText {
  readonly number: number;
  readonly title: string;
}

/** A file of a branch that a pull request proposes to change. */
export interface Proposal {
  readonly branch: string;
  /** The branch that it is merged to, and the commit of it that the change was made on. */
  readonly base: string;
  readonly commit: string;
  /** From the root of the repository. */
  readonly file: string;
  readonly text: string;
  readonly title: string;
  readonly body: string;
}

export interface PullRequest {
  readonly number: number;
  readonly isMerged: boolean;
}

/** The systems of jobs whose code host rnv speaks to; elsewhere it writes files only. */
export type JobPlatform = "github" | "gitlab";

export const pullWords: Readonly<Record<JobPlatform, string>> = {
  github: "pull request",
  gitlab: "merge request",
};

export interface HostOptions {
  /** `https://api.github.com`, `https://gitlab.com/api/v4`. */
  readonly apiUrl: string;
  /** `owner/name`, or GitLab's number of the project. */
  readonly repository: string;
  readonly token: Secret;
  /** The login that the token writes as, where the host does not tell (an app of one's own on GitHub). */
  readonly author?: string;
  readonly transport: Transport;
  readonly clock: Clock;
}

/** Sends a call below the path of the repository. */
export type HostSend = <Answer>(
  method: "GET" | "POST" | "PUT" | "PATCH",
  path: string,
  answer: z.ZodType<Answer>,
  body?: object,
) => Promise<Answer>;

type Query = Readonly<Record<string, string>>;

/** The routes and forms of a host; paths are below that of the repository. */
export interface HostRoutes {
  /** For messages: `GitHub`. */
  readonly name: string;
  readonly pullWord: string;
  /** Characters that a comment or an issue may have. */
  readonly mostCharacters: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly updateMethod: "PATCH" | "PUT";
  /** Reads the login that the token writes as from the answer of `/user`. */
  readonly login: z.ZodType<string>;
  /** The login of a token that may not ask for it. */
  readonly unaskedLogin?: string;
  readonly repository: (name: string) => string;
  readonly comment: z.ZodType<HostComment>;
  readonly commentsOf: (at: Discussion) => string;
  /** Asks for the oldest first. */
  readonly commentsQuery: Query;
  readonly commentAt: (at: Discussion, id: string) => string;
  readonly issue: z.ZodType<HostIssue>;
  /** Asks for the open issues, newest first. */
  readonly openIssues: (author: string) => Query;
  readonly bodyOf: (issue: Partial<IssueText>) => object;
  readonly closed: object;
  /** `mergeCommits`: commits that it brought to its branch. */
  readonly pull: z.ZodType<PullRequest & { readonly mergeCommits: readonly (string | null | undefined)[] }>;
  readonly pulls: string;
  readonly openPulls: Query;
  readonly pullsOf: (commit: string) => string;
  /** Asks for the open pull requests of a branch. */
  readonly pullsFrom: (proposal: Proposal, repository: string) => Query;
  readonly pullBody: (proposal: Proposal) => object;
  /** Makes the branch, or moves it: the base with one more commit, which has the file. */
  readonly commitFile: (proposal: Proposal, send: HostSend) => Promise<unknown>;
  /** Milliseconds between questions for the pull requests of a commit while there are none. */
  readonly pausesForPulls: readonly number[];
  readonly needs: Readonly<Record<"comments" | "issues" | "pulls" | "commit" | "propose", string>>;
}

/**
 * Returns the marker of a text: its first hidden line of ours. A value of a plan further down may repeat any marker, and people
 * may write above it.
 */
export const markerIn = (body: string | null | undefined): string | undefined =>
  body?.split(/\r?\n/).find((line) => line.startsWith("<!-- rnv "));
