import { type Diagnostic, error, warning } from "../diagnostics/diagnostic";
import type { Acceptance } from "../model/acceptance";
import { type Address, nameOf } from "../model/address";
import { namePattern } from "../model/names";
import {
  type AcceptedDrift,
  type Consequence,
  type DriftClass,
  type DriftReport,
  hasDriftLeft,
  type PendingResource,
} from "./drift";

/** A report without accepted drift, and the entries for a stage by their result. */
export type Judged = ReturnType<typeof acceptDrift>;

export function acceptDrift(
  report: DriftReport,
  acceptances: readonly Acceptance[],
  { now, stage }: { readonly now: number; readonly stage?: string | undefined },
) {
  const own = acceptances.filter((one) => appliesTo(one, stage));
  const expired = own.filter(({ endsAt }) => endsAt <= now);
  const standing = own
    .filter((one) => !expired.includes(one))
    .map((entry) => ({
      entry,
      address: namePattern(entry.address),
      attributes: entry.attribute && [entry.attribute, `${entry.attribute}.*`].map(namePattern),
    }));
  const used = new Set<Acceptance>();
  const accepted: AcceptedDrift[] = [];
  const accepts = (of: DriftClass, names: readonly string[], attribute?: string): boolean => {
    const found = standing.find(
      (one) =>
        names.some((name) => one.address.test(name)) &&
        (!one.attributes || (attribute !== undefined && one.attributes.some((each) => each.test(attribute)))),
    )?.entry;
    if (found === undefined) return false;
    used.add(found);
    const { until, reason } = found;
    const address = names[0] as string;
    const isListed = accepted.some((one) => one.address === address && one.attribute === attribute);
    if (of !== "pending" || !isListed) accepted.push({ class: of, address, attribute, until, reason });
    return true;
  };
  const drifted = report.drifted
    .map((one) => ({
      ...one,
      fields: one.fields.filter(({ path }) => !accepts("drifted", [one.address], path)),
    }))
    .filter(({ fields }) => fields.length > 0);
  const missing = report.missing.filter((address) => !accepts("missing", [address]));
  const roots = new Set<Address>([...missing, ...drifted.map(({ address }) => address)]);
  const remaining: DriftReport = {
    ...report,
    drifted,
    missing,
    pending: report.pending.filter((one) => !acceptsPending(one, accepts)),
    unmanaged: report.unmanaged.filter((one) => !accepts("unmanaged", namesOf(one))),
    undeclared: report.undeclared.filter((one) => !accepts("unmanaged", [one.address], one.path)),
    consequences: report.consequences.flatMap((one) => consequenceOf(one, roots)),
    accepted: accepted.length > 0 ? accepted : undefined,
    expired: expired.length > 0 ? expired.map(shown) : undefined,
  };
  const hasDrift = hasDriftLeft(remaining);
  const unused = standing.map(({ entry }) => entry).filter((entry) => !used.has(entry));
  return { report: { ...remaining, hasDrift }, used, unused, expired };
}

const appliesTo = ({ stage: pattern }: Acceptance, stage: string | undefined): boolean =>
  pattern === undefined || (stage !== undefined && namePattern(pattern).test(stage));

/** A change is accepted once all of its fields are, or its deployment that did not go well. */
function acceptsPending(
  { address, fields }: PendingResource,
  accepts: (of: DriftClass, names: readonly string[], attribute?: string) => boolean,
): boolean {
  if (fields.length === 0) return accepts("pending", [address]);
  return fields.filter(({ path }) => !accepts("pending", [address], path)).length === 0;
}

/** The names that something unmanaged goes by: a part of a managed resource has an address. */
function namesOf({ type, id, name, within }: DriftReport["unmanaged"][number]): readonly string[] {
  return [within === undefined ? `${type}.${name}` : `${type}.${nameOf(within)}.${name}`, `${type}.${id}`];
}

function consequenceOf(one: Consequence, roots: ReadonlySet<Address>): readonly Consequence[] {
  const because = one.because.filter((address) => roots.has(address));
  return because.length === 0 ? [] : [{ ...one, because }];
}

const shown = ({ address, attribute, until, reason }: Acceptance) => ({ address, attribute, until, reason });

const subject = ({ address, attribute }: Acceptance): string =>
  attribute === undefined ? address : `${attribute} of ${address}`;

/** An entry that has come to its end: it has to be renewed or removed, whether or not its drift still stands. */
export const acceptanceExpired = (entry: Acceptance): Diagnostic =>
  error("drift.acceptance_expired", `drift of ${subject(entry)} was accepted until ${entry.until}`, {
    range: entry.range,
    hint: "repair it and remove the entry, or review it again and give it a new date",
  });

/** Returns a warning for each entry that no stage needs; another stage may need it, unless these are all. */
export function warnOfUnused(
  judged: readonly Pick<Judged, "used" | "unused">[],
  areAll: boolean,
): readonly Diagnostic[] {
  const used = new Set(judged.flatMap((one) => [...one.used]));
  const isOfOneStage = ({ stage }: Acceptance): boolean => stage !== undefined && !/[*?]/.test(stage);
  return [...new Set(judged.flatMap(({ unused }) => unused))]
    .filter((entry) => !used.has(entry) && (areAll || isOfOneStage(entry)))
    .map((entry) =>
      warning("drift.acceptance_unused", `nothing of ${subject(entry)} has drifted`, {
        range: entry.range,
        hint: "remove the entry",
      }),
    );
}
