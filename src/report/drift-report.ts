import type { Address } from "../model/address";
import { compareTexts, groupBy } from "../model/collections";
import type { TargetNames } from "../model/target-location";
import { shortList } from "../model/wording";
import {
  type AcceptedDrift,
  countOf,
  type DriftClass,
  type DriftReport,
  type PendingResource,
} from "../plan/drift";
import { findingsBlock } from "./diagnostics";
import { type DriftEnd, driftDocument } from "./documents";
import { codeSpan, escapeMarkdown, jsonText } from "./escape-text";
import { plainText } from "./field-text";
import { asciiSign, type Mark, tagOf } from "./marks";
import { homeOf, readingOrder } from "./order";
import { revealedLine, rowsByReason, standingReason, standingSection, unmanagedLine } from "./plan-report";
import { actionPhrase, counted, countList } from "./plan-wording";
import { markdownLimit, reportMarkdown } from "./section-markdown";
import { sectionTexts } from "./section-text";
import { code, codes, type Item, itemSection, joined, type Section, section } from "./sections";
import type { Style } from "./style";
import { exactTime } from "./time-text";

export function driftSections(report: DriftReport): readonly Section[] {
  // A consequence with several causes is shown at the first.
  const consequences = groupBy(readingOrder(report.consequences), ({ because }) => because[0]);
  const facts = (address: Address, event = "") => {
    const own = consequences.get(address) ?? [];
    const repair = shortList(own.map((one) => `${one.address} ${pendingPhrase({ ...one, fields: [] })}`));
    const text = [event, repair && `to repair it: ${repair}`].filter(Boolean).join("; ");
    return text === "" ? [] : [{ text }];
  };
  // The headings of the first two sections name the event, and the cause of their fields.
  const missing = report.missing.map((address) => ({ address, sign: "-", facts: facts(address) }));
  const drifted = report.drifted.map(({ address, fields, deployed, updated }) => ({
    address,
    sign: "~",
    fields: fields.map((field) => ({ ...field, cause: "edit" as const })),
    facts: facts(address, deployed ?? (updated && `last updated ${exactTime(updated)}`)),
  }));
  return [
    ...foundSection("missing", "Deleted outside rnv", missing, "was deleted outside rnv"),
    ...foundSection("drift", "Changed outside rnv", drifted, "changed outside rnv"),
    ...foundSection("pending", "Declared, but not applied yet", report.pending.map(pendingItem)),
    ...besides(report),
  ];
}

type FoundItem = Partial<Item> & Pick<Item, "sign"> & { readonly address: Address };

function foundSection(mark: Mark, title: string, found: readonly FoundItem[], tagPhrase?: string) {
  const items = readingOrder(found).map(({ address, phrase = "", ...item }) => ({
    ...item,
    subject: address,
    phrase,
    tag: tagOf(mark),
    tagPhrase,
    homes: [homeOf(address)],
  }));
  return itemSection(mark, title, `${title}:`, items);
}

function pendingItem(pending: PendingResource): FoundItem {
  const { address, action, previousAddress, standing } = pending;
  // The address of a new resource already says its placement.
  const fields = pending.fields.filter(({ placement }) => placement !== true);
  const said = standing && standingReason(standing);
  const isOutcome = action === "no-op" && said !== undefined && fields.length === 0;
  return {
    address,
    sign: isOutcome ? "!" : asciiSign(action),
    phrase: isOutcome ? "" : pendingPhrase(pending),
    fields,
    notes: previousAddress === undefined || action === "no-op" ? [] : [`moved from ${previousAddress}`],
    facts: said === undefined ? [] : [{ text: `${said.reason}${said.detail}` }],
  };
}

function besides(report: DriftReport): readonly Section<never>[] {
  const byHolder = groupBy(report.unmanaged, ({ within }) => within);
  const parts = [...byHolder]
    .sort(([a = ""], [b = ""]) => compareTexts(a, b))
    .flatMap(([holder, own]) => {
      const names = own.map(({ name }) => name);
      return holder === undefined ? [] : [[code(holder), codes(names, 10)]];
    });
  const settings = report.undeclared.map(({ address, path, value, default: byDefault }) => [
    code(address),
    code(path),
    [code(plainText(value)), " (default ", code(plainText(byDefault)), ")"],
  ]);
  const undeclared = "Settings not in the manifest and not at their default:";
  const expired = "Acceptance expired: remove or renew the entry:";
  return [
    ...standingSection("running", report.running),
    ...section("unchecked", "Not checked", "Could not be checked:", rowsByReason(report.unchecked)),
    ...section("revealed", "Revealed", revealedLine(report, "as recorded")),
    ...section("undeclared", "Not declared", "Variables not in the manifest:", parts),
    ...section("undeclared", "Not declared", undeclared, settings),
    ...section("unmanaged", "Not managed here", unmanagedLine(byHolder.get(undefined) ?? [])),
    ...section("accepted", "Accepted", "Accepted until a date:", acceptedRows(report.accepted)),
    ...section("expired", "Accepted before", expired, acceptedRows(report.expired)),
  ];
}

type Accepted = Omit<AcceptedDrift, "class"> & Partial<Pick<AcceptedDrift, "class">>;

const acceptedRows = (accepted: readonly Accepted[] = []) =>
  accepted.map(({ class: found, address, attribute, until, reason }) => [
    code(address),
    attribute === undefined ? (found ? classWords[found] : "") : code(attribute),
    `until ${until}`,
    reason,
  ]);

export const classWords: Readonly<Record<DriftClass, string>> = {
  drifted: "changed outside rnv",
  missing: "deleted outside rnv",
  unmanaged: "not managed here",
  pending: "not applied yet",
};

/** `Drift: 1 changed outside rnv, 2 deleted outside rnv. 1 not applied yet.` */
export function driftLine(report: DriftReport): string {
  const said = (classes: readonly DriftClass[]): string =>
    countList(classes.map((one) => [classWords[one], countOf(report, one)]));
  const { failOn, pending, unchecked, accepted } = report;
  const rest = [
    !failOn.includes("pending") && said(["pending"]),
    unchecked.length > 0 && `${counted(unchecked.length, "resource")} could not be checked`,
    accepted && `${accepted.length} accepted for a while`,
  ].flatMap((text) => (text ? ` ${text}.` : []));
  if (report.hasDrift) return `Drift: ${said(failOn)}.${rest.join("")}`;
  const isWhole = pending.length === 0 && accepted === undefined;
  const matches = isWhole ? " Your infrastructure matches the configuration." : "";
  return `No drift.${matches}${rest.join("")}`;
}

function pendingPhrase({ action, archives, runs, fields, previousAddress }: PendingResource): string {
  if (action === "no-op")
    return previousAddress ? `would move here from ${previousAddress}` : "would be left as it is";
  if (runs) return action === "create" ? "would run" : "would run again";
  if (action === "update") return "would be updated in place";
  const onRemove = archives ? "archive" : "delete";
  return actionPhrase({ action, onRemove, attributes: fields }).replace(/^(?:will|must)/, "would");
}

/** Renders a drift report for people. Its last line is `No drift. …` or `Drift: …`. */
export const driftText = (report: DriftReport, style: Style): string =>
  joined([...sectionTexts(driftSections(report), style), style.colors.bold(driftLine(report))]);

/** The name of a stage or a stack of it in a list: `production`, `production/api`; empty where there is but one. */
export const nameOfStage = ({ stage, stack }: TargetNames): string =>
  [stage, stack].filter((part) => part !== undefined).join(" ");

export const driftJson = (end: DriftEnd): string => jsonText(driftDocument(end));

/** Renders the findings in a stage, as the body of its issue: the count first, then each difference. */
export function driftMarkdown(one: DriftEnd & TargetNames, limit = markdownLimit): string {
  const name = nameOfStage(one);
  const title = name === "" ? "### rnv drift" : `### rnv drift: ${codeSpan(name)}`;
  const errors = findingsBlock(one.diagnostics, limit / 3);
  if (one.report === undefined) return joined([title, "**Not checked.**", errors]);
  const opening = [title, `**${escapeMarkdown(driftLine(one.report))}**`];
  const text = reportMarkdown(opening, driftSections(one.report), limit - errors.length);
  return joined([text.trimEnd(), errors]);
}
