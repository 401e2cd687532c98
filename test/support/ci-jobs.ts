import { join } from "node:path";
import type { Scenario } from "./cli";
import type { CodeHostServer } from "./code-host-server";

/** The variables of a job, which hold the key of the state. */
type Job = Readonly<Record<string, string>>;

/** The key of the state in jobs. */
export const jobKey = { RNV_STATE_KEY: "ab".repeat(32) };

/** Adds a pull request that was merged with the commit. */
export function addMerged({ pulls }: CodeHostServer, number: number, commit: string): void {
  const pull = { number, branch: `change-${number}`, commit: "b".repeat(40), isOpen: false };
  pulls.push({ ...pull, commits: [commit], mergeCommit: commit });
}

/** Our comments of a kind on a pull request. */
export const ownComments = ({ comments }: CodeHostServer, kind: "plan" | "apply", number = 7): string[] =>
  comments
    .filter(({ at, body }) => at === `pull ${number}` && body.startsWith(`<!-- rnv ${kind} `))
    .map(({ body }) => body);

/** A job of an open pull request. */
export const pullRequestJob = (at: Scenario, host: CodeHostServer, number = 7): Job =>
  host.environment.GITLAB_CI
    ? { ...host.environment, ...jobKey, CI_MERGE_REQUEST_IID: `${number}` }
    : githubJob(at, host, "pull_request", { action: "opened", pull_request: { number } });

/** The job of a commit of the main branch. */
export const mainJob = (at: Scenario, host: CodeHostServer, commit: string): Job =>
  host.environment.GITLAB_CI
    ? { ...host.environment, ...jobKey, CI_COMMIT_SHA: commit }
    : { ...githubJob(at, host, "push", {}), GITHUB_SHA: commit };

/** A job of GitHub that writes to the files `output` and `summary`. */
export function githubJob(at: Scenario, host: CodeHostServer, event: string, payload: object): Job {
  at.write("event.json", JSON.stringify(payload));
  return {
    ...host.environment,
    ...jobKey,
    GITHUB_EVENT_NAME: event,
    GITHUB_EVENT_PATH: join(at.folder, "event.json"),
    GITHUB_OUTPUT: join(at.folder, "output"),
    GITHUB_STEP_SUMMARY: join(at.folder, "summary"),
    GITHUB_WORKSPACE: at.folder,
  };
}
