import type { DriftReport, PendingResource } from "../plan/classify-drift";
import type { AttributeChange } from "../plan/plan";
import { attributeLines, coloured } from "./attribute-lines";
import { alignColumns } from "./display-width";
import { inertText } from "./inert";
import { actionSymbols, counted, pendingPhrases, unmanagedText } from "./plan-wording";
import { addressesInReadingOrder } from "./reading-order";
import type { Style } from "./style";
import { uncheckedRows } from "./unchecked";

/** What differs from what was recorded and declared, for people. The last line is `No drift. …` or `Drift: …`. */
export function driftText(report: DriftReport, style: Style): string {
  const { colors } = style;
  const sections = [
    section(
      "Changed outside rnv:",
      addressesInReadingOrder(report.drifted).map(({ address, fields }) => [
        `${colors.yellow("  ~")} ${colors.bold(inertText(address))}`,
        ...attributeLines(fields.map(plainly), style),
      ]),
    ),
    section(
      "Deleted outside rnv:",
      report.missing.map((address) => [`${colors.red("  -")} ${colors.bold(inertText(address))}`]),
    ),
    section(
      "Declared, but not applied yet:",
      addressesInReadingOrder(report.pending).map((pending) => [
        `${coloured(actionSymbols[pending.action], actionSymbols[pending.action].padStart(3), style)} ${colors.bold(inertText(pending.address))} ${pendingPhrase(pending)}`,
        ...attributeLines(pending.fields, style),
      ]),
    ),
    report.unchecked.length === 0
      ? ""
      : `Could not be checked:\n\n${alignColumns(uncheckedRows(report.unchecked, inertText).map(({ addresses, reason }) => [`    ${addresses}`, inertText(reason)])).join("\n")}`,
    report.unmanaged.length === 0
      ? ""
      : `Also in this workspace, not managed here: ${unmanagedText(report.unmanaged)}.`,
    colors.bold(driftLine(report)),
  ];
  return `${sections.filter((text) => text !== "").join("\n\n")}\n`;
}

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

/** The heading says why already. */
export const plainly = (field: AttributeChange): AttributeChange => ({ ...field, cause: "edit" });

export const pendingPhrase = ({ action, fields }: PendingResource): string =>
  action === "update" && fields.length === 0 ? "would run again" : pendingPhrases[action];

/** `Drift: 1 changed outside rnv, 2 deleted outside rnv, 1 not applied yet.` */
export function driftLine(report: DriftReport): string {
  const { drifted, missing, pending, unchecked, hasDrift } = report;
  const left =
    unchecked.length === 0 ? "" : ` ${counted(unchecked.length, "resource")} could not be checked.`;
  if (!hasDrift) return `No drift. Your infrastructure matches the configuration.${left}`;
  const parts = [
    ...(drifted.length > 0 ? [`${drifted.length} changed outside rnv`] : []),
    ...(missing.length > 0 ? [`${missing.length} deleted outside rnv`] : []),
    ...(pending.length > 0 ? [`${pending.length} not applied yet`] : []),
  ];
  return `Drift: ${parts.join(", ")}.${left}`;
}
