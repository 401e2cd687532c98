import { plainEqual } from "../../model/value";
import type { RpcAnswer } from "../provider";
import { variablesSchema } from "../schema/variables-schema";
import { decodeObject, encodeMessage, setValue, valueAt } from "../values";
import { isEqualAs } from "./plan-change";

/** GenerateResourceConfig: an imported state, reduced to what a configuration may say and has to (protocol 6.11). */
export const generateResourceConfig: RpcAnswer<"GenerateResourceConfig"> = async (provider, request) => {
  const { typeName, state } = request;
  const type = typeName === variablesSchema.name ? undefined : provider.typeNamed(typeName);
  const { valueType, block } = type ?? variablesSchema;
  const whole = decodeObject(valueType, state) ?? {};
  const computed = block.attributes.filter(({ required, optional }) => !required && !optional);
  const config = { ...whole, ...Object.fromEntries(computed.map(({ name }) => [name, null])) };
  if (type === undefined) return { config: encodeMessage(valueType, config) };
  const draft = type.draftOf(config);
  const defaults = type.defaultsIn(await provider.session?.reads.catalog());
  for (const { path, steps, required } of type.declared) {
    const initial = defaults.get(path);
    if (!required && initial !== undefined && isEqualAs(plainEqual, valueAt(draft, steps), initial as never))
      setValue(draft, steps, null);
  }
  return { config: encodeMessage(valueType, draft) };
};
