import { plan } from "../../commands/plan";
import { savePlan } from "../../plan/saved-plan";
import { hasChanges } from "../../render/plan-wording";
import { errorDocument } from "../error-document";
import { formatOf } from "../format";
import type { Handler } from "../invocation";
import { askablePlan } from "../prompt";
import { exitCodes, report } from "../report";
import { withContext } from "../with-context";
import { writeWholeFile } from "../write-whole-file";
import { planRequestOf } from "./request";
import { besidePlan, showPlan } from "./show-plan";

/** `rnv plan` */
export const planHandler: Handler = async (invocation) => {
  const { options, terminal } = invocation;
  const request = { ...planRequestOf(options), isSaved: typeof options.out === "string" };
  const format = formatOf(options);
  const outcome = await withContext(invocation, (context) => plan(context, request));
  const { diagnostics, sources, exitCode } = outcome;
  // Applying a saved plan confirms the deletions that it lists.
  const shown = outcome.plan && typeof options.out === "string" ? askablePlan(outcome.plan) : outcome.plan;
  if (!shown && format === "json") terminal.out(errorDocument(diagnostics, sources));
  if (shown) showPlan(invocation, shown, format, sources);
  report(invocation, besidePlan(outcome.plan, diagnostics, format), sources);
  if (!outcome.plan || exitCode !== 0) return exitCode;
  if (typeof options.out === "string") {
    writeWholeFile(options.out, savePlan(outcome.plan, { files: request.files }));
    terminal.err(`Saved the plan to ${options.out}. To do exactly this: rnv apply ${options.out}\n`);
  }
  return options.detailedExitcode === true && hasChanges(outcome.plan) ? exitCodes.changes : exitCode;
};
