import { randomUUID } from "node:crypto";
import { hasErrors } from "../../diagnostics/diagnostic";
import { diagnosticMessages, diagnosticsOf } from "../messages";
import { noPrivateData, readPrivate, writePrivate } from "../private-data";
import type { RpcAnswer } from "../provider";
import { withUnplanned } from "../schema/attributes";
import { decodeObject, encodeMessage } from "../values/codec";
import { createResource } from "./create-resource";
import { deleteResource } from "./delete-resource";
import type { Applied } from "./finish-write";
import { updateResource } from "./update-resource";

/** ApplyResourceChange: carries a plan out. Whatever fails, what exists stays in the state. */
export const applyResourceChange: RpcAnswer<"ApplyResourceChange"> = async (provider, request) => {
  const type = provider.typeNamed(request.typeName);
  const prior = decodeObject(type.valueType, request.priorState);
  const planned = decodeObject(type.valueType, request.plannedState);
  const config = decodeObject(type.valueType, request.config);
  const { nonce = randomUUID(), ...kept } = readPrivate(request.plannedPrivate);
  const carryOut = async (): Promise<Applied> => {
    const session = provider.requireSession();
    if (planned === undefined || config === undefined) {
      if (prior !== undefined) await deleteResource(session, type, prior, nonce);
      return { state: null, kept, diagnostics: [] };
    }
    const wanted = withUnplanned(type, planned, config);
    const change = { planned, wanted, config, kept, nonce };
    return prior === undefined
      ? createResource(session, type, change)
      : updateResource(session, type, prior, change);
  };
  const applied = await carryOut().catch(
    (failure: unknown): Applied => ({
      state: prior ?? null,
      kept: prior === undefined ? noPrivateData : kept,
      diagnostics: diagnosticsOf(failure),
    }),
  );
  const isGone = applied.state === null && !hasErrors(applied.diagnostics);
  return {
    newState: encodeMessage(type.valueType, applied.state),
    private: isGone ? undefined : writePrivate(applied.kept),
    diagnostics: diagnosticMessages(applied.diagnostics, type.stepsOf),
  };
};
