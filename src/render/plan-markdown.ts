import type { Diagnostic } from "../diagnostics/diagnostic";
import { shortList } from "../model/text";
import { isUnconfirmed } from "../plan/guards";
import type { Action, Change, Plan } from "../plan/plan";
import {
  codeSpan,
  escapeHtml,
  escapeMarkdown,
  escapeText,
  fencedBlock,
  quoteText,
  shorten,
  tableRow,
} from "./escape-text";
import { isLoss, type PlanEntry, planEntries } from "./plan-entries";
import { planSections } from "./plan-sections";
import {
  actionPhrase,
  checkWords,
  commonReason,
  counted,
  countsOf,
  effectWords,
  isBlocked,
  isNameTold,
  moneyChange,
  planLine,
  pluralPhrase,
  sameMoney,
} from "./plan-wording";
import { sectionMarkdown } from "./sections";
import { attributeSign, capLines, countFitting, fieldLines, isBlock, shownText } from "./values";

/** Characters; GitHub refuses comments above 65,536. */
const defaultLimit = 60_000;
/** Kept free for the note that tells what was left out. */
const reserve = 400;
const mostRows = 200;
/** Rows of a table that is not folded away. */
const mostOpen = 25;
const mostItems = 50;
/** Addresses in the details of many changes that do the same. */
const mostListed = 50;

/**
 * A plan for a pull request: summary, what ends or is blocked, a table, and what each resource changes, folded away. What
 * is too long for the limit is cut from the end of the reading order and counted; no deletion ever is. With `fold`, a
 * long table is folded away but for what ends or is blocked. `title` is Markdown.
 */
export function planMarkdown(
  plan: Plan,
  limit = defaultLimit,
  {
    title = plan.stage === undefined ? "rnv plan" : `rnv plan of ${codeSpan(plan.stage)}`,
    fold = false,
  } = {},
): string {
  const entries = planEntries(plan);
  const head = [`### ${title}`, `**${planLine(plan)}**`, ...blocked(entries)];
  const closing = [
    ...outputs(plan),
    ...planSections(plan).map(sectionMarkdown),
    ...checkLine(plan),
    ...footer(plan, entries),
  ];
  const losses = entries.filter(({ first }) => isLoss(first));
  const shorter = [
    () => [
      ...head,
      ...findings(plan.diagnostics),
      ...planTable(entries, losses.length + mostRows, fold ? losses.length : undefined),
    ],
    () => [...head, ...findings(plan.diagnostics.filter(isError)), ...planTable(entries, losses.length)],
  ];
  for (const opening of shorter) {
    const above = opening();
    const room = limit - reserve - joined([...above, ...closing]).length;
    if (room < 0) continue;
    const blocks = entries.flatMap((entry) => {
      const text = details(entry);
      return text === undefined ? [] : [{ entry, text }];
    });
    const shown = blocks.map(({ text }) => text);
    const fits = countFitting(shown, room);
    const left = blocks.slice(fits).flatMap(({ entry }) => entry.changes);
    const note =
      left.length === 0
        ? []
        : [
            `> [!NOTE]\n> The details of ${counted(left.length, "resource")} are left out, because this comment would be too long.`,
          ];
    return joined([...above, ...shown.slice(0, fits), ...note, ...closing, ...digestMarker(plan)]);
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
    return `${sign} ${shorten(escapeText(change.address), longestName)}${change.guard ? "  # blocked" : ""}`;
  });
  const left = entries.flatMap(({ changes }) => changes).length - own.length;
  return joined([
    ...head,
    ...(isBlocked(plan) ? ["> [!CAUTION]\n> Blocked until it is resolved; `rnv plan` says how."] : []),
    ...(lines.length === 0 ? [] : [fencedBlock(lines, "diff")]),
    ...(left === 0
      ? []
      : [
          `> [!NOTE]\n> The list of ${lines.length === 0 ? counted(left, "resource") : `${counted(left, "other resource")}`} is left out, because this comment would be too long.`,
        ]),
    ...footer(plan, entries),
    ...digestMarker(plan),
  ]);
}

/** Those that failed are among the findings above. */
function checkLine({ checks = [] }: Plan): string[] {
  if (checks.length === 0) return [];
  const { title, counts } = checkWords(checks);
  return [`${title}: ${counts}.`];
}

/** A comment that no reader sees: what a job compares before it applies. */
const digestMarker = ({ digest }: Plan): string[] =>
  digest === undefined ? [] : [`<!-- rnv digest: ${digest} -->`];

const capItems = (items: readonly string[]): string[] =>
  items.length <= mostItems
    ? [...items]
    : [...items.slice(0, mostItems), `> - and ${items.length - mostItems} more`];

/** Lists the guards of blocked changes; for many unconfirmed deletions says how to confirm them. */
function blocked(entries: readonly PlanEntry[]): string[] {
  const held = entries.map(({ first }) => first).filter(({ guard }) => guard !== undefined);
  if (held.length === 0) return [];
  const unconfirmed = held.filter(isUnconfirmed);
  const others = unconfirmed.length > mostItems ? held.filter((change) => !isUnconfirmed(change)) : held;
  const lines = others.map(
    ({ address, guard }) =>
      `> - ${codeSpan(address)}: ${escapeMarkdown(guard?.summary ?? "")}. ${hintText(address, capitalized(guard?.hint ?? ""))}`,
  );
  const many =
    others.length === held.length
      ? []
      : [
          `> - ${counted(unconfirmed.length, "unconfirmed deletion")}, marked below; to confirm each: \`--confirm-delete ADDRESS\`, or \`removed:\` in the manifest`,
        ];
  return [`> [!CAUTION]\n> Blocked until it is resolved:\n${[...many, ...lines].join("\n")}`];
}

const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** A hint; the option in it that confirms a deletion stands whole, to be copied. */
function hintText(address: string, hint: string): string {
  const option = `--confirm-delete ${address}`;
  const [before = "", ...after] = hint.split(option);
  if (after.length === 0) return escapeMarkdown(hint);
  const rest = after.join(option);
  const gap = (text: string, isThere: boolean): string => (text !== "" && isThere ? " " : "");
  const head = `${escapeMarkdown(before)}${gap(before, before.endsWith(" "))}${codeSpan(option)}`;
  return `${head}${gap(rest, rest.startsWith(" "))}${escapeMarkdown(rest)}`;
}

function findings(diagnostics: readonly Diagnostic[]): string[] {
  const lines = diagnostics.map(
    ({ severity, code, summary, hint }) =>
      `> - ${severity} ${codeSpan(code)}: ${escapeMarkdown(summary)}${hint === undefined ? "" : ` (${escapeMarkdown(hint)})`}`,
  );
  return lines.length === 0 ? [] : [`> [!WARNING]\n${capItems(lines).join("\n")}`];
}

/** Renders the fields of an entry, folded away; undefined where the table has all of them. */
function details({ first: change, changes, fields, cost }: PlanEntry): string | undefined {
  const lines = fields.flatMap(fieldLines);
  const isMany = changes.length > 1;
  const notes = [
    ...(change.previousAddress === undefined ? [] : [`moved from ${codeSpan(change.previousAddress)}`]),
    ...(isMany
      ? [
          shortList(
            changes.map(({ address }) => codeSpan(address)),
            mostListed,
          ),
        ]
      : []),
    ...(isMany || change.id === undefined || change.action === "update" ? [] : [`id ${codeSpan(change.id)}`]),
    ...(cost === undefined ? [] : [`cost ${moneyChange(cost.before, cost.after, "\u2192")} a month`]),
  ];
  const body = [...(lines.length === 0 ? [] : [fencedBlock(lines, "diff")]), ...notes];
  if (lines.length === 0) return undefined;
  const what = isMany
    ? `${escapeHtml(counted(changes.length, change.type))} ${escapeHtml(pluralPhrase(change))}`
    : `<code>${escapeHtml(change.address)}</code> ${escapeHtml(actionPhrase(change))}`;
  const summary = `<summary>${what}</summary>`;
  return `<details>${summary}\n\n${body.join("\n\n")}\n\n</details>`;
}

function outputs(plan: Plan): string[] {
  if (plan.outputs.length === 0) return [];
  const lines = plan.outputs.flatMap(({ name, before, after }) =>
    fieldLines({ path: name, before, after, cause: "edit", forcesReplacement: false }),
  );
  return [
    `<details><summary>Changes to outputs</summary>\n\n${fencedBlock(capLines(lines), "diff")}\n\n</details>`,
  ];
}

function footer(plan: Plan, entries: readonly PlanEntry[]): string[] {
  const { before, after, estimate } = plan.cost;
  const isFree = [before.usd, before.ngn, after.usd, after.ngn].every((amount) => amount === 0);
  const label = estimate ? "Estimated monthly cost" : "Monthly cost";
  const changes = entries.flatMap((entry) => entry.changes);
  return [
    ...(changes.length < 2 ? [] : [escapeMarkdown(countsOf(changes))]),
    ...(isFree
      ? []
      : [
          `${label}: **${moneyChange(before, after, "\u2192", true)}**${sameMoney(before, after) ? " (unchanged)" : ""}`,
        ]),
  ];
}

/** Characters of an address or of what changes, in a row. */
const longestName = 120;
/** Addresses in a row of many changes that do the same. */
const mostInRow = 3;

const marks: Readonly<Record<Action, string>> = {
  create: "create",
  update: "update",
  replace: "**replace**",
  delete: "**delete**",
  adopt: "import",
  forget: "forget",
  "no-op": "record",
};

/** A row for each entry, `most` of them; the last says what the rest would do. */
function planTable(entries: readonly PlanEntry[], most: number, open = most): string[] {
  if (entries.length === 0) return [];
  const rest = entries.slice(most).flatMap(({ changes }) => changes);
  const rows = entries.slice(0, most).map(row);
  const more =
    rest.length > 0 ? [tableRow(["", `and ${rest.length} more`, escapeMarkdown(countsOf(rest)), ""])] : [];
  const isFolded = open < most && rows.length - open > mostOpen;
  if (!isFolded) return [table([...rows, ...more])];
  const folded = entries.slice(open).flatMap(({ changes }) => changes);
  const summary = `<summary>${escapeHtml(`${open === 0 ? "" : "and "}${countsOf(folded)}`)}</summary>`;
  return [
    ...(open === 0 ? [] : [table(rows.slice(0, open))]),
    `<details>${summary}\n\n${table([...rows.slice(open), ...more])}\n\n</details>`,
  ];
}

const table = (rows: readonly string[]): string =>
  [tableRow(["action", "resource", "what", "effect"]), "| --- | --- | --- | --- |", ...rows].join("\n");

function row({ first, changes, effects }: PlanEntry): string {
  const names = changes.map(({ address }) => codeSpan(shorten(address, longestName)));
  const isMany = changes.length > 1;
  const what = shorten(changedPaths(first, isMany), longestName);
  const many = escapeMarkdown(counted(changes.length, first.type));
  return tableRow([
    `${markOf(first)}${first.guard ? ", blocked" : ""}`,
    shortList(names, mostInRow),
    isMany ? (what === "" ? many : `${many}: ${codeSpan(what)}`) : escapeMarkdown(what),
    first.withParent ? "" : effects.map(effectWord).join(", "),
  ]);
}

const markOf = ({ action, onRemove }: Change): string =>
  action === "delete" && onRemove === "archive" ? "**archive**" : marks[action];

const effectWord = (effect: Change["effects"][number]): string =>
  effect === "destructive" ? `**${effectWords[effect]}**` : effectWords[effect];

/** The fields of a change in a few words: `branch, plan and 3 more`. */
function changedPaths(change: Change, isMany: boolean): string {
  if (change.reason !== undefined) return `because ${isMany ? commonReason(change) : change.reason}`;
  if (change.withParent) return "destroyed with its parent";
  if (change.action === "create") return "";
  if (change.action === "delete" || change.action === "forget")
    return isNameTold(change) ? "" : `named ${quoteText(change.name)}`;
  const names = [
    ...change.attributes,
    ...(change.lifecycle ?? []),
    ...(change.action === "no-op" ? (change.drift ?? []) : []),
  ]
    .filter((field) => attributeSign(field) !== " ")
    .map((field) => {
      const name = field.path.slice(field.path.lastIndexOf(".") + 1);
      // A field of many resources is shown with its values.
      const isShown =
        isMany && attributeSign(field) === "~" && !isBlock(field.before) && !isBlock(field.after);
      return isShown ? `${name} ${shownText(field.before)} \u2192 ${shownText(field.after)}` : name;
    });
  return names.length <= 4
    ? names.join(", ")
    : `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`;
}

/** Undefined when the table says it all. */
