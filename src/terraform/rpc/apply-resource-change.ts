import { type Diagnostic, hasErrors } from "../../diagnostics/diagnostic";
import { stateAfter } from "../apply/after-write";
import { applyCreate } from "../apply/apply-create";
import { type Applied, applyDelete } from "../apply/apply-delete";
import { applyUpdate, type ChangeValues } from "../apply/apply-update";
import { replacementFindings } from "../apply/check-replacement";
import { diagnosticMessages, diagnosticsOf, readPrivate, writePrivate } from "../messages";
import type { RpcAnswer, Session } from "../provider";
import { followsChanges } from "../reactions/known-changes";
import { noteApplied } from "../reactions/note-changes";
import { carryOutRun } from "../reactions/owed-runs";
import type { Room } from "../reactions/traffic";
import { appliedIn } from "../record";
import { liveOf, textIn, withUnplanned } from "../schema/attributes";
import type { TerraformShape } from "../schema/terraform-shape";
import { decodeObject, encodeMessage } from "../values/codec";
import type { TerraformObject } from "../values/terraform-value";

/** ApplyResourceChange: carries a plan out. Whatever goes wrong, what is there stays in the state. */
export const applyResourceChange: RpcAnswer<"ApplyResourceChange"> = async (provider, request) => {
  const type = provider.typeNamed(request.typeName);
  const prior = decodeObject(type.valueType, request.priorState);
  const config = decodeObject(type.valueType, request.config);
  const { replacement, ...kept } = readPrivate(request.plannedPrivate);
  const planned = decodeObject(type.valueType, request.plannedState);
  const carryOut = async (): Promise<Applied> => {
    const session = provider.requireSession();
    if (planned !== undefined && config !== undefined) {
      const wanted = withUnplanned(type, planned, config);
      return applyChange(session, type, { prior, planned, wanted, config, kept });
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
    newState: encodeMessage(type.valueType, applied.state),
    private: isGone ? undefined : writePrivate(applied.kept),
    diagnostics: diagnosticMessages(applied.diagnostics, type.stepsOf),
  };
};

type Change = Omit<ChangeValues, "prior"> & { readonly prior: TerraformObject | undefined };

/** Creates or updates. What runs after others may be answered before it ran. */
async function applyChange(session: Session, type: TerraformShape, change: Change): Promise<Applied> {
  const { prior, ...created } = change;
  const send = (room?: Room): Promise<Applied> =>
    prior === undefined
      ? applyCreate(session, type, { ...created, room })
      : applyUpdate(session, type, { ...created, prior, room });
  if (!followsChanges(type.resource)) return send();
  const unchanged = { state: prior ?? null, kept: change.kept };
  const { applied, told } = await carryOutRun(session, {
    carryOut: (room) =>
      send(room).catch((failure: unknown) => ({ ...unchanged, diagnostics: diagnosticsOf(failure) })),
    early: owedState(session, type, change),
    onEnd: ({ state }) => recordMade(session, type, state),
  });
  const diagnostics = [...applied.diagnostics, ...told.map(leftToThis)];
  // A failure of another would taint what is new; without a state the next apply finds the run by its key.
  return hasErrors(told) && prior === undefined ? { ...unchanged, diagnostics } : { ...applied, diagnostics };
}

const leftToThis = ({ detail, ...found }: Diagnostic): Diagnostic => ({
  ...found,
  detail: [detail, "Its own call was answered before it ran, to make room: this one tells of it."]
    .filter((line) => line !== undefined)
    .join("\n\n"),
});

/** Returns the state of a run that is still to come: what serves is what served before. */
function owedState(
  { workspaceId }: Session,
  type: TerraformShape,
  { prior, planned, wanted, config, kept }: Change,
): Applied {
  const { due = {}, inputs = {} } = kept;
  const stays = Object.entries(inputs).filter(([, address]) => !(address in due));
  return {
    state: stateAfter(type, planned, prior && liveOf(type, prior)),
    kept: {
      ...kept,
      ...{ nonce: undefined, workspace: workspaceId, due: undefined, inputs: Object.fromEntries(stays) },
      owed: (prior && textIn(prior, "id")) ?? "",
      applied: appliedIn(type, wanted, config, kept.applied),
    },
    diagnostics: [],
  };
}

/** Ends the intent of a create whose resource is in the state. */
const recordMade = (
  session: Session | undefined,
  type: TerraformShape,
  state: TerraformObject | null,
): void => {
  const id = state === null ? undefined : textIn(state, "id");
  if (id !== undefined) session?.intents.record("make", type.resource.type, id);
};
