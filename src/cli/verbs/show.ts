import { parseJson } from "../../api/transport";
import { addresses } from "../../commands/context";
import { shownState } from "../../commands/load";
import { findRecorded } from "../../commands/state-verbs";
import { DiagnosticsError, error } from "../../diagnostics/diagnostic";
import { didYouMean } from "../../diagnostics/suggest";
import type { Address } from "../../model/address";
import { isHiddenOutput } from "../../model/desired";
import { pastRuns } from "../../model/history";
import type { PastRun, State } from "../../model/state";
import type { Plain } from "../../model/value";
import type { Plan } from "../../plan/plan";
import { planDocumentSchema } from "../../plan/plan-schema";
import { planFromDocument } from "../../plan/read-document";
import { readSavedPlan, type SavedPlan } from "../../plan/saved-plan";
import { versioned } from "../../report/documents";
import { escapeJson, escapeText, jsonText } from "../../report/escape-text";
import { historyText } from "../../report/history-text";
import { counted } from "../../report/plan-wording";
import { outputsDocument, outputsText, stateJson, stateMarkdown, stateText } from "../../report/state-list";
import { parseState } from "../../state/encode";
import { readText } from "../files";
import type { Run } from "../open-target";
import { argument, flag, parsed, pick, positive, textOrJson } from "../options";
import { scopeOf, writePage } from "../output-files";
import { refuseMisplaced } from "../resolve";
import { usage } from "../screen";
import { stateVerb } from "../verb";
import { showPlan } from "./plan";
import { isWithin } from "./state";

export const showVerb = stateVerb({
  name: "show",
  arguments: { words: argument("[file]") },
  takesPlan: true,
  summary: "Show the recorded state, a saved plan, or a state file",
  options: pick("format", "json", "html", "verbose"),
  examples: [
    ["rnv show plan.rnvplan", "a saved plan"],
    ["rnv show -html plan.html plan.rnvplan", "its page, as it was when it was made"],
    ["rnv show backup.json", "a state file"],
    ["rnv show -json plan.rnvplan", "in the shape of `terraform show -json`"],
  ],
  run: async ({ html, verbose }, run) => {
    const { screen } = run;
    const { planFile } = run.target;
    if (planFile === undefined) return showState(await run.context.backend.read(), run, html);
    refuseMisplaced(planFile, "rnv validate -print -f", "rnv state show");
    const text = readText(planFile);
    const document = parseJson(text) as { readonly format?: unknown } | null | undefined;
    if (String(document?.format).startsWith("rnv-state"))
      return showState(parseState(text, planFile).state, run, html);
    const { document: saved, plan } = readPlanFile(planFile, text);
    // Print the document of the saved plan: a plan that is read back lacks fields.
    if (screen.format === "json") screen.terminal.out(jsonText(planDocumentSchema.parse(saved.plan)));
    else showPlan(screen, plan, { verbose });
    writePage(screen, html, (make) => make.planPage(saved.plan, scopeOf(saved.request)));
    return 0;
  },
});

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

async function showState(recorded: State | undefined, run: Run, html: string | undefined): Promise<number> {
  const { target, screen, context } = run;
  const { terminal, format } = screen;
  const state = recorded && (await shownState(context, recorded));
  if (format === "json")
    terminal.out(state ? stateJson(state) : `${escapeJson({ format_version: "1.0" })}\n`);
  else if (format === "markdown") terminal.out(stateMarkdown(state));
  else terminal.out(stateText(state, terminal.style));
  if (state) writePage(screen, html, (make) => make.statePage(state, scopeOf(target)));
  return 0;
}

export const outputVerb = stateVerb({
  name: "output",
  // Without a name it prints the outputs of each stack.
  arguments: { words: argument("[name]") },
  scope: "each",
  summary: "Print outputs of the last apply",
  options: { ...pick("json"), raw: flag("--raw", "one value as it is, without quotes") },
  examples: [
    ["rnv output", "all of them"],
    ["rnv output -raw apiUrl", "one, for a script"],
  ],
  run: async ({ words: name, raw, json }, { context, screen: { terminal } }) => {
    const { outputs = {} } = (await context.backend.read()) ?? {};
    if (name !== undefined && !Object.hasOwn(outputs, name)) {
      const hint = didYouMean(name, Object.keys(outputs)) ?? "outputs are recorded by apply";
      throw usage(`there is no output "${name}"`, hint);
    }
    const hidden = Object.keys(outputs).filter((key) => isHiddenOutput(outputs[key]));
    if (name === undefined && raw)
      throw usage("-raw needs the name of one output", "-json prints any of them");
    if (name !== undefined) terminal.out(outputText(name, outputs[name], { raw, json }));
    else if (json) terminal.out(jsonText(outputsDocument(outputs)));
    else if (Object.keys(outputs).length === 0) terminal.err("There are no outputs.\n");
    else {
      terminal.out(outputsText(outputs));
      if (hidden.length > 0)
        terminal.note(`Sensitive, and not shown: ${hidden.sort().map(escapeText).join(", ")}.\n`);
    }
  },
});

/** Returns an output as JSON, or with `raw` as plain text without quotes and line break. */
function outputText(
  name: string,
  value: Plain | undefined,
  { raw, json }: { readonly raw: boolean; readonly json: boolean },
): string {
  const isHidden = isHiddenOutput(value);
  // A script must not use the mask as the value.
  if (isHidden && (!json || raw)) {
    const summary = `the output "${name}" is sensitive: its value is neither shown nor recorded`;
    throw usage(summary, "rnv output -json lists it, masked");
  }
  if (!raw) return `${escapeJson(isHidden ? "(sensitive)" : value)}\n`;
  if (value !== null && ["string", "number", "boolean"].includes(typeof value)) return String(value);
  throw usage(`-raw: output "${name}" is not a text`, "-json prints any of them");
}

export const historyVerb = stateVerb({
  name: "history",
  arguments: { address: argument("[address]") },
  summary: "List the last runs that changed anything: who, when, which commit, how they ended",
  detail:
    "The state keeps the last 50, newest first. A run that found nothing to change is none of them: it writes no state. A " +
    "run that was killed is listed without an end. With --verbose: every address, the whole ID, the digest and the job.",
  options: {
    limit: parsed("-n, --limit <n>", "only the last n", positive),
    format: textOrJson,
    ...pick("json", "verbose"),
  },
  examples: [
    ["rnv history service.shop.api", "those that changed one service, or what belongs to it"],
    ["rnv history --stage production -n 1 -json", "the last run of a stage, for a program"],
  ],
  run: async ({ limit, address, verbose }, { context, screen }) => {
    const { terminal, format } = screen;
    const [outer] = addresses("rnv history", address === undefined ? [] : [address]);
    const state = await context.backend.read();
    const all = state === undefined ? [] : pastRuns(state);
    const names = new Set([outer ?? []].flat());
    const isNamed = (at: Address) => [...names].some((name) => isWithin(state, at, name));
    const isAbout = ({ touched = [] }: PastRun): boolean => {
      const own = touched.filter(({ address: at, from = at }) => isNamed(at) || isNamed(from));
      for (const { address: at, from = at } of own) if (names.has(at)) names.add(from);
      return own.length > 0;
    };
    const runs = outer === undefined ? all.slice(0, limit) : all.filter(isAbout).slice(0, limit);
    const partial = all.filter(({ touched, omitted }) => outer && (omitted || !touched)).length;
    if (outer && state && runs.length + partial === 0) findRecorded(state, outer);
    const { stage, stack } = state ?? {};
    if (format === "json") terminal.out(jsonText(versioned({ stage, stack, runs })));
    else if (runs.length > 0) terminal.out(historyText(runs, Date.now(), terminal.style, verbose));
    else terminal.err(`No run${outer === undefined ? "" : ` that names ${outer}`} is recorded yet.\n`);
    if (partial > 0)
      terminal.note(`${counted(partial, "run")} may have changed it: some addresses are not recorded.\n`);
  },
});
