import { DiagnosticsError, error } from "../diagnostics/diagnostic";
import { type Condition, embeddedApiKey, embeddedWorkspaceId } from "../emulator/behaviour";
import { createEmulator } from "../emulator/emulator";
import type { Lags } from "../emulator/lag";
import { serveEmulator } from "../emulator/server";

export interface EmulatorRequest {
  /** 0 takes a free port. */
  readonly port: number;
  /** Where its data is kept; in memory when undefined. */
  readonly folder?: string;
  readonly latencyMs?: number;
  readonly conditions?: readonly Condition[];
  readonly lag?: Lags;
}

export interface ServedEmulator {
  readonly url: string;
  readonly workspaceId: string;
  readonly apiKey: string;
  readonly close: () => Promise<void>;
}

/** `rnv emulator`: the embedded service over HTTP on localhost, until it is closed. */
export async function emulator({ port, ...options }: EmulatorRequest): Promise<ServedEmulator> {
  const server = await serveEmulator(createEmulator(options), { port }).catch((failure: unknown) => {
    throw portRefused(port, failure);
  });
  return {
    url: server.url,
    workspaceId: embeddedWorkspaceId,
    apiKey: embeddedApiKey,
    close: () => server.close(),
  };
}

/** Explains why a port cannot be opened; returns any other failure unchanged. */
function portRefused(port: number, failure: unknown): unknown {
  const { code } = failure as NodeJS.ErrnoException;
  const anyOther = "choose another with -port; rnv emulator -port 0 takes a free one";
  const refused = (why: string, hint: string) =>
    new DiagnosticsError([error("command.usage", `port ${port} ${why}`, { hint })]);
  if (code === "EADDRINUSE")
    return refused("is taken", `it may be an emulator that runs already; else ${anyOther}`);
  if (code === "EACCES") return refused("may not be opened by this user", anyOther);
  return code === "ERR_SOCKET_BAD_PORT" ? refused("does not exist", "a port is 0 to 65535") : failure;
}
