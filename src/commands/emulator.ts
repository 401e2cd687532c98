import type { Condition } from "../emulator/conditions";
import { createEmulator, embeddedApiKey, embeddedWorkspaceId } from "../emulator/emulator";
import { serveEmulator } from "../emulator/serve";

export interface EmulatorRequest {
  /** 0 takes a free one. */
  readonly port: number;
  /** Where its data is kept; in memory when undefined. */
  readonly folder?: string;
  readonly latencyMs?: number;
  readonly conditions?: readonly Condition[];
}

export interface ServedEmulator {
  readonly url: string;
  readonly workspaceId: string;
  readonly apiKey: string;
  readonly close: () => Promise<void>;
}

/** `rnv emulator`: the embedded service over HTTP on localhost, until it is closed. */
export async function emulator({ port, ...options }: EmulatorRequest): Promise<ServedEmulator> {
  const server = await serveEmulator(createEmulator(options), { port });
  return {
    url: server.url,
    workspaceId: embeddedWorkspaceId,
    apiKey: embeddedApiKey,
    close: () => server.close(),
  };
}
