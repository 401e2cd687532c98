import type { Address } from "../model/address";
import { compareTexts } from "../model/text";
import { inDocument } from "../plan/document";
import {
  type AcceptedDrift,
  countOf,
  type DriftClass,
  type DriftReport,
  type PendingResource,
} from "../plan/drift";
import type { AttributeChange } from "../plan/plan";
import { escapeMarkdown, jsonText } from "./escape-text";
import { groupBy, readingOrder } from "./order";
import {
  notRunning,
  revealedLine,
  rowsByReason,
  standingPhrase,
  standingRows,
  unmanagedLine,
} from "./plan-report";
import { actionPhrase, actionSymbols, counted, countList } from "./plan-wording";
import { markdownLimit, reportMarkdown } from "./section-markdown";
import { sectionTexts } from "./section-text";
import { code, codes, type Item, itemSection, joined, type Section, section, sentence } from "./sections";
import type { Style } from "./style";
import { plainText } from "./values";

/** Titles of the kinds of items, in their order; each is the id of its section. */
const driftKinds = {
  missing: "Deleted outside rnv",
  drifted: "Changed outside rnv",
  pending: "Declared, but not applied yet",
} as const;

export type DriftKind = keyof typeof driftKinds;

/** Returns what differs: what was deleted outside rnv, what was changed, and what was not applied yet. */
function driftItems(report: DriftReport): Readonly<Record<DriftKind, readonly Item[]>> {
  // One with several causes is shown at the first.
  const consequences = groupBy(readingOrder(report.consequences), ({ because }) => because[0]);
  const following = (address: Address) =>
    (consequences.get(address) ?? []).map((one) => ({
      text: `to repair it: ${one.address} ${pendingPhrase({ ...one, fields: [] })}`,
    }));
  const missing = readingOrder(report.missing.map((address) => ({ address })));
  // The heading says what happened to the first two, and the cause of their fields.
  return {
    missing: missing.map(({ address }) => ({
      ...{ sign: "-", subject: address, phrase: "", facts: following(address) },
    })),
    drifted: readingOrder(report.drifted).map(({ address, fields, deployed }) => ({
      ...{ sign: "~", subject: address, phrase: "" },
      fields: fields.map((field) => ({ ...field, cause: "edit" as const })),
      facts: [...(deployed === undefined ? [] : [{ text: deployed }]), ...following(address)],
    })),
    pending: readingOrder(report.pending).map(pendingItem),
  };
}

function pendingItem(pending: PendingResource): Item {
  const { address, action, standing } = pending;
  // The address of a new resource already says its placement.
  const fields = pending.fields.filter(({ placement }) => placement !== true);
  const isOutcome = action === "no-op" && standing !== undefined && fields.length === 0;
  return {
    sign: isOutcome ? "!" : action === "no-op" ? "~" : actionSymbols[action],
    ...{ subject: address, phrase: isOutcome ? "" : pendingPhrase(pending), fields },
    facts: standing === undefined ? [] : [{ text: standingPhrase(standing) }],
  };
}

/** Returns what all reports of drift print: what differs, a section for each kind, and what there is besides. */
export function driftSections(report: DriftReport): readonly Section[] {
  const items = driftItems(report);
  const found = Object.entries(driftKinds).flatMap(([kind, title]) =>
    itemSection(kind, title, `${title}:`, items[kind as DriftKind]),
  );
  return [...found, ...besides(report)];
}

const mostNames = 10;

/** Returns what a drift report says besides its items. */
function besides(report: DriftReport): readonly Section<never>[] {
  const byHolder = groupBy(report.unmanaged, ({ within }) => within);
  const parts = [...byHolder]
    .sort(([a = ""], [b = ""]) => compareTexts(a, b))
    .flatMap(([holder, own]) => {
      const names = own.map(({ name }) => name);
      return holder === undefined ? [] : [[code(holder), codes(names, mostNames)]];
    });
  const settings = report.undeclared.map(({ address, path, value, default: byDefault }) => [
    ...[code(address), code(path)],
    [code(plainText(value)), " (default ", code(plainText(byDefault)), ")"],
  ]);
  const undeclared = "Settings not in the manifest and not at their default:";
  const expired = "Acceptance expired: remove or renew the entry:";
  return [
    ...section("running", notRunning, `${notRunning}:`, standingRows(report.running)),
    ...section("unchecked", "Not checked", "Could not be checked:", rowsByReason(report.unchecked)),
    ...sentence("revealed", "Revealed", revealedLine(report, "as recorded")),
    ...section("undeclared", "Not declared", "Variables not in the manifest:", parts),
    ...section("undeclared", "Not declared", undeclared, settings),
    ...sentence("unmanaged", "Not managed here", unmanagedLine(byHolder.get(undefined) ?? [])),
    ...section("accepted", "Accepted", "Accepted until a date:", acceptedRows(report.accepted)),
    ...section("expired", "Accepted before", expired, acceptedRows(report.expired)),
  ];
}

const acceptedRows = (accepted: readonly Omit<AcceptedDrift, "class">[] = []) =>
  accepted.map(({ address, attribute, until, reason }) => [
    ...[code(address), attribute === undefined ? "" : code(attribute)],
    ...[`until ${until}`, reason],
  ]);

/** What was found of each class, to stand after a count. */
export const classWords: Readonly<Record<DriftClass, string>> = {
  drifted: "changed outside rnv",
  missing: "deleted outside rnv",
  unmanaged: "not managed here",
  pending: "not applied yet",
};

/** `Drift: 1 changed outside rnv, 2 deleted outside rnv. 1 not applied yet.` */
export function driftLine(report: DriftReport): string {
  const said = (classes: readonly DriftClass[]): string =>
    countList(classes.map((one) => [countOf(report, one), classWords[one]]));
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
function pendingPhrase({ action, archives, fields, previousAddress, reason }: PendingResource): string {
  if (action === "no-op")
    return previousAddress ? `would move here from ${previousAddress}` : "would be left as it is";
  if (action === "update" && reason === undefined) return "would be updated in place";
  const onRemove = archives ? "archive" : "delete";
  return actionPhrase({ action, reason, onRemove, attributes: fields }).replace(/^(?:will|must)/, "would");
}

/** Renders a drift report for people. Its last line is `No drift. …` or `Drift: …`. */
export const driftText = (report: DriftReport, style: Style): string =>
  joined([...sectionTexts(driftSections(report), style), style.colors.bold(driftLine(report))]);

/** Renders a drift report for an issue or a job summary: the count first, then each difference. */
export function driftMarkdown(
  report: DriftReport,
  { limit = markdownLimit, title = "rnv drift" }: { readonly limit?: number; readonly title?: string } = {},
): string {
  const opening = [`### ${title}`, `**${escapeMarkdown(driftLine(report))}**`];
  return reportMarkdown({ opening, sections: driftSections(report) }, limit);
}

/** The report as one JSON document, in the shape of `driftDocumentSchema`; sides of a field are as in a plan document (`{kind, value}`). */
export const driftJson = (report: DriftReport): string => jsonText(driftDocument(report));

/** The same as a value. */
export const driftDocument = (report: DriftReport): Readonly<Record<string, unknown>> => ({
  format_version: "1.1",
  ...inDocument(report),
  drifted: report.drifted.map(({ fields, ...one }) => ({ ...one, attributes: fields.map(fieldData) })),
  pending: report.pending.map(pendingData),
  revealed: report.revealed?.map(inDocument),
});

const pendingData = ({ fields, ...pending }: PendingResource) =>
  inDocument({ ...pending, attributes: fields.map(fieldData) });

const fieldData = ({ path, cause, before, after, from }: AttributeChange) => ({
  ...{ path, cause, before, after, from },
});
