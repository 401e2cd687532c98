import { appendFileSync } from "node:fs";
import { Option } from "commander";
import { diagnosticOf } from "../api/api-error";
import type { HostOptions, JobPlatform } from "../api/code-host/code-host";
import type * as hosts from "../api/code-host/create-host";
import { createHttpTransport } from "../api/http-transport";
import { findReview, type Review, StaleCommentError } from "../commands/ci/comments";
import { type Diagnostic, failure, warning } from "../diagnostics/diagnostic";
import { Secret } from "../model/secret";
import type { ProcessEnvironment } from "../model/text";
import { systemClock } from "../model/time";
import { version } from "../model/version";
import type { CommentSubject, RecordSeal } from "../report/job-comment";
import { targetOf } from "./context";
import type { Invocation } from "./invocation";
import { githubEvent, repositoryOf, startedBy } from "./job";
import { positive } from "./options";
import { exitCodes, report } from "./report";

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

export const commentOptions = [
  new Option(
    "--pull-request <number>",
    "the pull request or merge request, where a job of GitHub or GitLab does not say",
  ).argParser(positive),
  new Option("--no-comment", "write no comment"),
];

/** Reads the job of an invocation; `--pull-request` wins over what the job says. */
export function readJob({ environment, cwd, options }: Invocation): CiJob {
  const platform = platformOf(environment);
  const { commit, job: page } = startedBy(environment, cwd, []);
  const read = platform && { github: githubJob, gitlab: gitlabJob }[platform](environment);
  const given = typeof options.pullRequest === "number" ? options.pullRequest : undefined;
  if (given !== undefined)
    return { platform, page, commit, pullRequest: given, proposes: true, isQueue: false, isDecided: true };
  return { platform, page, commit, ...none, ...read };
}

type JobKind = Omit<CiJob, "platform" | "page">;

const none: JobKind = { proposes: false, isQueue: false, isDecided: false };

const isHash = /^[0-9a-f]{40,64}$/;

function githubJob(environment: ProcessEnvironment): JobKind {
  const event = githubEvent(environment);
  if (event === undefined)
    throw failure("config.invalid", "GITHUB_EVENT_PATH names no payload of an event", {
      hint: "the runner writes it; in a container it has to be mounted",
    });
  if (environment.GITHUB_EVENT_NAME === "merge_group") {
    const ref = event.merge_group?.head_ref ?? environment.GITHUB_REF ?? "";
    const number = /\/pr-(\d+)-[0-9a-f]+$/.exec(ref)?.[1];
    return { ...none, isQueue: true, pullRequest: number === undefined ? undefined : Number(number) };
  }
  // The commit of the job is that of the default branch, whatever was checked out.
  if (event.issue?.pull_request)
    return { ...none, pullRequest: event.issue.number, proposes: true, commit: undefined };
  const { number, head, merged = false } = event.pull_request ?? {};
  const ids = (event.commits ?? []).slice(0, -1).flatMap(({ id = "" }) => (isHash.test(id) ? id : []));
  // Of a push of many commits, the last 50 are looked at for a pull request.
  if (number === undefined) return { ...none, earlier: ids.slice(-50).reverse() };
  // Merged or given up: what was reviewed stays as it was.
  const proposes = event.action !== "closed";
  const isDecided = !proposes && merged;
  const commit = proposes ? head?.sha : undefined;
  return { ...none, pullRequest: number, proposes, isDecided, ...(commit !== undefined && { commit }) };
}

function gitlabJob(environment: ProcessEnvironment): JobKind {
  const number = Number(environment.CI_MERGE_REQUEST_IID);
  if (!Number.isInteger(number) || number <= 0) return none;
  const isQueue = environment.CI_MERGE_REQUEST_EVENT_TYPE === "merge_train";
  return { ...none, pullRequest: number, proposes: !isQueue, isQueue };
}

function platformOf(environment: ProcessEnvironment): JobPlatform | undefined {
  if (environment.GITHUB_ACTIONS === "true") return "github";
  return environment.GITLAB_CI === "true" ? "gitlab" : undefined;
}

/** What each platform needs: environment variables, the first that is set of each row. */
const hostVariables = {
  github: {
    name: "GitHub",
    token: ["GITHUB_TOKEN", "GH_TOKEN"],
    apiUrl: ["GITHUB_API_URL"],
    repository: ["GITHUB_REPOSITORY"],
    hint:
      "give the step `env: { GITHUB_TOKEN: $" +
      "{{ github.token }} }`, and the job `permissions: pull-requests: write`",
  },
  gitlab: {
    name: "GitLab",
    // The token of the job itself (CI_JOB_TOKEN) may not write notes.
    token: ["RNV_GITLAB_TOKEN", "GITLAB_TOKEN"],
    apiUrl: ["CI_API_V4_URL"],
    repository: ["CI_PROJECT_ID"],
    hint: "make a project access token (role Reporter, scope api) and set it as the masked variable RNV_GITLAB_TOKEN",
  },
} as const;

/** Opens the code host of this job; a warning says why there is none. Throws for an address that no token may go to. */
export function openCodeHost(
  environment: ProcessEnvironment,
  parts: Omit<HostOptions, "apiUrl" | "repository" | "token" | "author">,
): { readonly host?: hosts.CodeHost; readonly diagnostics: readonly Diagnostic[] } {
  const platform = platformOf(environment);
  if (platform === undefined) return { diagnostics: [] };
  const { name, hint, ...wanted } = hostVariables[platform];
  const first = (among: readonly string[]): string | undefined =>
    among.map((one) => environment[one]?.trim()).find((value) => value !== undefined && value !== "");
  const without = (variable: string, why = "is not set") => {
    const summary = `${name} is not notified of this run: ${variable} ${why}`;
    return { diagnostics: [warning("config.missing", summary, { hint })] };
  };
  const token = first(wanted.token);
  const repository = first(wanted.repository);
  const apiUrl = first(wanted.apiUrl) ?? (platform === "github" ? "https://api.github.com" : undefined);
  if (token === undefined) return without(wanted.token[0]);
  if (repository === undefined) return without(wanted.repository[0]);
  if (apiUrl === undefined) return without(wanted.apiUrl[0]);
  if (!/^[!-~]+$/.test(token)) return without(wanted.token[0], "holds spaces or line breaks");
  const author = first(["RNV_COMMENT_AUTHOR"]);
  const given = { apiUrl, repository, token: new Secret(token), ...(author !== undefined && { author }) };
  // Loaded where a job speaks to its host.
  const { createHost } = require("../api/code-host/create-host") as typeof hosts;
  return { host: createHost(platform, { ...parts, ...given }), diagnostics: [] };
}

/** Speaks to the code host of the job; undefined where there is none, or what it needs is not set, which is told. */
export async function withHost<Answer>(
  invocation: Invocation,
  speak: (host: hosts.CodeHost) => Promise<Answer>,
): Promise<Answer | undefined> {
  const { environment, options: given } = invocation;
  if (platformOf(environment) === undefined && given.pullRequest !== undefined)
    report(invocation, [
      warning("config.missing", `no comment on pull request ${given.pullRequest}: no code host here`, {
        hint: "Run it in GitHub Actions or GitLab, or post plan.md of the reports yourself.",
      }),
    ]);
  const { host, diagnostics } = openCodeHost(environment, {
    transport: createHttpTransport({ environment }),
    clock: systemClock,
    // For jitter: no secret.
    random: Math.random,
    userAgent: `rnv/${version}`,
  });
  report(invocation, diagnostics);
  try {
    return host && (await speak(host));
  } finally {
    await host?.close();
  }
}

/**
 * Tells the code host; what does not reach it is a warning. Returns 1 where a comment of an older run could not be
 * rewritten: a reader would take it for that of this run.
 */
export async function tellHost(
  invocation: Invocation,
  tell: (host: hosts.CodeHost) => Promise<void>,
): Promise<number> {
  try {
    await withHost(invocation, tell);
    return exitCodes.done;
  } catch (cause) {
    const isStale = cause instanceof StaleCommentError;
    report(invocation, [{ ...diagnosticOf(cause), severity: isStale ? "error" : "warning" }]);
    return isStale ? exitCodes.error : exitCodes.done;
  }
}

/** The manifest, stack and stage of a run: what its comments are about. */
export function subjectOf(
  invocation: Invocation,
  sealed: Omit<RecordSeal, "repository"> = {},
): CommentSubject {
  const { manifest, stage, stack, environment } = targetOf(invocation);
  return {
    manifest,
    stage,
    stack,
    seal: { repository: repositoryOf(environment, invocation.cwd), ...sealed },
  };
}

/** Finds the comments that may hold the review of a job. Throws where the host cannot be asked. */
export const reviewOf = async (
  invocation: Invocation,
  { pullRequest, commit, earlier }: CiJob,
): Promise<Review> =>
  (await withHost(invocation, (host) => findReview(host, pullRequest, commit, earlier))) ?? {
    isUnread: true,
    comments: [],
  };

/** Appends outputs that later steps read: to the file of GitHub, one line for each. Values hold no line breaks. */
export function writeOutputs({ environment }: Invocation, outputs: Readonly<Record<string, string>>): void {
  const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
  appendTo(environment.GITHUB_OUTPUT, lines.join(""));
}

/** Appends texts of Markdown to the summary of the job, where it has one. */
export const writeSummary = ({ environment }: Invocation, texts: readonly string[]): void =>
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
