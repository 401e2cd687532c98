import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import type { Catalog } from "../../model/catalog";
import { declaredWithSecrets, nameIn, valueAt } from "../schema/attributes";
import type { TerraformShape } from "../schema/terraform-shape";
import type { TerraformObject } from "../values/terraform-value";

/** The part of a planned change that findings are about. */
interface FoundChange {
  readonly planned: TerraformObject;
  readonly replaced: readonly string[];
  readonly sent: ReadonlySet<string>;
  readonly acts: boolean;
}

/** An error where this plan would send it; a warning about what is there already; nothing about what stays as it is. */
export function offerFindings(
  type: TerraformShape,
  config: TerraformObject,
  isCreate: boolean,
  change: FoundChange,
  catalog: Catalog,
): readonly Diagnostic[] {
  if (!change.acts) return [];
  const sendsAll = isCreate || change.replaced.length > 0;
  const found = type.resource.check?.(declaredWithSecrets(type, config), catalog) ?? [];
  return found.map((finding) => {
    const { code, summary, hint, attribute } = finding;
    const isSent = sendsAll || attribute === undefined || change.sent.has(attribute);
    const severity = isSent ? error : warning;
    return severity(code, summary, { hint, attribute });
  });
}

/**
 * A replacement that a plan did not know of is refused by Terraform, in words that call it a mistake of the provider.
 * An apply is told from a plan by what it has read, which a plan without a refresh has not either.
 */
export function lateReplacement(
  type: TerraformShape,
  prior: TerraformObject,
  { replaced, planned }: FoundChange,
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
