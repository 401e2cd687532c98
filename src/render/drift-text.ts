import type { Address } from "../model/address";
import { shortList } from "../model/text";
import {
  type AcceptedDrift,
  type Consequence,
  countOf,
  type DriftClass,
  type DriftReport,
  type PendingResource,
} from "../plan/drift";
import type { AttributeChange } from "../plan/plan";
import {
  codeSpan,
  escapeHtml,
  escapeMarkdown,
  escapeText,
  fencedBlock,
  quoteText,
  shorten,
} from "./escape-text";
import {
  actionPhrases,
  actionSymbols,
  asRecorded,
  counted,
  revealedLine,
  standingPhrase,
  standingRows,
  uncheckedByReason,
  uncheckedRows,
  unmanagedLine,
} from "./plan-wording";
import { addressesInReadingOrder } from "./reading-order";
import { alignColumns, type Style } from "./style";
import {
  attributeLines,
  capLines,
  coloured,
  countFitting,
  fieldLines,
  joinBlocks,
  plainText,
} from "./values";

const below = " ".repeat(6);
export const mostNames = 10;

/** Renders a drift report for people. Its last line is `No drift. …` or `Drift: …`. */
export function driftText(report: DriftReport, style: Style): string {
  const { colors } = style;
  const consequences = consequencesByRoot(report);
  const following = (address: DriftReport["missing"][number]): string[] =>
    (consequences.get(address) ?? []).map((one) => followingLine(one, style));
  const sections = [
    section(
      "Changed outside rnv:",
      addressesInReadingOrder(report.drifted).map(({ address, fields }) => [
        `${colors.yellow("  ~")} ${colors.bold(escapeText(address))}`,
        ...attributeLines(fields.map(plainly), style),
        ...following(address),
      ]),
    ),
    section(
      "Deleted outside rnv:",
      addressesInReadingOrder(report.missing.map((address) => ({ address }))).map(({ address }) => [
        `${colors.red("  -")} ${colors.bold(escapeText(address))}`,
        ...following(address),
      ]),
    ),
    section(
      "Declared, but not applied yet:",
      addressesInReadingOrder(report.pending).map((pending) => pendingLines(pending, style)),
    ),
    table("Not running the last deployment:", standingRows(report.running)),
    table("Could not be checked:", uncheckedRows(report.unchecked)),
    revealedLine(report, asRecorded) ?? "",
    ...unmanagedSections(report),
    table(acceptedHeading, acceptedRows(report.accepted)),
    table(expiredHeading, acceptedRows(report.expired)),
    colors.bold(driftLine(report)),
  ];
  return `${sections.filter((text) => text !== "").join("\n\n")}\n`;
}

const followingLine = (one: Consequence, { colors }: Style): string =>
  `${below}${colors.dim("to repair it:")} ${escapeText(consequencePhrase(one))}`;

function pendingLines(pending: PendingResource, style: Style): string[] {
  const { colors } = style;
  const { address, action, fields, standing } = pending;
  const name = colors.bold(escapeText(address));
  const why = standing ? escapeText(standingPhrase(standing)) : "";
  if (action === "no-op" && standing && fields.length === 0)
    return [`${colors.yellow("  !")} ${name}`, `${below}${why}`];
  const symbol = action === "no-op" ? "~" : actionSymbols[action];
  return [
    `${coloured(symbol, symbol.padStart(3), style)} ${name} ${escapeText(pendingPhrase(pending))}`,
    ...attributeLines(fields.filter(isTelling), style),
    ...(standing ? [`${below}${why}`] : []),
  ];
}

function unmanagedSections(report: DriftReport): string[] {
  return [
    table(
      "Variables not in the manifest:",
      partsByHolder(report).map(([holder, names]) => [
        `  ${escapeText(holder)}`,
        shortList(names.map(quoteText), mostNames),
      ]),
    ),
    table(
      "Settings not in the manifest and not at their default:",
      report.undeclared.map(({ address, path, value, default: byDefault }) => [
        `  ${escapeText(address)}`,
        escapeText(path),
        `${plainText(value)} (default ${plainText(byDefault)})`,
      ]),
    ),
    unmanagedLine(unmanagedWhole(report)),
  ];
}

const table = (heading: string, rows: readonly (readonly string[])[]): string =>
  rows.length === 0
    ? ""
    : `${heading}\n\n${capLines(alignColumns(rows))
        .map((line) => `  ${line}`)
        .join("\n")}`;

const section = (heading: string, blocks: readonly (readonly string[])[]): string =>
  blocks.length === 0 ? "" : `${heading}\n\n${joinBlocks(blocks)}`;

/** Characters of a report in Markdown. */
const defaultLimit = 60_000;
const longestName = 120;

/** Renders a drift report for an issue or a job summary: the count first, then each difference, folded away. */
export function driftMarkdown(
  report: DriftReport,
  { limit = defaultLimit, title = "rnv drift" }: { readonly limit?: number; readonly title?: string } = {},
): string {
  const opening = [`### ${title}`, `**${escapeMarkdown(driftLine(report))}**`];
  const items = markdownItems(report);
  const shown = items.slice(0, countFitting(items, limit - opening.join("\n\n").length - 200));
  const left = items.length - shown.length;
  const note =
    left === 0
      ? []
      : [`> [!NOTE]\n> ${counted(left, "item")} left out, because this text would be too long.`];
  return `${[...opening, ...shown, ...note].join("\n\n")}\n`;
}

/** Returns the items of a report in Markdown: what was deleted and changed first, each whole. */
function markdownItems(report: DriftReport): readonly string[] {
  const revealed = revealedLine(report, asRecorded);
  const unmanaged = unmanagedLine(unmanagedWhole(report));
  const consequences = consequencesByRoot(report);
  const following = (address: Address): string[] =>
    (consequences.get(address) ?? []).map(
      (one) => `  - to repair it: ${escapeMarkdown(consequencePhrase(one))}`,
    );
  return [
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
    ...listed(
      "Not running the last deployment:",
      addressesInReadingOrder(report.running).map(
        (one) => `${code(one.address)}: ${escapeMarkdown(standingPhrase(one))}`,
      ),
    ),
    ...uncheckedByReason(report.unchecked, code).map(
      ({ addresses, reason }) => `- ${addresses} could not be checked: ${escapeMarkdown(reason)}`,
    ),
    ...listed(
      "Variables not in the manifest:",
      partsByHolder(report).map(
        ([holder, names]) =>
          `${code(holder)}: ${shortList(
            names.map((name) => code(name)),
            mostNames,
          )}`,
      ),
    ),
    ...listed(
      "Settings not in the manifest and not at their default:",
      report.undeclared.map(
        ({ address, path, value, default: byDefault }) =>
          `${code(address)} ${code(path)}: ${code(plainText(value))} (default ${code(plainText(byDefault))})`,
      ),
    ),
    ...listed(acceptedHeading, acceptedLines(report.accepted)),
    ...listed(expiredHeading, acceptedLines(report.expired)),
    ...(revealed === undefined ? [] : [revealed]),
    ...(unmanaged === "" ? [] : [escapeMarkdown(unmanaged)]),
  ];
}

const listed = (heading: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${heading}\n\n${capLines(lines.map((line) => `- ${line}`)).join("\n")}`];

function pendingItem(pending: PendingResource): string {
  const { address, action, fields, standing } = pending;
  const why = standing && standingPhrase(standing);
  if (action === "no-op" && fields.length === 0 && why !== undefined)
    return `- ${code(address)}: ${escapeMarkdown(why)}`;
  return folded(address, pendingPhrase(pending), fields.filter(isTelling), why);
}

const code = (address: string): string => codeSpan(shorten(address, longestName));

/** Folds fields away. `why`, a text of the service, stands outside of HTML, where mentions and links would work. */
function folded(address: string, phrase: string, fields: readonly AttributeChange[], why?: string): string {
  const note = why === undefined ? "" : escapeMarkdown(why);
  if (fields.length === 0)
    return `- ${code(address)} ${escapeMarkdown(phrase)}${note === "" ? "" : `: ${note}`}`;
  const summary = `<summary><code>${escapeHtml(shorten(address, longestName))}</code> ${escapeHtml(phrase)}</summary>`;
  const body = [
    fencedBlock(fields.flatMap(fieldLines), "diff"),
    ...(note === "" ? [] : [`Last deployment: ${note}`]),
  ];
  return `<details>${summary}\n\n${body.join("\n\n")}\n\n</details>`;
}

export const acceptedHeading = "Accepted until a date:";
export const expiredHeading = "Acceptance expired: remove or renew the entry:";

type Accepted = Omit<AcceptedDrift, "class">;

const acceptedRows = (accepted: readonly Accepted[] = []): string[][] =>
  accepted.map(({ address, attribute, until, reason }) => [
    `  ${escapeText(address)}`,
    escapeText(attribute ?? ""),
    `until ${escapeText(until)}`,
    escapeText(reason),
  ]);

const acceptedLines = (accepted: readonly Accepted[] = []): string[] =>
  accepted.map(
    ({ address, attribute, until, reason }) =>
      `${code(address)}${attribute === undefined ? "" : ` ${code(attribute)}`} until ${escapeMarkdown(until)}: ${escapeMarkdown(reason)}`,
  );

/** The words of a drift report, shared by text, Markdown and HTML. */

const classWords: Readonly<Record<DriftClass, string>> = {
  drifted: "changed outside rnv",
  missing: "deleted outside rnv",
  unmanaged: "not managed here",
  pending: "not applied yet",
};

/** `Drift: 1 changed outside rnv, 2 deleted outside rnv. 1 not applied yet.` */
export function driftLine(report: DriftReport): string {
  const said = (counted: readonly DriftClass[]): string =>
    counted
      .filter((one) => countOf(report, one) > 0)
      .map((one) => `${countOf(report, one)} ${classWords[one]}`)
      .join(", ");
  const isPendingCounted = report.failOn.includes("pending");
  const rest = [
    ...(isPendingCounted || report.pending.length === 0 ? [] : [said(["pending"])]),
    ...(report.unchecked.length === 0
      ? []
      : [`${counted(report.unchecked.length, "resource")} could not be checked`]),
    ...(report.accepted === undefined ? [] : [`${report.accepted.length} accepted for a while`]),
  ].map((text) => ` ${text}.`);
  if (report.hasDrift) return `Drift: ${said(report.failOn)}.${rest.join("")}`;
  const matches =
    report.pending.length === 0 && report.accepted === undefined
      ? " Your infrastructure matches the configuration."
      : "";
  return `No drift.${matches}${rest.join("")}`;
}

/** Says how a pending resource would change, to stand after its address. */
export function pendingPhrase(pending: PendingResource): string {
  const { action, archives, fields, previousAddress, reason } = pending;
  if (archives) return "would be archived";
  if (action === "no-op")
    return previousAddress ? `would move here from ${previousAddress}` : "would be left as it is";
  if (action === "update" && fields.length === 0 && reason !== undefined) return "would run again";
  if (action === "create" && reason !== undefined) return "would run";
  return actionPhrases[action];
}

/** `deployment.shop.api would run again`. */
export const consequencePhrase = ({ address, action, reason }: Consequence): string =>
  `${address} ${pendingPhrase({ address, action, reason, fields: [] })}`;

/** Groups consequences by the address whose repair brings them about; one with several causes goes to the first. */
export function consequencesByRoot(report: DriftReport): ReadonlyMap<Address, readonly Consequence[]> {
  const roots = new Map<Address, Consequence[]>();
  for (const one of addressesInReadingOrder(report.consequences)) {
    const [root] = one.because;
    if (root !== undefined) roots.set(root, [...(roots.get(root) ?? []), one]);
  }
  return roots;
}

/** The address of a new resource already tells its placement. */
export const isTelling = ({ isPlacement }: AttributeChange): boolean => isPlacement !== true;

/** A field without its cause, which the heading tells. */
export const plainly = (field: AttributeChange): AttributeChange => ({ ...field, cause: "edit" });

/** Unmanaged resources that are no part of a managed one. */
export const unmanagedWhole = (report: DriftReport): DriftReport["unmanaged"] =>
  report.unmanaged.filter(({ within }) => within === undefined);

/** Names of unmanaged parts, by the resource that they lie in, in the order of addresses. */
export function partsByHolder(report: DriftReport): readonly (readonly [Address, readonly string[]])[] {
  const names = new Map<Address, string[]>();
  for (const { within, name } of report.unmanaged)
    if (within !== undefined) names.set(within, [...(names.get(within) ?? []), name]);
  return [...names].sort(([a], [b]) => (a < b ? -1 : 1));
}
