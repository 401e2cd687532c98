import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import { uncheckable } from "../apply/check-replacement";
import type { PlannedReplacement } from "../messages";
import type { Session } from "../provider";
import { declaredWithSecrets, nameIn, valueAt } from "../schema/attributes";
import type { TerraformShape } from "../schema/terraform-shape";
import type { TerraformObject } from "../values/terraform-value";
import { newResourceFindings } from "./new-resource-findings";
import type { PlannedChange } from "./plan-change";

/** Returns what the service would refuse: errors about a create and about what a change sends, warnings about the rest. */
export async function offerFindings(
  session: Session,
  type: TerraformShape,
  config: TerraformObject,
  isCreate: boolean,
  change: PlannedChange,
): Promise<readonly Diagnostic[]> {
  if (!change.acts) return [];
  const catalog = await session.reads.catalog();
  const declared = declaredWithSecrets(type, config);
  if (isCreate || change.replaced.length > 0) return newResourceFindings(session, type, declared, catalog);
  const found = type.resource.check?.(declared, catalog) ?? [];
  return found.map(({ code, summary, hint, attribute }) => {
    const isSent = attribute === undefined || change.sent.has(attribute);
    const severity = isSent ? error : warning;
    return severity(code, summary, { hint, attribute });
  });
}

/** A replacement of what cannot be checked while its values are not known: its deletion waits until they are. */
export const waitingFindings = (
  type: TerraformShape,
  replacement: PlannedReplacement,
): readonly Diagnostic[] =>
  uncheckable(type, replacement).map((attribute) =>
    warning("plan.data_deferred", `${type.stepsOf(attribute)?.join(".")} is not known before apply`, {
      attribute,
      detail:
        "The replacement cannot be checked before what it replaces is deleted: the apply stops before that, unless " +
        "create_before_destroy is set.",
      hint: "apply what it depends on first, with -target",
    }),
  );

/**
 * A replacement that a plan did not know of is refused by Terraform, in words that call it a mistake of the provider.
 * An apply is told from a plan by what it has read, which a plan without a refresh has not either.
 */
export function lateReplacement(
  type: TerraformShape,
  prior: TerraformObject,
  { replaced, planned }: PlannedChange,
): readonly Diagnostic[] {
  const { resource } = type;
  if (resource.removedWithParent) return [];
  return replaced.map((attribute) => {
    const value = valueAt(planned, type.stepsOf(attribute) ?? []);
    const summary = `the ${resource.type} "${nameIn(type, prior)}" would have to be replaced`;
    return warning("plan.stale", summary, {
      attribute,
      detail:
        `${type.stepsOf(attribute)?.join(".")} is ${JSON.stringify(value)}, which cannot be changed in place. ` +
        "An apply whose plan did not know this value stops here: nothing is deleted that no plan has shown.",
      hint: "if this is an apply, run it again: the new plan shows the replacement",
    });
  });
}
