import { type Diagnostic, error, warning } from "../diagnostics/diagnostic";
import type { Address } from "../model/address";
import type { Catalog } from "../model/catalog";
import type { Offers } from "../model/live";
import type { CheckContext, Finding } from "../model/resource-type";
import type { Decision } from "./decision";
import { changesRecordOnly } from "./diff-lifecycle";
import { neighboursOf } from "./neighbours";

const sending: ReadonlySet<Decision["action"]> = new Set(["create", "update", "replace", "adopt"]);

/**
 * What the catalog does not offer and what cannot go together, at the declared value. An error where this plan
 * would send it; a warning about a field that is there already; nothing about what stays as it is. What is declared in
 * the light of its neighbours is looked at in every plan: they change, it does not.
 */
export function checkDeclared(decisions: ReadonlyMap<Address, Decision>, catalog: Catalog): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  for (const decision of decisions.values()) {
    const { instance, action, resolved, attributes } = decision;
    const { type, removed, desired } = instance;
    const isSending = sending.has(action) && !changesRecordOnly(decision);
    if (type.checkSiblings && desired && !removed) {
      const offered = offeredTo(decision, decisions);
      for (const finding of type.checkSiblings(resolved, offered, neighboursOf(decision, decisions)))
        if (isSending || !finding.isWarning)
          diagnostics.push(diagnosticOf(instance, finding, !finding.isWarning));
    }
    if (!isSending) continue;
    for (const finding of type.check?.(resolved, catalog, checkContext(decision, decisions, catalog)) ?? []) {
      const { attribute } = finding;
      const isSent =
        attribute === undefined ||
        action === "create" ||
        action === "replace" ||
        attributes.some(({ path }) => path === attribute);
      diagnostics.push(diagnosticOf(instance, finding, isSent));
    }
  }
  return diagnostics;
}

function diagnosticOf(
  { address, desired }: Decision["instance"],
  { code, summary, hint, attribute }: Finding,
  isError: boolean,
): Diagnostic {
  const declared = attribute === undefined ? undefined : desired?.attributes.get(attribute);
  const range = declared?.range ?? desired?.range;
  const details = {
    address,
    ...(hint !== undefined && { hint }),
    ...(attribute !== undefined && { attribute }),
    ...(range && { range }),
  };
  return isError ? error(code, summary, details) : warning(code, summary, details);
}

/** What the service shows of its choices; of what is made together with its parent there is nothing yet. */
function offeredTo({ instance }: Decision, decisions: ReadonlyMap<Address, Decision>): Offers | undefined {
  const parent = instance.parent && decisions.get(instance.parent);
  if (parent?.action === "create" || parent?.action === "replace") return {};
  return instance.live?.offers ?? (instance.read.kind === "absent" ? instance.read.offers : undefined);
}

function checkContext(
  { instance, action }: Decision,
  decisions: ReadonlyMap<Address, Decision>,
  catalog: Catalog,
): CheckContext {
  const parent = instance.parent && decisions.get(instance.parent);
  const isParentNew = parent?.action === "create" || parent?.action === "replace";
  const offers = isParentNew ? parent?.instance.type.offersWhenNew?.(catalog) : parent?.instance.live?.offers;
  return { isNew: action === "create" || action === "replace", isParentNew, ...(offers && { offers }) };
}
