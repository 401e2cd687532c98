import type { Address } from "../model/address";
import type { Consequence, DriftReport, PendingResource } from "../plan/drift";
import { countOf, type DriftClass } from "../plan/drift";
import type { AttributeChange } from "../plan/plan";
import { actionPhrases, counted } from "./plan-wording";
import { addressesInReadingOrder } from "./reading-order";

/** The words of a drift report, shared by text and Markdown. */

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
  ].map((text) => ` ${text}.`);
  if (report.hasDrift) return `Drift: ${said(report.failOn)}.${rest.join("")}`;
  const matches = report.pending.length === 0 ? " Your infrastructure matches the configuration." : "";
  return `No drift.${matches}${rest.join("")}`;
}

/** What becomes of what was not applied yet, to stand after its address. */
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

/** What follows from the repair of each address; what has several causes stands below the first. */
export function consequencesByRoot(report: DriftReport): ReadonlyMap<Address, readonly Consequence[]> {
  const roots = new Map<Address, Consequence[]>();
  for (const one of addressesInReadingOrder(report.consequences)) {
    const [root] = one.because;
    if (root !== undefined) roots.set(root, [...(roots.get(root) ?? []), one]);
  }
  return roots;
}

/** Where a new thing lies its address says already. */
export const isTelling = ({ isPlacement }: AttributeChange): boolean => isPlacement !== true;

/** The heading says why already. */
export const plainly = (field: AttributeChange): AttributeChange => ({ ...field, cause: "edit" });

/** Names of unmanaged parts, by what they lie in, in the order of addresses. */
export function partsByHolder(report: DriftReport): readonly (readonly [Address, readonly string[]])[] {
  const names = new Map<Address, string[]>();
  for (const { within, name } of report.unmanaged)
    if (within !== undefined) names.set(within, [...(names.get(within) ?? []), name]);
  return [...names].sort(([a], [b]) => (a < b ? -1 : 1));
}
