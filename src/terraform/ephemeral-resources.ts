import { service } from "../resources/service";
import { diagnosticError, diagnosticMessages } from "./messages";
import { mostAgeMs, type RpcAnswer, requireNamed, type Session } from "./provider";
import { requireThere } from "./resource/confirm-deleted";
import { textIn } from "./schema/attributes";
import { computed, required, type Schema, schemaOf } from "./schema/block";
import { checkConfig, idIn } from "./schema/check-config";
import { decodeObject, encodeMessage } from "./values/codec";
import type { TerraformObject } from "./values/terraform-value";

/** A value that lives only as long as a run: never in a plan, never in a state. */
interface EphemeralResource extends Schema {
  readonly open: (session: Session, config: TerraformObject) => Promise<TerraformObject>;
}

const variableValue: EphemeralResource = {
  ...schemaOf("rnv_variable_value", {
    doc: "The value of a variable, revealed for this run and stored nowhere. The service records every reveal for audit.",
    attributes: [
      required("service_id", "string", "Id of the service."),
      required("key", "string", "Name of the variable."),
      computed("value", "string", "Its value.", { sensitive: true }),
    ],
  }),
  open: async (session, config) => {
    const { reads } = session;
    const serviceId = idIn(config, "service_id") ?? "";
    const key = textIn(config, "key") ?? "";
    reads.invalidate(mostAgeMs);
    const variables = await reads.variables(serviceId);
    const found = variables?.find((one) => one.key === key);
    if (found === undefined) {
      await requireThere(session, service, serviceId, "service_id");
      const summary =
        variables === undefined
          ? "the service does not list variables, so none can be found by its name"
          : `the service has no variable "${key}"`;
      throw diagnosticError("live.import_missing", summary, { attribute: "key" });
    }
    return { ...config, value: await reads.live.revealVariableText(serviceId, found.id) };
  },
};

/** Every ephemeral resource: the only list of them. */
export const ephemeralResources: readonly EphemeralResource[] = [variableValue];

const ephemeralNamed = (name: string): EphemeralResource =>
  requireNamed(ephemeralResources, name, "ephemeral resource");

/** OpenEphemeralResource: reads the value; there is nothing to renew. */
export const openEphemeralResource: RpcAnswer<"OpenEphemeralResource"> = async (provider, request) => {
  const type = ephemeralNamed(request.typeName);
  const config = decodeObject(type.valueType, request.config) ?? {};
  const opened = await type.open(provider.requireSession(), config);
  return { result: encodeMessage(type.valueType, opened) };
};

/** ValidateEphemeralResourceConfig: what core has not checked already. */
export const validateEphemeralResourceConfig: RpcAnswer<"ValidateEphemeralResourceConfig"> = async (
  _provider,
  { typeName, config },
) => {
  const { block, valueType } = ephemeralNamed(typeName);
  return { diagnostics: diagnosticMessages(checkConfig(block, decodeObject(valueType, config) ?? {})) };
};
