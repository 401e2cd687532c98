import { DiagnosticsError, error } from "../../diagnostics/diagnostic";
import { type EphemeralResource, ephemeralResources } from "../ephemeral-resources";
import type { Provider } from "../provider";
import { decodeValue, encodeValue } from "../values/codec";
import { asObject } from "../values/terraform-value";

interface Request {
  readonly typeName: string;
  readonly config: { readonly msgpack: Uint8Array };
}

function known(name: string): EphemeralResource {
  const found = ephemeralResources.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new DiagnosticsError([
    error("manifest.unsupported", `this provider has no ephemeral resource "${name}"`),
  ]);
}

/** OpenEphemeralResource: reads the value; there is nothing to renew. */
export async function openEphemeralResource(provider: Provider, request: Request): Promise<object> {
  const type = known(request.typeName);
  const config = asObject(decodeValue(type.valueType, request.config.msgpack)) ?? {};
  const opened = await type.open(provider.requireSession(), config);
  return { result: { msgpack: encodeValue(type.valueType, opened) } };
}

/** ValidateEphemeralResourceConfig: core has checked all there is. */
export async function validateEphemeralResourceConfig(
  _provider: Provider,
  request: Request,
): Promise<object> {
  known(request.typeName);
  return {};
}

/** RenewEphemeralResource and CloseEphemeralResource: nothing is held. */
export const holdNothing = async (): Promise<object> => ({});
