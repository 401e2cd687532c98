import type { Address } from "../model/address";
import type { Standing } from "../model/live";
import { shortList } from "../model/text";
import type { Plan, PlanStanding } from "../plan/plan";
import { escapeText, quoteText, shorten } from "./escape-text";
import { groupBy } from "./group-by";
import { counted, countList } from "./plan-wording";
import { readingOrder } from "./reading-order";
import { arrow, type Cell, code, codes, type Section, section, sentence } from "./sections";
import { exactTime } from "./time-text";
import { attributeSign, shownText } from "./values";

/** Returns what a plan says besides its changes: what moved, is left alone, was not read, or is not managed. */
export function planSections(plan: Plan): readonly Section[] {
  const unmoving = plan.changes.filter(({ action }) => action === "no-op");
  const moved = unmoving.flatMap(({ address, previousAddress: before }) =>
    before === undefined ? [] : [[[code(before), " has moved to ", code(address)]]],
  );
  const released = unmoving.flatMap((change) =>
    change.released.map(({ path, after }) => [
      code(change.address),
      code(path),
      after.kind === "absent" ? "(unset)" : code(shownText(after)),
    ]),
  );
  const resources = plan.unchecked.filter(({ attribute }) => attribute === undefined);
  const values = plan.unchecked.filter(({ attribute }) => attribute !== undefined);
  const warning = { isWarning: true };
  const unread = "Could not be read, planned from what is recorded:";
  return [
    ...section("outputs", "Changes to outputs", "Changes to outputs:", outputRows(plan), { isWhole: true }),
    ...section("moved", "Moved", "Moved in the manifest:", moved),
    ...section("released", "Released", "Left as they are (no longer managed):", released),
    ...section("standing", notRunning, `${notRunning}:`, standingRows(plan.standing), warning),
    ...section("unchecked", "Not checked", unread, uncheckedRows(resources), warning),
    ...section("unchecked", "Not checked", unreadHeading(values), uncheckedRows(values), warning),
    ...sentence("revealed", "Revealed", revealedLine(plan, "as declared and not written")),
    ...sentence("unmanaged", "Not managed here", unmanagedLine(plan.unmanaged)),
  ];
}

const outputRows = ({ outputs }: Plan): readonly (readonly Cell[])[] =>
  outputs.map(({ name, before, after }) => {
    const sign = attributeSign({ path: name, before, after, cause: "edit", forcesReplacement: false });
    const sides = [before, after]
      .filter(({ kind }) => kind !== "absent")
      .map((side) => code(shownText(side)));
    return [[`${sign} `, code(name)], sides.flatMap((side, i) => (i === 0 ? [side] : [arrow, side]))];
  });

export const notRunning = "Not running the last deployment";

const mostNamed = 3;

/** The heading above secrets that a plan was made without. */
const unreadHeading = (values: Plan["unchecked"]): string =>
  values.length === 1
    ? "This run cannot read 1 value, so it was not compared. Apply reads it, and applies it if it changed:"
    : `This run cannot read ${values.length} values, so they were not compared. Apply reads them, and applies those that changed:`;

/** How many values were revealed, and what became of them; undefined where it was not asked for. */
export function revealedLine({ revealed }: Pick<Plan, "revealed">, equal: string): string | undefined {
  if (revealed === undefined) return undefined;
  const { length } = revealed;
  if (length === 0) return "No value had to be revealed.";
  const same = revealed.filter(({ isEqual }) => isEqual).length;
  const are = (count: number): string => (count === 1 ? "is" : "are");
  const parts = countList([
    [same, `${are(same)} ${equal}`],
    [length - same, `${are(length - same)} not`],
  ]);
  const were =
    length === 1 ? "1 value was revealed to compare it" : `${length} values were revealed to compare them`;
  return `${were} (the service keeps an audit event of each): ${parts}.`;
}

/** Rows of an address and a reason; many with one reason are one row that names the first of them. */
function rowsByReason(
  items: readonly { readonly address: Address; readonly reason: string; readonly detail?: string }[],
): readonly (readonly Cell[])[] {
  const byReason = groupBy(items, ({ reason }) => reason);
  return [...byReason].flatMap(([reason, own]): readonly (readonly Cell[])[] => {
    if (own.length <= mostNamed)
      return own.map(({ address, detail = "" }) => [code(address), `${reason}${detail}`]);
    const names = own.map(({ address }) => address);
    return [[codes(names, mostNamed), reason]];
  });
}

/** Rows of the resources or values that could not be read. */
export const uncheckedRows = (unchecked: Plan["unchecked"]): readonly (readonly Cell[])[] =>
  rowsByReason(unchecked);

const longestSummary = 300;

const summaryOf = ({ summary }: Standing): string => shorten(summary, longestSummary);
const timeOf = ({ since }: Standing): string => (since === undefined ? "" : ` (${exactTime(since)})`);

/** The summary of a standing with its time, on one line and not escaped. */
export const standingPhrase = (standing: Standing): string => `${summaryOf(standing)}${timeOf(standing)}`;

/** Rows of an address and why it does not run as it was deployed last. */
export const standingRows = (standing: readonly PlanStanding[]): readonly (readonly Cell[])[] =>
  rowsByReason(
    readingOrder(standing).map((one) => ({
      ...{ address: one.address, reason: summaryOf(one), detail: timeOf(one) },
    })),
  );

const mostUnmanaged = 5;
const longestUnmanaged = 60;

/** `Also in this workspace, not managed here: 2 services ("cron", "mail"), 1 project ("Old"); …`, the most numerous first. */
export function unmanagedLine(unmanaged: Plan["unmanaged"]): string {
  if (unmanaged.length === 0) return "";
  const counts = [...groupBy(unmanaged, ({ type }) => type)]
    .sort(([a, m], [b, n]) => n.length - m.length || (a < b ? -1 : 1))
    .map(
      ([type, all]) =>
        `${counted(all.length, escapeText(type))} (${shortList(
          all.map(({ name }) => quoteText(shorten(name, longestUnmanaged))),
          mostUnmanaged,
        )})`,
    )
    .join(", ");
  // Archived services are in no count of what the service lists.
  return `Also in this workspace, not managed here: ${counts}; archived services are in no list.`;
}
