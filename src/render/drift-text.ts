import { shortList } from "../model/text";
import type { Consequence, DriftReport, PendingResource } from "../plan/drift";
import { attributeLines, coloured } from "./attribute-lines";
import { alignColumns } from "./display-width";
import {
  consequencePhrase,
  consequencesByRoot,
  driftLine,
  isTelling,
  partsByHolder,
  pendingPhrase,
  plainly,
} from "./drift-wording";
import { inertString, inertText } from "./inert";
import { actionSymbols, unmanagedText } from "./plan-wording";
import { addressesInReadingOrder } from "./reading-order";
import { standingPhrase, standingRows } from "./standing";
import type { Style } from "./style";
import { asRecorded, revealedLine, uncheckedRows } from "./unchecked";
import { capLines, plainText } from "./value-text";

const below = " ".repeat(6);
const mostNames = 10;

/** What differs from what was recorded and declared, for people. The last line is `No drift. …` or `Drift: …`. */
export function driftText(report: DriftReport, style: Style): string {
  const { colors } = style;
  const consequences = consequencesByRoot(report);
  const following = (address: DriftReport["missing"][number]): string[] =>
    (consequences.get(address) ?? []).map((one) => followingLine(one, style));
  const sections = [
    section(
      "Changed outside rnv:",
      addressesInReadingOrder(report.drifted).map(({ address, fields }) => [
        `${colors.yellow("  ~")} ${colors.bold(inertText(address))}`,
        ...attributeLines(fields.map(plainly), style),
        ...following(address),
      ]),
    ),
    section(
      "Deleted outside rnv:",
      addressesInReadingOrder(report.missing.map((address) => ({ address }))).map(({ address }) => [
        `${colors.red("  -")} ${colors.bold(inertText(address))}`,
        ...following(address),
      ]),
    ),
    section(
      "Declared, but not applied yet:",
      addressesInReadingOrder(report.pending).map((pending) => pendingLines(pending, style)),
    ),
    table("What runs is not what was deployed last:", standingRows(report.running)),
    table(
      "Could not be checked:",
      uncheckedRows(report.unchecked, inertText).map(({ addresses, reason }) => [
        `  ${addresses}`,
        inertText(reason),
      ]),
    ),
    revealedLine(report, asRecorded) ?? "",
    ...unmanagedSections(report),
    colors.bold(driftLine(report)),
  ];
  return `${sections.filter((text) => text !== "").join("\n\n")}\n`;
}

const followingLine = (one: Consequence, { colors }: Style): string =>
  `${below}${colors.dim("to repair it:")} ${inertText(consequencePhrase(one))}`;

function pendingLines(pending: PendingResource, style: Style): string[] {
  const { colors } = style;
  const { address, action, fields, standing } = pending;
  const name = colors.bold(inertText(address));
  const why = standing ? inertText(standingPhrase(standing)) : "";
  if (action === "no-op" && standing && fields.length === 0)
    return [`${colors.yellow("  !")} ${name}`, `${below}${why}`];
  const symbol = action === "no-op" ? "~" : actionSymbols[action];
  return [
    `${coloured(symbol, symbol.padStart(3), style)} ${name} ${inertText(pendingPhrase(pending))}`,
    ...attributeLines(fields.filter(isTelling), style),
    ...(standing ? [`${below}${why}`] : []),
  ];
}

function unmanagedSections(report: DriftReport): string[] {
  const things = report.unmanaged.filter(({ within }) => within === undefined);
  return [
    table(
      "Variables that nobody declares:",
      partsByHolder(report).map(([holder, names]) => [
        `  ${inertText(holder)}`,
        shortList(names.map(inertString), mostNames),
      ]),
    ),
    table(
      "Settings that nobody declares, and that are not at their default:",
      report.undeclared.map(({ address, path, value, default: byDefault }) => [
        `  ${inertText(address)}`,
        inertText(path),
        `${plainText(value)} (default ${plainText(byDefault)})`,
      ]),
    ),
    things.length === 0 ? "" : `Also in this workspace, not managed here: ${unmanagedText(things)}.`,
  ];
}

const table = (heading: string, rows: readonly (readonly string[])[]): string =>
  rows.length === 0
    ? ""
    : `${heading}\n\n${capLines(alignColumns(rows))
        .map((line) => `  ${line}`)
        .join("\n")}`;

/** Blocks of one line stand together, longer ones apart. */
function section(heading: string, blocks: readonly (readonly string[])[]): string {
  if (blocks.length === 0) return "";
  const lines = blocks.map((block, i) => {
    const previous = blocks[i - 1];
    const isApart = previous !== undefined && (previous.length > 1 || block.length > 1);
    return `${isApart ? "\n" : ""}${block.join("\n")}`;
  });
  return `${heading}\n\n${lines.join("\n")}`;
}
