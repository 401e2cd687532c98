import { type Diagnostic, warning } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import { shortList } from "../model/short-list";
import type { RecordedResource } from "../model/state";
import type { Decision } from "./decision";
import { isDeletion } from "./guards";
import type { PlanInput } from "./plan";
import { isGone, isRetained, type ResourceInstance } from "./subject";

const mostNamed = 5;

/**
 * What the service lists nowhere, where a reader would count on a list: a create that may double what is archived, and
 * what `destroy` leaves because it is archived.
 */
export function tellUnlisted(
  { options }: PlanInput,
  decisions: ReadonlyMap<Address, Decision>,
  scope: ReadonlySet<Address>,
): Diagnostic[] {
  const retained: ResourceInstance[] = [];
  const creates: ResourceInstance[] = [];
  for (const { instance, action } of decisions.values()) {
    const { type, address } = instance;
    if (!type.archives || !scope.has(address)) continue;
    if (isRetained(instance) && !isGone(instance)) retained.push(instance);
    else if (action === "create") creates.push(instance);
  }
  const doubled = creates.filter(
    ({ recorded, parent }) => !recorded && (options.adopt || isTakenOver(parent && decisions.get(parent))),
  );
  const inTheWay = retained.filter(
    ({ parent }) => options.mode === "destroy" || isDeleted(parent && decisions.get(parent)),
  );
  return [
    ...(doubled.length > 0 ? [unlisted(doubled)] : []),
    ...creates.flatMap((made) => namesake(made, retained)),
    ...(inTheWay.length > 0 ? [left(inTheWay)] : []),
  ];
}

/** It was not made here, so neither was what lies in it. */
const isTakenOver = (decision: Decision | undefined): boolean =>
  decision?.action === "adopt" ||
  (decision?.instance.recorded !== undefined && isOnlyImported(decision.instance.recorded));

const isOnlyImported = ({ applied, writes }: RecordedResource): boolean =>
  writes === 0 && Object.keys(applied).length === 0;

const isDeleted = (decision: Decision | undefined): boolean => decision !== undefined && isDeletion(decision);

const named = (instances: readonly ResourceInstance[]): string =>
  shortList(
    instances.map(({ address }) => address),
    mostNamed,
  );

function unlisted(creates: readonly ResourceInstance[]): Diagnostic {
  const kinds = [...new Set(creates.map(({ type }) => type.archives?.unlisted))].join(", ");
  const summary = `no list of the service shows ${kinds}: if one of the same name is archived, a second one is made`;
  return warning("live.unlisted", summary, {
    detail: `Would be created: ${named(creates)}`,
    hint: "to take over an archived one, name its id: import: ID",
  });
}

/** What is retained under another address bears the name, and lies where it would be made. */
function namesake(made: ResourceInstance, retained: readonly ResourceInstance[]): Diagnostic[] {
  const { address, type, desired } = made;
  const written = type.nameAttribute && desired?.attributes.get(type.nameAttribute)?.value;
  const other = retained.find(
    (one) => one.type === type && one.recorded?.name === written && one.recorded?.parent === made.parent,
  );
  if (other === undefined) return [];
  return [
    warning("plan.retained", `${other.address} is archived and bears the name of ${address}`, {
      address,
      detail: `A second one would be created beside it (id ${other.recorded?.id}).`,
      hint: `to restore that one in its place: moved: [{ from: ${other.address}, to: ${address} }]`,
      ...(desired && { range: desired.range }),
    }),
  ];
}

const left = (retained: readonly ResourceInstance[]): Diagnostic =>
  warning("plan.retained", `archived and kept in the state, not destroyed: ${named(retained)}`, {
    hint: "to delete one: declare it again without onRemove: archive, apply, then remove it; to forget it: rnv state rm ADDRESS",
  });
