import { type Diagnostic, error, warning } from "../../diagnostics/diagnostic";
import type { Catalog } from "../../model/catalog";
import { diagnosticMessage, pathMessage, type Steps } from "../diagnostic-message";
import { type PlannedChange, planChange } from "../plan-change";
import { readPrivate } from "../private-data";
import { protection } from "../protection";
import type { Provider } from "../provider";
import type { ManagedType } from "../schema/managed-type";
import { declaredWithSecrets } from "../values/attributes";
import { decodeValue, encodeValue } from "../values/codec";
import { asObject, isSameValue, type TerraformObject } from "../values/terraform-value";

interface Request {
  readonly typeName: string;
  readonly priorState: { readonly msgpack: Uint8Array };
  readonly proposedNewState: { readonly msgpack: Uint8Array };
  readonly config: { readonly msgpack: Uint8Array };
  readonly priorPrivate?: Uint8Array;
}

/** PlanResourceChange: what an apply would make of a resource, and what the catalog says against it. */
export async function planResourceChange(provider: Provider, request: Request): Promise<object> {
  const type = provider.typeNamed(request.typeName);
  const prior = asObject(decodeValue(type.valueType, request.priorState.msgpack));
  const config = asObject(decodeValue(type.valueType, request.config.msgpack));
  if (asObject(decodeValue(type.valueType, request.proposedNewState.msgpack)) === undefined || !config)
    return planDestroy(provider, type, prior, request);
  const catalog = await provider.session?.reads.catalog();
  const priorPrivate = readPrivate(request.priorPrivate);
  const change = planChange({ type, prior, config, priorPrivate, catalog });
  const diagnostics = [
    ...change.diagnostics,
    ...(catalog ? offerFindings(type, config, prior === undefined, change, catalog) : []),
    ...(change.replaced.length > 0 && prior ? protection(provider.session, type, prior, "replace") : []),
  ];
  const stepsOf = stepsIn(type);
  return {
    plannedState: isSameValue(change.planned, prior ?? null)
      ? request.priorState
      : { msgpack: encodeValue(type.valueType, change.planned) },
    requiresReplace: change.replaced.map((path) => pathMessage(stepsOf(path) ?? [])),
    plannedPrivate: request.priorPrivate,
    diagnostics: diagnostics.map((one) => diagnosticMessage(one, stepsOf)),
  };
}

export const stepsIn =
  (type: ManagedType) =>
  (path: string): Steps | undefined =>
    type.declared.find((binding) => binding.path === path)?.steps ??
    type.secrets.filter((secret) => secret.path === path).map(({ name }) => [name])[0];

function planDestroy(
  provider: Provider,
  type: ManagedType,
  prior: TerraformObject | undefined,
  request: Request,
): object {
  const diagnostics = prior ? protection(provider.session, type, prior, "delete") : [];
  return {
    plannedState: request.proposedNewState,
    plannedPrivate: request.priorPrivate,
    diagnostics: diagnostics.map((one) => diagnosticMessage(one, stepsIn(type))),
  };
}

/** An error where this plan would send it; a warning about what is there already; nothing about what stays as it is. */
function offerFindings(
  type: ManagedType,
  config: TerraformObject,
  isCreate: boolean,
  change: PlannedChange,
  catalog: Catalog,
): readonly Diagnostic[] {
  if (!change.acts) return [];
  const sendsAll = isCreate || change.replaced.length > 0;
  const found = type.resource.check?.(declaredWithSecrets(type, config), catalog) ?? [];
  return found.map((finding) => {
    const { code, summary, hint, attribute } = finding;
    const details = {
      ...(hint === undefined ? {} : { hint }),
      ...(attribute === undefined ? {} : { attribute }),
    };
    const isSent = sendsAll || attribute === undefined || change.sent.has(attribute);
    return isSent ? error(code, summary, details) : warning(code, summary, details);
  });
}
