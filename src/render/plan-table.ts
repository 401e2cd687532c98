import { shortList } from "../model/text";
import type { Action, Change } from "../plan/plan";
import { attributeSign } from "./attribute-lines";
import { inertCode, inertMarkdown, inertString, shorten, tableRow } from "./inert";
import { commonReason, type PlanEntry } from "./plan-entries";
import { counted, countsOf, effectWords, isNameTold } from "./plan-wording";
import { isBlock, shownText } from "./value-text";

/** Characters of an address or of what changes, in a row. */
export const longestName = 120;
/** Addresses in a row of many changes that do the same. */
const mostNamed = 3;

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
export function planTable(entries: readonly PlanEntry[], most: number): string[] {
  if (entries.length === 0) return [];
  const rest = entries.slice(most).flatMap(({ changes }) => changes);
  return [
    [
      tableRow(["action", "resource", "what", "effect"]),
      "| --- | --- | --- | --- |",
      ...entries.slice(0, most).map(row),
      ...(rest.length > 0
        ? [tableRow(["", `and ${rest.length} more`, inertMarkdown(countsOf(rest)), ""])]
        : []),
    ].join("\n"),
  ];
}

function row({ first, changes }: PlanEntry): string {
  const names = changes.map(({ address }) => inertCode(shorten(address, longestName)));
  const isMany = changes.length > 1;
  const what = shorten(changedPaths(first, isMany), longestName);
  const many = inertMarkdown(counted(changes.length, first.type));
  return tableRow([
    `${markOf(first)}${first.guard ? ", blocked" : ""}`,
    shortList(names, mostNamed),
    isMany ? (what === "" ? many : `${many}: ${inertCode(what)}`) : inertMarkdown(what),
    first.withParent ? "" : first.effects.map(effectWord).join(", "),
  ]);
}

const markOf = ({ action, onRemove }: Change): string =>
  action === "delete" && onRemove === "archive" ? "**archive**" : marks[action];

const effectWord = (effect: Change["effects"][number]): string =>
  effect === "destructive" ? `**${effectWords[effect]}**` : effectWords[effect];

/** The fields of a change in a few words: `branch, plan and 3 more`. */
function changedPaths(change: Change, isMany: boolean): string {
  if (change.reason !== undefined) return `because ${isMany ? commonReason(change) : change.reason}`;
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
    .map((field) => {
      const name = field.path.slice(field.path.lastIndexOf(".") + 1);
      // What many have in common is worth its values.
      const isShown =
        isMany && attributeSign(field) === "~" && !isBlock(field.before) && !isBlock(field.after);
      return isShown ? `${name} ${shownText(field.before)} \u2192 ${shownText(field.after)}` : name;
    });
  return names.length <= 4
    ? names.join(", ")
    : `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`;
}

/** Undefined when the table says it all. */
