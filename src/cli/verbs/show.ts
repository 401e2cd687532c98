import { Option } from "commander";
import { parseJson } from "../../api/transport";
import { shownState } from "../../commands/load";
import { DiagnosticsError, error, failure } from "../../diagnostics/diagnostic";
import { didYouMean } from "../../diagnostics/suggest";
import { isHiddenOutput } from "../../model/desired";
import { pastRuns } from "../../model/history";
import type { State } from "../../model/state";
import type { Plan } from "../../plan/plan";
import { planDocumentSchema } from "../../plan/plan-schema";
import { planFromDocument } from "../../plan/read-document";
import { readSavedPlan, type SavedPlan } from "../../plan/saved-plan";
import { escapeJson, escapeText, jsonText } from "../../report/escape-text";
import { outputsJson, outputsText, stateJson, stateMarkdown, stateText } from "../../report/state-text";
import { historyJson, historyText } from "../../report/status-text";
import { parseState } from "../../state/state-text";
import { stateOf, withContext } from "../context";
import { readText } from "../files";
import { formatOf, type Invocation, type OptionValues } from "../invocation";
import { options, positive, stateOptions } from "../options";
import { writePage } from "../page-file";
import { outStyle } from "../report";
import { refuseMisplaced } from "../targets";
import { showPlan } from "./plan";
import type { Verb } from "./verb";

export const showVerb: Verb = {
  usage: "show [file]",
  stacks: { use: "one", takesPlan: true },
  summary: "Show the recorded state, a saved plan, or a state file",
  options: [options.state, options.stack, options.format, options.json, options.html, options.verbose],
  examples: [
    ["rnv show", "what the state records"],
    ["rnv show plan.rnvplan", "a saved plan"],
    ["rnv show -html plan.html plan.rnvplan", "its page, as it was when it was made"],
    ["rnv show backup.json", "a state file"],
    ["rnv show -json plan.rnvplan", "in the shape of `terraform show -json`"],
  ],
  handler: async (invocation) => {
    const [planFile] = invocation.positional as readonly (string | undefined)[];
    if (planFile === undefined) return showState(invocation, await stateOf(invocation));
    refuseMisplaced(planFile, "rnv validate -print -f", "rnv state show");
    const text = readText(planFile);
    const document = parseJson(text) as { readonly format?: unknown } | null | undefined;
    if (String(document?.format).startsWith("rnv-state"))
      return showState(invocation, parseState(text, planFile).state);
    const { document: saved, plan } = readPlanFile(planFile, text);
    const format = formatOf(invocation.options);
    // As it was when it was made: what only apply needs of a plan is not read back.
    if (format === "json") invocation.terminal.out(jsonText(planDocumentSchema.parse(saved.plan)));
    else showPlan(invocation, plan, format);
    const { stage, stack } = saved.request;
    writePage(invocation, (make, { types }) => make.planPage(saved.plan, { types, stage, stack }));
    return 0;
  },
};

export function readPlanFile(
  file: string,
  text = readText(file),
): { readonly document: SavedPlan; readonly plan: Plan } {
  const { document, diagnostics } = readSavedPlan(text);
  const plan = document && planFromDocument(document.plan);
  if (document && plan) return { document, plan };
  const damaged = error("plan.damaged", `${file} is not a saved plan of this version`, {
    hint: "make it again: rnv plan -out",
  });
  throw new DiagnosticsError(diagnostics.length > 0 ? diagnostics : [damaged]);
}

async function showState(invocation: Invocation, recorded: State | undefined): Promise<number> {
  const { terminal, options } = invocation;
  const state = recorded && (await withContext(invocation, (context) => shownState(context, recorded)));
  const format = formatOf(options);
  if (format === "json")
    terminal.out(state ? stateJson(state) : `${escapeJson({ format_version: "1.0" })}\n`);
  else if (format === "markdown") terminal.out(stateMarkdown(state));
  else terminal.out(stateText(state, outStyle(invocation)));
  if (state) writePage(invocation, (make, scope) => make.statePage(state, scope));
  return 0;
}

export const outputVerb: Verb = {
  usage: "output [name]",
  summary: "Print outputs of the last apply",
  options: [...stateOptions, new Option("--raw", "one value as it is, without quotes")],
  examples: [
    ["rnv output", "all of them"],
    ["rnv output -raw apiUrl", "one, for a script"],
    ["rnv output -json", "all, as JSON"],
  ],
  // Of several stacks it prints all, stack by stack.
  stacks: { use: "each" },
  handler: async (invocation) => {
    const { terminal, positional, options } = invocation;
    const name = positional[0] as string | undefined;
    const { outputs = {} } = (await stateOf(invocation)) ?? {};
    if (name !== undefined && !Object.hasOwn(outputs, name)) {
      const hint = didYouMean(name, Object.keys(outputs)) ?? "outputs are recorded by apply";
      throw failure("command.usage", `there is no output "${name}"`, { hint });
    }
    const hidden = Object.keys(outputs).filter((one) => isHiddenOutput(outputs[one]));
    if (name !== undefined || options.raw === true) terminal.out(oneOutput(name, outputs, options));
    else if (options.json === true) terminal.out(outputsJson(outputs));
    else if (Object.keys(outputs).length === 0) terminal.err("There are no outputs.\n");
    else {
      const text = outputsText(outputs).trimEnd();
      if (text !== "") terminal.out(`${text}\n`);
      if (hidden.length > 0)
        terminal.err(`Sensitive, and not shown: ${hidden.sort().map(escapeText).join(", ")}.\n`);
    }
  },
};

/** One output, as JSON, or with `raw` as a script wants it: no quotes, no line break. */
function oneOutput(name: string | undefined, outputs: State["outputs"], { raw, json }: OptionValues): string {
  const value = name === undefined ? undefined : outputs[name];
  const isHidden = isHiddenOutput(value);
  // A script must not take the mask for the value.
  if (isHidden && (json !== true || raw === true)) {
    const summary = `the output "${name}" is sensitive: its value is neither shown nor recorded`;
    throw failure("command.usage", summary, { hint: "rnv output -json lists it, masked" });
  }
  if (raw !== true) return `${escapeJson(isHidden ? "(sensitive)" : value)}\n`;
  // Anything but a scalar has no such form.
  if (value !== null && ["string", "number", "boolean"].includes(typeof value)) return String(value);
  const summary =
    name === undefined ? "-raw needs the name of one output" : `-raw: output "${name}" is not a text`;
  throw failure("command.usage", summary, { hint: "-json prints any of them" });
}

export const historyVerb: Verb = {
  usage: "history",
  summary: "List the last runs that changed anything: who, when, which commit, how they ended",
  detail:
    "The state keeps the last 50, newest first. A run that found nothing to change is none of them: it writes no state. A " +
    "run that was killed is listed without an end.",
  options: [
    options.state,
    options.stack,
    new Option("-n, --limit <n>", "only the last n").argParser(positive),
    new Option("--format <format>", "how to show it").choices(["text", "json"]).default("text"),
    options.json,
  ],
  examples: [
    ["rnv history", "the last runs"],
    ["rnv history --stage production -n 1 -json", "the last run of a stage, for a program"],
  ],
  handler: async (invocation) => {
    const { terminal, options } = invocation;
    const state = await stateOf(invocation);
    const limit = options.limit as number | undefined;
    const runs = (state === undefined ? [] : pastRuns(state)).slice(0, limit);
    const history = { stage: state?.stage, stack: state?.stack, runs };
    if (formatOf(options) === "json") terminal.out(jsonText(historyJson(history)));
    else if (runs.length > 0) terminal.out(historyText(history, Date.now(), outStyle(invocation)));
    else terminal.err("No run is recorded yet.\n");
  },
};
