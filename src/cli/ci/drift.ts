import { join, resolve } from "node:path";
import { Option } from "commander";
import { createHttpTransport, safeAddress } from "../../api/http-transport";
import { readRetryAfter, readTransportError, type Transport, type WireRequest } from "../../api/transport";
import { keepIssues } from "../../commands/ci/comments";
import { joinResults } from "../../commands/targets";
import { type Diagnostic, error, failure } from "../../diagnostics/diagnostic";
import type { Acceptance } from "../../model/acceptance";
import { Secret } from "../../model/secret";
import type { ProcessEnvironment } from "../../model/text";
import { backoff, type Clock, systemClock } from "../../model/time";
import { version } from "../../model/version";
import { acceptanceUnused, isOfOneStage } from "../../plan/accepted-drift";
import { type DriftJob, type StageDrift, statusOf, withoutOthers } from "../../plan/drift";
import {
  driftJobJson,
  driftJobMarkdown,
  driftJobText,
  driftMetrics,
  farewellText,
  issueText,
  issueTitle,
  webhookBody,
} from "../../report/drift-report";
import { isOfGone, markerOf } from "../../report/job-comment";
import { readJob, subjectOf, tellHost, writeOutputs, writeSummary } from "../ci-job";
import { manifestsOf } from "../context";
import { makeFolder, writeWholeFile } from "../files";
import { formatOf, type Invocation, listOf, namesOf } from "../invocation";
import { startedBy } from "../job";
import { options, readingOptions, scopeOptions } from "../options";
import { annotate, exitCodes, outStyle, report, tryToWrite } from "../report";
import { stagesAsked, stagesOptions } from "../stages";
import { resultsOf, type TargetResult } from "../targets";
import { driftOf, driftOptions, readAccepted } from "./drift";
import type { Verb } from "./verb";

export const ciDriftVerb: Verb = {
  usage: "drift [stack...]",
  summary: "Check stages for drift and notify",
  detail:
    "The same findings as `rnv drift`, in one report for all stages: an error in one does not stop the others, and the exit code " +
    "is that of the stage that says most. A webhook is called also when nothing has drifted, so that its silence means that the " +
    "job is broken. In GitHub Actions and GitLab each stage that has drifted has one issue, which is rewritten, and closed when the " +
    "drift is gone. With RNV_WEBHOOK_SECRET its header X-Rnv-Signature is sha256= and the HMAC-SHA-256 of the body.",
  readsStages: true,
  options: [
    ...scopeOptions.filter((option) => option !== options.stack),
    ...stagesOptions,
    ...driftOptions,
    new Option("--no-issue", "keep no issue for each stage that has drifted, on GitHub and GitLab"),
    new Option("--report <folder>", "write drift.md and drift.json there"),
    new Option("--metrics <file>", "write the numbers there in Prometheus' text format, whole or not at all"),
    new Option("--webhook <url>", "POST the result there as JSON with a text for people (RNV_WEBHOOK_URL)"),
    ...readingOptions,
  ],
  examples: [
    ["rnv ci drift", "a manifest without stages"],
    ["rnv ci drift --all-stages --report drift", "all of them, with the files for an artefact"],
    [
      "rnv ci drift --stage production --stage staging --fail-on pending",
      "two, and what is not applied counts",
    ],
    ["rnv ci drift --metrics /var/lib/node_exporter/rnv.prom", "for Prometheus"],
  ],
  handler: async (invocation) => {
    const { options, environment, terminal, cwd } = invocation;
    const webhookUrl = (options.webhook as string | undefined) ?? environment.RNV_WEBHOOK_URL?.trim() ?? "";
    const webhook = webhookUrl === "" ? undefined : readWebhook(webhookUrl);
    const at = new Date().toISOString();
    const startedAt = systemClock.elapsed();
    const read = async () => ({ accepted: readAccepted(invocation), ...(await stagesAsked(invocation)) });
    const { accepted, asked, areAll, declared } = await read().catch((cause: unknown) => {
      writeOutputs(invocation, { drift: "unknown", exitcode: "1" });
      throw cause;
    });
    const quiet = { ...invocation, terminal: { ...terminal, out: () => undefined } };
    const reading = { use: "each" } as const;
    const results = await resultsOf(quiet, asked, reading, (one) => driftOf(one, accepted));
    const told = withoutOthers(results.map(shownOf));
    const { commit, job: page } = startedBy(environment, cwd, listOf(options.file));
    const job: DriftJob = {
      ...{ manifest: subjectOf(invocation).manifest, at, commit, page, stages: told },
      seconds: Math.round(systemClock.elapsed() - startedAt) / 1000,
      exitCode: invocation.signal.aborted ? exitCodes.interrupted : joinResults(told).exitCode,
    };
    const format = formatOf(options);
    if (format === "json") terminal.out(driftJobJson(job));
    else if (format === "markdown") terminal.out(driftJobMarkdown(job));
    else terminal.out(driftJobText(job, outStyle(invocation)));
    const unused = unusedIn(results, areAll).map(acceptanceUnused);
    const written = writeFiles(invocation, job);
    const failed = webhook && (await callWebhook(webhook, job, environment));
    report(invocation, [...unused, ...(failed ? [failed] : [])]);
    await tellJob(invocation, job, declared ?? results[0]?.run.declaredStages);
    for (const { diagnostics } of told) annotate({ terminal, environment, cwd }, diagnostics);
    return joinResults([job, ...written, { exitCode: failed ? exitCodes.error : exitCodes.done }]).exitCode;
  },
};

/** Entries that no stage needs; those for any stage may be needed by one that was not looked at. */
function unusedIn(results: readonly TargetResult[], areAll: boolean): readonly Acceptance[] {
  const judged = results.flatMap(({ outcome }) => outcome.judged ?? []);
  const unused = new Set(judged.flatMap((one) => [...one.unused]));
  const areJudged = areAll && judged.length === results.length;
  return [...unused].filter(
    (entry) => judged.every(({ used }) => !used.has(entry)) && (areJudged || isOfOneStage(entry)),
  );
}

function shownOf({ run, outcome, seconds }: TargetResult): StageDrift {
  const { runId, plan, report, diagnostics, exitCode } = outcome;
  const recordedIds = [...(plan?.instances.values() ?? [])].flatMap(({ recorded }) => recorded?.id ?? []);
  return {
    ...{ ...namesOf(run), seconds },
    ...{ runId, exitCode, diagnostics },
    ...(report && { report, recordedIds }),
  };
}

async function tellJob(
  invocation: Invocation,
  job: DriftJob,
  stages: readonly string[] | undefined,
): Promise<void> {
  const statuses = job.stages.map(statusOf);
  const isUnread = statuses.every((one) => one === "error" || one === "interrupted");
  const found = statuses.includes("drift") ? "true" : isUnread ? "unknown" : "false";
  writeOutputs(invocation, { drift: found, exitcode: String(job.exitCode) });
  writeSummary(invocation, [driftJobMarkdown(job)]);
  const { pullRequest, platform } = readJob(invocation);
  // What a pull request proposes is no drift of what is merged.
  if (invocation.options.issue === false || platform === undefined || pullRequest !== undefined) return;
  const { manifest } = subjectOf(invocation);
  await tellHost(invocation, (host) => {
    // What was not looked at has neither drifted nor been repaired.
    const looked = job.stages.filter((one) => !["error", "interrupted"].includes(statusOf(one)));
    const wanted = looked.map((one) => {
      const subject = { manifest, stage: one.stage, stack: one.stack };
      const body = statusOf(one) === "clean" ? undefined : issueText(one, job, host.mostCharacters);
      const found = { marker: markerOf("drift", subject), title: issueTitle(subject), body };
      return { ...found, farewell: farewellText(job) };
    });
    return keepIssues(host, wanted, (marker) =>
      isOfGone(marker, "drift", manifest, { stages, stacks: undefined })
        ? "This stage is not declared any more.\n"
        : undefined,
    );
  });
}

/** Reads the address of a webhook. It may hold a token: no message repeats more of it than the host. */
export function readWebhook(text: string): URL {
  const url = safeAddress(text);
  if (url !== undefined) return url;
  const form = "https://HOST/PATH without a user name (http:// is for localhost only)";
  throw failure("config.invalid", `the address of the webhook is not ${form}`);
}

/**
 * Posts the result; returns an error where it does not arrive. The header `X-Rnv-Signature` is `sha256=` and the HMAC-SHA-256
 * of the body, hex; without a secret nothing is signed.
 */
async function callWebhook(
  webhook: URL,
  job: DriftJob,
  { RNV_WEBHOOK_SECRET: secret, ...environment }: ProcessEnvironment,
): Promise<Diagnostic | undefined> {
  const transport = createHttpTransport({ environment, exchangeTimeoutMs: 10_000 });
  const body = webhookBody(job);
  const headers = {
    "content-type": "application/json",
    "user-agent": `rnv/${version}`,
    ...(secret && { "x-rnv-signature": `sha256=${new Secret(secret).sign(body)}` }),
  };
  const why = await deliver({ method: "POST", url: webhook.href, headers, body }, transport, systemClock);
  await transport.close();
  if (why === undefined) return undefined;
  return error("command.undelivered", `the webhook at ${webhook.host} was not reached: ${why}`, {
    detail: "What the job found stands in its output all the same.",
    hint: "the message may not have arrived: check the address, and run the job again",
  });
}

const mostDeliveries = 5;
const longestPauseMs = 30_000;

/** Sends a request at most five times: what arrives twice says the same. Returns why it did not arrive, or undefined. */
export async function deliver(
  request: WireRequest,
  transport: Transport,
  clock: Pick<Clock, "sleep">,
): Promise<string | undefined> {
  for (let tries = 1; ; tries += 1) {
    let pause = backoff(tries - 1, 500, longestPauseMs);
    let why: string;
    let mayHelp: boolean;
    try {
      const { status, headers } = await transport.send(request);
      if (status >= 200 && status < 300) return undefined;
      why = `it answered ${status}`;
      mayHelp = status === 429 || status >= 500;
      pause = Math.min(longestPauseMs, (readRetryAfter(headers) ?? 0) * 1000 || pause);
    } catch (failed) {
      const { code, reason } = readTransportError(failed);
      why = code ?? reason;
      mayHelp = reason !== "certificate" && reason !== "misused";
    }
    if (!mayHelp || tries === mostDeliveries) return why;
    await clock.sleep(pause);
  }
}

/** Writes the files that were asked for, and returns an exit code for each: one that fails stops no other. */
function writeFiles(invocation: Invocation, job: DriftJob): readonly { readonly exitCode: number }[] {
  const { cwd, options } = invocation;
  const { report: folder, metrics } = options as { readonly report?: string; readonly metrics?: string };
  const files = manifestsOf({ cwd, options }).map((file) => resolve(cwd, file));
  const writeReports = (into: string): void => {
    makeFolder(into);
    writeWholeFile(join(into, "drift.md"), driftJobMarkdown(job));
    writeWholeFile(join(into, "drift.json"), driftJobJson(job));
  };
  const writeNumbers = (file: string): void =>
    writeWholeFile(file, driftMetrics(job, files.join(",")), { mode: 0o644 });
  return [
    { exitCode: folder === undefined ? exitCodes.done : tryToWrite(invocation, () => writeReports(folder)) },
    { exitCode: metrics ? tryToWrite(invocation, () => writeNumbers(metrics)) : exitCodes.done },
  ];
}
