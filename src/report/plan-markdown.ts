import type { Diagnostic } from "../diagnostics/diagnostic";
import { shortList } from "../model/text";
import { isUnconfirmed } from "../plan/guards";
import type { Change, Plan } from "../plan/plan";
import {
  codeSpan,
  escapeHtml,
  escapeMarkdown,
  escapeText,
  fencedBlock,
  foldedParts,
  markdownTable,
  quoteText,
  shorten,
} from "./escape-text";
import { actionWord } from "./graph";
import { type PlanEntry, type PlanReport, planReport } from "./plan-report";
import { counted, countsOf, effectWords, isBlocked, isNameTold, moneyChange } from "./plan-wording";
import { joined, longestName, markdownLimit, markdownWithin, sectionMarkdown } from "./sections";
import { attributeSign, changeText, fieldLines, isBlock } from "./values";

const mostRows = 200;
/** Rows of a table that is not folded away. */
const mostOpen = 25;
const mostItems = 50;
/** Addresses in the details of many changes that do the same. */
const mostListed = 50;

/**
 * A plan for a pull request: summary, what ends or is blocked, a table, and what each resource changes, folded away. What
 * is too long for the limit is cut from the end of the reading order and counted; no deletion ever is. Of a long table all
 * is folded away but what ends or is blocked. `title` is Markdown.
 */
export function planMarkdown(
  plan: Plan,
  limit = markdownLimit,
  title = plan.stage === undefined ? "rnv plan" : `rnv plan of ${codeSpan(plan.stage)}`,
): string {
  const report = planReport(plan);
  const head = [`### ${title}`, `**${report.line}**`, blocked(report.changes)];
  const closing = [...report.sections.map(sectionMarkdown), ...footer(plan, report)];
  const detailed = report.entries.filter(({ fields }) => fields.length > 0);
  const parts = detailed.map(details);
  const noteOf = (shown: number): string =>
    `The details of ${counted(changesOf(detailed.slice(shown)).length, "resource")} are`;
  for (const opening of [
    [...head, findings(plan.diagnostics), ...planTable(report, mostRows)],
    [...head, findings(plan.diagnostics.filter(isError)), ...planTable(report, 0)],
  ]) {
    const text = markdownWithin({ opening, parts, closing }, limit, noteOf);
    if (text.length <= limit) return text;
  }
  return bare(head.slice(0, 2), report, plan);
}

const changesOf = (entries: readonly PlanEntry[]): readonly Change[] =>
  entries.flatMap(({ changes }) => changes);

const isError = ({ severity }: Diagnostic): boolean => severity === "error";

/** When even the table is too long: what ends, by name, and how much else there is. */
function bare(head: readonly string[], report: PlanReport, plan: Plan): string {
  const losses = report.entries.slice(0, report.losses);
  const own = losses.filter(({ first }) => !first.withParent);
  const lines = own.map(
    ({ sign, subject, first }) =>
      `${sign} ${shorten(escapeText(subject), longestName)}${first.guard ? "  # blocked" : ""}`,
  );
  const left = report.changes.length - own.length;
  const others = counted(left, own.length === 0 ? "resource" : "other resource");
  const note = `> [!NOTE]\n> The list of ${others} is left out, because this comment would be too long.`;
  return joined([
    ...head,
    isBlocked(plan) ? "> [!CAUTION]\n> Blocked until it is resolved; `rnv plan` says how." : "",
    lines.length === 0 ? "" : fencedBlock(lines, "diff"),
    left === 0 ? "" : note,
    ...footer(plan, report),
  ]);
}

/** A comment that no reader sees: what a job compares before it applies. */
const digestMarker = ({ digest }: Plan): string =>
  digest === undefined ? "" : `<!-- rnv digest: ${digest} -->`;

const capItems = (items: readonly string[]): string[] =>
  items.length <= mostItems
    ? [...items]
    : [...items.slice(0, mostItems), `> - and ${items.length - mostItems} more`];

/** Lists the guards of blocked changes; for many unconfirmed deletions says how to confirm them. */
function blocked(changes: readonly Change[]): string {
  const held = changes.filter(({ guard }) => guard !== undefined);
  if (held.length === 0) return "";
  const unconfirmed = held.filter(isUnconfirmed);
  const others = unconfirmed.length > mostItems ? held.filter((change) => !isUnconfirmed(change)) : held;
  const lines = others.map(
    ({ address, guard }) =>
      `> - ${codeSpan(address)}: ${escapeMarkdown(guard?.summary ?? "")}. ${escapeMarkdown(capitalized(guard?.hint ?? ""))}`,
  );
  if (others.length < held.length)
    lines.unshift(
      `> - ${counted(unconfirmed.length, "unconfirmed deletion")}, marked below; to confirm each: \`--confirm-delete ADDRESS\`, or \`removed:\` in the manifest`,
    );
  return ["> [!CAUTION]", "> Blocked until it is resolved:", ...lines].join("\n");
}

const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

function findings(diagnostics: readonly Diagnostic[]): string {
  const lines = diagnostics.map(
    ({ severity, code, summary, hint }) =>
      `> - ${severity} ${codeSpan(code)}: ${escapeMarkdown(summary)}${hint === undefined ? "" : ` (${escapeMarkdown(hint)})`}`,
  );
  return lines.length === 0 ? "" : ["> [!WARNING]", ...capItems(lines)].join("\n");
}

/** Renders the fields of an entry, folded away. */
function details({ first, changes, subject, phrase, fields, cost }: PlanEntry): string {
  const { id, action, previousAddress } = first;
  const isMany = changes.length > 1;
  const what = isMany ? escapeHtml(subject) : `<code>${escapeHtml(subject)}</code>`;
  const names = changes.map(({ address }) => codeSpan(address));
  return foldedParts(`${what} ${escapeHtml(phrase)}`, [
    fencedBlock(fields.flatMap(fieldLines), "diff"),
    ...(previousAddress === undefined ? [] : [`moved from ${codeSpan(previousAddress)}`]),
    ...(isMany ? [shortList(names, mostListed)] : []),
    ...(isMany || id === undefined || action === "update" ? [] : [`id ${codeSpan(id)}`]),
    ...(cost === undefined ? [] : [`cost ${moneyChange(cost.before, cost.after, "\u2192")} a month`]),
  ]);
}

const footer = (plan: Plan, { checks, counts, cost }: PlanReport): readonly string[] => [
  ...[checks, escapeMarkdown(counts), cost("\u2192"), digestMarker(plan)],
];

/** Addresses in a row of many changes that do the same. */
const mostInRow = 3;

const tableHead = ["action", "resource", "what", "effect"];

/** A row for each entry that ends something or is blocked, and `most` others; the last says what the rest would do. */
function planTable({ entries, losses }: PlanReport, most: number): string[] {
  if (entries.length === 0) return [];
  const rows = entries.slice(0, losses + most).map(row);
  const rest = changesOf(entries.slice(losses + most));
  if (rest.length > 0) rows.push(["", `and ${rest.length} more`, escapeMarkdown(countsOf(rest)), ""]);
  if (Math.min(entries.length - losses, most) <= mostOpen) return [markdownTable(tableHead, rows)];
  const line = `${losses === 0 ? "" : "and "}${countsOf(changesOf(entries.slice(losses)))}`;
  return [
    ...(losses === 0 ? [] : [markdownTable(tableHead, rows.slice(0, losses))]),
    foldedParts(escapeHtml(line), [markdownTable(tableHead, rows.slice(losses))]),
  ];
}

function row(entry: PlanEntry): readonly string[] {
  const { first, changes, subject, effects } = entry;
  const names = changes.map(({ address }) => codeSpan(shorten(address, longestName)));
  const what = shorten(changedText(entry), longestName);
  const many = escapeMarkdown(subject);
  return [
    `${wordOf(first)}${first.guard ? ", blocked" : ""}`,
    shortList(names, mostInRow),
    changes.length === 1 ? escapeMarkdown(what) : what === "" ? many : `${many}: ${codeSpan(what)}`,
    first.withParent ? "" : effects.map(effectWord).join(", "),
  ];
}

/** The word of a change; bold for an end. */
const wordOf = (change: Change): string =>
  change.action === "delete" || change.action === "replace"
    ? `**${actionWord(change)}**`
    : actionWord(change);

const effectWord = (effect: Change["effects"][number]): string =>
  effect === "destructive" ? `**${effectWords[effect]}**` : effectWords[effect];

/** What is done in a few words: why, or the fields, `branch, plan and 3 more`; of many resources with their values. */
function changedText({ first, changes, fields, reason, deployed }: PlanEntry): string {
  const isMany = changes.length > 1;
  if (reason !== undefined) return `because ${reason}`;
  if (first.withParent) return "destroyed with its parent";
  if (first.action === "create") return "";
  if (first.action === "delete" || first.action === "forget")
    return isNameTold(first) ? "" : `named ${quoteText(first.name)}`;
  const names = fields
    .filter((field) => attributeSign(field) !== " ")
    .map((field) => {
      const name = field.path.slice(field.path.lastIndexOf(".") + 1);
      const isShort = attributeSign(field) === "~" && !isBlock(field.before) && !isBlock(field.after);
      return isMany && isShort ? `${name} ${changeText(field, "\u2192")}` : name;
    });
  const changed = names.length <= 4 ? names.join(", ") : shortList(names, 3);
  return [changed, deployed].filter(Boolean).join("; ");
}
