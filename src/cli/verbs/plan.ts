import { Option } from "commander";
import { checkSavedPlan } from "../../commands/check-policies";
import { type CostLimit, type PlanRequest, planRequest } from "../../commands/context";
import { countedExitCode, type PlanOutcome, plan } from "../../commands/plan";
import { validate } from "../../commands/validate";
import type { CrossValue } from "../../declaration/load-request";
import { type Diagnostic, exitCodeOf, failure, hasErrors } from "../../diagnostics/diagnostic";
import { stopsPlan } from "../../model/policy";
import { isUnconfirmed } from "../../plan/guards";
import { hasChanges, isBlocked, type Plan } from "../../plan/plan";
import { diagnosticsJson } from "../../report/diagnostics";
import { jsonText } from "../../report/escape-text";
import { planJson, planMarkdown, planText } from "../../report/plan-text";
import { checkWords, counted } from "../../report/plan-wording";
import { sourcesOf, tellTarget, withContext } from "../context";
import { readText, writeWholeFile } from "../files";
import { type Format, formatOf, type Invocation, listOf, type OptionValues } from "../invocation";
import { options, planningOptions, policyOptions, readingOptions, sourceOptions } from "../options";
import { savedPlanOf, writeJsonInto, writePlanPage } from "../page-file";
import { annotate, errorDocument, errStyle, exitCodes, failureOf, outStyle, report } from "../report";
import { warnOfUndeclared } from "../stages";
import type { Verb, VerbFamily } from "./verb";

export const validateVerb: Verb = {
  usage: "validate [stack...]",
  stacks: { use: "each", others: "none" },
  summary: "Check the manifest without the service",
  options: [
    ...sourceOptions,
    options.policy,
    options.json,
    new Option("--print", "print the merged manifest: what all files say together, secrets as their sources"),
  ],
  examples: [
    ["rnv validate", "the default files"],
    ["rnv validate -f rnv.yaml -f production.yaml -print", "what an overlay makes of the manifest"],
  ],
  handler: async (invocation) => {
    const { terminal, options } = invocation;
    if (options.json === true && options.print === true)
      throw failure("command.usage", "--json and --print exclude each other");
    const request = { files: listOf(options.file), policies: policiesOf(invocation) };
    const outcome = await validate(sourcesOf(invocation), request);
    const { diagnostics, desired, exitCode } = outcome;
    if (options.json) {
      terminal.out(diagnosticsJson(diagnostics));
      return exitCode;
    }
    report(invocation, diagnostics);
    if (exitCode !== 0) return exitCode;
    const success = outStyle(invocation).colors.green("Success!");
    const count = counted(desired?.resources.size ?? 0, "resource");
    if (options.print !== true) terminal.out(`${success} The manifest is valid: ${count}.\n`);
    else if (outcome.merged) terminal.out(outcome.merged());
    else
      throw failure("command.usage", "--print writes manifests, not stacks", {
        hint: "a synthesized stack is one text already: cdktf.out/stacks/…/cdk.tf.json",
      });
    return exitCode;
  },
};

export const planVerb: Verb = {
  usage: "plan [stack...]",
  stacks: { use: "each", others: "needed" },
  summary: "Show what apply would do",
  detail: "Reads the service, writes nothing and takes no lock.",
  daily: ["file", "stage", "target", "out", "confirmDelete", "json"],
  options: [
    ...planningOptions,
    ...policyOptions,
    options.refreshOnly,
    options.destroy,
    options.noSecrets,
    options.verifyValues,
    new Option("-o, --out <file>", "save the plan, to apply exactly this later"),
    options.detailedExitcode,
    ...readingOptions,
    options.jsonInto,
    options.html,
    options.verbose,
  ],
  examples: [
    ["rnv plan", "the default files"],
    ['rnv plan --app "npx tsx main.ts"', "what a program of CDKTF constructs describes"],
    ["rnv plan 'prod-*'", "some of its stacks; each has a state of its own"],
    ["rnv plan -out plan.rnvplan", "save it: apply then does exactly this"],
    ["rnv plan -out plan.rnvplan --confirm-delete service.shop.worker", "with a deletion confirmed"],
    ["rnv plan -detailed-exitcode", "exit 2 when there are changes, 4 when one is blocked"],
    ["rnv plan --no-secrets --format markdown", "for a comment on a pull request"],
    ["rnv plan -target service.shop.api", "one service and what it needs"],
    ["rnv plan -html plan.html", "a page for reviewers, too"],
  ],
  handler: async (invocation) => {
    const { options, terminal } = invocation;
    const out = options.out as string | undefined;
    const request = { ...judgedRequestOf(invocation), isSaved: out !== undefined };
    const format = formatOf(options);
    tellTarget(invocation);
    const outcome = await planTarget(invocation, request);
    const { diagnostics, exitCode } = outcome;
    writeJsonInto(invocation, () => (outcome.plan ? planJson(outcome.plan) : errorDocument(diagnostics)));
    if (!outcome.plan && format === "json") terminal.out(errorDocument(diagnostics));
    if (outcome.plan) showPlan(invocation, outcome.plan, format, nextOf(invocation, outcome.plan, exitCode));
    report(invocation, [
      ...otherDiagnostics(outcome.plan, diagnostics, format),
      ...(await warnOfUndeclared(invocation)),
    ]);
    if (outcome.plan) writePlanPage(invocation, outcome.plan);
    if (!outcome.plan || exitCode !== 0) return exitCode;
    if (out !== undefined) {
      writeWholeFile(out, savedPlanOf(invocation, request, outcome.plan, outcome));
      terminal.err(savedLine(outcome.plan, out));
    }
    return options.detailedExitcode === true ? countedExitCode(outcome) : exitCode;
  },
};

/** Makes a plan of the invocation's stage and stack, and tells its outputs to the stacks that need them. */
async function planTarget(invocation: Invocation, request: PlanRequest): Promise<PlanOutcome> {
  const outcome: PlanOutcome = await withContext(invocation, (context) => plan(context, request)).catch(
    (cause: unknown) => failureOf(cause, invocation.signal.aborted),
  );
  if (!outcome.plan) return outcome;
  // As other stacks may use them. A secret is not among them.
  const outputs = Object.entries(outcome.plan.plannedOutputs).flatMap(([name, value]) =>
    value.kind === "value" || value.kind === "unknown" ? [[name, value as CrossValue] as const] : [],
  );
  invocation.stack?.tellOutputs?.(new Map(outputs));
  return outcome;
}

/** Makes a plan whose changes count: its exit code is 2 with changes, 4 when one is blocked. */
export async function countedPlan(invocation: Invocation, request: PlanRequest): Promise<PlanOutcome> {
  const outcome = await planTarget(invocation, request);
  return { ...outcome, exitCode: countedExitCode(outcome) };
}

/** Returns the command that applies a plan; undefined where none does, or where another line names it. */
function nextOf(
  { options, stack, commandLine }: Invocation,
  plan: Plan,
  exitCode: number,
): string | undefined {
  // Where it is saved, that is told with the file's name; options that only a plan has are not repeated.
  const isOther = options.secrets === false || stack?.sharesRun === true || typeof options.out === "string";
  const isAppliable = exitCode === 0 && hasChanges(plan) && mayBeConfirmed(plan);
  if (isOther || !isAppliable) return undefined;
  const line = commandLine.replace(/ plan(?= |$)/, " apply");
  const planOnly = / --?(?:detailed-exitcode|html[ =]|json-into[ =]|format[ =])/;
  return planOnly.test(line) ? "rnv apply, with the same options" : line;
}

/** Nothing blocks it but deletions, whose names apply asks for. */
const mayBeConfirmed = (plan: Plan): boolean =>
  plan.changes.every((change) => change.blockedBy === undefined || isUnconfirmed(change));

function savedLine(plan: Plan, file: string): string {
  const saved = `Saved the plan to ${file}.`;
  if (!isBlocked(plan)) return `${saved} To do exactly this: rnv apply ${file}\n`;
  if (!mayBeConfirmed(plan)) return `${saved} It is blocked: resolve that, and plan again.\n`;
  const unconfirmed = counted(plan.changes.filter(isUnconfirmed).length, "unconfirmed deletion");
  return `${saved} ${unconfirmed}: rnv apply ${file} asks for each name. In CI, pass --confirm-delete ADDRESS for each.\n`;
}

/**
 * Prints a plan on standard output. One with errors is an error report: its text goes to standard error, so that a
 * pipe never takes it for a plan. A terminal, where the end is what is seen, gets losses and the bill again there,
 * and the command that comes `next`; a pipe gets what it always got.
 */
export function showPlan(invocation: Invocation, plan: Plan, format: Format, next?: string): void {
  const { terminal } = invocation;
  const shown = { verbose: invocation.options.verbose === true };
  const ending = terminal.width === undefined ? undefined : { next };
  if (format === "json") terminal.out(planJson(plan));
  else if (format === "markdown") terminal.out(planMarkdown(plan));
  else if (hasErrors(plan.diagnostics)) terminal.err(planText(plan, errStyle(invocation), shown));
  else terminal.out(planText(plan, outStyle(invocation), { ...shown, ending }));
  if (format === "text") annotate(invocation, plan.diagnostics);
}

/** Shows what a command came to as text: its plan, where it made one, then what the plan does not say. */
export function showOutcome(
  invocation: Invocation,
  { plan, diagnostics }: Pick<PlanOutcome, "plan" | "diagnostics">,
): void {
  if (plan) showPlan(invocation, plan, "text");
  report(invocation, otherDiagnostics(plan, diagnostics, "text"));
}

export const otherDiagnostics = (
  plan: Plan | undefined,
  diagnostics: readonly Diagnostic[],
  format: Format,
): readonly Diagnostic[] =>
  format === "text" && plan !== undefined
    ? diagnostics.filter((found) => !plan.diagnostics.includes(found))
    : diagnostics;

export function planRequestOf(
  options: OptionValues,
  mode: PlanRequest["mode"] = modeOf(options),
): PlanRequest {
  return {
    ...planRequest,
    files: listOf(options.file),
    mode,
    targets: listOf(options.target),
    excludes: listOf(options.exclude),
    replace: listOf(options.replace),
    adopt: options.adopt === true,
    allowEmpty: options.allowEmpty === true,
    confirmedDeletes: listOf(options.confirmDelete),
    confirmedConsumers: listOf(options.confirmConsumers),
    verifyValues: options.verifyValues === true,
    overridePolicies: listOf(options.overridePolicy),
    costLimits: [options.maxMonthlyIncrease, options.maxMonthlyTotal].flatMap(
      (one) => (one as CostLimit) ?? [],
    ),
  };
}

export const judgedRequestOf = (invocation: Invocation, mode?: PlanRequest["mode"]): PlanRequest => ({
  ...planRequestOf(invocation.options, mode),
  policies: policiesOf(invocation),
  // What `--no-secrets` leaves of an option that is on unless said.
  secrets: invocation.options.secrets === false ? "present" : "resolve",
});

/** The policies that a run names, in its options or its environment: a manifest cannot take those of the latter away. */
export const policiesOf = ({ options, environment }: Invocation): readonly string[] => [
  ...(environment.RNV_POLICY ?? "").split(",").flatMap((path) => path.trim() || []),
  ...listOf(options.policy),
];

function modeOf(options: OptionValues): PlanRequest["mode"] {
  const other = options.destroy === true ? "--destroy" : listOf(options.replace).length > 0 && "--replace";
  if (options.refreshOnly === true && other)
    throw failure("command.usage", `${other} and --refresh-only exclude each other`);
  if (options.destroy === true) return "destroy";
  return options.refreshOnly === true ? "refresh-only" : "apply";
}

export const policyVerbs: VerbFamily = {
  name: "policy",
  summary: "Judge plans by rules in CEL",
  status: "beta",
  description:
    "Policies are rules that a plan must pass: rnv.policy.yaml beside the manifest, --policy and RNV_POLICY.",
  verbs: [
    {
      usage: "check <planfile>",
      summary: "Judge a saved plan, without the service",
      detail:
        "By rnv.policy.yaml beside its manifest, by --policy and RNV_POLICY. A saved plan holds what is declared and recorded: " +
        "a policy that asks for another field cannot be judged, and fails. Exit 4 when one fails that is not advisory.",
      options: [options.policy, options.json],
      examples: [
        ["rnv policy check plan.rnvplan", "by the policies beside the manifest"],
        ["rnv policy check --policy platform/ plan.rnvplan", "by those of a folder, too"],
      ],
      handler: async (invocation) => {
        const { positional, terminal, options: given, cwd } = invocation;
        const [file] = positional as readonly [string];
        const { checks, diagnostics } = await checkSavedPlan(cwd, readText(file), policiesOf(invocation));
        if (given.json === true) terminal.out(jsonText({ format_version: "1.0", checks }));
        report(invocation, diagnostics);
        const { title, counts } = checkWords(checks);
        if (given.json !== true && checks.length > 0) terminal.out(`${title}: ${counts}.\n`);
        if (checks.some(stopsPlan)) return exitCodes.refused;
        return exitCodeOf(diagnostics);
      },
    },
  ],
};
