import { readFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import { parseJson } from "../api/transport";
import { repositoryAround } from "../declaration/files";
import type { RunOrigin } from "../model/state";
import type { ProcessEnvironment } from "../model/text";

/** Variables by which the systems of CI are known. */
const systems = [
  ...["GITHUB_ACTIONS", "GITLAB_CI", "JENKINS_URL", "TF_BUILD", "CIRCLECI", "BUILDKITE"],
  ...["BITBUCKET_BUILD_NUMBER", "ATLANTIS_TERRAFORM_VERSION"],
];

/** Variables in which systems say who started a job, its commit and the address of its page; the first that is set counts. */
const facts = {
  by: [
    // The second run of a job of GitHub may be another person's.
    ...["GITHUB_TRIGGERING_ACTOR", "GITHUB_ACTOR", "GITLAB_USER_LOGIN"],
    ...["BUILD_USER_ID", "BUILD_USER", "CHANGE_AUTHOR", "BUILD_REQUESTEDFOR", "CIRCLE_USERNAME"],
    // The last one is of Atlantis: who wrote the comment.
    ...["BUILDKITE_BUILD_CREATOR", "BUILDKITE_BUILD_AUTHOR", "USER_NAME"],
  ],
  commit: [
    ...["GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT", "BUILD_SOURCEVERSION", "CIRCLE_SHA1"],
    ...["BUILDKITE_COMMIT", "BITBUCKET_COMMIT", "HEAD_COMMIT"],
  ],
  page: ["CI_JOB_URL", "BUILD_URL", "CIRCLE_BUILD_URL", "BUILDKITE_BUILD_URL", "PULL_URL"],
} as const;

export const isJob = (environment: ProcessEnvironment): boolean =>
  !["", "0", "false"].includes(environment.CI ?? "") ||
  systems.some((name) => (environment[name] ?? "") !== "");

/** Everything of the environment that says what job this is, where its files are, and who started it; none of it is secret. */
export const jobVariables: ReadonlySet<string> = new Set([
  ...[systems, facts.by, facts.commit, facts.page].flat(),
  "GITHUB_SERVER_URL",
  "GITHUB_REPOSITORY",
  "GITHUB_RUN_ID",
  "GITHUB_WORKSPACE",
  "CI_SERVER_HOST",
  "CI_PROJECT_PATH",
  "CI_PROJECT_DIR",
  "SUDO_USER",
]);

/** Returns the value of the first variable that is set. */
export const firstOf = (environment: ProcessEnvironment, names: readonly string[]): string | undefined =>
  names.map((name) => environment[name]?.trim()).find(Boolean);

export function toldBy(environment: ProcessEnvironment) {
  // A line of the history stays a line.
  const first = (names: readonly string[]) => firstOf(environment, names)?.slice(0, 200);
  return { by: first(facts.by), commit: first(facts.commit), page: first(facts.page) };
}

/**
 * Returns who runs what: the person that the job names as its starter, else the user of this machine; the job's commit,
 * else that of the repository of the manifest.
 */
export function startedBy(
  environment: ProcessEnvironment,
  cwd: string,
  files: readonly string[],
): Omit<RunOrigin, "command"> {
  const { by, commit: named, page } = toldBy(environment);
  const commit = named ?? commitAt(dirname(resolve(cwd, files.at(0) ?? "rnv.yaml")));
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, GITHUB_RUN_ID: run } = environment;
  const isGithub = environment.GITHUB_ACTIONS && server && name && run;
  const job = isGithub ? `${server}/${name}/actions/runs/${run}` : page;
  // The address of a page, without credentials in it.
  const isPage = /^https?:\/\/[^\s@]+$/.test(job ?? "");
  return {
    by: by ?? `${userName(environment)}@${hostname()}`,
    ...(commit !== undefined && { commit }),
    ...(isPage && { job }),
  };
}

function userName(environment: ProcessEnvironment): string {
  try {
    return environment.SUDO_USER || userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return environment.USER || "unknown";
  }
}

/** The commit that is checked out around a folder; undefined where there is no repository, or none is told. */
export function commitAt(folder: string): string | undefined {
  const git = gitAround(folder);
  if (git === undefined) return undefined;
  const head = readOr(join(git.own, "HEAD"))?.trim() ?? "";
  const ref = /^ref: (refs\/[\w./+@#%-]+)$/.exec(head)?.[1];
  if (ref === undefined) return hashIn(head);
  if (ref.includes("..")) return undefined;
  const loose = readOr(join(git.own, ref)) ?? readOr(join(git.shared, ref));
  if (loose !== undefined) return hashIn(loose);
  const packed = readOr(join(git.shared, "packed-refs"))?.split("\n");
  return hashIn(packed?.find((line) => line.endsWith(` ${ref}`))?.split(" ", 1)[0] ?? "");
}

/**
 * Returns the repository that a run is of, as `host/path` in lower case: that which the job of GitHub or GitLab names, else
 * the remote `origin` of the clone around `cwd`; undefined where neither is there.
 */
export function repositoryOf(environment: ProcessEnvironment, cwd: string): string | undefined {
  const { GITHUB_ACTIONS, GITHUB_SERVER_URL: server = "https://github.com", GITHUB_REPOSITORY } = environment;
  const { GITLAB_CI, CI_SERVER_HOST: host, CI_PROJECT_PATH: path } = environment;
  if (GITHUB_ACTIONS === "true" && GITHUB_REPOSITORY)
    return repositoryName(`${server}/${GITHUB_REPOSITORY}`)?.toLowerCase();
  if (GITLAB_CI === "true" && host && path) return repositoryName(`https://${host}/${path}`)?.toLowerCase();
  return originAt(cwd);
}

/** Returns the repository that the remote `origin` of the clone around a folder names. */
export const originAt = (folder: string): string | undefined => remoteAt(folder)?.toLowerCase();

/** The clone around a folder: the address of its remote `origin`, and the path of the folder in it. */
export function cloneAround(folder: string): { readonly repository?: string; readonly folder: string } {
  const remote = remoteAt(folder);
  const root = repositoryAround(folder);
  if (remote === undefined || root === undefined) return { folder: "." };
  const path = relative(root, folder).split(sep).join("/");
  return { repository: `https://${remote}`, folder: path || "." };
}

/** Returns `host/path` of the remote with its upper-case letters. */
function remoteAt(folder: string): string | undefined {
  const git = gitAround(folder);
  const config = git && readOr(join(git.shared, "config"));
  const section = config?.split(/^\s*(?=\[)/m).find((text) => /^\[remote "origin"\]/.test(text));
  const url = /^\s*url\s*=\s*"?([^"\r\n]+)/m.exec(section ?? "")?.[1];
  return url === undefined ? undefined : repositoryName(url.trim());
}

/** Returns `host/path` of an address in the form of a URL or of ssh, without user, port and `.git`. */
function repositoryName(url: string): string | undefined {
  const found =
    /^\w[\w+.-]*:\/\/(?:[^/]*@)?([^/:@]+)(?::\d+)?\/+(.+)$/.exec(url) ??
    /^(?:[^/]*@)?([^/:@]{2,}):(.+)$/.exec(url);
  // GitHub and GitLab have a second host for ssh on port 443.
  const host = found?.[1]?.replace(/^(alt)?ssh\./i, "");
  const path = found?.[2]?.replace(/^\/+|\/+$/g, "").replace(/\.git$/i, "");
  return host && path ? `${host}/${path}` : undefined;
}

export const hashIn = (text: string): string | undefined =>
  /^[0-9a-f]{40}([0-9a-f]{24})?$/.exec(text.trim())?.[0];

function readOr(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** The folders of git itself: `.git`, or where a file of that name says that it is; and that which all work trees share. */
function gitAround(folder: string): { readonly own: string; readonly shared: string } | undefined {
  const root = repositoryAround(folder);
  if (root === undefined) return undefined;
  const path = join(root, ".git");
  const to = /^gitdir: (.+)$/m.exec(readOr(path) ?? "")?.[1];
  const own = to === undefined ? path : resolve(root, to.trim());
  return { own, shared: resolve(own, readOr(join(own, "commondir"))?.trim() ?? "") };
}

interface GithubRepository {
  readonly full_name?: string;
}

/** A payload of an event, as far as a job needs it. */
export interface GithubEvent {
  readonly action?: string;
  readonly pull_request?: {
    readonly number?: number;
    readonly merged?: boolean;
    readonly head?: { readonly sha?: string; readonly repo?: GithubRepository | null };
    readonly base?: { readonly repo?: GithubRepository };
  };
  readonly issue?: { readonly number?: number; readonly pull_request?: object };
  readonly workflow_run?: { readonly head_repository?: GithubRepository | null };
  /** Of a push, oldest first. */
  readonly commits?: readonly { readonly id?: string }[];
  readonly merge_group?: { readonly head_ref?: string; readonly head_sha?: string };
}

/** Returns the payload of the event of a job; empty where it names none, undefined where that cannot be read. */
export const githubEvent = ({ GITHUB_EVENT_PATH: path = "" }: ProcessEnvironment): GithubEvent | undefined =>
  path === "" ? {} : ((parseJson(readOr(path) ?? "") as GithubEvent | null | undefined) ?? undefined);

/** Events of GitHub whose payload tells where a pull request comes from. */
const ofPullRequest = /^pull_request(_target|_review|_review_comment)?$/;

/**
 * Says why what a job checked out may be the work of a stranger: a pull request from a fork, or one of which that cannot be
 * told. Undefined for any other job.
 */
export function strangersJob(environment: ProcessEnvironment): string | undefined {
  const { CI_MERGE_REQUEST_SOURCE_PROJECT_ID: source = "", CI_PROJECT_ID: project } = environment;
  if (environment.GITLAB_CI === "true")
    return source !== "" && source !== project ? "This merge request comes from a fork" : undefined;
  if (environment.GITHUB_ACTIONS !== "true") return undefined;
  const { GITHUB_EVENT_NAME: event = "", GITHUB_REPOSITORY: own } = environment;
  const { issue, workflow_run: run, pull_request: proposed } = githubEvent(environment) ?? {};
  if (event === "issue_comment")
    return issue?.pull_request
      ? "This run follows a comment on a pull request, which may come from a fork"
      : undefined;
  if (event === "workflow_run")
    return run?.head_repository?.full_name === own ? undefined : "This run follows one of a fork";
  if (!ofPullRequest.test(event)) return undefined;
  const head = proposed?.head?.repo?.full_name;
  return head && head === proposed.base?.repo?.full_name ? undefined : "This pull request comes from a fork";
}
