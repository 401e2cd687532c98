import { DiagnosticsError, hasErrors } from "../../diagnostics/diagnostic";
import { noPrivateData, type PrivateData } from "../messages";
import { meaningsOf } from "../plan/meanings";
import { planChange } from "../plan/plan-change";
import type { Session } from "../provider";
import { importedState } from "../refreshed-state";
import { draftOf, setValue, valueAt, withWriteOnly } from "../schema/attributes";
import type { TerraformShape } from "../schema/terraform-shape";
import { holdsUnknown } from "../values/terraform-value";
import { stateAfter } from "./after-write";
import type { Applied } from "./apply-delete";
import { applyUpdate, type ChangeValues } from "./apply-update";
import { cannotTakeOver, type NamedCreate, type Taken } from "./twins";

/** A create that takes over what stands. */
interface TakeOver extends Pick<ChangeValues, "planned" | "config"> {
  readonly create: NamedCreate;
  readonly taken: Taken;
}

/**
 * Takes over what stands, as an import and a change in one: what is declared and differs is sent. A failure makes
 * nothing ours; the next apply takes it over again.
 */
export async function takeOver(session: Session, type: TerraformShape, take: TakeOver): Promise<Applied> {
  const { planned, config, create } = take;
  const { live } = take.taken;
  const imported: PrivateData = { applied: {}, workspace: session.workspaceId, imported: true };
  const prior = await importedState(session, type, live);
  const catalog = await session.before.catalog();
  const meanings = await meaningsOf(session, type, prior, config);
  const change = planChange({ type, prior, config, priorPrivate: imported, catalog, meanings });
  if (change.replaced.length > 0) throw new DiagnosticsError([cannotTakeOver(create, live, change.replaced)]);
  const wanted = withWriteOnly(type, change.planned, config);
  const values = { prior, planned: change.planned, wanted, config, kept: imported };
  const { state, kept, diagnostics } = await applyUpdate(session, type, values);
  if (hasErrors(diagnostics) || state === null) return { state: null, kept: noPrivateData, diagnostics };
  // What Terraform was told of a create holds: all that is known of it stays as it was planned.
  const next = draftOf(type, planned);
  for (const { steps } of type.computed)
    if (holdsUnknown(valueAt(planned, steps))) setValue(next, steps, valueAt(state, steps));
  return { state: stateAfter(type, next, live), kept: { ...kept, imported: undefined }, diagnostics };
}
