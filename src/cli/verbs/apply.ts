import { type ApplyOutcome, type ApplyRequest, type Approval, apply } from "../../commands/apply";
import type { Outcome } from "../../commands/context";
import type { CrossValue } from "../../declaration/load-request";
import { type Diagnostic, warning } from "../../diagnostics/diagnostic";
import type { ApplyEvent, SummaryEvent } from "../../model/apply-event";
import { hideOutputs } from "../../model/desired";
import { systemClock } from "../../model/time";
import { version } from "../../model/tool-version";
import { noMask } from "../../model/value";
import type { Plan } from "../../plan/plan";
import { outputsText } from "../../report/state-list";
import { readText } from "../files";
import { announceTarget, type Run, type TargetEnd } from "../open-target";
import {
  argument,
  firstGiven,
  pick,
  planningOptions,
  policyOptions,
  runningOptions,
  type SharedValues,
  scopeOptions,
} from "../options";
import { createProgress, jsonOf } from "../progress";
import { approvePlan, askablePlan, canAnswer } from "../prompt";
import { exitCodes, outcomeOf, report, type Screen, usage } from "../screen";
import { defineVerb } from "../verb";
import { otherDiagnostics, planRequestOf, showPlan } from "./plan";

export const applyRules = { scope: "each", others: "needed", writes: true } as const;

export const applyVerb = defineVerb({
  name: "apply",
  arguments: { words: argument("[planfile|stack...]") },
  ...applyRules,
  takesPlan: true,
  summary: "Make the platform match the manifest",
  detail:
    "Plans, asks, and applies; with a plan file it applies exactly that plan, once, without asking for approval. " +
    "Neither --auto-approve nor a plan file deletes a service or a project: confirm it with --confirm-delete or -replace.",
  failed: { json: eventsOfFailure },
  options: {
    ...planningOptions,
    ...policyOptions,
    ...pick("verifyValues", "refreshOnly", "destroy", "expectDigest", "verbose"),
    ...runningOptions,
    ...pick("jsonInto", "stage"),
  },
  examples: [
    ["rnv apply", "shows the plan, then asks"],
    ["rnv apply plan.rnvplan", "a saved plan"],
    ["rnv apply -auto-approve -input=false", "in CI"],
    ["rnv apply --confirm-delete service.shop.worker", "confirms one deletion; with a plan file too"],
    ["rnv apply -auto-approve --expect-digest DIGEST", "only what a reviewed plan said, planned again"],
    ["rnv apply -auto-approve -json", "one JSON object a line"],
  ],
  run: async (given, run) => {
    const { target, screen } = run;
    const { planFile } = target;
    const planOnly = planFile && firstGiven(given, planOnlyOptions);
    if (planOnly) throw usage(`${planOnly} cannot change a saved plan`, "give it to `rnv plan -out`");
    const expectDigest = expectedDigestOf(given, screen);
    if (expectDigest !== undefined)
      report(screen, [
        warning("plan.digest", "values of variables are not compared with the reviewed ones", {
          hint: "rnv ci apply compares them in a job of GitHub Actions or GitLab.",
        }),
      ]);
    const savedPlan = planFile === undefined ? undefined : readText(planFile);
    return showApply(run, given, { ...planRequestOf(given, target), savedPlan, planFile, expectDigest });
  },
});

/** Returns the digest of `--expect-digest`. Only a terminal may shorten it. */
export function expectedDigestOf({ expectDigest }: SharedValues, { terminal }: Screen): string | undefined {
  if (expectDigest === undefined || expectDigest.length === 64 || terminal.interactive) return expectDigest;
  const summary = "without a terminal, --expect-digest needs all 64 digits of the digest";
  throw usage(summary);
}

export const destroyVerb = defineVerb({
  name: "destroy",
  arguments: { words: argument("[stack...]") },
  scope: "each",
  order: "dependents first",
  writes: true,
  summary: "Delete everything that the state records",
  detail: "Resources that lifecycle.preventDestroy protects stop it. The same as apply --destroy.",
  failed: { json: eventsOfFailure },
  options: {
    ...scopeOptions,
    ...policyOptions,
    ...runningOptions,
    ...pick("confirmDelete", "confirmConsumers", "verbose", "jsonInto", "stage"),
  },
  examples: [
    ["rnv destroy", "shows the plan, then asks once for all of it"],
    ["rnv destroy -auto-approve", "without asking: everything goes"],
    ["rnv destroy --stage staging --state .rnv/staging/state.json", "a stage that is no longer declared"],
    ["rnv destroy --stack jobs --state .rnv/jobs/state.json", "a stack that the app no longer has"],
  ],
  run: (given, run) => {
    const { target } = run;
    const { stage, isUndeclared } = target;
    const request = planRequestOf(given, target, "destroy");
    const named = stage === undefined ? {} : { stage: { name: stage, protect: false, disposable: false } };
    const recordedOf = isUndeclared ? named : undefined;
    return showApply(run, given, { ...request, recordedOf });
  },
});

/** Options that a saved plan would silently ignore. */
const planOnlyOptions = [
  "app",
  "files",
  "target",
  "exclude",
  "replace",
  "adopt",
  "allowEmpty",
  "verifyValues",
  "destroy",
  "refreshOnly",
] as const;

/** Applies a request and shows its progress; returns the outcome with the exit code of the process. */
export async function showApply(
  run: Run,
  given: SharedValues,
  request: Omit<ApplyRequest, "lockTimeoutMs" | "parallelism" | "approve">,
): Promise<ApplyOutcome & TargetEnd> {
  const { target, screen } = run;
  const { terminal, signal } = screen;
  const { lockTimeoutMs = 0, parallelism = 1, autoApprove = false, jsonInto, verbose } = given;
  const isText = screen.format !== "json";
  const startedAt = systemClock.elapsed();
  const progress = createProgress(screen, jsonInto);
  let shown = false;
  let summary: SummaryEvent | undefined;
  const failures = new Set<Diagnostic>();
  const emit = (event: ApplyEvent): void => {
    run.context.emit(event);
    if (event.type === "failed") failures.add(event.diagnostic);
    // A plan without changes is shown after the command returns; its summary follows.
    if (event.type === "summary") summary = event;
    else progress.emit(event);
  };
  const isSaved = request.savedPlan !== undefined;
  const approve = async (plan: Plan): Promise<Approval | undefined> => {
    if (isText) showPlan(screen, canAnswer(screen) ? askablePlan(plan) : plan, { verbose });
    shown = true;
    const approval = await approvePlan(screen, plan, { autoApprove, isSaved });
    if (approval && isText) terminal.out("\n");
    return approval;
  };
  progress.emit(versionEvent);
  const outcome: ApplyOutcome = await outcomeOf(screen, () => {
    announceTarget(run);
    const { commandLine } = target;
    const whole = { commandLine, ...request, lockTimeoutMs, parallelism, approve };
    return apply({ ...run.context, emit }, whole);
  }).finally(progress.close);
  const { plan, diagnostics } = outcome;
  const isInterrupted = outcome.cancelled === true && signal.aborted;
  const exitCode = isInterrupted ? exitCodes.interrupted : outcome.exitCode;
  const mode = plan?.options.mode ?? request.mode;
  const showsNow = plan !== undefined && !shown && isText && !isSaved;
  if (showsNow) showPlan(screen, plan, { verbose });
  report(screen, otherDiagnostics(shown || showsNow ? plan : undefined, diagnostics));
  for (const diagnostic of diagnostics)
    if (!failures.has(diagnostic)) progress.emit({ type: "diagnostic", diagnostic });
  const lost = progress.end(summary, summaryOfNothing(mode, exitCode, startedAt));
  const values = Object.entries(outcome.outputs ?? {});
  const shared = values.map(([name, value]): [string, CrossValue] => [name, { kind: "value", value }]);
  const outputs = outputsText(hideOutputs(outcome.outputs ?? {}, plan?.mask ?? noMask));
  if (isText && summary && exitCode === 0 && outputs !== "" && mode === "apply")
    terminal.out(`\nOutputs:\n\n${outputs}`);
  // After Ctrl-C the message has been printed.
  if (outcome.cancelled && isText && !signal.aborted) {
    const verb = mode === "destroy" ? "Destroy" : "Apply";
    terminal.err(`\n${verb} cancelled. Nothing was changed.\n`);
  }
  const sharedOutputs = shared.length > 0 ? new Map(shared) : undefined;
  return { ...outcome, sharedOutputs, exitCode: exitCode || lost };
}

const versionEvent: ApplyEvent = { type: "version", format: "1.0", rnv: version };

const summaryOfNothing = (
  mode: SummaryEvent["mode"],
  exitCode: number,
  startedAt = systemClock.elapsed(),
): SummaryEvent => ({
  type: "summary",
  mode,
  exitCode,
  elapsedSeconds: (systemClock.elapsed() - startedAt) / 1000,
  counts: { added: 0, changed: 0, destroyed: 0, adopted: 0, forgotten: 0, failed: 0, skipped: 0 },
});

/** Returns the events of a run that failed before it had a request. */
function eventsOfFailure({ diagnostics, exitCode }: Outcome, commandLine: string): string {
  const [, asked] = / --?(destroy|refresh-only)\b/.exec(commandLine) ?? [];
  const isDestroy = asked === "destroy" || /^rnv (.* )?destroy( |$)/.test(commandLine);
  const mode = isDestroy ? "destroy" : asked === "refresh-only" ? asked : "apply";
  const found = diagnostics.map((diagnostic): ApplyEvent => ({ type: "diagnostic", diagnostic }));
  const events = [versionEvent, ...found, summaryOfNothing(mode, exitCode)];
  return events.map((event) => `${jsonOf(event)}\n`).join("");
}
