import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { DesiredData } from "../model/desired";
import type { LiveResource } from "../model/live";
import { Template } from "../model/value";
import type { Decision } from "./decision";
import type { DataUse } from "./fill-data";
import type { PlanInput } from "./plan";

/**
 * What keeps data sources from being used. With `--target` or `--exclude` only those count that something in scope
 * needs; to destroy, none is needed.
 */
export function checkData(
  { data = [], options }: PlanInput,
  decisions: ReadonlyMap<Address, Decision>,
  scope: ReadonlySet<Address>,
): readonly Diagnostic[] {
  if (options.mode === "destroy") return [];
  const isPartial = options.targets.length > 0 || options.excludes.length > 0;
  return data
    .filter(({ usedBy }) => !isPartial || [...usedBy].some((address) => scope.has(address)))
    .flatMap((use) => (use.problems.length > 0 ? use.problems : deferred(use, decisions)));
}

/** Terraform would read it during the run, after what it depends on; rnv reads before anything changes. */
function deferred(
  { source, found }: DataUse,
  decisions: ReadonlyMap<Address, Decision>,
): readonly Diagnostic[] {
  const referred = [...source.query.values()].flatMap(({ value }) =>
    value instanceof Template ? value.references.map(({ address }) => address) : [],
  );
  const isNew = (on: Address): boolean => ["create", "replace"].includes(decisions.get(on)?.action ?? "");
  const changes = (on: Address): boolean =>
    !["no-op", "adopt"].includes(decisions.get(on)?.action ?? "no-op");
  const on = referred.find(isNew) ?? source.dependsOn.find(changes) ?? endingOf(found, decisions);
  return on === undefined ? [] : [deferredUntil(source, on)];
}

/** What it finds is deleted or replaced in this plan: its values would be gone with it. */
function endingOf(
  found: LiveResource | undefined,
  decisions: ReadonlyMap<Address, Decision>,
): Address | undefined {
  if (!found) return undefined;
  return [...decisions.values()].find(
    ({ instance, action }) =>
      (action === "replace" || action === "delete") &&
      instance.type.type === found.type &&
      instance.live?.id === found.id,
  )?.instance.address;
}

/** The finding about a data source that cannot be read before a resource is changed. */
export const deferredUntil = ({ owner, address, range }: DesiredData, on: Address): Diagnostic =>
  error("plan.data_deferred", `${owner} depends on ${on}, which this plan changes`, {
    address,
    range,
    detail: "rnv reads data sources before it changes anything.",
    hint: `refer to ${on} itself, or apply that first: rnv apply --target ${on}`,
  });
