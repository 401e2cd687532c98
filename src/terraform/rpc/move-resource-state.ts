import { DiagnosticsError, error } from "../../diagnostics/diagnostic";
import type { Provider } from "../provider";
import { encodeValue } from "../values/codec";
import { fromState } from "../values/from-state";

interface Request {
  readonly sourceProviderAddress: string;
  readonly sourceTypeName: string;
  readonly sourceState: { readonly json?: Uint8Array };
  readonly targetTypeName: string;
  readonly sourcePrivate?: Uint8Array;
}

/** MoveResourceState: the same type under another address of this provider. Runs before ConfigureProvider. */
export async function moveResourceState(provider: Provider, request: Request): Promise<object> {
  const type = provider.typeNamed(request.targetTypeName);
  const json: unknown = JSON.parse(Buffer.from(request.sourceState.json ?? "null").toString("utf8"));
  const isOurs = /\/rnv$/.test(request.sourceProviderAddress);
  if (isOurs && request.sourceTypeName === type.name) {
    return {
      targetState: { msgpack: encodeValue(type.valueType, fromState(type.valueType, json)) },
      targetPrivate: request.sourcePrivate,
    };
  }
  throw new DiagnosticsError([
    error("manifest.moved", `a ${request.sourceTypeName} cannot become a ${type.name}`, {
      hint: "import it under the new type, and take the old one out of the state with a removed block",
    }),
  ]);
}
