import { failure } from "../diagnostics/diagnostic";
import { embeddedApiKey, embeddedWorkspaceId } from "../emulator/behaviour";
import type * as embedded from "../emulator/emulator";
import type * as served from "../emulator/http-server";
import { reasonOf } from "../model/file-error";

/** `rnv emulator`: the embedded platform over HTTP on localhost, until it is closed; port 0 takes a free one. */
export async function emulator(port: number, options: embedded.EmulatorOptions) {
  const { createEmulator } = require("../emulator/emulator") as typeof embedded;
  const { serveEmulator } = require("../emulator/http-server") as typeof served;
  const server = await serveEmulator(createEmulator(options), { port }).catch((cause: unknown) => {
    throw failure("command.usage", `cannot listen on port ${port}: ${reasonOf(cause)}`, {
      hint: "an emulator may run there already; rnv emulator -port 0 takes a free port",
    });
  });
  return { server, workspaceId: embeddedWorkspaceId, apiKey: embeddedApiKey };
}
