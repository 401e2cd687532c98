import type { DriftReport } from "../plan/classify-drift";
import type { AttributeChange } from "../plan/plan";
import { driftLine, pendingPhrase, plainly } from "./drift-text";
import { inertCode, inertFence, inertHtml, inertMarkdown, shorten } from "./inert";
import { fieldLines } from "./markdown-fields";
import { counted, unmanagedText } from "./plan-wording";
import { addressesInReadingOrder } from "./reading-order";
import { uncheckedRows } from "./unchecked";

export interface DriftMarkdownOptions {
  /** Longest result in characters. */
  readonly limit?: number;
  readonly title?: string;
}

const defaultLimit = 60_000;
const longestName = 120;

/** The report for an issue or a job summary: the count first, then each difference, folded away. */
export function driftMarkdown(report: DriftReport, options: DriftMarkdownOptions = {}): string {
  const limit = options.limit ?? defaultLimit;
  const opening = [
    `### ${inertMarkdown(shorten(options.title ?? "rnv drift", longestName))}`,
    `**${inertMarkdown(driftLine(report))}**`,
  ];
  const items = [
    ...report.missing.map((address) => `- ${code(address)} was deleted outside rnv`),
    ...addressesInReadingOrder(report.drifted).map(({ address, fields }) =>
      folded(address, "changed outside rnv", fields.map(plainly)),
    ),
    ...addressesInReadingOrder(report.pending).map((pending) =>
      folded(pending.address, pendingPhrase(pending), pending.fields),
    ),
    ...uncheckedRows(report.unchecked, code).map(
      ({ addresses, reason }) => `- ${addresses} could not be checked: ${inertMarkdown(reason)}`,
    ),
    ...(report.unmanaged.length === 0
      ? []
      : [`Also in this workspace, not managed here: ${inertMarkdown(unmanagedText(report.unmanaged))}.`]),
  ];
  let room = limit - opening.join("\n\n").length - 200;
  const end = items.findIndex((item) => {
    room -= item.length + 2;
    return room < 0;
  });
  const shown = end === -1 ? items : items.slice(0, end);
  const left = items.length - shown.length;
  const note =
    left === 0
      ? []
      : [`> [!NOTE]\n> ${counted(left, "item")} left out, because this text would be too long.`];
  return `${[...opening, ...shown, ...note].join("\n\n")}\n`;
}

const code = (address: string): string => inertCode(shorten(address, longestName));

const folded = (address: string, phrase: string, fields: readonly AttributeChange[]): string =>
  fields.length === 0
    ? `- ${code(address)} ${inertMarkdown(phrase)}`
    : `<details><summary><code>${inertHtml(shorten(address, longestName))}</code> ${inertHtml(phrase)}</summary>\n\n${inertFence(fields.flatMap(fieldLines), "diff")}\n\n</details>`;
