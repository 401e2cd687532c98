import { DiagnosticsError, error } from "../../diagnostics/diagnostic";
import type { Provider } from "../provider";
import { schemaVersion } from "../schema/managed-type";
import { encodeValue } from "../values/codec";
import { fromState } from "../values/from-state";

interface Request {
  readonly typeName: string;
  readonly version?: number;
  readonly rawState: { readonly json?: Uint8Array };
}

/**
 * UpgradeResourceState: a stored state in the schema of now. Attributes that are no more are dropped, new ones are
 * null until the next read.
 */
export async function upgradeResourceState(provider: Provider, request: Request): Promise<object> {
  const type = provider.typeNamed(request.typeName);
  if (Number(request.version ?? 0) > schemaVersion) {
    throw new DiagnosticsError([
      error("state.newer", `the state of ${type.name} was written by a newer version of this provider`, {
        hint: "upgrade the provider: terraform init -upgrade",
      }),
    ]);
  }
  const json: unknown = JSON.parse(Buffer.from(request.rawState.json ?? "null").toString("utf8"));
  return { upgradedState: { msgpack: encodeValue(type.valueType, fromState(type.valueType, json)) } };
}
