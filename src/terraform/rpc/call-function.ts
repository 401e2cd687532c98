import { ArgumentError, functions } from "../functions";
import type { Provider } from "../provider";
import { decodeValue, encodeValue } from "../values/codec";

interface Request {
  readonly name: string;
  readonly arguments: readonly { readonly msgpack: Uint8Array }[];
}

/** CallFunction: pure, and answered by a provider that was never configured. */
export async function callFunction(_provider: Provider, request: Request): Promise<object> {
  const called = functions.find(({ name }) => name === request.name);
  if (called === undefined) return { error: { text: `this provider has no function "${request.name}"` } };
  const given = called.parameters.map(({ type }, index) =>
    decodeValue(type, request.arguments[index]?.msgpack),
  );
  try {
    return { result: { msgpack: encodeValue(called.returns, called.call(...given)) } };
  } catch (failure) {
    if (failure instanceof ArgumentError)
      return { error: { text: failure.message, functionArgument: failure.argument } };
    return { error: { text: `this is a bug in the provider: ${String(failure)}` } };
  }
}
