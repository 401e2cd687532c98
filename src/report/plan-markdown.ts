import type { Plan } from "../plan/plan";
import { findingsBlock } from "./diagnostics";
import { codeSpan, escapeMarkdown } from "./escape-text";
import { planLines, planReport } from "./plan-report";
import { markdownLimit, reportMarkdown } from "./section-markdown";

/**
 * A plan for a pull request: its line, what ends or is blocked, what each other resource changes, and what else there is
 * to say. What is too long for the limit is left out and counted; no deletion ever is. `title` is Markdown.
 */
export function planMarkdown(
  plan: Plan,
  limit = markdownLimit,
  title = plan.stage === undefined ? "rnv plan" : `rnv plan of ${codeSpan(plan.stage)}`,
): string {
  const sections = planReport(plan);
  const { line, blocked, checks, counts, cost } = planLines(plan, sections);
  return reportMarkdown(
    {
      opening: [
        `### ${title}`,
        `**${line}**`,
        blocked === "" ? "" : `> [!CAUTION]\n> ${blocked}`,
        findingsBlock(plan.diagnostics, new Map(), limit / 3),
      ],
      sections,
      closing: [checks, escapeMarkdown(counts), cost("\u2192"), digestMarker(plan)],
    },
    limit,
  );
}

/** A comment that no reader sees: what a job compares before it applies. */
const digestMarker = ({ digest }: Plan): string =>
  digest === undefined ? "" : `<!-- rnv digest: ${digest} -->`;
