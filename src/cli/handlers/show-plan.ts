import type { Diagnostic } from "../../diagnostics/diagnostic";
import type { Plan } from "../../plan/plan";
import { planDocument } from "../../plan/plan-document";
import { inertJson } from "../../render/inert";
import { planMarkdown } from "../../render/plan-markdown";
import { planText } from "../../render/plan-text";
import type { Format } from "../format";
import type { Invocation } from "../invocation";
import { outStyle } from "../report";

/** Prints a plan on standard output. Errors are left to standard error, where `report` puts them. */
export function showPlan(
  invocation: Invocation,
  plan: Plan,
  format: Format,
  sources: ReadonlyMap<string, string> = new Map(),
): void {
  const { terminal } = invocation;
  if (format === "json") return terminal.out(`${inertJson(planDocument(plan), 2)}\n`);
  if (format === "markdown") return terminal.out(planMarkdown(plan));
  const warnings = plan.diagnostics.filter(({ severity }) => severity === "warning");
  terminal.out(planText({ ...plan, diagnostics: warnings }, outStyle(invocation), { sources }));
}

/** The diagnostics that are not in the text of the plan. */
export const besidePlan = (
  plan: Plan | undefined,
  diagnostics: readonly Diagnostic[],
  format: Format,
): readonly Diagnostic[] =>
  format === "text" && plan !== undefined
    ? diagnostics.filter((found) => found.severity === "error" || !plan.diagnostics.includes(found))
    : diagnostics;
