import { answer } from "./answer";
import { Provider } from "./provider";
import type { CallHandler } from "./wire/serve";

let provider: Provider | undefined;

/** Answers calls with the one provider of this process. Loaded after the handshake: it is most of the code. */
export const answerCall: CallHandler = (method, request) => {
  provider ??= new Provider(process.env, process.cwd());
  return answer(provider, method, request);
};
