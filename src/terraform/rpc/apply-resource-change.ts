import { hasErrors } from "../../diagnostics/diagnostic";
import type { Applied } from "../applied";
import { applyCreate } from "../apply-create-change";
import { applyDelete } from "../apply-delete";
import { applyUpdate } from "../apply-update";
import { diagnosticMessage, diagnosticsOf } from "../diagnostic-message";
import type { PrivateData } from "../private-data";
import { readPrivate, writePrivate } from "../private-data";
import type { Provider } from "../provider";
import type { ManagedType } from "../schema/managed-type";
import { decodeValue, encodeValue } from "../values/codec";
import { asObject, type TerraformObject } from "../values/terraform-value";
import { stepsIn } from "./plan-resource-change";

interface Request {
  readonly typeName: string;
  readonly priorState: { readonly msgpack: Uint8Array };
  readonly plannedState: { readonly msgpack: Uint8Array };
  readonly config: { readonly msgpack: Uint8Array };
  readonly plannedPrivate?: Uint8Array;
}

/** ApplyResourceChange: carries a plan out. Whatever goes wrong, what is there stays in the state. */
export async function applyResourceChange(provider: Provider, request: Request): Promise<object> {
  const type = provider.typeNamed(request.typeName);
  const prior = asObject(decodeValue(type.valueType, request.priorState.msgpack));
  const planned = asObject(decodeValue(type.valueType, request.plannedState.msgpack));
  const config = asObject(decodeValue(type.valueType, request.config.msgpack));
  const kept = readPrivate(request.plannedPrivate);
  const applied = await carryOut(provider, type, { prior, planned, config, kept }).catch(
    (failure: unknown): Applied => ({ state: prior ?? null, kept, diagnostics: diagnosticsOf(failure) }),
  );
  return {
    newState: { msgpack: encodeValue(type.valueType, applied.state) },
    private:
      applied.state === null && !hasErrors(applied.diagnostics) ? undefined : writePrivate(applied.kept),
    diagnostics: applied.diagnostics.map((one) => diagnosticMessage(one, stepsIn(type))),
  };
}

interface Sides {
  readonly prior: TerraformObject | undefined;
  readonly planned: TerraformObject | undefined;
  readonly config: TerraformObject | undefined;
  readonly kept: PrivateData;
}

async function carryOut(provider: Provider, type: ManagedType, sides: Sides): Promise<Applied> {
  const session = provider.requireSession();
  const { prior, planned, config, kept } = sides;
  if (planned === undefined || config === undefined)
    return prior === undefined
      ? { state: null, kept, diagnostics: [] }
      : applyDelete(session, type, prior, kept);
  return prior === undefined
    ? applyCreate(session, type, planned, config)
    : applyUpdate(session, type, { prior, planned, config, kept });
}
