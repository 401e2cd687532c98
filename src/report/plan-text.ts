import { hasErrors } from "../diagnostics/diagnostic";
import { shortList } from "../model/text";
import { type Change, hasChanges, type Plan } from "../plan/plan";
import { diagnosticsText, type Sources } from "./diagnostics";
import { escapeText, quoteText } from "./escape-text";
import { countParts, type PlanEntry, type PlanReport, planReport } from "./plan-report";
import {
  actionSymbols,
  constructPhrase,
  counted,
  effectWords,
  isNameTold,
  moneyChange,
  planHeadings,
  planLine,
} from "./plan-wording";
import { joined, sectionText } from "./sections";
import { arrowOf, idNote, type Style, shownId, wrapText } from "./style";
import { attributeLines, coloured, joinBlocks } from "./values";

/** Addresses of a group. */
const mostInGroup = 5;
const mostInFolded = 2;
const below = " ".repeat(6);

interface PlanTextOptions {
  /** Texts of the files, for the code frames of diagnostics. */
  readonly sources?: Sources | undefined;
  /** Only for a terminal, where the end of a text is seen: `next` is the command that does what is planned. */
  readonly ending?: { readonly next?: string | undefined } | undefined;
  /** Each resource by itself. */
  readonly verbose?: boolean;
}

/**
 * Renders a plan for people; its line of counts is parsed by other tools (DESIGN section 8), and the digest of what
 * changes is the last one.
 */
export function planText(
  plan: Plan,
  style: Style,
  { sources, ending, verbose = false }: PlanTextOptions = {},
): string {
  // What the platform does not offer is the whole answer: the rest would only follow from it.
  if (plan.diagnostics.some(({ code }) => code === "plan.not_on_offer"))
    return joined([diagnosticsText(plan.diagnostics, style, sources, false), planLine(plan)]);
  const texts = { sources, ending };
  const report = planReport(plan, verbose ? "none" : "alike");
  const text = reportText(report, plan, style, texts);
  const isLong = report.changes.length >= fewestFolded && text.split("\n").length > mostLines;
  return verbose || !isLong ? text : reportText(planReport(plan, "types"), plan, style, texts);
}

/** So many changes are folded where they take more lines than `mostLines`. */
const fewestFolded = 100;
const mostLines = 40;

function reportText(
  report: PlanReport,
  plan: Plan,
  style: Style,
  { sources, ending }: PlanTextOptions,
): string {
  const { entries, changes, sections, checks, counts, cost, line, isFolded } = report;
  const closing = [
    checks === "" ? "" : style.colors.dim(checks),
    blockedLine(changes, style),
    ending === undefined || entries.length < 2 ? "" : loudLines(changes, isFolded, style),
    [counts, cost(arrowOf(style))].filter((line) => line !== "").join("\n"),
    style.colors.bold(line),
    digestLine(plan, style),
    ending?.next === undefined ? "" : `Next: ${style.colors.bold(escapeText(ending.next))}`,
  ].filter((text) => text !== "");
  return joined([
    plan.stage === undefined ? "" : `Stage: ${style.colors.bold(escapeText(plan.stage))}`,
    changeSection(plan, report, style),
    ...sections.map((one) => sectionText(one, style)),
    diagnosticsText(plan.diagnostics, style, sources, false),
    ...(isFolded ? [closing.join("\n")] : closing),
  ]);
}

function changeSection(plan: Plan, { entries, isFolded }: PlanReport, style: Style): string {
  if (entries.length === 0) return "";
  const blocks = joinBlocks(entries.map((entry) => entryLines(entry, isFolded, style)));
  const heading = planHeadings[plan.options.mode];
  return `${isFolded ? heading.replace(/:$/, " (-verbose shows each):") : heading}\n\n${blocks}`;
}

/** Renders an item: its line, why, its fields, and what follows. Of many changes their addresses are below the line. */
function entryLines(entry: PlanEntry, isFolded: boolean, style: Style): string[] {
  const { first, changes, fields, reason, deployed } = entry;
  const isMany = changes.length > 1;
  const addresses = shortList(
    changes.map(({ address }) => escapeText(address)),
    isFolded ? mostInFolded : mostInGroup,
  );
  const why = [
    isMany ? undefined : first.construct && constructPhrase(first.construct),
    first.previousAddress && `moved from ${first.previousAddress}`,
    reason === undefined ? undefined : `because ${reason}`,
    deployed,
  ].filter((line) => line !== undefined);
  return [
    headline(entry, style),
    ...(isMany ? wrapText(addresses, style, below.length) : []),
    ...why
      .flatMap((line) => wrapText(escapeText(line), style, below.length))
      .map((line) => style.colors.dim(line)),
    ...attributeLines(fields, style),
    // The effects of a deletion with its parent are told once, at the parent.
    ...(first.withParent ? [] : consequences(entry, isFolded, style)).map((line) => `${below}${line}`),
    ...guardLines(first, style),
  ];
}

/** `14 services will be updated in place`, `service.shop.worker ("Old") will be destroyed [id=…]`. */
function headline({ first, changes, parts, owner, subject, phrase }: PlanEntry, style: Style): string {
  const { bold, red } = style.colors;
  const opening = `${symbol(first, style)} ${bold(escapeText(subject))}`;
  if (changes.length > 1) return `${opening} ${phrase}`;
  const { name, id, action, onRemove, withParent } = first;
  const isEnd = action === "replace" || (action === "delete" && onRemove !== "archive");
  const shownPhrase = isEnd ? red(phrase) : phrase;
  const shownName = isNameTold(first) ? "" : ` (${quoteText(name)})`;
  const together =
    owner !== undefined
      ? ` together with ${escapeText(owner)}`
      : parts.length > 0
        ? ` with ${countParts(parts)}`
        : "";
  const identity = action === "update" || withParent ? "" : idNote(id, style);
  return `${opening}${shownName} ${shownPhrase}${together}${identity}`;
}

function symbol(change: Change, style: Style): string {
  const text = (change.action === "no-op" ? "~" : actionSymbols[change.action]).padStart(3);
  if (change.action === "replace") return `${style.colors.red("-")}/${style.colors.green("+")}`;
  if (change.action === "adopt" || change.action === "forget") return style.colors.cyan(text);
  return coloured(text.trim(), text, style);
}

function consequences({ effects, cost }: PlanEntry, isFolded: boolean, style: Style): string[] {
  const { colors } = style;
  const words = effects.map((effect) =>
    effect === "destructive" ? colors.bold(colors.red(effectWords[effect])) : effectWords[effect],
  );
  const lines = [
    ...(words.length === 0 ? [] : [`${colors.dim("effect:")} ${words.join(", ")}`]),
    ...(cost === undefined
      ? []
      : [`${colors.dim("cost:")} ${moneyChange(cost.before, cost.after, arrowOf(style))} a month`]),
  ];
  return isFolded && lines.length > 0 ? [lines.join("; ")] : lines;
}

function guardLines(change: Change, style: Style): string[] {
  if (change.guard === undefined) return [];
  const { colors } = style;
  const label = "blocked:";
  const indent = below.length + label.length + 1;
  const summary = wrapText(escapeText(change.guard.summary), style, indent);
  return [
    `${below}${colors.bold(colors.red(label))} ${summary.join("\n").trimStart()}`,
    ...wrapText(escapeText(change.guard.hint), style, indent),
  ];
}

/** Repeats what is lost and what moves the bill: above it may be screens of text. Of a folded plan only what is lost. */
function loudLines(changes: readonly Change[], isFolded: boolean, style: Style): string {
  const { red, yellow, bold } = style.colors;
  const own = changes.filter(({ withParent }) => !withParent);
  const parts = changes.filter(({ withParent }) => withParent);
  const isDestroyed = ({ action, onRemove }: Change) => action === "delete" && onRemove !== "archive";
  const isDestructive = (change: Change) =>
    change.effects.includes("destructive") && !isDestroyed(change) && change.action !== "replace";
  const kinds: readonly (readonly [string, typeof red, (change: Change) => boolean])[] = [
    ["Destroys", red, isDestroyed],
    ["Replaces", red, ({ action }) => action === "replace"],
    ["Loses what is in", red, isDestructive],
  ];
  const isBilled = ({ effects }: Change) => effects.includes("billing");
  return [...kinds, ...(isFolded ? [] : [["Changes the bill of", yellow, isBilled] as const])]
    .flatMap(([words, colour, isOfKind]) => {
      const found = own.filter(isOfKind).map(({ address }) => escapeText(address));
      if (found.length === 0) return [];
      const more = words === "Destroys" && parts.length > 0 ? `, and ${countParts(parts)} of them` : "";
      return [`${bold(colour(`! ${words} ${found.length}${more}:`))} ${shortList(found, mostInGroup)}`];
    })
    .join("\n");
}

/** The digest of what would be done; of a plan that does nothing or cannot be applied there is none to expect. */
const digestLine = (plan: Plan, style: Style): string =>
  plan.digest !== undefined && hasChanges(plan) && !hasErrors(plan.diagnostics)
    ? style.colors.dim(`Digest: ${shownId(plan.digest, style)}`)
    : "";

function blockedLine(changes: readonly Change[], style: Style): string {
  const blocked = changes.filter(({ guard }) => guard !== undefined).length;
  if (blocked === 0) return "";
  const verb = blocked === 1 ? "is" : "are";
  const line = `${counted(blocked, "change")} ${verb} blocked. Nothing is applied until you confirm or remove ${blocked === 1 ? "it" : "them"}.`;
  return style.colors.red(wrapText(line, style).join("\n"));
}
