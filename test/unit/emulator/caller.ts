import { type Emulator, embeddedApiKey } from "../../../src/emulator/emulator";

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not used
type Answer = { status: number; headers: Readonly<Record<string, string>>; body: any };

export type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

export const callerOf =
  (emulator: Emulator): Call =>
  async (method, path, body, headers = {}) => {
    const response = await emulator.handle({
      method,
      url: `http://embedded/api/v1${path}`,
      headers: {
        authorization: `Bearer ${embeddedApiKey}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { ...response, body: response.body === "" ? undefined : JSON.parse(response.body) };
  };
