import { DiagnosticsError, error } from "../../diagnostics/diagnostic";
import type { State } from "../../model/state";
import type { Plan } from "../../plan/plan";
import { planDocumentSchema } from "../../plan/plan-schema";
import { readSavedPlan, type SavedPlan } from "../../plan/saved-plan";
import { escapeJson, fencedBlock } from "../../report/escape-text";
import { planFromDocument } from "../../report/plan-json";
import { stateJson, stateText } from "../../report/state-text";
import { plainStyle } from "../../report/style";
import { parseState } from "../../state/state-text";
import { stateOf } from "../context";
import { readText } from "../files";
import { formatOf, type Invocation } from "../invocation";
import { options } from "../options";
import { writePage } from "../page-file";
import { outStyle } from "../report";
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
    if (planFile === undefined) return showState(invocation);
    const text = readText(planFile);
    if (isStateText(text)) return showState(invocation, async () => stateIn(text, planFile));
    const { document, plan } = planIn(text, planFile);
    const format = formatOf(invocation.options);
    // As it was when it was made: what only apply needs of a plan is not read back.
    if (format === "json")
      invocation.terminal.out(`${escapeJson(planDocumentSchema.parse(document.plan), 2)}\n`);
    else showPlan(invocation, plan, format);
    const { stage, stack } = document.request;
    writePage(invocation, (load, { types }) => load.plan().planPage(document.plan, { types, stage, stack }));
    return 0;
  },
};

/** Reads a saved plan, to show it. */
export const readPlanFile = (file: string) => planIn(readText(file), file);

function planIn(text: string, name: string): { readonly document: SavedPlan; readonly plan: Plan } {
  const { document, diagnostics } = readSavedPlan(text);
  const plan = document && planFromDocument(document.plan);
  if (document && plan) return { document, plan };
  const damaged = error("plan.damaged", `${name} is not a saved plan of this version`, {
    hint: "make it again: rnv plan -out",
  });
  throw new DiagnosticsError(diagnostics.length > 0 ? diagnostics : [damaged]);
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
  read = async () => (await stateOf(invocation)).state,
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
  if (state) writePage(invocation, (load, scope) => load.state().statePage(state, scope));
  return 0;
}
