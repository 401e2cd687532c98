import type { Resource } from "../../api/reads";
import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import { snakeCase } from "../../model/terraform-names";
import type { TypeInSession } from "../provider";
import type { TerraformShape } from "../schema/terraform-shape";
import { findParent } from "./confirm-deleted";
import type { CheckedChange } from "./plan-change";

export const forgetWarning = ({ resource }: TerraformShape, name: string): Diagnostic =>
  warning("plan.retained", `${resource.type} "${name}" is forgotten, not deleted`, {
    detail: `It is declared with ${snakeCase(resource.preservedBy ?? "")} = true: it stays on the platform as it is.`,
  });

/** Finds the live resource of a `preserve` block; undefined if there is none. */
export function findPreserved({ session, type }: TypeInSession, name: string, parentId: string) {
  const declared = new Map(type.resource.parents.map(({ attribute }) => [attribute, parentId]));
  return type.find(session.reads, { name, declared, parentId });
}

export const preserveMissing = ({ resource }: TerraformShape, name: string): Diagnostic =>
  error("live.preserve_missing", `the platform has no ${resource.type} "${name}" to preserve`, {
    attribute: resource.preservedBy ?? "",
    hint: `set it in the dashboard, or declare its value here instead of ${snakeCase(resource.preservedBy ?? "")}`,
  });

export async function preservedFindings(change: CheckedChange): Promise<readonly Diagnostic[]> {
  const { session, type, prior, config } = change;
  const [wasElsewhere, isElsewhere] = [prior ?? {}, config].map((one) => type.isMadeElsewhere(one));
  const name = type.nameIn(config);
  if (!isElsewhere) {
    const declared = type.declaredWithSecrets(config);
    const isWhole = type.secrets.every(({ path }) => declared.has(path));
    if (wasElsewhere && !isWhole) return [noLongerPreserved(type.resource, name)];
    if (isWhole || prior === undefined) return [];
  }
  const parentId = type.parentIn(type.knownIn(config));
  if (parentId === undefined) return prior === undefined ? [] : [mayBeLost(type.resource, name)];
  if (session === undefined || prior !== undefined || name === "") return [];
  if ((await findParent(session, type.resource, parentId)).finding) return [];
  const found = await findPreserved({ session, type }, name, parentId);
  return found === undefined ? [preserveMissing(type, name)] : [];
}

const noLongerPreserved = ({ type, preservedBy }: Resource, name: string): Diagnostic =>
  error("plan.invalid_combination", `${type} "${name}" is not preserved any more, and has no value`, {
    attribute: preservedBy,
    hint: "give it a value, or take the resource away: what was preserved is forgotten then, not deleted",
  });

const mayBeLost = ({ type, parents: [parent], preservedBy }: Resource, name: string): Diagnostic =>
  warning("live.preserve_missing", `${type} "${name}" is lost if its ${parent?.type} is replaced`, {
    attribute: preservedBy,
    detail: `The ID of the ${parent?.type} is unknown before apply. A value that was set elsewhere cannot be set again.`,
    hint: `if the plan replaces the ${parent?.type}, declare a value here, or note the value first`,
  });
