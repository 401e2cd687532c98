import { type Diagnostic, error } from "../diagnostics/diagnostic";
import type { ManagedType } from "./schema/managed-type";
import type { Session } from "./session";
import { nameIn } from "./values/attributes";
import type { TerraformObject } from "./values/terraform-value";

/**
 * What `deletion_protection` says against a deletion. Only of what is deleted for itself: a variable goes with its
 * service, a deployment is history. A plan says nothing while the provider block is not known; the apply asks again.
 */
export function protection(
  session: Session | undefined,
  type: ManagedType,
  prior: TerraformObject,
  verb: "delete" | "replace",
): readonly Diagnostic[] {
  const { removal, removedWithParent } = type.resource;
  if (session?.deletionProtection !== true || removal !== "delete" || removedWithParent) return [];
  return [
    error(
      "guard.prevent_destroy",
      `this plan would ${verb} the ${type.resource.type} "${nameIn(type, prior)}"`,
      {
        detail: "The provider block sets deletion_protection.",
        hint: "set deletion_protection = false for this change",
      },
    ),
  ];
}
