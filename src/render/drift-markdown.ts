import type { Address } from "../model/address";
import { shortList } from "../model/text";
import type { DriftReport, PendingResource } from "../plan/drift";
import type { AttributeChange } from "../plan/plan";
import {
  consequencePhrase,
  consequencesByRoot,
  driftLine,
  isTelling,
  partsByHolder,
  pendingPhrase,
  plainly,
} from "./drift-wording";
import { inertCode, inertFence, inertHtml, inertMarkdown, shorten } from "./inert";
import { fieldLines } from "./markdown-fields";
import { counted, unmanagedText } from "./plan-wording";
import { addressesInReadingOrder } from "./reading-order";
import { standingPhrase } from "./standing";
import { asRecorded, revealedLine, uncheckedRows } from "./unchecked";
import { capLines, plainText } from "./value-text";

export interface DriftMarkdownOptions {
  /** Longest result in characters. */
  readonly limit?: number;
  readonly title?: string;
}

const defaultLimit = 60_000;
const longestName = 120;
const mostNames = 10;

/** The report for an issue or a job summary: the count first, then each difference, folded away. */
export function driftMarkdown(report: DriftReport, options: DriftMarkdownOptions = {}): string {
  const limit = options.limit ?? defaultLimit;
  const opening = [
    `### ${inertMarkdown(shorten(options.title ?? "rnv drift", longestName))}`,
    `**${inertMarkdown(driftLine(report))}**`,
  ];
  const revealed = revealedLine(report, asRecorded);
  const things = report.unmanaged.filter(({ within }) => within === undefined);
  const consequences = consequencesByRoot(report);
  const following = (address: Address): string[] =>
    (consequences.get(address) ?? []).map(
      (one) => `  - to repair it: ${inertMarkdown(consequencePhrase(one))}`,
    );
  const items = [
    ...addressesInReadingOrder(report.missing.map((address) => ({ address }))).map(({ address }) =>
      [`- ${code(address)} was deleted outside rnv`, ...following(address)].join("\n"),
    ),
    ...addressesInReadingOrder(report.drifted).map(({ address, fields }) =>
      [
        folded(address, "changed outside rnv", fields.map(plainly)),
        ...following(address).map((line) => line.trim()),
      ].join("\n\n"),
    ),
    ...addressesInReadingOrder(report.pending).map(pendingItem),
    ...list(
      "What runs is not what was deployed last:",
      addressesInReadingOrder(report.running).map(
        (one) => `${code(one.address)}: ${inertMarkdown(standingPhrase(one))}`,
      ),
    ),
    ...uncheckedRows(report.unchecked, code).map(
      ({ addresses, reason }) => `- ${addresses} could not be checked: ${inertMarkdown(reason)}`,
    ),
    ...list(
      "Variables that nobody declares:",
      partsByHolder(report).map(
        ([holder, names]) =>
          `${code(holder)}: ${shortList(
            names.map((name) => code(name)),
            mostNames,
          )}`,
      ),
    ),
    ...list(
      "Settings that nobody declares, and that are not at their default:",
      report.undeclared.map(
        ({ address, path, value, default: byDefault }) =>
          `${code(address)} ${code(path)}: ${code(plainText(value))} (default ${code(plainText(byDefault))})`,
      ),
    ),
    ...(revealed === undefined ? [] : [revealed]),
    ...(things.length === 0
      ? []
      : [`Also in this workspace, not managed here: ${inertMarkdown(unmanagedText(things))}.`]),
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

const list = (heading: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${heading}\n\n${capLines(lines.map((line) => `- ${line}`)).join("\n")}`];

function pendingItem(pending: PendingResource): string {
  const { address, action, fields, standing } = pending;
  const why = standing && standingPhrase(standing);
  if (action === "no-op" && fields.length === 0 && why !== undefined)
    return `- ${code(address)}: ${inertMarkdown(why)}`;
  return folded(address, pendingPhrase(pending), fields.filter(isTelling), why);
}

const code = (address: string): string => inertCode(shorten(address, longestName));

/** What the service says stands below the fold: text in HTML is read for mentions and links. */
function folded(address: string, phrase: string, fields: readonly AttributeChange[], why?: string): string {
  const note = why === undefined ? "" : inertMarkdown(why);
  if (fields.length === 0)
    return `- ${code(address)} ${inertMarkdown(phrase)}${note === "" ? "" : `: ${note}`}`;
  const summary = `<summary><code>${inertHtml(shorten(address, longestName))}</code> ${inertHtml(phrase)}</summary>`;
  const body = [
    inertFence(fields.flatMap(fieldLines), "diff"),
    ...(note === "" ? [] : [`Last deployment: ${note}`]),
  ];
  return `<details>${summary}\n\n${body.join("\n\n")}\n\n</details>`;
}
