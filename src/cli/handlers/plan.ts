import { plan } from "../../commands/plan";
import type { PlanRequest } from "../../commands/requests";
import { savePlan } from "../../plan/document";
import { isUnconfirmed } from "../../plan/guards";
import type { Plan } from "../../plan/plan";
import { hasChanges, isBlocked } from "../../render/plan-wording";
import { errorDocument } from "../error-document";
import { formatOf } from "../format";
import type { Handler } from "../invocation";
import { exitCodes, report } from "../report";
import { withContext } from "../with-context";
import { writeWholeFile } from "../write-whole-file";
import { planRequestOf } from "./request";
import { besidePlan, showPlan } from "./show-plan";

/** `rnv plan` */
export const planHandler: Handler = async (invocation) => {
  const { options, terminal } = invocation;
  const request: PlanRequest = {
    ...planRequestOf(options),
    isSaved: typeof options.out === "string",
    // What `--no-secrets` leaves of an option that is on unless said.
    secrets: options.secrets === false ? "present" : "resolve",
  };
  const format = formatOf(options);
  const outcome = await withContext(invocation, (context) => plan(context, request));
  const { diagnostics, sources, exitCode } = outcome;
  if (!outcome.plan && format === "json") terminal.out(errorDocument(diagnostics, sources));
  if (outcome.plan) showPlan(invocation, outcome.plan, format, sources);
  report(invocation, besidePlan(outcome.plan, diagnostics, format), sources);
  if (!outcome.plan || exitCode !== 0) return exitCode;
  if (typeof options.out === "string") {
    writeWholeFile(options.out, savePlan(outcome.plan, { files: request.files, revealed: outcome.revealed }));
    terminal.err(savedLine(outcome.plan, options.out));
  }
  if (options.detailedExitcode !== true) return exitCode;
  if (isBlocked(outcome.plan)) return exitCodes.refused;
  return hasChanges(outcome.plan) ? exitCodes.changes : exitCode;
};

/** Says how to apply the plan, and what that still needs. */
function savedLine(plan: Plan, file: string): string {
  const saved = `Saved the plan to ${file}.`;
  if (!isBlocked(plan)) return `${saved} To do exactly this: rnv apply ${file}\n`;
  if (!plan.changes.every(({ guard }) => guard === undefined || isUnconfirmed({ guard })))
    return `${saved} It is blocked: resolve that, and plan again.\n`;
  return `${saved} It deletes what nobody has confirmed yet: rnv apply ${file} asks for the names at a terminal, and takes --confirm-delete ADDRESS elsewhere.\n`;
}
