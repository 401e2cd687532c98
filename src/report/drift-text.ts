import type { DriftReport } from "../plan/drift";
import { type DriftItem, driftItems, driftKinds, driftLine, driftSections } from "./drift-sections";
import { codeSpan, escapeHtml, escapeMarkdown, escapeText, fencedBlock, shorten } from "./escape-text";
import { counted } from "./plan-wording";
import { markdownWithin, sectionMarkdown, sectionText } from "./sections";
import type { Style } from "./style";
import { attributeLines, coloured, fieldLines, joinBlocks } from "./values";

const below = " ".repeat(6);

/** Renders a drift report for people. Its last line is `No drift. …` or `Drift: …`. */
export function driftText(report: DriftReport, style: Style): string {
  const items = driftItems(report);
  const kinds = (Object.keys(driftKinds) as DriftItem["kind"][]).flatMap((kind) => {
    const own = items.filter((item) => item.kind === kind);
    return own.length === 0
      ? []
      : [`${driftKinds[kind]}:\n\n${joinBlocks(own.map((item) => itemLines(item, style)))}`];
  });
  const sections = driftSections(report).map((one) => sectionText(one, style));
  return `${[...kinds, ...sections, style.colors.bold(driftLine(report))].join("\n\n")}\n`;
}

function itemLines(
  { kind, address, symbol, phrase, fields, standing, following }: DriftItem,
  style: Style,
): string[] {
  const { bold, dim, yellow } = style.colors;
  const sign = symbol.padStart(3);
  // The heading says what happened to the others.
  const told = kind === "pending" && phrase !== "" ? ` ${escapeText(phrase)}` : "";
  return [
    `${symbol === "!" ? yellow(sign) : coloured(symbol, sign, style)} ${bold(escapeText(address))}${told}`,
    ...attributeLines(fields, style),
    ...(standing === undefined ? [] : [`${below}${escapeText(standing)}`]),
    ...following.map((line) => `${below}${dim(escapeText(line))}`),
  ];
}

/** Characters of a report in Markdown. */
const defaultLimit = 60_000;
const longestName = 120;

/** Renders a drift report for an issue or a job summary: the count first, then each difference, folded away. */
export function driftMarkdown(
  report: DriftReport,
  { limit = defaultLimit, title = "rnv drift" }: { readonly limit?: number; readonly title?: string } = {},
): string {
  const opening = [`### ${title}`, `**${escapeMarkdown(driftLine(report))}**`];
  const parts = [...driftItems(report).map(itemMarkdown), ...driftSections(report).map(sectionMarkdown)];
  return markdownWithin({ opening, parts }, limit, (shown) => counted(parts.length - shown, "item"));
}

/** An item with its fields folded away. A text of the service is outside of HTML, where mentions and links would work. */
function itemMarkdown({ address, phrase, fields, standing, following }: DriftItem): string {
  const name = shorten(address, longestName);
  const why = standing === undefined ? "" : escapeMarkdown(standing);
  const notes = following.map((line) => `- ${escapeMarkdown(line)}`);
  if (fields.length === 0) {
    const head = [codeSpan(name), escapeMarkdown(phrase)].filter((text) => text !== "").join(" ");
    return [`- ${head}${why === "" ? "" : `: ${why}`}`, ...notes.map((line) => `  ${line}`)].join("\n");
  }
  const summary = `<summary><code>${escapeHtml(name)}</code> ${escapeHtml(phrase)}</summary>`;
  const body = [
    fencedBlock(fields.flatMap(fieldLines), "diff"),
    ...(why === "" ? [] : [`Last deployment: ${why}`]),
  ];
  return [`<details>${summary}\n\n${body.join("\n\n")}\n\n</details>`, ...notes].join("\n\n");
}
