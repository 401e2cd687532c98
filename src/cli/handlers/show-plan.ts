import { type Diagnostic, hasErrors } from "../../diagnostics/diagnostic";
import { planDocument } from "../../plan/document";
import type { Plan } from "../../plan/plan";
import { inertJson } from "../../render/inert";
import { planMarkdown } from "../../render/plan-markdown";
import { planText } from "../../render/plan-text";
import type { Format } from "../format";
import type { Invocation } from "../invocation";
import { annotate, errStyle, outStyle } from "../report";

/**
 * Prints a plan on standard output. One with errors is an error report: its text goes to standard error, so that a
 * pipe never takes it for a plan.
 */
export function showPlan(
  invocation: Invocation,
  plan: Plan,
  format: Format,
  sources: ReadonlyMap<string, string> = new Map(),
): void {
  const { terminal } = invocation;
  if (format === "json") terminal.out(`${inertJson(planDocument(plan), 2)}\n`);
  else if (format === "markdown") terminal.out(planMarkdown(plan));
  else if (hasErrors(plan.diagnostics)) terminal.err(planText(plan, errStyle(invocation), { sources }));
  else terminal.out(planText(plan, outStyle(invocation), { sources }));
  if (format === "text") annotate(invocation, plan.diagnostics, sources);
}

/** The diagnostics that are not in the text of the plan. */
export const besidePlan = (
  plan: Plan | undefined,
  diagnostics: readonly Diagnostic[],
  format: Format,
): readonly Diagnostic[] =>
  format === "text" && plan !== undefined
    ? diagnostics.filter((found) => !plan.diagnostics.includes(found))
    : diagnostics;
