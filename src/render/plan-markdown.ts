import type { Diagnostic } from "../diagnostics/diagnostic";
import { shortList } from "../model/text";
import { isUnconfirmed } from "../plan/guards";
import type { Change, Plan } from "../plan/plan";
import { inertCode, inertFence, inertHtml, inertMarkdown, inertText, shorten } from "./inert";
import { fieldLines } from "./markdown-fields";
import { moneyChange, sameMoney } from "./money-text";
import { isLoss, type PlanEntry, planEntries } from "./plan-entries";
import { longestName, planTable } from "./plan-table";
import {
  actionPhrase,
  counted,
  countsOf,
  isBlocked,
  listedFields,
  planLine,
  pluralPhrase,
  unmanagedText,
} from "./plan-wording";
import { addressesInReadingOrder } from "./reading-order";
import { standingPhrase } from "./standing";
import { asDeclared, revealedLine, uncheckedRows, unreadHeading, unreadIn } from "./unchecked";
import { capLines } from "./value-text";

export interface PlanMarkdownOptions {
  /** Longest result in characters; GitHub refuses comments above 65,536. */
  readonly limit?: number;
  /** Heading of the comment. */
  readonly title?: string;
}

const defaultLimit = 60_000;
/** Kept free for the note that tells what was left out. */
const reserve = 400;
const mostRows = 200;
const mostItems = 50;
/** Addresses in the details of many changes that do the same. */
const mostListed = 50;

/**
 * A plan for a pull request: summary, what ends or is blocked, a table, and what each resource changes, folded away. What
 * is too long for the limit is cut from the end of the reading order and counted; no deletion ever is.
 */
export function planMarkdown(plan: Plan, options: PlanMarkdownOptions = {}): string {
  const limit = options.limit ?? defaultLimit;
  const entries = planEntries(plan);
  const head = [
    `### ${inertMarkdown(shorten(options.title ?? "rnv plan", longestName))}`,
    `**${planLine(plan)}**`,
    ...blocked(entries),
  ];
  const revealed = revealedLine(plan, asDeclared);
  const closing = [
    ...outputs(plan),
    ...moved(plan),
    ...standing(plan),
    ...unchecked(plan),
    ...(revealed === undefined ? [] : [revealed]),
    ...footer(plan, entries),
  ];
  const losses = entries.filter(({ first }) => isLoss(first));
  const shorter = [
    () => [...head, ...findings(plan.diagnostics), ...planTable(entries, losses.length + mostRows)],
    () => [...head, ...findings(plan.diagnostics.filter(isError)), ...planTable(entries, losses.length)],
  ];
  for (const opening of shorter) {
    const above = opening();
    const room = limit - reserve - joined([...above, ...closing]).length;
    if (room < 0) continue;
    const { shown, left } = fitting(
      entries.flatMap((entry) => {
        const text = details(entry, plan);
        return text === undefined ? [] : [{ entry, text }];
      }),
      room,
    );
    const note =
      left.length === 0
        ? []
        : [
            `> [!NOTE]\n> The details of ${counted(left.length, "resource")} are left out, because this comment would be too long.`,
          ];
    return joined([...above, ...shown, ...note, ...closing]);
  }
  return bare(head.slice(0, 2), entries, plan);
}

const isError = ({ severity }: Diagnostic): boolean => severity === "error";

const joined = (sections: readonly string[]): string => `${sections.join("\n\n")}\n`;

/** When even the table is too long: what ends, by name, and how much else there is. */
function bare(head: readonly string[], entries: readonly PlanEntry[], plan: Plan): string {
  const own = entries.map(({ first }) => first).filter((change) => isLoss(change) && !change.withParent);
  const lines = own.map((change) => {
    const sign = change.action === "replace" ? "-/+" : change.action === "delete" ? "-" : "~";
    return `${sign} ${shorten(inertText(change.address), longestName)}${change.guard ? "  # blocked" : ""}`;
  });
  const left = entries.flatMap(({ changes }) => changes).length - own.length;
  return joined([
    ...head,
    ...(isBlocked(plan) ? ["> [!CAUTION]\n> Blocked until it is resolved; `rnv plan` says how."] : []),
    ...(lines.length === 0 ? [] : [inertFence(lines, "diff")]),
    ...(left === 0
      ? []
      : [
          `> [!NOTE]\n> The list of ${lines.length === 0 ? counted(left, "resource") : `${counted(left, "other resource")}`} is left out, because this comment would be too long.`,
        ]),
    ...footer(plan, entries),
  ]);
}

function fitting(
  blocks: readonly { readonly entry: PlanEntry; readonly text: string }[],
  room: number,
): { shown: string[]; left: readonly Change[] } {
  let used = 0;
  const end = blocks.findIndex(({ text }) => {
    used += text.length + 2;
    return used > room;
  });
  const fits = end === -1 ? blocks.length : end;
  return {
    shown: blocks.slice(0, fits).map(({ text }) => text),
    left: blocks.slice(fits).flatMap(({ entry }) => entry.changes),
  };
}

const capItems = (items: readonly string[]): string[] =>
  items.length <= mostItems
    ? [...items]
    : [...items.slice(0, mostItems), `> - and ${items.length - mostItems} more`];

/** What stands in the way, line by line; of many that only want their names, how to give them. */
function blocked(entries: readonly PlanEntry[]): string[] {
  const held = entries.map(({ first }) => first).filter(({ guard }) => guard !== undefined);
  if (held.length === 0) return [];
  const unconfirmed = held.filter(isUnconfirmed);
  const others = unconfirmed.length > mostItems ? held.filter((change) => !isUnconfirmed(change)) : held;
  const lines = others.map(
    ({ address, guard }) =>
      `> - ${inertCode(address)}: ${inertMarkdown(guard?.summary ?? "")}. ${inertMarkdown(guard?.hint ?? "")}`,
  );
  const many =
    others.length === held.length
      ? []
      : [
          `> - ${counted(unconfirmed.length, "deletion")} that nobody has confirmed, marked below; each by name: \`--confirm-delete ADDRESS\`, or \`removed:\` in the manifest`,
        ];
  return [`> [!CAUTION]\n> Blocked until it is resolved:\n${[...many, ...lines].join("\n")}`];
}

function findings(diagnostics: readonly Diagnostic[]): string[] {
  const lines = diagnostics.map(
    ({ severity, code, summary, hint }) =>
      `> - ${severity} ${inertCode(code)}: ${inertMarkdown(summary)}${hint === undefined ? "" : ` (${inertMarkdown(hint)})`}`,
  );
  return lines.length === 0 ? [] : [`> [!WARNING]\n${capItems(lines).join("\n")}`];
}

/** What an entry changes, folded away; undefined where the table says all of it. */
function details({ first: change, changes }: PlanEntry, plan: Plan): string | undefined {
  const lines = listedFields(change, plan).flatMap(fieldLines);
  const isMany = changes.length > 1;
  const cost = change.cost;
  const none = { usd: 0, ngn: 0 };
  const notes = [
    ...(change.previousAddress === undefined ? [] : [`moved from ${inertCode(change.previousAddress)}`]),
    ...(isMany
      ? [
          shortList(
            changes.map(({ address }) => inertCode(address)),
            mostListed,
          ),
        ]
      : []),
    ...(isMany || change.id === undefined || change.action === "update"
      ? []
      : [`id ${inertCode(change.id)}`]),
    ...(cost === undefined || sameMoney(cost.before ?? none, cost.after ?? none)
      ? []
      : [`cost ${moneyChange(cost.before ?? none, cost.after ?? none, "\u2192")} a month`]),
  ];
  const body = [...(lines.length === 0 ? [] : [inertFence(lines, "diff")]), ...notes];
  if (lines.length === 0) return undefined;
  const what = isMany
    ? `${inertHtml(counted(changes.length, change.type))} ${inertHtml(pluralPhrase(change))}`
    : `<code>${inertHtml(change.address)}</code> ${inertHtml(actionPhrase(change))}`;
  const summary = `<summary>${what}</summary>`;
  return `<details>${summary}\n\n${body.join("\n\n")}\n\n</details>`;
}

function outputs(plan: Plan): string[] {
  if (plan.outputs.length === 0) return [];
  const lines = plan.outputs.flatMap(({ name, before, after }) =>
    fieldLines({ path: name, before, after, cause: "edit", forcesReplacement: false }),
  );
  return [
    `<details><summary>Changes to outputs</summary>\n\n${inertFence(capLines(lines), "diff")}\n\n</details>`,
  ];
}

function moved(plan: Plan): string[] {
  const lines = plan.changes
    .filter((change) => change.action === "no-op" && change.previousAddress !== undefined)
    .map(
      (change) => `- ${inertCode(change.previousAddress ?? "")} has moved to ${inertCode(change.address)}`,
    );
  return lines.length === 0 ? [] : [capLines(lines).join("\n")];
}

function standing(plan: Plan): string[] {
  if (plan.standing.length === 0) return [];
  const lines = addressesInReadingOrder(plan.standing).map(
    (one) => `- ${inertCode(one.address)}: ${inertMarkdown(standingPhrase(one))}`,
  );
  return [`What runs is not what was deployed last:\n\n${capLines(lines).join("\n")}`];
}

function unchecked(plan: Plan): string[] {
  const { resources, values } = unreadIn(plan);
  return [
    ...uncheckedList("Could not be read, planned from what is recorded:", resources),
    ...uncheckedList(unreadHeading(values), values),
  ];
}

function uncheckedList(heading: string, found: Plan["unchecked"]): string[] {
  if (found.length === 0) return [];
  const lines = uncheckedRows(found, inertCode).map(
    ({ addresses, reason }) => `- ${addresses}: ${inertMarkdown(reason)}`,
  );
  return [`${heading}\n\n${capLines(lines).join("\n")}`];
}

function footer(plan: Plan, entries: readonly PlanEntry[]): string[] {
  const { before, after, estimate } = plan.cost;
  const isFree = [before.usd, before.ngn, after.usd, after.ngn].every((amount) => amount === 0);
  const label = estimate ? "Estimated monthly cost" : "Monthly cost";
  const changes = entries.flatMap((entry) => entry.changes);
  return [
    ...(changes.length < 2 ? [] : [inertMarkdown(countsOf(changes))]),
    ...(isFree
      ? []
      : [
          `${label}: **${moneyChange(before, after, "\u2192", true)}**${sameMoney(before, after) ? " (unchanged)" : ""}`,
        ]),
    ...(plan.unmanaged.length === 0
      ? []
      : [`Also in this workspace, not managed here: ${inertMarkdown(unmanagedText(plan.unmanaged))}.`]),
  ];
}
