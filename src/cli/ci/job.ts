import { hostname, userInfo } from "node:os";
import { dirname, resolve } from "node:path";
import { type JobPlatform, pullWords } from "../../api/code-host/code-host";
import { parseJson } from "../../api/transport";
import { commitAt, hashIn, readOr, remoteAt, repositoryName } from "../../declaration/git";
import { failure } from "../../diagnostics/diagnostic";
import type { ProcessEnvironment } from "../../model/process-environment";
import type { RunOrigin } from "../../model/state";

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
  "CI_PROJECT_URL",
  "CI_PROJECT_DIR",
  "SUDO_USER",
]);

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
  return { by: by ?? `${userName(environment)}@${hostname()}`, commit, job: isPage ? job : undefined };
}

function userName(environment: ProcessEnvironment): string {
  try {
    return environment.SUDO_USER || userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return environment.USER || "unknown";
  }
}

/**
 * Returns the repository that a run is of, as `host/path` in lower case: that which the job of GitHub or GitLab names, else
 * the remote `origin` of the clone around `cwd`; undefined where neither is there.
 */
export function repositoryOf(environment: ProcessEnvironment, cwd: string): string | undefined {
  const { GITHUB_ACTIONS, GITHUB_SERVER_URL: server = "https://github.com", GITHUB_REPOSITORY } = environment;
  const onGithub = GITHUB_ACTIONS === "true" && GITHUB_REPOSITORY && `${server}/${GITHUB_REPOSITORY}`;
  const named = onGithub || (environment.GITLAB_CI === "true" && environment.CI_PROJECT_URL);
  return (named ? repositoryName(named) : remoteAt(cwd))?.toLowerCase();
}

interface GithubRepository {
  readonly full_name?: string;
}

/** A payload of an event, as far as a job needs it. */
interface GithubEvent {
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
const githubEvent = ({ GITHUB_EVENT_PATH: path = "" }: ProcessEnvironment): GithubEvent | undefined =>
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

/** The facts that a job of GitHub Actions or GitLab reports about itself; elsewhere nearly none. */
export interface CiJob {
  readonly platform?: JobPlatform | undefined;
  /** `merge request` in GitLab. */
  readonly pullWord: string;
  /** The pull request (merge request) that it runs for. */
  readonly pullRequest?: number | undefined;
  readonly commit?: string | undefined;
  /** The branch that it runs on. */
  readonly base?: string | undefined;
  /** The commits before it that came with the same push, newest first. */
  readonly earlier?: readonly string[];
  readonly page?: string | undefined;
  /** A pull request runs what it proposes: its plan is the one to review. A queue, a push or a schedule does not. */
  readonly proposes: boolean;
  /** A queue tries what a branch will be once the pull request is merged. */
  readonly isQueue: boolean;
  /** The pull request may be applied: its event says that it is merged, or the command line names it. */
  readonly isDecided: boolean;
}

/** Reads the job from the environment; the pull request that is given wins over that of the job. */
export function readJob(environment: ProcessEnvironment, cwd: string, given?: number): CiJob {
  const platform = platformOf(environment);
  const { commit, job: page } = startedBy(environment, cwd, []);
  const read = platform && { github: githubJob, gitlab: gitlabJob }[platform](environment);
  const { GITHUB_REF = "", CI_COMMIT_BRANCH } = environment;
  const base = /^refs\/heads\/(.+)$/.exec(GITHUB_REF)?.[1] ?? CI_COMMIT_BRANCH;
  const named = given === undefined ? read : { pullRequest: given, proposes: true, isDecided: true };
  const pullWord = pullWords[platform ?? "github"];
  const place = { platform, pullWord, page, commit, base };
  return { proposes: false, isQueue: false, isDecided: false, ...place, ...named };
}

function githubJob(environment: ProcessEnvironment): Partial<CiJob> {
  const event = githubEvent(environment);
  if (event === undefined)
    throw failure("config.invalid", "GITHUB_EVENT_PATH names no payload of an event", {
      hint: "the runner writes it; in a container it has to be mounted",
    });
  if (environment.GITHUB_EVENT_NAME === "merge_group") {
    const ref = event.merge_group?.head_ref ?? environment.GITHUB_REF ?? "";
    const number = /\/pr-(\d+)-[0-9a-f]+$/.exec(ref)?.[1];
    return { isQueue: true, pullRequest: number === undefined ? undefined : Number(number) };
  }
  // The commit of the job is that of the default branch, whatever was checked out.
  if (event.issue?.pull_request)
    return { pullRequest: event.issue.number, proposes: true, commit: undefined };
  const { number, head, merged = false } = event.pull_request ?? {};
  const ids = (event.commits ?? []).slice(0, -1).flatMap(({ id = "" }) => hashIn(id) ?? []);
  if (number === undefined) return { earlier: ids.slice(-50).reverse() };
  // Merged or given up: what was reviewed stays as it was.
  const proposes = event.action !== "closed";
  const commit = proposes && head?.sha;
  return { pullRequest: number, proposes, isDecided: !proposes && merged, ...(commit && { commit }) };
}

function gitlabJob(environment: ProcessEnvironment): Partial<CiJob> {
  const number = Number(environment.CI_MERGE_REQUEST_IID);
  if (!Number.isInteger(number) || number <= 0) return {};
  const isQueue = environment.CI_MERGE_REQUEST_EVENT_TYPE === "merge_train";
  return { pullRequest: number, proposes: !isQueue, isQueue };
}

export const platformOf = ({ GITHUB_ACTIONS, GITLAB_CI }: ProcessEnvironment): JobPlatform | undefined =>
  GITHUB_ACTIONS === "true" ? "github" : GITLAB_CI === "true" ? "gitlab" : undefined;
