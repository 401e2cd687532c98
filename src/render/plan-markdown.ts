import type { Diagnostic } from "../diagnostics/diagnostic";
import type { Action, Change, Plan } from "../plan/plan";
import { attributeSign } from "./attribute-lines";
import { inertCode, inertFence, inertHtml, inertMarkdown, inertString, shorten, tableRow } from "./inert";
import { fieldLines } from "./markdown-fields";
import { moneyChange, sameMoney } from "./money-text";
import {
  actionPhrase,
  counted,
  effectWords,
  isListed,
  isNameTold,
  listedFields,
  planLine,
  unmanagedText,
} from "./plan-wording";
import { addressesInReadingOrder, readingOrder } from "./reading-order";
import { standingPhrase } from "./standing";
import { uncheckedRows, unreadHeading, unreadIn } from "./unchecked";
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
const longestName = 120;
const mostRows = 200;
const mostItems = 50;

const marks: Readonly<Record<Action, string>> = {
  create: "create",
  update: "update",
  replace: "**replace**",
  delete: "**delete**",
  adopt: "import",
  forget: "forget",
  "no-op": "record",
};

/** A plan for a pull request: summary, guards, a table, and what each resource changes, folded away. */
export function planMarkdown(plan: Plan, options: PlanMarkdownOptions = {}): string {
  const limit = options.limit ?? defaultLimit;
  const changes = readingOrder(plan.changes).filter((change) => isListed(change, plan));
  const opening = [
    `### ${inertMarkdown(options.title ?? "rnv plan")}`,
    `**${planLine(plan)}**`,
    ...blocked(changes),
    ...findings(plan.diagnostics),
    ...table(changes),
  ];
  const closing = [...outputs(plan), ...moved(plan), ...standing(plan), ...unchecked(plan), ...footer(plan)];
  const room = limit - reserve - joined([...opening, ...closing]).length;
  const { shown, left } = fitting(
    changes.map((change) => details(change, plan)).filter((block) => block !== undefined),
    room,
  );
  const note =
    left === 0
      ? []
      : [
          `> [!NOTE]\n> The details of ${counted(left, "resource")} are left out, because this comment would be too long.`,
        ];
  const text = joined([...opening, ...shown, ...note, ...closing]);
  return text.length <= limit ? text : bare(plan, changes.length, options.title);
}

const joined = (sections: readonly string[]): string => `${sections.join("\n\n")}\n`;

/** When even the table is too long. */
const bare = (plan: Plan, count: number, title = "rnv plan"): string =>
  joined([
    `### ${inertMarkdown(shorten(title, longestName))}`,
    `**${planLine(plan)}**`,
    `> [!NOTE]\n> The list of ${counted(count, "resource")} is left out, because this comment would be too long.`,
  ]);

function fitting(blocks: readonly string[], room: number): { shown: string[]; left: number } {
  let used = 0;
  const end = blocks.findIndex((block) => {
    used += block.length + 2;
    return used > room;
  });
  return end === -1
    ? { shown: [...blocks], left: 0 }
    : { shown: blocks.slice(0, end), left: blocks.length - end };
}

const capItems = (items: readonly string[]): string[] =>
  items.length <= mostItems
    ? [...items]
    : [...items.slice(0, mostItems), `> - and ${items.length - mostItems} more`];

function blocked(changes: readonly Change[]): string[] {
  const lines = changes.flatMap(({ address, guard }) =>
    guard === undefined
      ? []
      : [`> - ${inertCode(address)}: ${inertMarkdown(guard.summary)}. ${inertMarkdown(guard.hint)}`],
  );
  return lines.length === 0
    ? []
    : [`> [!CAUTION]\n> Blocked until it is resolved:\n${capItems(lines).join("\n")}`];
}

function findings(diagnostics: readonly Diagnostic[]): string[] {
  const lines = diagnostics.map(
    ({ severity, code, summary, hint }) =>
      `> - ${severity} ${inertCode(code)}: ${inertMarkdown(summary)}${hint === undefined ? "" : ` (${inertMarkdown(hint)})`}`,
  );
  return lines.length === 0 ? [] : [`> [!WARNING]\n${capItems(lines).join("\n")}`];
}

function table(changes: readonly Change[]): string[] {
  if (changes.length === 0) return [];
  const rows = changes
    .slice(0, mostRows)
    .map((change) =>
      tableRow([
        marks[change.action],
        inertCode(shorten(change.address, longestName)),
        inertMarkdown(shorten(changedPaths(change), longestName)),
        change.withParent ? "" : change.effects.map(effectWord).join(", "),
      ]),
    );
  const rest = changes.length - mostRows;
  return [
    [
      tableRow(["action", "resource", "what", "effect"]),
      "| --- | --- | --- | --- |",
      ...rows,
      ...(rest > 0 ? [tableRow(["", `and ${rest} more`, "", ""])] : []),
    ].join("\n"),
  ];
}

const effectWord = (effect: Change["effects"][number]): string =>
  effect === "destructive" ? `**${effectWords[effect]}**` : effectWords[effect];

/** The fields of a change in a few words: `branch, plan and 3 more`. */
function changedPaths(change: Change): string {
  if (change.reason !== undefined) return `because ${change.reason}`;
  if (change.withParent) return "together with what it belongs to";
  if (change.action === "create") return "";
  if (change.action === "delete" || change.action === "forget")
    return isNameTold(change) ? "" : `named ${inertString(change.name)}`;
  const names = [
    ...change.attributes,
    ...(change.lifecycle ?? []),
    ...(change.action === "no-op" ? (change.drift ?? []) : []),
  ]
    .filter((field) => attributeSign(field) !== " ")
    .map(({ path }) => path.slice(path.lastIndexOf(".") + 1));
  return names.length <= 4
    ? names.join(", ")
    : `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`;
}

/** Undefined when the table says it all. */
function details(change: Change, plan: Plan): string | undefined {
  const lines = listedFields(change, plan).flatMap(fieldLines);
  const cost = change.cost;
  const none = { usd: 0, ngn: 0 };
  const notes = [
    ...(change.previousAddress === undefined ? [] : [`moved from ${inertCode(change.previousAddress)}`]),
    ...(change.id === undefined || change.action === "update" ? [] : [`id ${inertCode(change.id)}`]),
    ...(cost === undefined || sameMoney(cost.before ?? none, cost.after ?? none)
      ? []
      : [`cost ${moneyChange(cost.before ?? none, cost.after ?? none, "\u2192")} a month`]),
  ];
  const body = [...(lines.length === 0 ? [] : [inertFence(lines, "diff")]), ...notes];
  if (lines.length === 0) return undefined;
  const summary = `<summary><code>${inertHtml(change.address)}</code> ${inertHtml(actionPhrase(change))}</summary>`;
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

function footer(plan: Plan): string[] {
  const { before, after, estimate } = plan.cost;
  const isFree = [before.usd, before.ngn, after.usd, after.ngn].every((amount) => amount === 0);
  const label = estimate ? "Estimated monthly cost" : "Monthly cost";
  return [
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
