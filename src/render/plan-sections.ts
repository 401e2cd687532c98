import type { Address } from "../model/address";
import type { Standing } from "../model/live";
import { shortList } from "../model/text";
import type { Plan, PlanStanding } from "../plan/plan";
import { escapeText, quoteText, shorten } from "./escape-text";
import { counted } from "./plan-wording";
import { addressesInReadingOrder } from "./reading-order";
import { type Cell, code, codes, type Section, section, sentence } from "./sections";
import { exactTime } from "./time-text";
import { shownText } from "./values";

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
  const unread = "Could not be read, planned from what is recorded:";
  return [
    ...section("moved", "Moved", "Moved in the manifest:", moved),
    ...section("released", "Released", "Left as they are (no longer managed):", released),
    ...section("standing", notRunning, `${notRunning}:`, standingRows(plan.standing), true),
    ...section("unchecked", "Not checked", unread, uncheckedRows(resources), true),
    ...section("unchecked", "Not checked", unreadHeading(values), uncheckedRows(values), true),
    ...sentence("revealed", "Revealed", revealedLine(plan, "as declared and not written")),
    ...sentence("unmanaged", "Not managed here", unmanagedLine(plan.unmanaged)),
  ];
}

export const notRunning = "Not running the last deployment";

const mostNamed = 3;

/** The heading above secrets that a plan was made without. */
const unreadHeading = (values: Plan["unchecked"]): string =>
  values.length === 1
    ? "This run cannot read 1 value, so it was not compared. Apply reads and compares it:"
    : `This run cannot read ${values.length} values, so they were not compared. Apply reads and compares them:`;

/** How many values were revealed, and what became of them; undefined where it was not asked for. */
export function revealedLine({ revealed }: Pick<Plan, "revealed">, equal: string): string | undefined {
  if (revealed === undefined) return undefined;
  const { length } = revealed;
  if (length === 0) return "No value had to be revealed.";
  const same = revealed.filter(({ isEqual }) => isEqual).length;
  const parts = [
    ...(same > 0 ? [`${same} ${same === 1 ? "is" : "are"} ${equal}`] : []),
    ...(same < length ? [`${length - same} ${length - same === 1 ? "is" : "are"} not`] : []),
  ];
  return `${length === 1 ? "1 value was" : `${length} values were`} revealed to compare ${length === 1 ? "it" : "them"} (the service keeps an audit event of each): ${parts.join(", ")}.`;
}

/** Groups unread resources by reason: a row for each, or for many with one reason a row that names the first of them. */
export function uncheckedRows(unchecked: Plan["unchecked"]): readonly (readonly Cell[])[] {
  const groups = new Map<string, Address[]>();
  for (const { address, reason } of unchecked) {
    const group = groups.get(reason);
    if (group) group.push(address);
    else groups.set(reason, [address]);
  }
  return [...groups].flatMap(([reason, addresses]): readonly (readonly Cell[])[] =>
    addresses.length <= mostNamed
      ? addresses.map((address) => [code(address), reason])
      : [[codes(addresses, mostNamed), reason]],
  );
}

const longestSummary = 300;

/** The summary of a standing with its time, on one line and not escaped. */
export const standingPhrase = ({ summary, since }: Standing): string =>
  `${shorten(summary, longestSummary)}${since === undefined ? "" : ` (${exactTime(since)})`}`;

/** Rows of an address and why it does not run as it was deployed last. */
export const standingRows = (standing: readonly PlanStanding[]): readonly (readonly Cell[])[] =>
  addressesInReadingOrder(standing).map((one) => [code(one.address), standingPhrase(one)]);

const mostUnmanaged = 5;
const longestUnmanaged = 60;

/** `Also in this workspace, not managed here: 2 services ("cron", "mail"), 1 project ("Old"); …`, the most numerous first. */
export function unmanagedLine(unmanaged: Plan["unmanaged"]): string {
  if (unmanaged.length === 0) return "";
  const names = new Map<string, string[]>();
  for (const { type, name } of unmanaged) names.set(type, [...(names.get(type) ?? []), name]);
  const counts = [...names]
    .sort(([a, m], [b, n]) => n.length - m.length || (a < b ? -1 : 1))
    .map(
      ([type, all]) =>
        `${counted(all.length, escapeText(type))} (${shortList(
          all.map((name) => quoteText(shorten(name, longestUnmanaged))),
          mostUnmanaged,
        )})`,
    )
    .join(", ");
  // Archived services are in no count of what the service lists.
  return `Also in this workspace, not managed here: ${counts}; archived services are in no list.`;
}
