import { InvalidArgumentError, Option } from "commander";
import { type CostLimit, type PlanRequest, planRequest } from "../../commands/context";
import { type DriftOutcome, type DriftRequest, drift } from "../../commands/drift";
import { plan } from "../../commands/plan";
import { show } from "../../commands/state-verbs";
import { type ValidateOutcome, validate } from "../../commands/validate";
import { type Diagnostic, DiagnosticsError, error, hasErrors } from "../../diagnostics/diagnostic";
import { didYouMean } from "../../diagnostics/suggest";
import type { CrossValue } from "../../manifest/context";
import { readAcceptances } from "../../manifest/drift-file";
import { stageText } from "../../model/stage";
import type { State } from "../../model/state";
import { acceptanceUnused, isOfOneStage } from "../../plan/accepted-drift";
import { type DriftClass, type DriftReport, driftClasses } from "../../plan/drift";
import { isUnconfirmed } from "../../plan/guards";
import { hasChanges, type Plan } from "../../plan/plan";
import { readSavedPlan, type SavedPlan, savePlan } from "../../plan/saved-plan";
import { diagnosticsJson } from "../../render/diagnostics";
import { driftJson } from "../../render/drift-json";
import { driftMarkdown, driftText } from "../../render/drift-text";
import { escapeJson, fencedBlock } from "../../render/escape-text";
import { planDocumentSchema, planFromDocument, planJson } from "../../render/plan-json";
import { planMarkdown } from "../../render/plan-markdown";
import { planText } from "../../render/plan-text";
import { counted, isBlocked } from "../../render/plan-wording";
import { stateJson, stateText } from "../../render/state-text";
import { plainStyle } from "../../render/style";
import { parseState } from "../../state/state-text";
import { sourcesOf, withContext } from "../context";
import { readText, writeWholeFile } from "../files";
import { type Format, formatOf, type Invocation, listOf, type OptionValues } from "../invocation";
import { ignoredOptions, options, planningOptions, policyOptions, scopeOptions } from "../options";
import { pageFileOf, writeDriftPage, writePlanPage, writeSavedPage, writeStatePage } from "../page-file";
import { annotate, errorDocument, errStyle, exitCodes, outStyle, report } from "../report";
import type { Verb } from "./verb";

export const validateVerb: Verb = {
  usage: "validate [stack...]",
  stacks: { use: "each", others: "none" },
  summary: "Check the manifest without the service",
  options: [
    options.file,
    options.app,
    options.untrusted,
    options.stack,
    options.policy,
    options.json,
    new Option("--print", "print the merged manifest: what all files say together, secrets as their sources"),
  ],
  examples: [
    ["rnv validate", "the default files"],
    ["rnv validate -f rnv.yaml -f production.yaml -print", "what an overlay makes of the manifest"],
  ],
  handler: runValidate,
};

async function runValidate(invocation: Invocation): Promise<number> {
  const { terminal, options } = invocation;
  if (options.json === true && options.print === true)
    throw new DiagnosticsError([error("command.usage", "--json and --print exclude each other")]);
  const outcome = await validate(sourcesOf(invocation), {
    files: listOf(options.file),
    policies: policiesOf(invocation),
  });
  const { diagnostics, sources, desired, exitCode } = outcome;
  if (options.json) {
    terminal.out(diagnosticsJson(diagnostics, sources));
    return exitCode;
  }
  report(invocation, diagnostics, sources);
  if (exitCode !== 0) return exitCode;
  const success = outStyle(invocation).colors.green("Success!");
  const count = counted(desired?.resources.size ?? 0, "resource");
  terminal.out(options.print === true ? printed(outcome) : `${success} The manifest is valid: ${count}.\n`);
  return exitCode;
}

function printed({ merged }: ValidateOutcome): string {
  if (merged !== undefined) return merged();
  const hint = "a synthesized stack is one text already: cdktf.out/stacks/…/cdk.tf.json";
  throw new DiagnosticsError([error("command.usage", "--print writes manifests, not stacks", { hint })]);
}

export const planVerb: Verb = {
  usage: "plan [stack...]",
  stacks: { use: "each", others: "needed" },
  summary: "Show what apply would do",
  detail: "Reads the service, writes nothing and takes no lock.",
  options: [
    ...planningOptions,
    ...policyOptions,
    options.refreshOnly,
    options.destroy,
    new Option(
      "--no-secrets",
      "leave values unchecked whose source is not here: a pull request needs no secret of production",
    ),
    options.verifyValues,
    new Option("-o, --out <file>", "save the plan, to apply exactly this later"),
    new Option("--detailed-exitcode", "exit 2 when there are changes, 4 when one is blocked"),
    options.answerTimeout,
    ...ignoredOptions,
    options.format,
    options.json,
    options.html,
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
  handler: runPlan,
};

async function runPlan(invocation: Invocation): Promise<number> {
  const { options, terminal } = invocation;
  const request: PlanRequest = {
    ...planRequestOf(options),
    policies: policiesOf(invocation),
    isSaved: typeof options.out === "string",
    // What `--no-secrets` leaves of an option that is on unless said.
    secrets: options.secrets === false ? "present" : "resolve",
  };
  if (request.isSaved === true && invocation.stack?.sharesRun === true) throw onePlanEach();
  pageFileOf(invocation);
  const format = formatOf(options);
  const outcome = await withContext(invocation, (context) => plan(context, request));
  const { diagnostics, sources, exitCode } = outcome;
  if (outcome.plan) invocation.stack?.tellOutputs(crossValuesOf(outcome.plan));
  if (!outcome.plan && format === "json") terminal.out(errorDocument(diagnostics, sources));
  if (outcome.plan)
    showPlan(invocation, outcome.plan, format, sources, nextOf(invocation, outcome.plan, exitCode));
  report(invocation, otherDiagnostics(outcome.plan, diagnostics, format), sources);
  if (outcome.plan) writePlanPage(invocation, outcome.plan, sources);
  if (!outcome.plan || exitCode !== 0) return exitCode;
  if (typeof options.out === "string") {
    writeWholeFile(
      options.out,
      savePlan(outcome.plan, {
        files: request.files,
        stack: invocation.stack?.name,
        stage: invocation.stage ? stageText(invocation.stage) : undefined,
        overridePolicies: request.overridePolicies,
        revealed: outcome.revealed,
        sources,
      }),
    );
    terminal.err(savedLine(outcome.plan, options.out));
  }
  if (options.detailedExitcode !== true) return exitCode;
  if (isBlocked(outcome.plan)) return exitCodes.refused;
  return hasChanges(outcome.plan) ? exitCodes.changes : exitCode;
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
  const planOnly = / --?(?:detailed-exitcode|html[ =]|format[ =])/;
  return planOnly.test(line) ? "rnv apply, with the same options" : line;
}

/** Nothing blocks it but deletions, whose names apply asks for. */
const mayBeConfirmed = (plan: Plan): boolean =>
  plan.changes.every(({ guard }) => guard === undefined || isUnconfirmed({ guard }));

const onePlanEach = (): DiagnosticsError =>
  new DiagnosticsError([
    error("command.usage", "--out saves the plan of one stack, and several are planned", {
      hint: "name one: rnv plan STACK -out FILE",
    }),
  ]);

/** Outputs as other stacks may use them. A secret is not among them. */
const crossValuesOf = ({ plannedOutputs }: Plan): ReadonlyMap<string, CrossValue> =>
  new Map(
    Object.entries(plannedOutputs).flatMap(([name, value]): [string, CrossValue][] =>
      value.kind === "value" || value.kind === "unknown" ? [[name, value as CrossValue]] : [],
    ),
  );

/** Says how to apply the plan, and what that still needs. */
function savedLine(plan: Plan, file: string): string {
  const saved = `Saved the plan to ${file}.`;
  if (!isBlocked(plan)) return `${saved} To do exactly this: rnv apply ${file}\n`;
  if (!mayBeConfirmed(plan)) return `${saved} It is blocked: resolve that, and plan again.\n`;
  return `${saved} It deletes what nobody has confirmed yet: rnv apply ${file} asks for the names at a terminal, and takes --confirm-delete ADDRESS elsewhere.\n`;
}

export const showVerb: Verb = {
  usage: "show [file]",
  stacks: { use: "one", takesPlan: true },
  summary: "Show the recorded state, a saved plan, or a state file",
  options: [options.state, options.stack, options.format, options.json, options.html],
  examples: [
    ["rnv show", "what the state records"],
    ["rnv show plan.rnvplan", "a saved plan"],
    ["rnv show -html plan.html plan.rnvplan", "its page, as it was when it was made"],
    ["rnv show backup.json", "a state file"],
    ["rnv show -json plan.rnvplan", "in the shape of `terraform show -json`"],
  ],
  handler: runShow,
};

async function runShow(invocation: Invocation): Promise<number> {
  const [planFile] = invocation.positional as readonly (string | undefined)[];
  if (planFile === undefined) return showState(invocation);
  const text = readText(planFile);
  if (isStateText(text)) return showState(invocation, async () => stateIn(text, planFile));
  const { document, plan } = planIn(text, planFile);
  const format = formatOf(invocation.options);
  // As it was when it was made: what only apply needs of a plan is not read back.
  if (format === "json")
    invocation.terminal.out(`${escapeJson(planDocumentSchema.parse(document.plan), 2)}\n`);
  else showPlan(invocation, plan, format);
  writeSavedPage(invocation, document);
  return 0;
}

/** Reads a saved plan, to show it. */
export const readPlanFile = (file: string) => planIn(readText(file), file);

function planIn(text: string, name: string): { readonly document: SavedPlan; readonly plan: Plan } {
  const { document, diagnostics } = readSavedPlan(text);
  const plan = document && planFromDocument(document.plan);
  if (document && plan) return { document, plan };
  const damaged = error("plan.damaged", `${name} is not a saved plan of this version`, {
    hint: "make it again: rnv plan -out",
  });
  throw new DiagnosticsError(diagnostics.length > 0 ? diagnostics : [damaged], 5);
}

function isStateText(text: string): boolean {
  try {
    const document = JSON.parse(text) as { readonly format?: unknown } | null;
    return String(document?.format).startsWith("rnv-state");
  } catch {
    return false;
  }
}

function stateIn(text: string, name: string): State {
  const { state, diagnostics } = parseState(text, name);
  if (state) return state;
  const hint = "one that is encrypted is read where its key is: rnv show -state FILE";
  throw new DiagnosticsError(diagnostics.map((found) => ({ hint, ...found })));
}

async function showState(
  invocation: Invocation,
  read = async () => (await withContext(invocation, (context) => show(context))).state,
): Promise<number> {
  const { terminal, options } = invocation;
  const state = await read();
  const format = formatOf(options);
  if (state === undefined)
    terminal.out(format === "json" ? `${escapeJson({ format_version: "1.0" })}\n` : "The state is empty.\n");
  else if (format === "json") terminal.out(stateJson(state));
  else if (format === "markdown")
    terminal.out(`${fencedBlock(stateText(state, plainStyle).trimEnd().split("\n"))}\n`);
  else terminal.out(stateText(state, outStyle(invocation)));
  if (state) writeStatePage(invocation, state);
  return 0;
}

/**
 * Prints a plan on standard output. One with errors is an error report: its text goes to standard error, so that a
 * pipe never takes it for a plan. A terminal, where the end is what is seen, gets losses and the bill once more there,
 * and the command that comes `next`; a pipe gets what it always got.
 */
export function showPlan(
  invocation: Invocation,
  plan: Plan,
  format: Format,
  sources: ReadonlyMap<string, string> = new Map(),
  next?: string,
): void {
  const { terminal } = invocation;
  if (format === "json") terminal.out(planJson(plan, sources));
  else if (format === "markdown") terminal.out(planMarkdown(plan));
  else if (hasErrors(plan.diagnostics)) terminal.err(planText(plan, errStyle(invocation), sources));
  else
    terminal.out(
      planText(plan, outStyle(invocation), sources, terminal.width === undefined ? undefined : { next }),
    );
  if (format === "text") annotate(invocation, plan.diagnostics, sources);
}

/** Returns the diagnostics that the text of the plan does not show. */
export const otherDiagnostics = (
  plan: Plan | undefined,
  diagnostics: readonly Diagnostic[],
  format: Format,
): readonly Diagnostic[] =>
  format === "text" && plan !== undefined
    ? diagnostics.filter((found) => !plan.diagnostics.includes(found))
    : diagnostics;

/** Makes the request of a plan from the options of a command line. */
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
    verifyValues: options.verifyValues === true,
    overridePolicies: listOf(options.overridePolicy),
    costLimits: costLimitsOf(options),
  };
}

function costLimitsOf({ maxMonthlyIncrease, maxMonthlyTotal }: OptionValues): readonly CostLimit[] {
  type Amount = Omit<CostLimit, "kind">;
  return [
    ...(maxMonthlyIncrease ? [{ kind: "increase" as const, ...(maxMonthlyIncrease as Amount) }] : []),
    ...(maxMonthlyTotal ? [{ kind: "total" as const, ...(maxMonthlyTotal as Amount) }] : []),
  ];
}

/** The policies that a run names, in its options or its environment: a manifest cannot take those of the latter away. */
export const policiesOf = ({ options, environment }: Invocation): readonly string[] => [
  ...(environment.RNV_POLICY ?? "").split(",").flatMap((path) => path.trim() || []),
  ...listOf(options.policy),
];

function modeOf(options: OptionValues): PlanRequest["mode"] {
  if (options.destroy === true && options.refreshOnly === true) {
    throw new DiagnosticsError([error("command.usage", "--destroy and --refresh-only exclude each other")]);
  }
  if (options.destroy === true) return "destroy";
  return options.refreshOnly === true ? "refresh-only" : "apply";
}

/** What counts as drift. */
export const driftOptions = [
  failOn(),
  options.accept,
  new Option(
    "--strict",
    "exit 2 also for what nobody declares: services, projects, variables, settings not at their default",
  ),
  options.verifyValues,
];

export const driftVerb: Verb = {
  usage: "drift [stack...]",
  stacks: { use: "each" },
  summary: "Show what changed outside rnv",
  detail:
    "Exit 0 when nothing was changed or deleted, 2 when something was, 1 on an error. What is not applied " +
    "yet or not managed here is said too, and counts with --fail-on or --strict. What rnv.drift.yaml beside the " +
    "manifest accepts does not count until its day; an entry whose day is over is an error. " +
    "Needs no value of any variable and no RNV_STATE_KEY: no source of a secret is read, no command is " +
    "run. What changed shows by its time.",
  options: [
    ...scopeOptions,
    ...driftOptions,
    options.answerTimeout,
    ...ignoredOptions,
    options.format,
    options.json,
    options.html,
  ],
  examples: [
    ["rnv drift", "for people"],
    ["rnv drift -json", "for a scheduled job"],
    ["rnv drift -fail-on pending", "exit 2 also when the manifest is not applied"],
    ["rnv drift -strict", "exit 2 also for what nobody declares"],
  ],
  handler: runDrift,
};

async function runDrift(invocation: Invocation): Promise<number> {
  const { options, terminal } = invocation;
  const accepted = readAccepted(invocation);
  const request = { ...driftRequestOf(options), acceptances: accepted.acceptances };
  pageFileOf(invocation);
  const outcome = await withContext(invocation, (context) => drift(context, request));
  const sources = new Map([...outcome.sources, ...accepted.sources]);
  const unused = (outcome.judged?.unused ?? []).filter((entry) => !invocation.stage || isOfOneStage(entry));
  report(invocation, [...outcome.diagnostics, ...unused.map(acceptanceUnused)], sources);
  if (!isWhole(outcome) && formatOf(options) === "json")
    terminal.out(errorDocument(outcome.diagnostics, sources));
  if (outcome.report && isWhole(outcome)) terminal.out(textOf(outcome.report, formatOf(options), invocation));
  if (isWhole(outcome)) writeDriftPage(invocation, { ...outcome, sources });
  return outcome.exitCode;
}

/** Makes the request of a drift from the options of a command line. */
export const driftRequestOf = (options: OptionValues): DriftRequest => ({
  ...planRequestOf(options),
  failOn: (options.failOn as readonly DriftClass[] | undefined) ?? [],
  strict: options.strict === true,
});

/** After an error a report is incomplete: no drift must not be read into it. An entry that has expired is no such error. */
export const isWhole = ({ diagnostics }: DriftOutcome): boolean =>
  diagnostics.every(({ severity, code }) => severity !== "error" || code === "drift.acceptance_expired");

/** Reads the drift that is accepted; throws `DiagnosticsError` at a mistake in the file. */
export function readAccepted({ cwd, options }: Invocation): ReturnType<typeof readAcceptances> {
  const named = typeof options.accept === "string" ? options.accept : undefined;
  const read = readAcceptances({ cwd, files: listOf(options.file) }, named);
  if (hasErrors(read.diagnostics)) throw new DiagnosticsError(read.diagnostics, 1, read.sources);
  return read;
}

function textOf(found: DriftReport, format: Format, invocation: Invocation): string {
  if (format === "json") return driftJson(found);
  return format === "markdown" ? driftMarkdown(found) : driftText(found, outStyle(invocation));
}

/** Makes the option of the classes that count as drift. */
export function failOn(): Option {
  const option = new Option(
    "--fail-on <classes>",
    "exit 2 for these too, with commas between them; the first two always count",
  ).argParser(classesOfDrift);
  // For help and completion: `choices` would take one alone.
  option.argChoices = [...driftClasses];
  return option;
}

/** Parses `drifted,pending`; may be given more than once. */
function classesOfDrift(text: string, previous: readonly DriftClass[] = []): readonly DriftClass[] {
  const words = text.split(",").map((word) => word.trim());
  const unknown = words.find((word) => !(driftClasses as readonly string[]).includes(word));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, driftClasses) ?? `there are: ${driftClasses.join(", ")}`;
    throw new InvalidArgumentError(`"${unknown}" is no class of drift; ${hint}`);
  }
  return [...previous, ...(words as DriftClass[])];
}
