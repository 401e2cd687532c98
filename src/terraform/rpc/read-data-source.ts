import { DiagnosticsError, error } from "../../diagnostics/diagnostic";
import type { DataSource } from "../data/data-source";
import { dataSourceNamed } from "../data-sources";
import type { Provider } from "../provider";
import { decodeValue, encodeValue } from "../values/codec";
import { asObject } from "../values/terraform-value";

interface Request {
  readonly typeName: string;
  readonly config: { readonly msgpack: Uint8Array };
}

function known(name: string): DataSource {
  const found = dataSourceNamed(name);
  if (found !== undefined) return found;
  throw new DiagnosticsError([error("manifest.unsupported", `this provider has no data source "${name}"`)]);
}

/** ReadDataSource: what is configured stays as it is, the rest is filled in. */
export async function readDataSource(provider: Provider, request: Request): Promise<object> {
  const source = known(request.typeName);
  const config = asObject(decodeValue(source.valueType, request.config.msgpack)) ?? {};
  const read = await source.read(provider.requireSession(), config);
  const given = Object.entries(config).filter(([, value]) => value !== null);
  return { state: { msgpack: encodeValue(source.valueType, { ...read, ...Object.fromEntries(given) }) } };
}

/** ValidateDataResourceConfig: what core has not checked already. */
export async function validateDataResourceConfig(_provider: Provider, request: Request): Promise<object> {
  const source = known(request.typeName);
  const config = asObject(decodeValue(source.valueType, request.config.msgpack)) ?? {};
  const limit = config.limit;
  if (typeof limit !== "number" || (Number.isInteger(limit) && limit >= 1 && limit <= 200)) return {};
  throw new DiagnosticsError([
    error("manifest.invalid_value", "limit: expected a whole number from 1 to 200", { attribute: "limit" }),
  ]);
}
