import { randomUUID } from "node:crypto";
import { hasErrors } from "../../diagnostics/diagnostic";
import { decodeObject, encodeMessage, type TerraformObject } from "../codec";
import { diagnosticMessages, diagnosticsOf } from "../messages";
import { noPrivateData, readPrivate, writePrivate } from "../private-data";
import type { RequestOf, ResponseOf } from "../protocol";
import type { RpcAnswer } from "../provider";
import type { Schema } from "../schema/block";
import type { TerraformShape } from "../schema/terraform-shape";
import { requireWorkspace } from "./confirm-deleted";
import { createResource } from "./create-resource";
import { deleteResource } from "./delete-resource";
import type { Applied, Writing } from "./finish-write";
import { updateResource } from "./update-resource";

export const applyResourceChange: RpcAnswer<"ApplyResourceChange"> = async (provider, request) => {
  const type = provider.typeNamed(request.typeName);
  return carryOut(type, request, async ({ prior, planned, config, kept, nonce }) => {
    const session = provider.requireSession();
    if (prior !== undefined) requireWorkspace(session, type.resource, type.nameIn(prior), kept);
    if (planned === undefined || config === undefined) {
      if (prior !== undefined) await deleteResource({ session, type, nonce }, prior);
      return { state: null, kept, diagnostics: [] };
    }
    const wanted = type.withUnplanned(planned, config);
    const change = { session, type, planned, wanted, config, kept, nonce };
    return prior === undefined ? createResource(change) : updateResource(change, prior);
  });
};

/** A change as Terraform asks for it. A prior of undefined is a create, a plan of undefined a deletion. */
export interface AskedChange extends Pick<Writing, "kept" | "nonce"> {
  readonly prior: TerraformObject | undefined;
  readonly planned: TerraformObject | undefined;
  readonly config: TerraformObject | undefined;
}

/** Answers an apply. After a failure, existing resources stay in the state. */
export async function carryOut(
  { valueType, stepsOf }: Pick<Schema, "valueType"> & Partial<Pick<TerraformShape, "stepsOf">>,
  request: RequestOf<"ApplyResourceChange">,
  apply: (change: AskedChange) => Promise<Applied>,
): Promise<ResponseOf<"ApplyResourceChange">> {
  const wholes = [request.priorState, request.plannedState, request.config];
  const [prior, planned, config] = wholes.map((one) => decodeObject(valueType, one));
  const { nonce = randomUUID(), ...kept } = readPrivate(request.plannedPrivate);
  const applied = await apply({ prior, planned, config, kept, nonce }).catch(
    (failure: unknown): Applied => ({
      state: prior ?? null,
      kept: prior === undefined ? noPrivateData : kept,
      diagnostics: diagnosticsOf(failure),
    }),
  );
  const isGone = applied.state === null && !hasErrors(applied.diagnostics);
  return {
    newState: encodeMessage(valueType, applied.state),
    private: isGone ? undefined : writePrivate(applied.kept),
    diagnostics: diagnosticMessages(applied.diagnostics, stepsOf),
  };
}
