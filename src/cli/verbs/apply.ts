import type { ApplyRequest, Approval } from "../../commands/apply";
import { type ApplyOutcome, apply } from "../../commands/apply";
import type { PlanRequest } from "../../commands/context";
import { failure, warning } from "../../diagnostics/diagnostic";
import type { ApplyEvent, SummaryEvent } from "../../model/apply-event";
import { hideOutputs } from "../../model/desired";
import { stageText } from "../../model/stage";
import { noMask } from "../../model/value";
import { version } from "../../model/version";
import type { Plan } from "../../plan/plan";
import { outputsText } from "../../report/state-text";
import { approvePlan, askablePlan } from "../approve";
import { tellTarget, withContext } from "../context";
import { readText } from "../files";
import { flagOf, type Invocation } from "../invocation";
import { options, planningOptions, policyOptions, runningOptions, scopeOptions } from "../options";
import { createProgress } from "../progress";
import { createPrompter } from "../prompt";
import { exitCodes, report } from "../report";
import { judgedRequestOf, otherDiagnostics, showPlan } from "./plan";
import type { Verb } from "./verb";

export const applyVerb: Verb = {
  usage: "apply [planfile|stack...]",
  stacks: { use: "each", others: "needed", takesPlan: true, writes: true },
  summary: "Make the service match the manifest",
  detail:
    "Plans, asks, and applies; with a plan file it applies exactly that plan, once, without asking for approval. " +
    "Neither --auto-approve nor a plan file deletes a service or a project: confirm those by name.",
  daily: ["file", "stage", "target", "autoApprove", "confirmDelete", "json"],
  options: [
    ...planningOptions,
    ...policyOptions,
    options.verifyValues,
    options.refreshOnly,
    options.destroy,
    options.expectDigest,
    options.verbose,
    ...runningOptions,
    options.jsonInto,
  ],
  examples: [
    ["rnv apply", "shows the plan, then asks"],
    ["rnv apply plan.rnvplan", "a saved plan"],
    ["rnv apply -auto-approve -input=false", "in CI"],
    ["rnv apply --confirm-delete service.shop.worker", "confirms one deletion; with a plan file too"],
    ["rnv apply -auto-approve --expect-digest DIGEST", "only what a reviewed plan said, planned again"],
    ["rnv apply -auto-approve -json", "one JSON object a line"],
  ],
  handler: async (invocation) => {
    const [planFile] = invocation.positional as readonly (string | undefined)[];
    if (planFile !== undefined) refuseWithPlanFile(invocation);
    const expectDigest = expectedDigestOf(invocation);
    if (expectDigest !== undefined)
      report(invocation, [
        warning("plan.digest", "values of variables are not compared with the reviewed ones", {
          hint: "rnv ci apply compares them in a job of GitHub Actions or GitLab.",
        }),
      ]);
    return showApply(invocation, {
      ...judgedRequestOf(invocation),
      ...(planFile === undefined ? {} : { savedPlan: readText(planFile) }),
      ...(expectDigest !== undefined && { expectDigest }),
    });
  },
};

/** The digest that the one plan of the command line must have; undefined without the option. */
export function expectedDigestOf(invocation: Invocation): string | undefined {
  const { expectDigest } = invocation.options as { readonly expectDigest?: string };
  if (expectDigest === undefined) return undefined;
  if (expectDigest.length === 64 || invocation.terminal.interactive) return expectDigest;
  const summary = "without a terminal, --expect-digest needs all 64 digits of the digest";
  throw failure("command.usage", summary);
}

export const destroyVerb: Verb = {
  usage: "destroy [stack...]",
  stacks: { use: "each, reversed", writes: true },
  summary: "Delete everything that the state records",
  detail: "Resources that lifecycle.preventDestroy protects stop it. The same as apply --destroy.",
  options: [
    ...scopeOptions,
    options.confirmDelete,
    options.confirmConsumers,
    options.verbose,
    ...policyOptions,
    ...runningOptions,
    options.jsonInto,
  ],
  examples: [
    ["rnv destroy", "shows the plan, then asks once for all of it"],
    ["rnv destroy -target service.shop.worker", "one service"],
    ["rnv destroy -auto-approve", "without asking: everything goes"],
    ["rnv destroy --stage staging --state .rnv/staging/state.json", "a stage that is no longer declared"],
  ],
  handler: (invocation) => {
    const { stage } = invocation;
    const recordedOf = stage && { name: stageText(stage), protect: false, disposable: false };
    const request = judgedRequestOf(invocation, "destroy");
    return showApply(invocation, { ...request, ...(stage?.isUndeclared && recordedOf && { recordedOf }) });
  },
};

/** A saved plan has its own options: another set would look as if it counted. */
function refuseWithPlanFile({ options }: Invocation): void {
  const others = "app file target exclude replace adopt allowEmpty verifyValues destroy refreshOnly".split(
    " ",
  );
  const first = others.find((name) => options[name] !== undefined);
  if (first === undefined) return;
  throw failure("command.usage", `${flagOf(first)} cannot change a saved plan`, {
    hint: "give it to `rnv plan -out`",
  });
}

type ShownRequest = PlanRequest & Pick<ApplyRequest, "savedPlan" | "expectDigest" | "review" | "repairsOnly">;

/** Applies, and shows how it goes; returns the outcome with the exit code of the process. */
export async function showApply(invocation: Invocation, request: ShownRequest): Promise<ApplyOutcome> {
  const { terminal, options } = invocation;
  const running = {
    lockTimeoutMs: options.lockTimeout as number,
    parallelism: options.parallelism as number,
  };
  const isText = options.json !== true;
  tellTarget(invocation);
  const progress = createProgress(invocation);
  let shown = false;
  let summary: SummaryEvent | undefined;
  const emit = (event: ApplyEvent): void => {
    // A plan that changes nothing is shown once the command has returned it, and the summary comes after it.
    if (event.type === "summary") summary = event;
    else progress.emit(event);
  };
  const isSaved = request.savedPlan !== undefined;
  const approve = async (plan: Plan): Promise<Approval | undefined> => {
    const ask = createPrompter(invocation);
    if (isText) showPlan(invocation, ask === undefined ? plan : askablePlan(plan), "text");
    shown = true;
    const approval = await approvePlan(plan, {
      autoApprove: options.autoApprove === true,
      isSaved,
      ask,
      say: terminal.out,
    });
    if (approval && isText) terminal.out("\n");
    return approval;
  };
  progress.emit({ type: "version", format: "1.0", rnv: version });
  let outcome: ApplyOutcome;
  try {
    outcome = await withContext(
      invocation,
      (context) => apply(context, { commandLine: invocation.commandLine, ...request, ...running, approve }),
      emit,
    );
  } finally {
    progress.close();
  }
  const { plan, diagnostics, exitCode } = outcome;
  const showsNow = plan !== undefined && !shown && isText && !isSaved;
  if (showsNow) showPlan(invocation, plan, "text");
  report(invocation, otherDiagnostics(shown || showsNow ? plan : undefined, diagnostics, "text"));
  const lost = progress.end(summary);
  const made = Object.entries(outcome.outputs ?? {});
  if (made.length > 0)
    invocation.stack?.tellOutputs?.(new Map(made.map(([name, value]) => [name, { kind: "value", value }])));
  const outputs = outputsText(hideOutputs(outcome.outputs ?? {}, plan?.mask ?? noMask));
  if (isText && summary && exitCode === 0 && outputs !== "" && plan?.options.mode === "apply")
    terminal.out(`\nOutputs:\n\n${outputs}`);
  // Ctrl-C has said so already.
  if (outcome.cancelled && isText && !invocation.signal.aborted) {
    const verb = plan?.options.mode === "destroy" ? "Destroy" : "Apply";
    terminal.err(`\n${verb} cancelled. Nothing was changed.\n`);
  }
  const isInterrupted = outcome.cancelled === true && invocation.signal.aborted;
  return { ...outcome, exitCode: isInterrupted ? exitCodes.interrupted : exitCode || lost };
}
