import { diagnosticMessage } from "../diagnostic-message";
import type { Provider } from "../provider";
import { checkProviderBlock } from "../provider-settings";
import { providerType } from "../schema/provider-block";
import { decodeValue } from "../values/codec";
import { asObject } from "../values/terraform-value";

/** ValidateProviderConfig: what is wrong whatever the environment says. */
export async function validateProviderConfig(
  _provider: Provider,
  { config }: { readonly config: { readonly msgpack: Uint8Array } },
): Promise<object> {
  const block = asObject(decodeValue(providerType, config.msgpack)) ?? {};
  return { diagnostics: checkProviderBlock(block).map((one) => diagnosticMessage(one, (name) => [name])) };
}
