import { hostname, userInfo } from "node:os";
import { dirname, resolve } from "node:path";
import { type JobPlatform, pullWords } from "../../api/code-host/code-host";
import { parseJson } from "../../api/transport";
import { commitAt, hashIn, remoteAt, repositoryName, tryRead } from "../../declaration/git";
import { failure } from "../../diagnostics/diagnostic";
import type { RunOrigin } from "../../model/state";
import type { ProcessEnvironment } from "../../model/target-location";

/** A working folder with its environment. */
export interface Place {
  readonly environment: ProcessEnvironment;
  readonly cwd: string;
}

const namesIn = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Variables by which the systems of CI are known. */
const systems = namesIn(`
  GITHUB_ACTIONS GITLAB_CI JENKINS_URL TF_BUILD CIRCLECI BUILDKITE BITBUCKET_BUILD_NUMBER ATLANTIS_TERRAFORM_VERSION
`);

/** Variables that name the starter of a job, its commit and its page. The first variable that is set counts. */
const facts = {
  // The second run of a job of GitHub may be another person's. In Atlantis, USER_NAME wrote the comment.
  by: namesIn(`
    GITHUB_TRIGGERING_ACTOR GITHUB_ACTOR GITLAB_USER_LOGIN BUILD_USER_ID BUILD_USER CHANGE_AUTHOR BUILD_REQUESTEDFOR
    CIRCLE_USERNAME BUILDKITE_BUILD_CREATOR BUILDKITE_BUILD_AUTHOR USER_NAME
  `),
  commit: namesIn(`
    GITHUB_SHA CI_COMMIT_SHA GIT_COMMIT BUILD_SOURCEVERSION CIRCLE_SHA1 BUILDKITE_COMMIT BITBUCKET_COMMIT HEAD_COMMIT
  `),
  page: namesIn("CI_JOB_URL BUILD_URL CIRCLE_BUILD_URL BUILDKITE_BUILD_URL PULL_URL"),
};

export const isJob = (environment: ProcessEnvironment): boolean =>
  !["", "0", "false"].includes(environment.CI ?? "") ||
  systems.some((name) => (environment[name] ?? "") !== "");

/** Variables that identify this job, its files and its starter. They hold no secret. */
export const jobVariables: ReadonlySet<string> = new Set([
  ...[systems, facts.by, facts.commit, facts.page].flat(),
  ...namesIn("GITHUB_SERVER_URL GITHUB_REPOSITORY GITHUB_RUN_ID GITHUB_WORKSPACE"),
  ...namesIn("CI_PROJECT_URL CI_PROJECT_DIR SUDO_USER"),
]);

export const firstOf = (environment: ProcessEnvironment, names: readonly string[]): string | undefined =>
  names.map((name) => environment[name]?.trim()).find(Boolean);

export function reportedBy(environment: ProcessEnvironment) {
  const first = (names: readonly string[]) => firstOf(environment, names)?.slice(0, 200);
  return { by: first(facts.by), commit: first(facts.commit), page: first(facts.page) };
}

/** Returns the origin of a run: from the job, else the user of this machine and the commit of the repository. */
export function startedBy({ environment, cwd }: Place, files: readonly string[]): Omit<RunOrigin, "command"> {
  const { by, commit: named, page } = reportedBy(environment);
  const commit = named ?? commitAt(dirname(resolve(cwd, files.at(0) ?? "rnv.yaml")));
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, GITHUB_RUN_ID: run } = environment;
  const isGithub = environment.GITHUB_ACTIONS && server && name && run;
  const job = isGithub ? `${server}/${name}/actions/runs/${run}` : page;
  // Keep addresses with credentials out of the state.
  const isPage = /^https?:\/\/[^\s@]+$/.test(job ?? "");
  return { by: by ?? `${userName(environment)}@${hostname()}`, commit, job: isPage ? job : undefined };
}

function userName(environment: ProcessEnvironment): string {
  try {
    return environment.SUDO_USER || userInfo().username;
  } catch {
    // The user of a container may have no name.
    return environment.USER || "unknown";
  }
}

/**
 * Returns the repository of a run as `host/path` in lower case. A job of GitHub or GitLab names it, else the remote
 * `origin` of the clone around `cwd`.
 */
export function repositoryOf({ environment, cwd }: Place): string | undefined {
  const { GITHUB_ACTIONS, GITHUB_SERVER_URL: server = "https://github.com", GITHUB_REPOSITORY } = environment;
  const onGithub = GITHUB_ACTIONS === "true" && GITHUB_REPOSITORY && `${server}/${GITHUB_REPOSITORY}`;
  const named = onGithub || (environment.GITLAB_CI === "true" && environment.CI_PROJECT_URL);
  return (named ? repositoryName(named) : remoteAt(cwd))?.toLowerCase();
}

interface GithubRepository {
  readonly full_name?: string;
}

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
  /** The commits of a push, oldest first. */
  readonly commits?: readonly { readonly id?: string }[];
  readonly merge_group?: { readonly head_ref?: string; readonly head_sha?: string };
}

/** Returns the payload of the event; empty if the job names no file, undefined if the file is unreadable. */
const githubEvent = ({ GITHUB_EVENT_PATH: path = "" }: ProcessEnvironment): GithubEvent | undefined =>
  path === "" ? {} : ((parseJson(tryRead(path) ?? "") as GithubEvent | null | undefined) ?? undefined);

/** Events of GitHub whose payload names the origin of a pull request. */
const pullRequestEvents = /^pull_request(_target|_review|_review_comment)?$/;

/** Returns the reason to distrust the checkout of a job: its pull request comes, or may come, from a fork. */
export function untrustedJob(environment: ProcessEnvironment): string | undefined {
  const { CI_MERGE_REQUEST_SOURCE_PROJECT_ID: source = "" } = environment;
  if (environment.GITLAB_CI === "true")
    return source !== "" && source !== mergingProject(environment)
      ? "This merge request comes from a fork"
      : undefined;
  if (environment.GITHUB_ACTIONS !== "true") return undefined;
  const { GITHUB_EVENT_NAME: event = "", GITHUB_REPOSITORY: own } = environment;
  const { issue, workflow_run: run, pull_request: proposed } = githubEvent(environment) ?? {};
  if (event === "issue_comment")
    return issue?.pull_request
      ? "This run follows a comment on a pull request, which may come from a fork"
      : undefined;
  if (event === "workflow_run")
    return run?.head_repository?.full_name === own ? undefined : "This run follows one of a fork";
  if (!pullRequestEvents.test(event)) return undefined;
  const head = proposed?.head?.repo?.full_name;
  if (head && head === proposed.base?.repo?.full_name) return undefined;
  return `This pull request ${head ? "comes" : "may come"} from a fork`;
}

/** The facts that a job of GitHub Actions or GitLab reports about itself; other systems report almost nothing. */
export interface CiJob {
  readonly platform?: JobPlatform | undefined;
  readonly pullWord: string;
  readonly pullRequest?: number | undefined;
  readonly commit?: string | undefined;
  /** The branch of the job. */
  readonly base?: string | undefined;
  /** Earlier commits of the same push, newest first. */
  readonly earlier?: readonly string[];
  readonly page?: string | undefined;
  /** The job runs for an open pull request, whose plan people review. */
  readonly proposes: boolean;
  /** A merge queue tests the branch as it will be after the merge. */
  readonly isQueue: boolean;
  /** The pull request may be applied: it is merged, or the command line names it. */
  readonly isDecided: boolean;
}

/** Reads the job from the environment; a `given` pull request wins over the job's. */
export function readJob({ environment, cwd }: Place, given?: number): CiJob {
  const platform = platformOf(environment);
  const { commit, job: page } = startedBy({ environment, cwd }, []);
  const read = platform && { github: githubJob, gitlab: gitlabJob }[platform](environment);
  const { GITHUB_REF = "", CI_COMMIT_BRANCH } = environment;
  const base = /^refs\/heads\/(.+)$/.exec(GITHUB_REF)?.[1] ?? CI_COMMIT_BRANCH;
  const named = given === undefined ? read : { pullRequest: given, proposes: true, isDecided: true };
  const pullWord = pullWords[platform ?? "github"];
  const job = { platform, pullWord, page, commit, base, proposes: false, isQueue: false, isDecided: false };
  return { ...job, ...named };
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
  const proposes = event.action !== "closed";
  const proposal = { pullRequest: number, proposes, isDecided: !proposes && merged };
  return proposes && head?.sha ? { ...proposal, commit: head.sha } : proposal;
}

/** The project that a merge request is of. A fork's pipeline may run in the fork, where that number is of another. */
const mergingProject = (environment: ProcessEnvironment): string | undefined =>
  environment.CI_MERGE_REQUEST_PROJECT_ID || environment.CI_PROJECT_ID;

function gitlabJob(environment: ProcessEnvironment): Partial<CiJob> {
  const number = Number(environment.CI_MERGE_REQUEST_IID);
  if (!(number > 0) || mergingProject(environment) !== environment.CI_PROJECT_ID) return {};
  const isQueue = environment.CI_MERGE_REQUEST_EVENT_TYPE === "merge_train";
  return { pullRequest: number, proposes: !isQueue, isQueue };
}

export const platformOf = ({ GITHUB_ACTIONS, GITLAB_CI }: ProcessEnvironment): JobPlatform | undefined =>
  GITHUB_ACTIONS === "true" ? "github" : GITLAB_CI === "true" ? "gitlab" : undefined;
