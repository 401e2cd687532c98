import type { SourceRange } from "../../diagnostics/diagnostic";
import { type Address, nameOf } from "../../model/address";
import { isUnconfirmed } from "../../plan/guards";
import type { Action, Change, Guard, Plan } from "../../plan/plan";
import { isLoss, type PlanEntry } from "../plan-entries";
import {
  actionPhrase,
  actionSymbols,
  constructPhrase,
  counted,
  effectWords,
  isNameTold,
  listedFields,
  moneyChange,
  pluralPhrase,
} from "../plan-wording";
import {
  attributeNotes,
  attributeSign,
  capLines,
  changedLines,
  isBlock,
  isHidden,
  oneSide,
  type ShownField,
  shownText,
} from "../values";
import type { Entry } from "./entries";
import { html, joined, linkTo, Markup, nothing, type Part } from "./markup";

/** How an action is marked: a word, its sign and its colour, so that none of them is needed alone. */
export const markWords: Readonly<Record<Action, string>> = {
  create: "create",
  update: "update",
  replace: "replace",
  delete: "destroy",
  adopt: "import",
  forget: "forget",
  "no-op": "record",
};

const isArchived = ({ action, onRemove }: Pick<Change, "action" | "onRemove">): boolean =>
  action === "delete" && onRemove === "archive";

/** The mark of a change: `~ update`. */
function markOf(change: Pick<Change, "action" | "onRemove">): Markup {
  const word = isArchived(change) ? "archive" : markWords[change.action];
  const sign = actionSymbols[change.action].trim().replace("-", "\u2212");
  return html`<span class="mark ${change.action}">${sign} ${word}</span>`;
}

/** The text that lets a guarded change pass. */
export const passOf = (address: Address, guard: Guard): string =>
  isUnconfirmed({ guard }) ? `--confirm-delete ${address}` : guard.hint;

/** Why a change is made, for the filter: the causes of its fields, or what it follows. */
function causesOf(change: Change, plan: Plan): readonly string[] {
  if (change.reason !== undefined) return ["reaction"];
  const fields = listedFields(change, plan).map(({ cause }) => cause);
  return [
    ...new Set<string>(change.missing ? ["drift", ...fields] : fields.length === 0 ? ["edit"] : fields),
  ];
}

/** The project or service at the head of an address; texts that people filter by. */
export const headOf = (change: Pick<Change, "address" | "construct">): string =>
  nameOf((change.construct?.in ?? change.address) as Address).split(".")[0] ?? "";

/** One item of a plan as an entry of its page. */
export function entryOf(entry: PlanEntry, plan: Plan): Entry {
  const { first, changes, fields, effects: all, cost } = entry;
  const title =
    changes.length > 1
      ? html`<b>${counted(changes.length, first.type)}</b> ${pluralPhrase(first)}`
      : html`<code>${first.address}</code> ${actionPhrase(first)}`;
  const marks = html`${markOf(first)}${first.guard ? html` <span class="mark blocked">! blocked</span>` : nothing}`;
  const effects = (first.withParent ? [] : all).map(
    (effect) => html` <span class="effect ${effect}">${effectWords[effect]}</span>`,
  );
  return {
    ids: changes.map(({ address }) => address),
    line: html`${marks} ${title}${effects}`,
    notes: notesOf(first, cost),
    fields: () => fieldRows(fields),
    found: { action: [first.action], cause: causesOf(first, plan), project: changes.map(headOf) },
    isKept: isLoss(first),
  };
}

/** What is to be known of one change besides its fields. */
function notesOf(change: Change, cost: PlanEntry["cost"]): Entry["notes"] {
  const { address, id, guard, reason, previousAddress, construct, withParent, references = [] } = change;
  const isShownId = id !== undefined && change.action !== "update";
  const code = (text: string): Markup => html`<code>${text}</code>`;
  const rows: readonly (readonly [label: string, value: Part])[] = [
    ["blocked", guard?.summary],
    ["to continue", guard && html`<code class="copy">${passOf(address, guard)}</code>`],
    ["because", reason],
    [
      "how",
      withParent ? `destroyed with its ${change.type === "layout" ? "project" : "service"}` : undefined,
    ],
    ["name", isNameTold(change) ? undefined : code(change.name)],
    ["id", isShownId ? code(id) : undefined],
    ["moved from", previousAddress && code(previousAddress)],
    ["declared by", construct && constructPhrase(construct)],
    ["refers to", references.length === 0 ? undefined : references.map(addressLink)],
    ["cost a month", cost && moneyChange(cost.before, cost.after, "\u2192", true)],
  ];
  return rows.filter(([, value]) => value !== undefined);
}

const addressLink = (address: Address): Markup => html`<code>${address}</code> `;

/** A link to a change on this page. */
export const linkedAddress = (address: Address, isHere: boolean): Markup =>
  isHere ? html`<a href="${linkTo(address)}"><code>${address}</code></a>` : html`<code>${address}</code>`;

/** Fields as rows: path, both sides, why, and the line of the manifest. */
export function fieldRows(fields: readonly ShownField[], sources?: Lines): Markup {
  if (fields.length === 0) return nothing;
  return html`<table class="fields">${fields.map((field) => html`<tr><th>${field.path}<td>${sidesOf(field)}${notesCell(field, sources)}`)}</table>`;
}

/** Says in which line of a file a range starts; undefined where that is not known. */
export type Lines = (range: SourceRange) => number | undefined;

/** Reasons and place stand in one cell, which most fields of something new have for the place alone. */
function notesCell(field: ShownField, lines?: Lines): Part {
  const notes = attributeNotes(field);
  const place = field.range && placeText(field.range, lines);
  if (notes.length === 0 && place === undefined) return nothing;
  return html`<td>${notes.map((note) => html`<em${note === "forces replacement" ? new Markup(' class="force"') : nothing}>${note}</em> `)}${place === undefined ? nothing : html`<code>${place}</code>`}`;
}

/** `rnv.yaml:9`; the file alone where the line is not known. */
export function placeText(range: SourceRange & { readonly line?: number }, lines?: Lines): string {
  const line = range.line ?? lines?.(range);
  return line === undefined ? range.file : `${range.file}:${line}`;
}

function sidesOf(field: ShownField): Markup {
  const { before, after } = field;
  if (isHidden(field)) return html`changes (hidden)`;
  if (isBlock(before) || isBlock(after)) return linesOf(field);
  switch (attributeSign(field)) {
    case "~":
      return html`<del>${shownText(before)}</del> \u2192 <ins>${shownText(after)}</ins>`;
    case "-":
      return html`<del>${shownText(before)}</del>`;
    case "+":
      return html`<ins>${shownText(after)}</ins>`;
    default:
      return html`${shownText(oneSide(field))}`;
  }
}

const lineTags = { "+": "ins", "-": "del" } as const;

function linesOf(field: ShownField): Markup {
  const lines = changedLines(field).map(({ sign, text }) => ({ sign, line: `${sign} ${text}` }));
  const shown = capLines(lines.map(({ line }) => line)).map((text, i) => {
    const sign = lines[i]?.line === text ? lines[i]?.sign : undefined;
    const tag = sign === "+" || sign === "-" ? lineTags[sign] : undefined;
    return tag === undefined ? html`${text}` : html`<${new Markup(tag)}>${text}</${new Markup(tag)}>`;
  });
  return html`<pre tabindex="0">${joined(shown, "\n")}</pre>`;
}
