import { show } from "../../commands/show";
import { DiagnosticsError, error } from "../../diagnostics/diagnostic";
import { readSavedPlan } from "../../plan/document";
import { inertFence, inertJson } from "../../render/inert";
import { planFromDocument } from "../../render/plan-from-document";
import { planDocumentSchema } from "../../render/plan-schema";
import { stateJson } from "../../render/state-json";
import { stateText } from "../../render/state-text";
import { plainStyle } from "../../render/style";
import { formatOf } from "../format";
import type { Handler, Invocation } from "../invocation";
import { outStyle } from "../report";
import { withContext } from "../with-context";
import { showPlan } from "./show-plan";
import { readText } from "./state";

/** `rnv show [planfile]` */
export const showHandler: Handler = async (invocation) => {
  const [planFile] = invocation.positional as readonly (string | undefined)[];
  if (planFile === undefined) return showState(invocation);
  const { document, diagnostics } = readSavedPlan(readText(planFile));
  const plan = document && planFromDocument(document.plan);
  if (!plan) {
    const damaged = error("plan.damaged", `${planFile} is not a saved plan of this version`, {
      hint: "make it again: rnv plan -out",
    });
    throw new DiagnosticsError(diagnostics.length > 0 ? diagnostics : [damaged], 5);
  }
  const format = formatOf(invocation.options);
  // As it was when it was made: what only apply needs of a plan is not read back.
  if (format === "json")
    invocation.terminal.out(`${inertJson(planDocumentSchema.parse(document.plan), 2)}\n`);
  else showPlan(invocation, plan, format);
  return 0;
};

async function showState(invocation: Invocation): Promise<number> {
  const { terminal, options } = invocation;
  const { state } = await withContext(invocation, (context) => show(context));
  const format = formatOf(options);
  if (state === undefined)
    terminal.out(format === "json" ? `${inertJson({ format_version: "1.0" })}\n` : "The state is empty.\n");
  else if (format === "json") terminal.out(stateJson(state));
  else if (format === "markdown")
    terminal.out(`${inertFence(stateText(state, plainStyle).trimEnd().split("\n"))}\n`);
  else terminal.out(stateText(state, outStyle(invocation)));
  return 0;
}
