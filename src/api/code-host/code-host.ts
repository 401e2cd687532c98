import type { Secret } from "../../model/secret";
import type { ProcessEnvironment } from "../../model/text";
import type { Clock } from "../../model/time";
import type { Transport } from "../transport";

/**
 * The host of a repository, as far as jobs need it (DESIGN section 15): comments, issues, pull requests (GitLab's merge
 * requests). What is ours is found by a marker, the first hidden line `<!-- rnv … -->` of the text, and only where
 * this token's own account wrote it: anyone may copy a marker. Failed calls throw `ApiError` with a hint of their own.
 */
export interface CodeHost {
  /** For messages: `GitHub`. */
  readonly name: "GitHub" | "GitLab";
  /** Characters that a comment or an issue may have. */
  readonly mostCharacters: number;
  /** Own comments that hold the marker, oldest first, through all pages; without one, all of our own. */
  findComments(at: Discussion, marker?: string): Promise<readonly HostComment[]>;
  /**
   * Writes a new comment. After an answer that was lost it looks for the text before it writes again: a comment is
   * never there twice. `marker` is a part of `body`.
   */
  writeComment(at: Discussion, marker: string, body: string): Promise<HostComment>;
  rewriteComment(at: Discussion, id: string, body: string): Promise<HostComment>;
  /** Own open issues, newest first, through all pages. */
  findIssues(): Promise<readonly HostIssue[]>;
  /** Opens an issue, as safely as `writeComment`. */
  openIssue(marker: string, issue: IssueText): Promise<HostIssue>;
  updateIssue(number: number, issue: Omit<IssueText, "labels">): Promise<HostIssue>;
  closeIssue(number: number): Promise<HostIssue>;
  /** Returns pull requests that a commit belongs to; those that brought it to its branch first. */
  pullRequestsOf(commit: string): Promise<readonly PullRequest[]>;
  openPullRequests(): Promise<readonly PullRequest[]>;
  close(): Promise<void>;
}

/** Where comments stand. */
export interface Discussion {
  readonly kind: "pull request" | "issue";
  readonly number: number;
}

export interface HostComment {
  readonly id: string;
  readonly body: string;
}

export interface IssueText {
  readonly title: string;
  readonly body: string;
  readonly labels?: readonly string[];
}

export interface HostIssue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
}

export interface PullRequest {
  readonly number: number;
  readonly isMerged: boolean;
}

/** The systems of jobs whose code host rnv speaks to; elsewhere it writes files only. */
export type JobPlatform = "github" | "gitlab";

/** Returns the system that runs this job; undefined elsewhere. */
export const platformOf = (environment: ProcessEnvironment): JobPlatform | undefined => {
  if (environment.GITHUB_ACTIONS === "true") return "github";
  return environment.GITLAB_CI === "true" ? "gitlab" : undefined;
};

/** Options with which the client of a host is opened. */
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
  /** Numbers in [0, 1), for jitter. */
  readonly random: () => number;
  readonly userAgent: string;
}

/**
 * Returns whether a text is the one that a marker marks: the marker is its first hidden line of ours. A value of a plan
 * further down may repeat any marker, and people may write above it.
 */
export const isMarked = (body: string | null | undefined, marker: string): boolean =>
  body?.split(/\r?\n/).find((line) => line.startsWith("<!-- rnv ")) === marker;
