import type { ResourceType } from "../model/resource-type";
import { ruleAt } from "../model/resource-type";
import type { Action, AttributeChange } from "./plan";

/** The parts of a decision or a change that say whether what reacts to it must run. */
export interface Reactable {
  readonly action: Action;
  readonly attributes: readonly Pick<AttributeChange, "path">[];
  readonly retains?: true;
}

/**
 * Whether a change of a resource is a reason for what reacts to it (a deployment) to run: always where something
 * appears or goes, else where one of its fields does not take effect at once.
 */
export function asksForRun(
  { action, attributes, retains }: Reactable,
  type: Pick<ResourceType, "rules" | "open">,
): boolean {
  // What is archived runs on as it is.
  if (retains) return false;
  if (action === "create" || action === "replace" || action === "delete") return true;
  if (action !== "update" && action !== "adopt") return false;
  return attributes.some(({ path }) => ruleAt(type, path)?.takesEffect !== "at once");
}
