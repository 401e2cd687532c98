import { service } from "../resources/service";
import { diagnosticError, diagnosticMessages } from "./messages";
import { mostAgeMs, type RpcAnswer, requireNamed, type Session } from "./provider";
import { requireThere } from "./resource/confirm-deleted";
import { textIn } from "./schema/attributes";
import { computed, required, type Schema, schemaOf } from "./schema/block";
import { checkConfig, idIn } from "./schema/check-config";
import { decodeObject, encodeMessage } from "./values/codec";
import type { TerraformObject } from "./values/terraform-value";

/** Every ephemeral resource, a value that lives only as long as a run: never in a plan, never in a state. */
export const ephemeralResources: readonly Schema[] = [
  schemaOf("rnv_variable_value", {
    doc: "The value of a variable, revealed for this run and stored nowhere. The service records every reveal for audit.",
    attributes: [
      required("service_id", "string", "Id of the service."),
      required("key", "string", "Name of the variable."),
      computed("value", "string", "Its value.", { sensitive: true }),
    ],
  }),
];

const ephemeralNamed = (name: string): Schema => requireNamed(ephemeralResources, name, "ephemeral resource");

/** OpenEphemeralResource: reads the value; there is nothing to renew. */
export const openEphemeralResource: RpcAnswer<"OpenEphemeralResource"> = async (provider, request) => {
  const { valueType } = ephemeralNamed(request.typeName);
  const config = decodeObject(valueType, request.config) ?? {};
  const value = await revealVariable(provider.requireSession(), config);
  return { result: encodeMessage(valueType, { ...config, value }) };
};

async function revealVariable(session: Session, config: TerraformObject): Promise<string> {
  const { reads } = session;
  const serviceId = idIn(config, "service_id") ?? "";
  const key = textIn(config, "key") ?? "";
  reads.invalidate(mostAgeMs);
  const variables = await reads.variables(serviceId);
  const found = variables?.find((one) => one.key === key);
  if (found !== undefined) return reads.live.revealVariableText(serviceId, found.id);
  await requireThere(session, service, serviceId, "service_id");
  const summary =
    variables === undefined
      ? "the service does not list variables, so none can be found by its name"
      : `the service has no variable "${key}"`;
  throw diagnosticError("live.import_missing", summary, { attribute: "key" });
}

/** ValidateEphemeralResourceConfig: what core has not checked already. */
export const validateEphemeralResourceConfig: RpcAnswer<"ValidateEphemeralResourceConfig"> = async (
  _provider,
  { typeName, config },
) => {
  const { block, valueType } = ephemeralNamed(typeName);
  return { diagnostics: diagnosticMessages(checkConfig(block, decodeObject(valueType, config) ?? {})) };
};
