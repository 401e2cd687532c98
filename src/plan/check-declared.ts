import { type Diagnostic, error, warning } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Catalog } from "../model/catalog";
import type { Around } from "../model/resource-type";
import type { Decision } from "./decision";
import { changesRecordOnly } from "./diff-lifecycle";

const sending: ReadonlySet<Decision["action"]> = new Set(["create", "update", "replace", "adopt"]);

/**
 * What the catalog does not offer and what cannot go together, at the declared value. An error where this plan
 * would send it; a warning about a field that is there already; nothing about what stays as it is.
 */
export function checkDeclared(decisions: ReadonlyMap<Address, Decision>, catalog: Catalog): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  for (const decision of decisions.values()) {
    const { subject, action, resolved, attributes } = decision;
    if (!sending.has(action) || changesRecordOnly(decision)) continue;
    const { address } = subject;
    for (const { code, summary, hint, attribute } of subject.type.check(
      resolved,
      catalog,
      aroundOf(decision, decisions, catalog),
    )) {
      const isSent =
        attribute === undefined ||
        action === "create" ||
        action === "replace" ||
        attributes.some(({ path }) => path === attribute);
      const declared = attribute === undefined ? undefined : subject.desired?.attributes.get(attribute);
      const range = declared?.range ?? subject.desired?.range;
      const details = {
        address,
        ...(hint !== undefined && { hint }),
        ...(attribute !== undefined && { attribute }),
        ...(range && { range }),
      };
      diagnostics.push(isSent ? error(code, summary, details) : warning(code, summary, details));
    }
  }
  return diagnostics;
}

function aroundOf(
  { subject, action }: Decision,
  decisions: ReadonlyMap<Address, Decision>,
  catalog: Catalog,
): Around {
  const parent = subject.parent && decisions.get(subject.parent);
  const isParentNew = parent?.action === "create" || parent?.action === "replace";
  const offers = isParentNew ? parent?.subject.type.offersWhenNew?.(catalog) : parent?.subject.live?.offers;
  return { isNew: action === "create" || action === "replace", isParentNew, ...(offers && { offers }) };
}
