import {
  createEmulator,
  type Emulator,
  type EmulatorOptions,
  embeddedApiKey,
} from "../../../src/emulator/emulator";
import { type ManualClock, manualClock } from "../../../src/emulator/testing";

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not used
type Answer = { status: number; headers: Readonly<Record<string, string>>; body: any };

export type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

export interface Started {
  readonly emulator: Emulator;
  readonly clock: ManualClock;
  readonly call: Call;
  readonly workspace: string;
  readonly services: string;
}

/** An emulator on a clock that stands still, and a caller with its key. */
export function start(options: EmulatorOptions = {}): Started {
  const clock = manualClock();
  const emulator = createEmulator({ clock, ...options });
  const workspace = `/workspaces/${emulator.workspaceId}`;
  return { emulator, clock, call: callerOf(emulator), workspace, services: `${workspace}/services` };
}

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
