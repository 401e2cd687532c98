import { checkSavedPlan } from "../../commands/check-policies";
import type { PlanRequest } from "../../commands/context";
import { countedExitCode, type PlanOutcome, plan } from "../../commands/plan";
import { validate } from "../../commands/validate";
import type { CrossValue } from "../../declaration/load-request";
import {
  type Diagnostic,
  DiagnosticsError,
  exitCodeOf,
  hasErrors,
  sortDiagnostics,
} from "../../diagnostics/diagnostic";
import { stopsPlan } from "../../model/policy";
import { planDocument } from "../../plan/document";
import { isUnconfirmed } from "../../plan/guards";
import { hasChanges, isBlocked, type Plan } from "../../plan/plan";
import { diagnosticData } from "../../report/documents";
import { jsonText } from "../../report/escape-text";
import { failedPlanMarkdown, type PlanTextOptions, planMarkdown, planText } from "../../report/plan-text";
import { checkWords, counted } from "../../report/plan-wording";
import { readText, writeWholeFile } from "../files";
import { announceTarget, type Run, sourcesOf, type TargetEnd } from "../open-target";
import {
  argument,
  flag,
  pick,
  planningOptions,
  policyOptions,
  readingOptions,
  type SharedValues,
  sourceOptions,
} from "../options";
import { savedPlanOf, scopeOf, writePage } from "../output-files";
import { annotate, errorDocument, exitCodes, outcomeOf, report, type Screen, usage } from "../screen";
import { warnOfUndeclared } from "../stages";
import type { Request, Target } from "../target";
import { defineVerb, type VerbFamily } from "../verb";

const words = argument("[stack...]");

export const validateVerb = defineVerb({
  name: "validate",
  arguments: { words },
  scope: "each",
  others: "none",
  summary: "Check the manifest without the platform",
  failed: { json: errorDocument },
  options: {
    ...sourceOptions,
    ...pick("policy", "json", "stage"),
    print: flag(
      "--print",
      "print the merged manifest: what all files say together, secrets as their sources",
    ),
  },
  examples: [["rnv validate -f rnv.yaml -f production.yaml -print", "what an overlay makes of the manifest"]],
  run: async ({ json, print, policy }, run) => {
    const { target, screen } = run;
    const { terminal } = screen;
    if (json && print) throw usage("--json and --print exclude each other");
    const request = { files: target.files, policies: policiesOf(target, policy), isOneStage: print };
    const outcome = await validate(sourcesOf(run), request);
    const { diagnostics, desired, stages, exitCode } = outcome;
    if (json) terminal.out(jsonText({ diagnostics: sortDiagnostics(diagnostics).map(diagnosticData) }));
    else report(screen, diagnostics);
    if (json || exitCode !== 0) return exitCode;
    const success = terminal.style.colors.green("Success!");
    const count = counted(desired?.resources.size ?? 0, "resource");
    const valid = stages ? `in each stage: ${stages.join(", ")}` : count;
    if (!print) terminal.tell(`${success} The manifest is valid${stages ? " " : ": "}${valid}.\n`);
    else if (outcome.merged) terminal.out(outcome.merged());
    else
      throw usage(
        "--print writes manifests, not stacks",
        "a synthesized stack is one text already: cdktf.out/stacks/…/cdk.tf.json",
      );
    return exitCode;
  },
});

export const planVerb = defineVerb({
  name: "plan",
  arguments: { words },
  scope: "each",
  others: "needed",
  summary: "Show what apply would do",
  detail: "Reads the platform, writes nothing and takes no lock.",
  failed: { json: errorDocument, markdown: (outcome) => failedPlanMarkdown(outcome) },
  options: {
    ...planningOptions,
    ...policyOptions,
    ...pick("refreshOnly", "destroy", "secrets", "verifyValues", "out", "detailedExitcode"),
    ...readingOptions,
    ...pick("jsonInto", "html", "verbose", "stage"),
  },
  examples: [
    ["rnv plan", "the default files"],
    ['rnv plan --app "npx tsx main.ts"', "what a program of CDKTF constructs describes"],
    ["rnv plan 'prod-*'", "some of its stacks; each has a state of its own"],
    ["rnv plan -out plan.rnvplan", "save it: apply then does exactly this"],
    ["rnv plan -out plan.rnvplan --confirm-delete service.shop.worker", "with a deletion confirmed"],
    ["rnv plan --no-secrets --format markdown", "for a comment on a pull request"],
  ],
  run: async (given, run) => {
    const { target, screen } = run;
    const { out, jsonInto, html, verbose, detailedExitcode } = given;
    const request = { ...planRequestOf(given, target), isSaved: out !== undefined };
    announceTarget(run);
    const outcome = await planTarget(run, request);
    const { plan, diagnostics, exitCode, sharedOutputs } = outcome;
    const json = (): string => (plan ? jsonText(planDocument(plan)) : errorDocument(outcome));
    if (jsonInto !== undefined) writeWholeFile(jsonInto, json());
    if (!plan) throw new DiagnosticsError(diagnostics, exitCode);
    const isRepeated = given.secrets && !target.sharesRun && out === undefined;
    const next = isRepeated && exitCode === 0 ? nextOf(target, plan) : undefined;
    showPlan(screen, plan, { verbose, next });
    report(screen, [
      ...otherDiagnostics(screen.format === "text" ? plan : undefined, diagnostics),
      ...(await warnOfUndeclared(target, screen)),
    ]);
    writePage(screen, html, (make) => make.planPage(planDocument(plan), scopeOf(target)));
    if (exitCode !== 0) return { exitCode, sharedOutputs };
    if (out !== undefined) {
      writeWholeFile(out, savedPlanOf(target, request, plan, outcome));
      screen.terminal.note(savedLine(plan, out));
    }
    return { exitCode: detailedExitcode ? countedExitCode(outcome) : exitCode, sharedOutputs };
  },
});

/** Makes a plan of a target, with its outputs for other stacks, without secrets. */
async function planTarget(run: Run, request: PlanRequest): Promise<TargetEnd> {
  const outcome: PlanOutcome = await outcomeOf(run.screen, () => plan(run.context, request));
  const outputs = Object.entries(outcome.plan?.plannedOutputs ?? {}).flatMap(([name, value]) =>
    value.kind === "value" || value.kind === "unknown" ? [[name, value as CrossValue] as const] : [],
  );
  return outcome.plan ? { ...outcome, sharedOutputs: new Map(outputs) } : outcome;
}

/** Makes a plan with the exit code 2 for changes, 4 for a blocked change. */
export async function countedPlan(run: Run, request: PlanRequest): Promise<TargetEnd> {
  const outcome = await planTarget(run, request);
  return { ...outcome, exitCode: countedExitCode(outcome) };
}

/** Returns the command that applies a plan, without options of plans alone; undefined if no command can. */
function nextOf({ commandLine }: Target, plan: Plan): string | undefined {
  if (!hasChanges(plan) || !mayBeConfirmed(plan)) return undefined;
  const line = commandLine.replace(/ plan(?= |$)/, " apply");
  const planOnly = / --?(?:detailed-exitcode|html[ =]|json-into[ =]|format[ =])/;
  return planOnly.test(line) ? "rnv apply, with the same options" : line;
}

/** Returns true if only unconfirmed deletions block the plan: apply asks for their addresses. */
const mayBeConfirmed = (plan: Plan): boolean =>
  plan.changes.every((change) => change.blockedBy === undefined || isUnconfirmed(change));

function savedLine(plan: Plan, file: string): string {
  const saved = `Saved the plan to ${file}.`;
  if (!isBlocked(plan)) return `${saved} To do exactly this: rnv apply ${file}\n`;
  if (!mayBeConfirmed(plan)) return `${saved} It is blocked: resolve that, and plan again.\n`;
  const unconfirmed = counted(plan.changes.filter(isUnconfirmed).length, "unconfirmed deletion");
  return `${saved} ${unconfirmed}: rnv apply ${file} asks for each address. In CI, pass --confirm-delete ADDRESS for each.\n`;
}

/** Prints a plan. The text of a plan with errors goes to standard error, so that no pipe reads it as a plan. */
export function showPlan(screen: Screen, plan: Plan, options?: PlanTextOptions): void {
  const { terminal, format } = screen;
  if (format === "json") terminal.out(jsonText(planDocument(plan)));
  else if (format === "markdown") terminal.out(planMarkdown(plan));
  else if (hasErrors(plan.diagnostics)) terminal.err(planText(plan, terminal.errStyle, options));
  else terminal.out(planText(plan, terminal.style, options));
  if (format === "text") annotate(screen, plan.diagnostics);
}

/** Prints the plan of an outcome, if any, then findings that the plan lacks. */
export function showOutcome(screen: Screen, outcome: PlanOutcome, options?: PlanTextOptions): void {
  const { plan, diagnostics } = outcome;
  if (plan) showPlan(screen, plan, options);
  report(screen, otherDiagnostics(plan, diagnostics));
}

/** Returns the findings that a printed plan lacks. */
export const otherDiagnostics = (plan: Plan | undefined, diagnostics: readonly Diagnostic[]) =>
  diagnostics.filter((found) => plan?.diagnostics.includes(found) !== true);

export function planRequestOf(given: SharedValues, target: Target, mode = modeOf(given)): PlanRequest {
  const own = (addresses: readonly string[] = []): readonly string[] =>
    addresses.filter((address) => target.recorded?.has(address) ?? true);
  const { overridePolicy, maxMonthlyIncrease, maxMonthlyTotal } = given;
  return {
    mode,
    files: target.files,
    targets: given.target ?? [],
    excludes: given.exclude ?? [],
    replace: own(given.replace),
    adopt: given.adopt ?? false,
    allowEmpty: given.allowEmpty ?? false,
    confirmedDeletes: own(given.confirmDelete),
    confirmedConsumers: own(given.confirmConsumers),
    verifyValues: given.verifyValues ?? false,
    overridePolicies: overridePolicy ?? [],
    policies: policiesOf(target, given.policy),
    costLimits: [maxMonthlyIncrease, maxMonthlyTotal].filter((limit) => limit !== undefined),
    secrets: given.secrets === false ? "present" : "resolve",
  };
}

/** Returns the policies of RNV_POLICY, which no manifest can remove, and of `--policy`. */
export const policiesOf = ({ environment }: Request, named: readonly string[] = []): readonly string[] => [
  ...(environment.RNV_POLICY ?? "").split(",").flatMap((path) => path.trim() || []),
  ...named,
];

function modeOf({ destroy = false, refreshOnly = false, replace = [] }: SharedValues): PlanRequest["mode"] {
  const other = destroy ? "--destroy" : replace.length > 0 && "--replace";
  if (refreshOnly && other) throw usage(`${other} and --refresh-only exclude each other`);
  if (destroy) return "destroy";
  return refreshOnly ? "refresh-only" : "apply";
}

export const policyVerbs: VerbFamily = {
  name: "policy",
  summary: "Judge plans by rules in CEL",
  status: "beta",
  description:
    "Policies are rules that a plan must pass: rnv.policy.yaml beside the manifest, --policy and RNV_POLICY.",
  verbs: [
    defineVerb({
      name: "check",
      arguments: { planFile: argument("<planfile>") },
      summary: "Judge a saved plan, without the platform",
      detail:
        "By rnv.policy.yaml beside its manifest, by --policy and RNV_POLICY. A saved plan holds what is declared and recorded: " +
        "a policy that asks for another field cannot be evaluated, and fails. Exit 4 when one fails that is not advisory.",
      options: pick("policy", "json"),
      examples: [
        ["rnv policy check plan.rnvplan", "by the policies beside the manifest"],
        ["rnv policy check --policy platform/ plan.rnvplan", "by those of a folder, too"],
      ],
      run: async ({ planFile, policy, json }, { target, screen }) => {
        const policies = policiesOf(target, policy);
        const { checks, diagnostics } = await checkSavedPlan(target.cwd, readText(planFile), policies);
        if (json) screen.terminal.out(jsonText({ format_version: "1.0", checks }));
        report(screen, diagnostics);
        const { title, counts } = checkWords(checks);
        if (!json && checks.length > 0) screen.terminal.tell(`${title}: ${counts}.\n`);
        return checks.some(stopsPlan) ? exitCodes.refused : exitCodeOf(diagnostics);
      },
    }),
  ],
};
