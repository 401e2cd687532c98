import { hasErrors } from "../diagnostics/diagnostic";
import { shortList } from "../model/text";
import { type Change, hasChanges, type Plan } from "../plan/plan";
import { diagnosticsText, type Sources } from "./diagnostics";
import { escapeText, quoteText } from "./escape-text";
import { closingLines, countParts, ownerOf, type PlanEntry, planEntries } from "./plan-entries";
import { planSections } from "./plan-sections";
import {
  actionPhrase,
  actionSymbols,
  commonReason,
  constructPhrase,
  counted,
  effectWords,
  isNameTold,
  moneyChange,
  planHeadings,
  planLine,
  pluralPhrase,
} from "./plan-wording";
import { sectionText } from "./sections";
import { arrowOf, idNote, type Style, shownId, wrapText } from "./style";
import { attributeLines, coloured, joinBlocks } from "./values";

/** Addresses of a group. */
const mostInGroup = 10;
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
    return `${diagnosticsText(plan.diagnostics, style, sources, false)}\n\n${planLine(plan)}\n`;
  const entries = planEntries(plan, verbose ? "none" : "alike");
  const { checks, counts, cost } = closingLines(plan, entries, arrowOf(style));
  const sections = [
    plan.stage === undefined ? "" : `Stage: ${style.colors.bold(escapeText(plan.stage))}`,
    changeSection(plan, entries, style),
    ...planSections(plan).map((one) => sectionText(one, style)),
    diagnosticsText(plan.diagnostics, style, sources, false),
    checks === "" ? "" : style.colors.dim(checks),
    blockedLine(entries, style),
    ending === undefined ? "" : loudLines(entries, style),
    [counts, cost].filter((line) => line !== "").join("\n"),
    style.colors.bold(planLine(plan)),
    digestLine(plan, style),
    ending?.next === undefined ? "" : `Next: ${style.colors.bold(escapeText(ending.next))}`,
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function changeSection(plan: Plan, entries: readonly PlanEntry[], style: Style): string {
  if (entries.length === 0) return "";
  const blocks = entries.map((entry) =>
    entry.changes.length > 1 ? groupLines(entry, style) : changeLines(entry, plan, style),
  );
  return `${planHeadings[plan.options.mode]}\n\n${joinBlocks(blocks)}`;
}

function changeLines(entry: PlanEntry, plan: Plan, style: Style): string[] {
  const change = entry.first;
  const { colors } = style;
  const reason = change.reason === undefined ? [] : [colors.dim(`because ${escapeText(change.reason)}`)];
  const deployed = change.deployed === undefined ? [] : [colors.dim(escapeText(change.deployed))];
  const moved =
    change.previousAddress === undefined
      ? []
      : [colors.dim(`moved from ${escapeText(change.previousAddress)}`)];
  const construct =
    change.construct === undefined ? [] : [colors.dim(escapeText(constructPhrase(change.construct)))];
  return [
    headline(change, plan, style),
    ...[...construct, ...moved, ...reason, ...deployed].map((line) => `${below}${line}`),
    ...attributeLines(entry.fields, style),
    // The effects of a deletion with its parent are told once, at the parent.
    ...(change.withParent ? [] : consequences(entry, style)).map((line) => `${below}${line}`),
    ...guardLines(change, style),
  ];
}

/** Renders many equal changes as one: `14 services will be updated in place`, their addresses, and the fields once. */
function groupLines(entry: PlanEntry, style: Style): string[] {
  const { first, changes } = entry;
  const { colors } = style;
  const whose = shortList(
    changes.map(({ address }) => escapeText(address)),
    mostInGroup,
  );
  const head = `${symbol(first, style)} ${colors.bold(counted(changes.length, escapeText(first.type)))} ${pluralPhrase(first)}`;
  const reason = commonReason(first);
  return [
    head,
    ...wrapText(whose, style, below.length),
    ...(reason === undefined ? [] : [`${below}${colors.dim(`because ${escapeText(reason)}`)}`]),
    ...attributeLines(entry.fields, style),
    ...consequences(entry, style).map((line) => `${below}${line}`),
  ];
}

function headline(change: Change, plan: Plan, style: Style): string {
  const { colors } = style;
  const phrase = actionPhrase(change);
  const isLoss = change.action === "replace" || (change.action === "delete" && change.onRemove !== "archive");
  const identity =
    change.id === undefined || change.action === "update" || change.withParent
      ? ""
      : idNote(change.id, style);
  const name = isNameTold(change) ? "" : ` (${quoteText(change.name)})`;
  const owner = change.withParent ? ownerOf(change, plan) : undefined;
  return [
    `${symbol(change, style)} ${colors.bold(escapeText(change.address))}${name} `,
    isLoss ? colors.red(phrase) : phrase,
    owner === undefined ? "" : ` together with ${escapeText(owner)}`,
    identity,
  ].join("");
}

function symbol(change: Change, style: Style): string {
  const text = (change.action === "no-op" ? "~" : actionSymbols[change.action]).padStart(3);
  if (change.action === "replace") return `${style.colors.red("-")}/${style.colors.green("+")}`;
  if (change.action === "adopt" || change.action === "forget") return style.colors.cyan(text);
  return coloured(text.trim(), text, style);
}

function consequences({ effects, cost }: PlanEntry, style: Style): string[] {
  const { colors } = style;
  const words = effects.map((effect) =>
    effect === "destructive" ? colors.bold(colors.red(effectWords[effect])) : effectWords[effect],
  );
  return [
    ...(words.length === 0 ? [] : [`${colors.dim("effect:")} ${words.join(", ")}`]),
    ...(cost === undefined
      ? []
      : [`${colors.dim("cost:")} ${moneyChange(cost.before, cost.after, arrowOf(style))} a month`]),
  ];
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

/** Repeats what is lost and what moves the bill: above it may be screens of text. */
function loudLines(entries: readonly PlanEntry[], style: Style): string {
  if (entries.length < 2) return "";
  const { red, yellow, bold } = style.colors;
  const changes = entries.flatMap((entry) => entry.changes);
  const own = changes.filter(({ withParent }) => !withParent);
  const parts = changes.filter(({ withParent }) => withParent);
  const isDestroyed = ({ action, onRemove }: Change) => action === "delete" && onRemove !== "archive";
  const isDestructive = (change: Change) =>
    change.effects.includes("destructive") && !isDestroyed(change) && change.action !== "replace";
  const kinds: readonly (readonly [string, typeof red, (change: Change) => boolean])[] = [
    ["Destroys", red, isDestroyed],
    ["Replaces", red, ({ action }) => action === "replace"],
    ["Loses what is in", red, isDestructive],
    ["Changes the bill of", yellow, ({ effects }) => effects.includes("billing")],
  ];
  return kinds
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

function blockedLine(entries: readonly PlanEntry[], style: Style): string {
  const blocked = entries.filter(({ first }) => first.guard !== undefined).length;
  if (blocked === 0) return "";
  const verb = blocked === 1 ? "is" : "are";
  const line = `${counted(blocked, "change")} ${verb} blocked. Nothing is applied until you confirm or remove ${blocked === 1 ? "it" : "them"}.`;
  return style.colors.red(wrapText(line, style).join("\n"));
}
