import { appendFileSync } from "node:fs";
import type { JobPlatform } from "../../api/code-host/code-host";
import { failure } from "../../diagnostics/diagnostic";
import type { ProcessEnvironment } from "../../model/text";
import { githubEvent, hashIn, startedBy } from "../job";
import type { Screen } from "../screen";
import type { Request } from "../target";
import { negation, parsed, positive } from "../verb";

/** The facts that a job of GitHub Actions or GitLab reports about itself; elsewhere nearly none. */
export interface CiJob {
  readonly platform?: JobPlatform | undefined;
  /** The pull request (merge request) that it runs for. */
  readonly pullRequest?: number | undefined;
  readonly commit?: string | undefined;
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

export const commentOptions = {
  pullRequest: parsed(
    "--pull-request <number>",
    "the pull request or merge request, where a job of GitHub or GitLab does not say",
    positive,
  ),
  comment: negation("--no-comment", "write no comment"),
};

/** Reads the job from the environment; the pull request that is given wins over that of the job. */
export function readJob({ environment, cwd }: Pick<Request, "environment" | "cwd">, given?: number): CiJob {
  const platform = platformOf(environment);
  const { commit, job: page } = startedBy(environment, cwd, []);
  const read = platform && { github: githubJob, gitlab: gitlabJob }[platform](environment);
  const named = given === undefined ? read : { pullRequest: given, proposes: true, isDecided: true };
  return { proposes: false, isQueue: false, isDecided: false, platform, page, commit, ...named };
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
  // Of a push of many commits, the last 50 are looked at for a pull request.
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

export function platformOf(environment: ProcessEnvironment): JobPlatform | undefined {
  if (environment.GITHUB_ACTIONS === "true") return "github";
  return environment.GITLAB_CI === "true" ? "gitlab" : undefined;
}

/** Appends outputs that later steps read: to the file of GitHub, one line for each. Values hold no line breaks. */
export function writeOutputs({ environment }: Screen, outputs: Readonly<Record<string, string>>): void {
  const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
  appendTo(environment.GITHUB_OUTPUT, lines.join(""));
}

/** Appends texts of Markdown to the summary of the job, where it has one. */
export const writeSummary = ({ environment }: Screen, texts: readonly string[]): void =>
  appendTo(environment.GITHUB_STEP_SUMMARY, texts.map((text) => `${text}\n`).join(""));

function appendTo(file: string | undefined, text: string): void {
  if (file === undefined || file === "") return;
  try {
    appendFileSync(file, text);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown";
    throw failure("command.usage", `cannot write ${file} (${code})`);
  }
}
