import type { Reads, Resource } from "../../api/reads";
import { isMissing } from "../../model/live";
import { diagnosticError } from "../messages";
import { readById } from "./confirm-deleted";

/** The recorded and the wanted parent of a resource that is deleted with its parent. */
export interface ParentChange {
  readonly parent: Resource;
  /** Undefined where it is unknown. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Returns true if the parent is another one and the recorded one is deleted: what was in it is deleted too. */
export async function isParentDeleted(
  reads: Reads,
  { parent, before, after }: ParentChange,
): Promise<boolean> {
  if (before === undefined || after === undefined || before === after) return false;
  return isMissing(await readById(reads, parent, before));
}

/** The same in an apply. Throws `DiagnosticsError` where both parents exist: the plan did not know the second one. */
export async function leavesDeletedParent(
  reads: Reads,
  change: ParentChange,
  attribute: string,
): Promise<boolean> {
  const { parent, before, after } = change;
  if (before === undefined || after === undefined || before === after) return false;
  if (await isParentDeleted(reads, change)) return true;
  throw diagnosticError("plan.stale", `it belongs to ${parent.type} ${before}, not ${after}`, {
    attribute,
    detail:
      "The first still exists, and the plan did not know the ID of the second. Nothing was written to either.",
    hint: "plan and apply again",
  });
}
