import { hasErrors } from "../diagnostics/diagnostic";
import { shortList } from "../model/wording";
import { shortDigest } from "../plan/digest";
import { type Change, hasChanges, type Plan } from "../plan/plan";
import { findingsBlock, findingsText } from "./diagnostics";
import { codeSpan, escapeMarkdown, escapeText } from "./escape-text";
import { countParts, ownersIn, planReport } from "./plan-report";
import { planHeadings } from "./plan-wording";
import { markdownLimit, reportMarkdown } from "./section-markdown";
import { sectionTexts } from "./section-text";
import { joined } from "./sections";
import { arrowOf, type Style, wrapLines } from "./style";

export interface PlanTextOptions {
  readonly next?: string | undefined;
  readonly verbose?: boolean;
}

/**
 * Renders a plan for people. Other tools parse its line of counts (DESIGN section 8); the digest of the changes is the
 * last line.
 */
export function planText(plan: Plan, style: Style, { next, verbose = false }: PlanTextOptions = {}): string {
  const report = planReport(plan, verbose ? "none" : "alike");
  const text = reportText(report, plan, style, next);
  const isLong = report.changes.length >= fewestFolded && text.split("\n").length > mostLines;
  return verbose || !isLong ? text : reportText(planReport(plan, "types"), plan, style, next);
}

/** So many changes are folded where they take more lines than `mostLines`. */
const fewestFolded = 100;
const mostLines = 40;

function reportText(report: ReturnType<typeof planReport>, plan: Plan, style: Style, next?: string): string {
  const { sections, changes, isFolded, checks, blocked, counts, cost, line } = report;
  const heading = planHeadings[plan.options.mode].replace(/:$/, isFolded ? " (-verbose shows each):" : ":");
  const isShort = sections.flatMap(({ items = [] }) => items).length < 2;
  // The end of a text is seen at a terminal.
  const hasEnd = style.unicode && !hasErrors(plan.diagnostics);
  const closing = [
    checks === "" ? "" : style.colors.dim(checks),
    blocked === "" ? "" : style.colors.red(blocked),
    isShort || !hasEnd ? "" : lossLines(changes, style),
    [counts, cost(arrowOf(style))].filter((text) => text !== "").join("\n"),
    style.colors.bold(line),
    digestLine(plan, style),
  ].map((text) => wrapLines(text, style));
  // A command to copy stays on its line.
  const command = next === undefined || !hasEnd ? "" : `Next: ${style.colors.bold(escapeText(next))}`;
  const ends = [...closing, command].filter((text) => text !== "");
  return joined([
    plan.stage === undefined ? "" : `Stage: ${style.colors.bold(escapeText(plan.stage))}`,
    changes.length > 0 ? heading : "",
    ...sectionTexts(sections, style),
    findingsText(plan.diagnostics, style),
    ...(isFolded ? [ends.join("\n")] : ends),
  ]);
}

/** Repeats the losses: above may be screens of text. */
function lossLines(changes: readonly Change[], style: Style): string {
  const { red, bold } = style.colors;
  const ownerOf = ownersIn({ changes });
  const isDestroyed = ({ action, onRemove }: Change) => action === "delete" && onRemove !== "archive";
  const isReplaced = ({ action }: Change) => action === "replace";
  const isEmptied = (change: Change) =>
    change.effects.includes("destructive") && !isDestroyed(change) && !isReplaced(change);
  const kinds = { Destroys: isDestroyed, Replaces: isReplaced, "Loses what is in": isEmptied };
  return Object.entries(kinds)
    .flatMap(([words, isOfKind]) => {
      const found = changes.filter((one) => !one.withParent && isOfKind(one));
      if (found.length === 0) return [];
      const parts = changes.filter((one) => one.withParent && isOfKind(ownerOf(one) ?? one));
      const more = parts.length > 0 ? `, and ${countParts(parts)} of them` : "";
      const names = found.map(({ address }) => escapeText(address));
      return [`${bold(red(`! ${words} ${found.length}${more}:`))} ${shortList(names)}`];
    })
    .join("\n");
}

/** The digest of the planned changes; empty for a plan that does nothing or cannot be applied. */
const digestLine = (plan: Plan, style: Style): string =>
  plan.digest !== undefined && hasChanges(plan) && !hasErrors(plan.diagnostics)
    ? style.colors.dim(`Digest: ${plan.digest.slice(0, style.unicode ? shortDigest : undefined)}`)
    : "";

/**
 * A plan for a pull request: its line, counts and cost, losses and blocked changes, the changes of each other resource, and further
 * facts. Items beyond the limit are left out and counted; no deletion ever is. `title` is Markdown.
 */
export function planMarkdown(
  plan: Plan,
  limit = markdownLimit,
  title = plan.stage === undefined ? "rnv plan" : `rnv plan of ${codeSpan(plan.stage)}`,
): string {
  const { sections, line, blocked, checks, counts, cost } = planReport(plan);
  // A comment that no reader sees: a job compares it before it applies.
  const digestMarker = plan.digest === undefined ? "" : `<!-- rnv digest: ${plan.digest} -->`;
  const opening = [
    `### ${title}`,
    `**${line}**`,
    escapeMarkdown(counts),
    cost("\u2192"),
    blocked === "" ? "" : `> [!CAUTION]\n> ${blocked}`,
    findingsBlock(plan.diagnostics, limit / 3),
  ];
  return reportMarkdown(opening, sections, limit, [checks, digestMarker]);
}

export const failedPlanMarkdown = (
  { diagnostics }: Pick<Plan, "diagnostics">,
  { head = "### rnv plan", limit = markdownLimit } = {},
): string => joined([head, "**No plan could be made.**", findingsBlock(diagnostics, limit)]);
