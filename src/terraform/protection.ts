import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { Session } from "./provider";
import { nameIn } from "./schema/attributes";
import { protectionAttribute, type TerraformShape } from "./schema/terraform-shape";
import type { TerraformObject } from "./values/terraform-value";

/**
 * Returns what `deletion_protection` says against a deletion: that of the resource, in its state or its configuration,
 * and that of the provider block. Only of what is deleted for itself: a variable goes with its service, a deployment is
 * history. A plan says nothing of a provider block that is not known; the apply asks again.
 */
export function checkProtection(
  session: Session | undefined,
  type: TerraformShape,
  [prior, ...others]: readonly [TerraformObject, ...TerraformObject[]],
  verb: "delete" | "replace",
): readonly Diagnostic[] {
  if (!type.isProtectable) return [];
  const attribute = protectionAttribute;
  const isOwn = [prior, ...others].some((one) => one[attribute] === true);
  if (!isOwn && session?.deletionProtection !== true) return [];
  const summary = `this plan would ${verb} the ${type.resource.type} "${nameIn(type, prior)}"`;
  return [
    isOwn
      ? error("guard.prevent_destroy", summary, {
          attribute,
          detail: `Its ${attribute} is true.`,
          hint: `set ${attribute} = false and apply that, then plan this again`,
        })
      : error("guard.prevent_destroy", summary, {
          detail: `The provider block sets ${attribute}.`,
          hint: `set ${attribute} = false there for this change`,
        }),
  ];
}
