import { hasErrors } from "../../diagnostics/diagnostic";
import { applyCreate } from "../apply/apply-create";
import { type Applied, applyDelete } from "../apply/apply-delete";
import { applyUpdate } from "../apply/apply-update";
import { replacementFindings } from "../apply/check-replacement";
import { diagnosticMessages, diagnosticsOf, readPrivate, writePrivate } from "../messages";
import type { RpcAnswer, Session } from "../provider";
import { noteApplied } from "../reactions/note-changes";
import { textIn, withUnplanned } from "../schema/attributes";
import { configIn, inSettings, stepsIn, withReset } from "../schema/settings-value";
import type { TerraformShape } from "../schema/terraform-shape";
import { encodeMessage } from "../values/codec";
import type { TerraformObject } from "../values/terraform-value";

/** ApplyResourceChange: carries a plan out. Whatever goes wrong, what is there stays in the state. */
export const applyResourceChange: RpcAnswer<"ApplyResourceChange"> = async (provider, request) => {
  const type = provider.typeNamed(request.typeName);
  const prior = configIn(type, request.priorState);
  const config = configIn(type, request.config);
  const { replacement, reset, ...kept } = readPrivate(request.plannedPrivate);
  const planned = withReset(type, configIn(type, request.plannedState), reset);
  const carryOut = async (): Promise<Applied> => {
    const session = provider.requireSession();
    session.isApplying = true;
    if (planned !== undefined && config !== undefined) {
      const wanted = withUnplanned(type, planned, config);
      return prior === undefined
        ? applyCreate(session, type, { planned, wanted, config, kept })
        : applyUpdate(session, type, { prior, planned, wanted, config, kept });
    }
    if (prior === undefined) return { state: null, kept, diagnostics: [] };
    const against = replacement ? await replacementFindings(session, type, prior, replacement) : [];
    const { nonce: _ofReplacement, ...own } = kept;
    return against.length > 0
      ? { state: prior, kept: own, diagnostics: against }
      : applyDelete(session, type, prior, own);
  };
  const applied = await carryOut().catch(
    (failure: unknown): Applied => ({ state: prior ?? null, kept, diagnostics: diagnosticsOf(failure) }),
  );
  if (planned !== undefined) recordMade(provider.session, type, applied.state);
  const failed = hasErrors(applied.diagnostics);
  const isGone = applied.state === null && !failed;
  noteApplied(provider.session, type, {
    ...{ prior: prior ?? planned, kept: applied.kept, state: applied.state, failed },
  });
  return {
    newState: encodeMessage(type.valueType, applied.state && inSettings(type, applied.state)),
    private: isGone ? undefined : writePrivate(applied.kept),
    diagnostics: diagnosticMessages(applied.diagnostics, stepsIn(type, config)),
  };
};

/** Ends the intent of a create whose resource is in the state. */
const recordMade = (
  session: Session | undefined,
  type: TerraformShape,
  state: TerraformObject | null,
): void => {
  const id = state === null ? undefined : textIn(state, "id");
  if (id !== undefined) session?.intents.record("make", type.resource.type, id);
};
